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
