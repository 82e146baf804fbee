"""A model looks at each new sentence behind play; what it doubts is a warning that holds nothing back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.canon_keeper.model_doubts import MODEL_DOUBT_CHECK
from agents.llm.errors import ModelUnreachable
from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program, open_program
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import ScriptedProgram, house, scripted, telling

WORLD = ("/npc Dob Harrow: the pier-keeper", "/fact Dob Harrow sleeps in the crypt by day", "/commit")
NEW_SENTENCE = "Dob Harrow is the first at market each morning"


def doubt(number: int, why: str = "he sleeps by day") -> str:
    return json.dumps({"doubts": [{"number": number, "why": why}]})


async def propose(table: ScriptedProgram, *lines: str) -> None:
    for line in lines:
        await table.program.services.play.submit(table.scene_id, line)
    await work_behind_play(table.program)


async def work_behind_play(program: Program) -> None:
    assert program.background_jobs is not None
    await program.background_jobs.runner.wait_until_idle()


async def row_of(table: ScriptedProgram, sentence: str) -> ProposalView:
    rows = (await table.program.services.play.scene(table.scene_id)).proposals
    return next(row for row in rows if sentence in row.title)


async def test_model_doubts_are_shown_as_a_warning_that_holds_nothing(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.STEWARD: doubt(1)}) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")
        row = await row_of(table, NEW_SENTENCE)

        assert [match.text for match in row.similar_matches if match.check_name == MODEL_DOUBT_CHECK] == [
            "The model doubts it: cannot be true beside “Dob Harrow sleeps in the crypt by day” (he sleeps by day)"
        ]
        assert row.mark == "accept"
        assert not row.conflicts
        sent = table.sent(Persona.STEWARD)
        assert "[1] Dob Harrow sleeps in the crypt by day" in sent
        assert NEW_SENTENCE in sent


async def test_model_doubts_are_paid_once_and_kept_over_a_restart(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.STEWARD: doubt(1)}) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")
        asked = len(table.asked)
        await work_behind_play(table.program)
        assert len(table.asked) == asked
    model = scripted({Persona.STEWARD: doubt(2)})
    program = await open_program(tmp_path, model=model, settings=house())
    try:
        await work_behind_play(program)
        restarted = ScriptedProgram(program, table.scene_id, model)
        assert (await row_of(restarted, NEW_SENTENCE)).similar_matches
        assert restarted.asked == []
    finally:
        await program.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer", ["I would rather not say.", doubt(19), ModelUnreachable("The line is down."), '{"doubts": []}']
)
async def test_model_doubts_need_an_answer_that_names_a_sentence(
    answer: ScriptedAnswer, tmp_path: Path
) -> None:
    async with telling(tmp_path, {Persona.STEWARD: answer}) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")

        assert Persona.STEWARD in table.asked
        assert (await row_of(table, NEW_SENTENCE)).similar_matches == ()


async def test_model_doubts_are_switched_off_by_a_setting(tmp_path: Path) -> None:
    settings = house(gate={"model_doubts": False})
    async with telling(tmp_path, {Persona.STEWARD: doubt(1)}, settings) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")

        assert Persona.STEWARD not in table.asked
        assert (await row_of(table, NEW_SENTENCE)).similar_matches == ()


async def test_model_doubts_become_a_conflict_that_is_ruled_on(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.STEWARD: doubt(1)}) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")
        proposal_id = (await row_of(table, NEW_SENTENCE)).proposal.id
        conflicts = await table.program.services.conflicts.read_conflicts(proposal_id)

        [conflict] = conflicts.conflicts
        assert conflict.is_model_doubt
        assert conflict.old is not None
        assert {"new", "old", "both"} <= {option.name for option in conflict.options}


@pytest.mark.slow
async def test_model_doubts_wait_for_a_model_and_are_made_when_one_is_there(tmp_path: Path) -> None:
    is_there = False

    def answer(ask: LlmRequest) -> ScriptedAnswer:
        return doubt(1) if is_there else ModelUnreachable("Nobody answers.")

    async with telling(tmp_path, {Persona.STEWARD: answer}) as table:
        await propose(table, *WORLD, f"/fact {NEW_SENTENCE}")
        assert not (await row_of(table, NEW_SENTENCE)).similar_matches
        is_there = True
        # Setting a budget, a key or a model has what waits for one tried again.
        await table.program.services.play.submit(table.scene_id, "/budget universe 5")
        await work_behind_play(table.program)
        assert (await row_of(table, NEW_SENTENCE)).similar_matches
