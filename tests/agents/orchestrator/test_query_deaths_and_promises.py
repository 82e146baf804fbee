"""Tests what Query says of deaths, promises, decisions and whole names, in the player's own words."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from stores.records.workflow import Verdict
from tests.agents.orchestrator.asked_record import ask_standing, ask_texts
from tests.program import begin, opened

LINES = (
    "/npc here Osk Wendry: a mercenary",
    "/npc here Brena Holt: an innkeeper",
    "/npc here Wat Penn: an innkeeper, father of Jory Penn",
    "/npc here Jory Penn: a stable boy",
    "/npc Lady Maude Arrel: a widow",
    "/creature here toll dog: a dog of the toll house",
    "/decide We never kill.",
    "/accept all",
    "/commit",
    "/fact Brena Holt promised to mend the gate",
    "/fact Brena Holt promised to bring the ledger",
    "/fact The toll dog is only stunned",
    "/state toll dog.hp = 0",
    "/fact Osk Wendry is dead",
    "/fact Lady Maude Arrel is dead",
    "/accept all",
    "/commit",
    "> Osk Wendry falls dead beside the toll dog.",
    "/paid Brena Holt promised to mend the gate",
    "/accept all",
    "/commit",
)


async def test_query_answers_on_deaths_promises_decisions_and_names(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in LINES:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        universe_id = (await services.play.scene(scene_id)).universe.id

        ask = partial(ask_texts, program, scene_id)

        dog = await ask("Is the toll dog dead?")
        assert dog[0] == "No death of toll dog is recorded."
        assert set(dog[1:]) == {"The toll dog is only stunned.", "toll dog's HP is 0."}

        osk = await ask("Is Osk dead?")
        assert osk[0] == "Osk Wendry died."
        assert "No death of Osk Wendry is recorded." not in osk

        assert (await ask("What did Brena promise?"))[:2] == [
            "Brena Holt promised to bring the ledger.",
            "Kept: Brena Holt promised to mend the gate.",
        ]
        assert "Decided: We never kill." in await ask("Do we kill?")
        assert "Decided: We never kill." in await ask("Do we kill prisoners at the toll house?")
        assert (await ask("Do we kill?"))[0] == "Decided: We never kill."
        assert (await ask("Who is Jory Penn?"))[0] == "Jory Penn (character): a stable boy"

        answer = await services.query.answer_question("Is Lady Maude dead?", universe_id=universe_id)
        (death,) = answer.findings
        assert (death.text, death.standing) == ("Lady Maude Arrel died.", AnswerStanding.CANON)
        assert death.fact_id
        retcon = await services.world.edits.propose_retcon(death.fact_id)
        await services.gate.decide(retcon.proposal_ids, Verdict.ACCEPT)
        await services.gate.commit_universe(universe_id)
        assert await ask("Is Lady Maude dead?") == [
            "No death of Lady Maude Arrel is recorded.",
            "Retconned, never true: Lady Maude Arrel died.",
        ]


async def test_query_for_promises_to_somebody_has_those_before_what_they_promised(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in (
            "/npc here Vess: a salvager",
            "/npc here Bram: a carter",
            "/fact Bram promised Vess to mend the net",
            "/promise Bram will pay for the oats",
            "/fact Bram owes Vess three coins",
            "/promise Vess promised to bring Bram home",
            "/fact Vess promised Bram a mule",
            "/fact I promised Bram a boat",
            "/fact I owe Bram a coin",
            "/commit",
        ):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()

        ask = partial(ask_texts, program, scene_id)

        mule, boat = "Vess promised Bram a mule.", "Mara promised Bram a boat."
        assert set((await ask("Who promised Bram?"))[:2]) == {mule, boat}
        assert set((await ask("What was Bram promised?"))[:2]) == {mule, boat}
        assert (await ask("Who promised Bram a mule?"))[0] == mule
        mine = await ask("What did I promise Bram?")
        assert (mine[0], mule in mine) == (boat, False)
        assert (await ask("What did Vess promise Bram?"))[0] == mule
        assert (await ask("What do I owe Bram?"))[0] == "Mara owes Bram a coin."
        assert (await ask("Who owes Vess?"))[0] == "Bram owes Vess three coins."
        assert (await ask("What did Bram promise?"))[0].startswith("Bram ")


@pytest.mark.parametrize("is_known_later", [False, True])
async def test_query_finds_a_promise_to_somebody_who_was_not_known_yet(
    tmp_path: Path, is_known_later: bool
) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        lines = ["I nod.", "I promise Pell that I will find his daughter Wren.", "/accept all", "/commit"]
        for line in (*lines, *(["/npc Pell: a sailor", "/accept all", "/commit"] if is_known_later else [])):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        universe_id = (await services.play.scene(scene_id)).universe.id
        answer = await services.query.answer_question("What did I promise Pell?", universe_id=universe_id)
        assert answer.findings[0].text == "Mara promised Pell: “I will find his daughter Wren.”"


async def test_query_says_whether_somebody_kept_their_promise(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in (
            "/npc here Ketta Vane: a thief",
            "/npc here Bram: a carter",
            "/accept all",
            "/commit",
            "/promise Ketta Vane promised Mara that she will carry the coffin",
            "/fact I promised Bram a boat",
            "/fact Bram owes Ketta Vane three coins",
            "/accept all",
            "/commit",
            "/broken Ketta Vane promised Mara that she will carry the coffin",
            "/paid Mara promised Bram a boat",
            "/paid Bram owes Ketta Vane three coins",
            "/accept all",
            "/commit",
        ):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()

        ask = partial(ask_texts, program, scene_id, of_story=True)

        coffin = "Not kept: Ketta Vane promised Mara that she will carry the coffin."
        for question in (
            "Did Ketta keep her promise?",
            "Has Ketta Vane kept her word?",
            "Did Ketta break her promise to me?",
        ):
            assert await ask(question) == [coffin]
        for question in ("Did I keep my promise to Bram?", "Have I kept my word?"):
            assert await ask(question) == ["Kept: Mara promised Bram a boat."]
        assert await ask("Did Bram pay his debts?") == ["Paid: Bram owes Ketta Vane three coins."]
        for question in ("Did Ketta keep her promise to Bram?", "Did Bram keep his promise?"):
            assert await ask(question) == []


async def test_query_lists_promises_and_debts_by_whether_they_were_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in (
            "/npc here Isa: a weaver",
            "/npc here Bram: a smith",
            "/npc here Rusk: a captain",
            "/thing Blue Letter: sealed with wax",
            "/accept all",
            "/commit",
            "/fact promise: Mara promised Isa to bury Corm",
            "/fact promise: Mara promised Isa to find the ring",
            "/fact promise: Bram promised Isa to mend the gate",
            "/fact debt: Mara owes Bram ten silver",
            "> Mara burns the Blue Letter.",
            "> Captain Rusk was wounded.",
            "I tell Rusk that I came from the south.",
            "/accept all",
            "/commit",
            "/paid bury",
            "/accept all",
            "/commit",
        ):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()

        ask = partial(ask_standing, program, scene_id)

        kept, ring, gate = (
            "Kept: Mara promised Isa to bury Corm.",
            "Mara promised Isa to find the ring.",
            "Bram promised Isa to mend the gate.",
        )
        for question in ("Which promises have I kept?", "Which promises have been kept?"):
            assert await ask(question) == (AnswerStanding.CANON, [kept])
        assert await ask("Which promises have I not kept yet?") == (AnswerStanding.CANON, [ring])
        assert sorted((await ask("Which promises are open?"))[1]) == [gate, ring]
        assert await ask("Which promises has Bram kept?") == (AnswerStanding.UNKNOWN, [])
        assert await ask("Which promises have I broken?") == (AnswerStanding.UNKNOWN, [])
        assert await ask("Which of my debts are unpaid?") == (
            AnswerStanding.CANON,
            ["Mara owes Bram ten silver."],
        )
        assert await ask("What was Rusk told?") == (AnswerStanding.BELIEVED, ["Mara came from the south."])
        assert await ask("Who wrote the Blue Letter?") == (AnswerStanding.UNKNOWN, [])


async def test_query_for_what_somebody_promised_has_nobody_elses_promises(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            *(f"/npc here {name}: of the mill" for name in ("Osric", "Hedda", "Bodil")),
            "I swear to Hedda not to tell Osric.",
            "I promise Osric to bring his axe.",
            "> Bodil promises to take me across at first light.",
            "> Osric promises me to wait.",
        ):
            await program.services.play.submit(scene_id, line)
        universe_id = (await program.services.play.scene(scene_id)).universe.id

        async def ask(question: str) -> set[str]:
            answer = await program.services.query.answer_question(question, universe_id=universe_id)
            return {f.text for f in answer.findings if "promised" in f.text}

        silence, axe = "Mara promised Hedda not to tell Osric.", "Mara promised Osric to bring his axe."
        assert await ask("What did I promise?") == {silence, axe}
        assert await ask("What did I promise Osric?") == {axe}
        assert await ask("What did Osric promise me?") == {"Osric promised Mara to wait."}
        await program.services.play.submit(scene_id, "/accept all")
        await program.services.play.submit(scene_id, "/commit")
        assert await ask("What did I promise?") == {silence, axe}
        assert await ask("What did I promise Osric?") == {axe}
        assert await ask("Where am I?") == set()


@pytest.mark.parametrize(
    ("last_fact", "standing", "first_text"),
    [
        ("Teodor Quay is alive", AnswerStanding.CANON, "Teodor Quay is alive."),
        ("Osk Wendry is alive", AnswerStanding.UNKNOWN, "No death of Teodor Quay is recorded."),
        ("Teodor Quay is dead", AnswerStanding.CANON, "Teodor Quay died."),
    ],
)
@pytest.mark.parametrize("question", ["Is Teodor alive?", "Is Teodor dead?", "Did Teodor die?"])
async def test_query_has_who_is_alive_in_canon_before_that_no_death_is_recorded(
    tmp_path: Path, last_fact: str, standing: AnswerStanding, first_text: str, question: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Teodor Quay: a brother", "/npc Osk Wendry: a mercenary", f"/fact {last_fact}"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/accept all")
        await program.services.play.submit(scene_id, "/commit")
        answer_standing, texts = await ask_standing(program, scene_id, question)
        assert (answer_standing, texts[0]) == (standing, first_text)
