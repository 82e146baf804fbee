"""Where somebody is and who is here: by canon or a proposal, else by the scene in play; what was rejected is marked."""

from __future__ import annotations

from pathlib import Path

from agents.views.query_views import Answer, AnswerStanding
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.agents.orchestrator.asked_record import ask_record
from tests.played_scene import PlayedScene
from tests.program import begin, opened

IN_PLAY = "the scene in play, not canon"


async def ask(program: Program, scene_id: Id, question: str) -> Answer:
    await program.services.jobs.wait_until_idle()
    return await ask_record(program, scene_id, question, of_story=True)


async def test_query_where_am_i_and_who_is_here_by_the_scene_in_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/place The Gull Inn: low beams", "/npc here Bram: a carter", "/npc Osk: a smith"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/go The Gull Inn with Bram")
        for question, text in (
            ("Where is Bram?", "Bram is at The Gull Inn."),
            ("where's Bram now?", "Bram is at The Gull Inn."),
            ("Where am I?", "Mara is at The Gull Inn."),
            ("Who is here?", "Present at The Gull Inn: Mara, Bram."),
        ):
            answer = await ask(program, scene_id, question)
            assert answer.findings[0].text == text
            assert answer.findings[0].where.startswith(IN_PLAY)
            assert answer.standing is AnswerStanding.ON_RECORD
        absent = await ask(program, scene_id, "Where is Osk?")
        assert not [finding for finding in absent.findings if finding.where.startswith(IN_PLAY)]


async def test_query_where_somebody_is_by_canon_before_the_scene_in_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/place The Gull Inn: low beams",
            "/npc here Bram: a carter",
            "/fact Bram located_in The Gull Inn",
        ):
            await program.services.play.submit(scene_id, line)
        for standing in (AnswerStanding.PROPOSED, AnswerStanding.CANON):
            answer = await ask(program, scene_id, "Where is Bram?")
            assert answer.standing is standing
            assert answer.findings[0].text == "Bram is in The Gull Inn."
            await program.services.play.submit(scene_id, "/accept all")
            await program.services.play.submit(scene_id, "/commit")


