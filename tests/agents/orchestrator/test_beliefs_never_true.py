"""A belief in what a retcon took from canon stays a belief, and Query says that it was never true."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding, QueryFinding
from stores.records.workflow import Verdict
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("/npc here Wick: a boy", "/npc here Osk: a mercenary", "I nod.", "> Osk is dead.")
        await scene.say("/accept all", "/commit")
        await program.services.jobs.wait_until_idle()
        yield scene


async def read_beliefs(scene: PlayedScene, question: str) -> list[QueryFinding]:
    services = scene.program.services
    await services.jobs.wait_until_idle()
    universe_id = (await scene.view()).universe.id
    answer = await services.query.answer_question(question, universe_id=universe_id)
    return [f for f in answer.findings if f.standing is AnswerStanding.BELIEVED]


async def retcon_death(scene: PlayedScene) -> None:
    services, universe_id = scene.program.services, (await scene.view()).universe.id
    answer = await services.query.answer_question("Is Osk dead?", universe_id=universe_id)
    (fact_id,) = {f.fact_id for f in answer.findings if f.fact_id}
    edit = await services.world.edits.propose_retcon(fact_id)
    await services.gate.decide(edit.proposal_ids, Verdict.ACCEPT)
    await services.gate.commit_universe(universe_id)


@pytest.mark.parametrize("question", ["What does Wick know of Osk?", "Is Osk dead?"])
async def test_belief_in_what_was_never_true_says_so(scene: PlayedScene, question: str) -> None:
    before = await read_beliefs(scene, question)
    assert not any("never true" in finding.where for finding in before)
    await retcon_death(scene)
    (belief,) = await read_beliefs(scene, "What does Wick know of Osk?")
    assert belief.believer == "Wick"
    assert belief.where.endswith("never true")
    assert all(finding.where.endswith("never true") for finding in await read_beliefs(scene, question))
    await retcon_death(scene)
    (belief,) = await read_beliefs(scene, "What does Wick know of Osk?")
    assert "never true" not in belief.where, "it is true again"


async def test_character_says_of_a_memory_that_a_retcon_made_it_never_true(scene: PlayedScene) -> None:
    services = scene.program.services

    async def read_never_true() -> list[bool]:
        await services.jobs.wait_until_idle()
        rows = await services.characters.list_characters((await scene.view()).universe.id)
        (wick_id,) = (row.entity.id for row in rows if row.entity.name == "Wick")
        memories = (await services.characters.read_character(wick_id)).memories
        return [m.is_never_true for m in memories if m.canon_statement == "Osk is dead."]

    assert await read_never_true() == [False]
    await retcon_death(scene)
    assert await read_never_true() == [True]
    await retcon_death(scene)
    assert await read_never_true() == [False], "it is true again"
