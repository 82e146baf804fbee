"""What Query takes for an answer to who owns, has, owes, gave or killed: who does it to whom, and not the reverse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from stores.records.workflow import Verdict
from tests.agents.orchestrator.asked_record import ask_record, ask_standing
from tests.played_scene import PlayedScene
from tests.program import begin, opened

PEOPLE = (
    "/npc here Captain Vess: of the salvage crew",
    "/npc here Teodor: my brother",
    "/npc Dob Harrow: the pier-keeper",
    "/creature Pane-Hound: a hound of window glass",
    "/thing Glass Bell: a bell of glass",
    "/thing Salvage Skiff: a skiff",
    "/accept all",
    "/commit",
)

Ask = Callable[[str], Awaitable[tuple[AnswerStanding, list[str]]]]


@asynccontextmanager
async def played(home: Path, *lines: str) -> AsyncIterator[Ask]:
    async with opened(home) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*PEOPLE, *lines)
        await program.services.jobs.wait_until_idle()

        async def ask(question: str) -> tuple[AnswerStanding, list[str]]:
            return await ask_standing(program, table.scene_id, question)

        yield ask


@pytest.mark.slow
async def test_query_takes_no_line_after_a_rejected_owner_for_an_answer(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "Dob Harrow owns Salvage Skiff",
        "/reject all",
        "> The Pane-Hound comes out of the tar smoke.",
        "> Teodor gives me the glass bell.",
    ) as ask:
        for question in ("Who owns the Salvage Skiff?", "Whose is the Salvage Skiff?"):
            assert await ask(question) == (AnswerStanding.UNKNOWN, []), question


@pytest.mark.slow
async def test_query_of_who_did_it_has_the_line_that_says_so_and_not_the_next_one(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "Dob Harrow owns Salvage Skiff",
        "> The Pane-Hound comes out of the tar smoke.",
        "I ask Vess who cut the rope.",
        "> Teodor did, with my knife.",
    ) as ask:
        standing, texts = await ask("Who owns the Salvage Skiff?")
        assert standing is AnswerStanding.PROPOSED
        assert texts[0] == "Dob Harrow owns Salvage Skiff."
        assert not any("tar smoke" in text for text in texts), texts
        assert (await ask("Who cut the rope?"))[1][0] == "the GM: Teodor did, with my knife."


@pytest.mark.slow
async def test_query_of_who_has_a_thing_takes_no_denied_theft_for_an_answer(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        *(f"/thing {name}" for name in ("Iron Key", "Silver Ring", "Red Lamp", "Old Drum", "Tin Cup")),
        "/fact Dob Harrow never stole the glass bell",
        "/fact Dob Harrow no longer has the iron key",
        "/fact Teodor doesn't have the silver ring",
        "/fact Dob Harrow never lost the red lamp",
        "/fact Dob Harrow stole the old drum",
        "/fact Nobody has the tin cup",
        "/accept all",
        "/commit",
    ) as ask:
        for thing in ("glass bell", "iron key", "silver ring"):
            assert await ask(f"Who has the {thing}?") == (AnswerStanding.UNKNOWN, []), thing
            assert await ask(f"Where is the {thing}?") == (AnswerStanding.UNKNOWN, []), thing
        for thing, text in (
            ("red lamp", "Dob Harrow never lost the red lamp."),
            ("old drum", "Dob Harrow stole the old drum."),
            ("tin cup", "Nobody has the tin cup."),
        ):
            assert await ask(f"Who has the {thing}?") == (AnswerStanding.CANON, [text])


@pytest.mark.slow
async def test_query_of_who_has_a_thing_puts_what_was_retconned_last(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, table = program.services, PlayedScene(program, await begin(program))
        await table.say(*PEOPLE, "/fact Dob Harrow has the glass bell", "/accept all", "/commit")
        ask = partial(ask_record, program, table.scene_id)
        await services.jobs.wait_until_idle()
        (canon_finding,) = (await ask("Who has the glass bell?")).findings
        assert canon_finding.fact_id is not None
        retcon = await services.world.edits.propose_retcon(canon_finding.fact_id)
        await services.gate.decide(retcon.proposal_ids, Verdict.ACCEPT)
        await services.gate.commit_universe((await table.view()).universe.id)
        await table.say("> Teodor gives me the glass bell.")
        await services.jobs.wait_until_idle()
        answer = await ask("Who has the glass bell?")
        texts = [finding.text for finding in answer.findings]
        assert answer.standing is not AnswerStanding.CONTRADICTED, texts
        assert "Dob Harrow" not in texts[0]
        assert texts[-1] == "Retconned, never true: Dob Harrow has the glass bell."


@pytest.mark.slow
async def test_query_of_what_somebody_did_to_me_is_not_answered_by_what_i_did_to_them(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "I promise Vess to bring her the salvage book.",
        "I owe Vess three coins.",
        "I give Vess my lantern.",
        "I threaten Vess with a knife.",
        "I tell Vess that the key is gone.",
        '"You owe me a boat," I tell Vess.',
    ) as ask:
        for question in (
            "What did Vess promise Mara?",
            "What did Vess promise me?",
            "What does Vess owe Mara?",
            "What did Vess give Mara?",
            "What did Vess give me?",
            "Who gave me a lantern?",
            "What did Vess threaten Mara with?",
            "Who threatened Mara?",
            "What did Vess tell Mara?",
            "What did Vess tell me?",
        ):
            assert await ask(question) == (AnswerStanding.UNKNOWN, []), question
        for question, text in (
            ("What did I promise Vess?", "Mara promised Captain Vess to bring her the salvage book."),
            ("Who promised Vess something?", "Mara promised Captain Vess to bring her the salvage book."),
            ("What do I owe Vess?", "Mara owes Vess three coins."),
            ("Who owes Vess coins?", "Mara owes Vess three coins."),
            ("What did I give Vess?", "you: I give Vess my lantern."),
            ("Who gave Vess a lantern?", "you: I give Vess my lantern."),
            ("What did I threaten Vess with?", "you: I threaten Vess with a knife."),
            ("Who threatened Vess?", "you: I threaten Vess with a knife."),
            ("What did I tell Vess?", "you: I tell Vess that the key is gone."),
        ):
            assert (await ask(question))[1][:1] == [text], question


@pytest.mark.slow
async def test_query_of_who_did_it_to_whom_is_not_answered_the_other_way_round(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        *(f"/npc here {name}: a sailor" for name in ("Osk", "Hela", "Zed", "Ketil")),
        "/accept all",
        "/fact Dob Harrow never killed Osk",
        "/fact Hela killed Zed",
        "/fact Osk gave Hela a silver comb",
        "/fact Zed never gave Ketil a knife",
        "/fact Ketil owes Dob Harrow nine coins",
        "/accept all",
        "/commit",
        "> Ketil threatens Osk with a hook.",
        "> Vess tells Teodor that the tide is late.",
        "> Hela promises Osk a new oar.",
        "> Dob Harrow never stole the glass bell.",
        "> Teodor was bitten by Osk.",
    ) as ask:
        for question in (
            "Who killed Osk?",
            "Who killed Hela?",
            "What did Hela give Osk?",
            "Who gave Osk a comb?",
            "Who gave Osk the silver comb?",
            "Who gave Ketil a knife?",
            "What does Dob Harrow owe Ketil?",
            "Who owes Ketil coins?",
            "Who threatened Ketil?",
            "What did Osk threaten Ketil with?",
            "What did Teodor tell Vess?",
            "Who told Vess about the tide?",
            "What did Osk promise Hela?",
            "Who promised Hela an oar?",
            "Who stole the glass bell?",
            "Who bit Osk?",
        ):
            standing, texts = await ask(question)
            assert standing is AnswerStanding.UNKNOWN, (question, texts)
        for question, part in (
            ("Who killed Zed?", "Hela killed Zed"),
            ("What did Osk give Hela?", "silver comb"),
            ("Who gave Hela a comb?", "Osk gave Hela"),
            ("What does Ketil owe Dob Harrow?", "nine coins"),
            ("Who owes Dob Harrow coins?", "Ketil owes"),
            ("Who threatened Osk?", "Ketil threatens"),
            ("What did Ketil threaten Osk with?", "with a hook"),
            ("What did Vess tell Teodor?", "the tide is late"),
            ("Who told Teodor about the tide?", "Vess tells Teodor"),
            ("What did Hela promise Osk?", "ew oar"),
            ("Who promised Osk an oar?", "Hela promised Osk"),
            ("Who bit Teodor?", "bitten by Osk"),
        ):
            assert part in " ".join((await ask(question))[1][:1]), question


async def test_query_of_whom_somebody_killed_is_not_answered_by_who_killed_them(tmp_path: Path) -> None:
    async with played(
        tmp_path,
        "> Dob Harrow breaks down the door. He shoots Teodor through the heart.",
        "I look away.",
        "> Captain Vess kills Dob Harrow with a boat hook.",
        "I bury them both.",
        "> Captain Vess cuts down the guard at the gate.",
    ) as ask:
        for question in ("Who did Dob Harrow kill?", "Whom did Dob kill?"):
            standing, texts = await ask(question)
            assert standing is not AnswerStanding.UNKNOWN, question
            assert "shoots Teodor" in texts[0], texts
            assert not any("boat hook" in text for text in texts), texts
        texts = (await ask("Who did Captain Vess kill?"))[1]
        assert any("boat hook" in text for text in texts), texts
        assert any("cuts down the guard" in text for text in texts), texts
        texts = (await ask("Who killed Dob Harrow?"))[1]
        assert any("boat hook" in text for text in texts), texts
        assert not any("shoots Teodor" in text for text in texts), texts
        assert await ask("Who did Teodor kill?") == (AnswerStanding.UNKNOWN, [])