async def test_query_line_that_was_rejected_does_not_answer_and_is_marked(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Bram: a carter", "/place Tower: old", "/accept all", "/commit"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "> Bram is in the Tower.")
        assert "Bram" in (await ask(program, scene_id, "Where is Bram?")).findings[0].text
        for line in ("/reject all", "/commit"):
            await program.services.play.submit(scene_id, line)
            answer = await ask(program, scene_id, "Where is Bram?")
            assert not [finding for finding in answer.findings if "Tower" in finding.text]
            marks = [finding.where for finding in answer.nearest if "Tower" in finding.text]
            assert marks
            assert all("rejected" in where for where in marks)
            words = await program.services.query.search_words(
                "Tower", universe_id=(await program.services.play.scene(scene_id)).universe.id
            )
            marked = [finding for finding in words if finding.rejected_quotes]
            assert [finding.text for finding in marked if not finding.memory_id] == [
                "the GM: Bram is in the Tower."
            ]
            assert all("you rejected “Bram is in the Tower" in finding.where for finding in marked)


async def test_query_answers_a_nephew_by_his_uncle_and_no_place_by_an_escape(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/npc here Corrin Vale: a smuggler",
            "/npc here Bran Tull: a steward",
            "/npc here Pip: a boy",
            "/fact Corrin Vale escaped with the letter",
            "/fact Bran Tull is Pip's uncle",
            "/accept all",
            "/commit",
        ):
            await program.services.play.submit(scene_id, line)
        for question, texts in {
            "Where is Corrin Vale?": [],
            "Who is Bran Tull's nephew?": ["Bran Tull is Pip's uncle."],
        }.items():
            answer = await ask(program, scene_id, question)
            assert [f.text for f in answer.findings if f.standing is AnswerStanding.CANON] == texts


async def test_query_where_somebody_is_not_by_what_they_took_or_were_given(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/npc Ketta Vane: a thief",
            "/npc Jonas Reed: a smuggler",
            "/npc Salt Baron: a lord",
            "/thing parcel: wrapped",
            "/thing ledger: old",
            "/place Tower of Salt: white",
            "/accept all",
            "/commit",
            "/fact The parcel was stolen last night by Ketta Vane",
            "/fact Jonas Reed is at Tower of Salt",
            "/accept all",
            "/commit",
            "/fact Jonas Reed sold the ledger to the Salt Baron",
            "/fact Mara gave Ketta Vane her parcel",
            "/fact Jonas ran off with Mara's coins",
            "/accept all",
            "/commit",
            "> Ketta Vane climbs on her horse and rides off toward Thornwick.",
        ):
            await program.services.play.submit(scene_id, line)
        ketta = await ask(program, scene_id, "Where is Ketta?")
        assert "rides off toward Thornwick" in ketta.findings[0].text
        assert ketta.standing is AnswerStanding.ON_RECORD
        jonas = await ask(program, scene_id, "Where is Jonas?")
        assert [f.text for f in jonas.findings if f.standing is AnswerStanding.CANON] == [
            "Jonas Reed is at Tower of Salt."
        ]
        baron = await ask(program, scene_id, "Where is the Salt Baron?")
        assert not [f for f in baron.findings if f.standing is AnswerStanding.CANON]


async def test_query_where_am_i_by_canon_first_and_then_by_the_scene_in_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/place House of Bells: tall", "/place Grey Ford: wide", "/go House of Bells"):
            await program.services.play.submit(scene_id, line)
        for line in ("/accept all", "/commit"):
            await program.services.play.submit(scene_id, line)
        answer = await ask(program, scene_id, "Where am I?")
        assert [(f.text, f.standing) for f in answer.findings] == [
            ("Mara is in House of Bells.", AnswerStanding.CANON)
        ]
        await program.services.play.submit(scene_id, "/go Grey Ford")
        answer = await ask(program, scene_id, "Where am I now?")
        assert answer.findings[0].text == "Mara is in House of Bells."
        assert answer.findings[0].standing is AnswerStanding.CANON
        assert answer.findings[1].text == "Mara is at Grey Ford."
        assert answer.findings[1].where.startswith(IN_PLAY)


async def test_query_where_somebody_stayed_behind_comes_before_older_lines(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/place Reed Chapel: a ruin", "/place Saltmere Mill", "/npc here Osric", "/npc here Anselm"
        )
        await scene.say(
            "> Osric goes down to the cellar.", "> Osric steps out of the dark and swings the axe."
        )
        await scene.say("/accept all", "/end", "/commit", "/scene")
        await scene.say("I walk to Reed Chapel.", "/cast + Osric, Anselm", "I walk to Saltmere Mill alone.")
        stay = "Osric stayed behind at Reed Chapel."

        async def read_answer(question: str) -> list[tuple[str, str]]:
            answer = await ask(program, scene.scene_id, question)
            return [(f.text, f.where) for f in answer.findings if f.standing is AnswerStanding.ON_RECORD]

        first, *earlier = await read_answer("Where is Osric?")
        assert first == (stay, f"{IN_PLAY}: scene 2, A story")
        assert earlier, "the old lines are listed"
        assert all(where.endswith("said earlier: it may have changed") for _, where in earlier)
        # The next scene is another: they are where they stayed, until something else is said.
        await scene.say("/end", "/commit", "/scene")
        first, *_ = await read_answer("Where is Osric?")
        assert first == (stay, "an earlier scene, not canon: scene 2, A story")
        assert [text for text, _ in await read_answer("Where is Anselm?")] == [
            "Anselm stayed behind at Reed Chapel."
        ]
        await scene.say("> Osric goes down to the crypt.")
        texts = [text for text, _ in await read_answer("Where is Osric?")]
        assert texts[0] == "the GM: Osric goes down to the crypt."
        assert stay not in texts
        await scene.say("/cast + Anselm", "/cast - Anselm")
        assert await read_answer("Where is Anselm?") == []
