"""Query takes a pistol for no shot, a gift for how a thing was got, and what is only told of for no death."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record, ask_standing, ask_texts
from tests.program import begin, opened

SHOT = "> Pask shoots at us, but the ball only grazes my shoulder."
PEOPLE = ("/npc here Pip: a girl", "/npc here Mr. Pask: the steward", "/npc here Adaline: my sister")


async def test_query_who_shot_by_the_shot_and_not_by_a_pistol(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            *PEOPLE,
            SHOT,
            "> Pask drops the pistol down the stairs.",
            "/thing Pask's pistol: a two-shot pocket pistol, one barrel fired",
            "> Pip hands me Pask's pistol.",
            "/accept all",
            "/end We got Adaline out of the ice cellar alive, and Pask knows we have his pistol",
            "/accept all",
            "/commit",
        ):
            await play.submit(scene_id, line)
        await program.services.jobs.wait_until_idle()
        answer = await ask_record(program, scene_id, "Who shot at us?")
        assert answer.standing is AnswerStanding.ON_RECORD
        assert answer.findings[0].text == SHOT.replace(">", "the GM:")
        assert {finding.quote for finding in answer.findings if not finding.believer} == {SHOT[2:]}
        assert not any("got Adaline" in t for t in await ask_texts(program, scene_id, "Who shot at Adaline?"))
        handed = "the GM: Pip hands me Pask's pistol."
        for question in ("Where did I get the pistol?", "How did I get Pask's pistol?"):
            assert (await ask_standing(program, scene_id, question)) == (AnswerStanding.ON_RECORD, [handed])


async def test_query_who_a_titled_ones_wife_is_by_no_line_that_names_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            "/npc here Baron Tesk: monocle",
            "/npc here Felix Auer: the night porter",
            "/npc Lady Corinne: the Baron's wife",
            "I've seen the Baron pocket something, but I'm not going to say so in front of his wife.",
            "> Felix swears he locked the safe himself.",
            "> The Baron corners me in the lift.",
            "/accept all",
            "/commit",
        ):
            await play.submit(scene_id, line)
        await program.services.jobs.wait_until_idle()
        ask = partial(ask_standing, program, scene_id)
        card = "Lady Corinne (character): the Baron's wife"
        assert await ask("Who is the Baron's wife?") == (AnswerStanding.CANON, [card])
        await play.submit(scene_id, "> The Baron's wife Corinne waits in the hall.")
        await program.services.jobs.wait_until_idle()
        line = "the GM: The Baron's wife Corinne waits in the hall."
        assert {card, line} <= set((await ask("Who is the Baron's wife?"))[1])


async def test_query_whether_somebody_is_dead_by_who_was_told_so_if_nobody_saw_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            "/npc here Sheriff Hob Tully: the law",
            "/npc here Bram Tolley: a porter",
            "/npc Pip: a girl",
            "> Bram tells us that Pip is dead.",
        ):
            await play.submit(scene_id, line)
        await program.services.jobs.wait_until_idle()
        ask = partial(ask_standing, program, scene_id)
        told = "the GM: Bram tells us that Pip is dead."
        for question in ("Is Pip dead?", "Did Pip die?", "Who is dead?"):
            standing, texts = await ask(question)
            assert (standing, texts[0], told in texts) == (AnswerStanding.BELIEVED, "Pip is dead.", False)
        assert (await ask("Who told us that Pip is dead?"))[1][0] == told
        await play.submit(scene_id, "> Bram says that Tully is dead. Tully lies dead on the bed.")
        await program.services.jobs.wait_until_idle()
        assert (await ask("Is Tully dead?"))[0] in (AnswerStanding.PROPOSED, AnswerStanding.ON_RECORD)
