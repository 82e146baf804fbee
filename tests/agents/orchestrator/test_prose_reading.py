"""Prose that the GM wrote while no model was there is read once there is one: proposed with its words, and once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.llm.errors import ModelKeyRefused
from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.records.ids import SteppingClock
from stores.records.llm import Persona
from stores.records.play import Speaker
from tests.agents.orchestrator.scripted_program import (
    NOTHING,
    Script,
    ScriptedProgram,
    house,
    in_this_process,
    scripted,
    telling,
)
from tests.contract import builders as make
from tests.program import START

PROSE = "> Between two crates the harbour smells of tar tonight, and nobody has lit the Salt Lantern."
QUOTE = "nobody has lit the Salt Lantern"
READING = json.dumps(
    {
        "summary": "The Salt Lantern stays dark.",
        "changes": [
            {"kind": "new", "subject": "Salt Lantern", "predicate": "object", "quote": QUOTE, "weight": 70}
        ],
    }
)


class AbsentArchivist:
    """An Archivist that answers only once it is there."""

    def __init__(self) -> None:
        self.is_there = False

    def answer(self, ask: LlmRequest) -> ScriptedAnswer:
        if not self.is_there:
            return ModelKeyRefused("The key is refused.")
        return READING if "Salt Lantern" in ask.messages[-1].text else NOTHING


async def work_beside_play(table: ScriptedProgram) -> None:
    await table.program.services.jobs.wait_until_idle()


async def lantern_rows(table: ScriptedProgram) -> list[ProposalView]:
    view = await table.program.services.play.scene(table.scene_id)
    return [row for row in view.proposals if "Salt Lantern" in row.title]


async def set_budget(table: ScriptedProgram) -> None:
    """Setting a budget, a key, a persona or a model has what waits for one tried again."""
    await table.program.services.play.submit(table.scene_id, "/budget universe 5")
    await work_beside_play(table)


@pytest.mark.slow
async def test_gm_prose_waits_for_a_model_and_is_read_when_one_returns(tmp_path: Path) -> None:
    archivist = AbsentArchivist()
    script = {Persona.ARCHIVIST: archivist.answer}
    async with telling(tmp_path, script, beside_play=True) as table:
        play, jobs = table.program.services.play, table.program.services.jobs
        await play.submit(table.scene_id, PROSE)
        await work_beside_play(table)
        assert await lantern_rows(table) == []
        waiting = dict(jobs.current_status().rows)["your own prose, by the model"]
        assert "1 to do" in waiting
        assert "key is refused" in waiting

        archivist.is_there = True
        await set_budget(table)
        (row,) = await lantern_rows(table)
        assert [piece.quote for piece in row.proposal.evidence] == [QUOTE]
        assert "your own prose, by the model" not in dict(jobs.current_status().rows)

        # It is paid once, and what the player denied stays denied.
        asked = len(table.asked)
        await play.submit(table.scene_id, "/reject 1")
        await set_budget(table)
        assert len(table.asked) == asked
        assert [row.mark for row in await lantern_rows(table)] == ["reject"]
        # The same words again propose what was denied no more.
        await play.submit(table.scene_id, PROSE)
        await work_beside_play(table)
        assert len(table.asked) == asked + 1
        assert [row.mark for row in await lantern_rows(table)] == ["reject"]


async def test_gm_prose_written_before_a_model_was_set_up_is_read_once_its_scene_is_open(
    tmp_path: Path,
) -> None:
    nothing_on = house(off=(Persona.ARCHIVIST, Persona.NARRATOR), embedding={"model": "none"})
    async with telling(tmp_path, settings=nothing_on, beside_play=True) as table:
        await table.program.services.play.submit(table.scene_id, PROSE)
        await work_beside_play(table)
        assert table.asked == []
    archivist = AbsentArchivist()
    archivist.is_there = True
    clock = SteppingClock(START)
    program = await open_program(
        tmp_path,
        clock=clock,
        model=(model := scripted({Persona.ARCHIVIST: archivist.answer})),
        settings=house(embedding={"model": "none"}),
        **await in_this_process(tmp_path, clock),
    )
    table = ScriptedProgram(program, table.scene_id, model)
    try:
        program.services.jobs.start()
        await work_beside_play(table)
        assert table.asked == [], "no model is paid for a scene that the player has not opened"
        await program.services.play.finish_narration(table.scene_id)
        await work_beside_play(table)
        assert table.asked == [Persona.ARCHIVIST]
        assert len(await lantern_rows(table)) == 1
    finally:
        await program.close()


@pytest.mark.slow
async def test_narration_whose_record_failed_is_read_when_a_model_returns(tmp_path: Path) -> None:
    archivist = AbsentArchivist()
    script: Script = {Persona.NARRATOR: PROSE.removeprefix("> "), Persona.ARCHIVIST: archivist.answer}
    async with telling(tmp_path, script, beside_play=True) as table:
        await table.program.services.play.submit(table.scene_id, "I look about.")
        await work_beside_play(table)
        assert await lantern_rows(table) == []
        archivist.is_there = True
        await set_budget(table)
        assert len(await lantern_rows(table)) == 1


async def test_prose_of_an_imported_log_is_not_paid_for(tmp_path: Path) -> None:
    """It was not played here, and importing has a review of its own."""
    async with telling(tmp_path, beside_play=True) as table:
        log = table.program.stores.log(Role.NARRATOR)
        scene = await log.scene(table.scene_id)
        turn = make.turn(scene, None, PROSE.removeprefix("> "), speaker=Speaker.GM)
        await log.append_gm_turn(turn)
        await table.program.services.play.finish_narration(table.scene_id)
        await work_beside_play(table)
        assert table.asked == []


async def test_prose_that_waits_for_a_model_is_counted_and_the_opening_of_the_sample_is_not(
    tmp_path: Path,
) -> None:
    """Nobody typed how the bundled world begins: it costs no call, and nothing of it waits."""
    nothing_on = house(off=(Persona.ARCHIVIST, Persona.NARRATOR), embedding={"model": "none"})
    async with telling(tmp_path, settings=nothing_on, beside_play=True) as table:
        stories, play = table.program.services.stories, table.program.services.play
        await stories.add_sample()
        scene_id = await stories.start_story(await stories.sample_outline())
        assert len(await play.transcript(scene_id, 0, 200)) >= 3
        assert await stories.count_waiting_prose() == 0
        await play.submit(table.scene_id, PROSE)
        await play.submit(scene_id, "> Wenna Pike lays the cut rope over the bar and says nothing of it.")
        assert await stories.count_waiting_prose() == 2
        await play.submit(scene_id, "/undo")
        assert await stories.count_waiting_prose() == 1
    async with telling(
        tmp_path / "reading", {Persona.ARCHIVIST: NOTHING, Persona.STEWARD: NOTHING}, beside_play=True
    ) as table:
        stories = table.program.services.stories
        await stories.add_sample()
        await stories.start_story(await stories.sample_outline())
        await work_beside_play(table)
        assert Persona.ARCHIVIST not in table.asked
        assert await stories.count_waiting_prose() == 0


async def test_what_was_read_before_a_branch_is_not_paid_for_again(tmp_path: Path) -> None:
    """My branch begins with what the model has read on the line that I leave."""
    archivist = AbsentArchivist()
    archivist.is_there = True
    async with telling(tmp_path, {Persona.ARCHIVIST: archivist.answer}, beside_play=True) as table:
        services = table.program.services
        await services.play.submit(table.scene_id, PROSE)
        await work_beside_play(table)
        assert table.asked.count(Persona.ARCHIVIST) == 1
        last_row = (await services.play.transcript(table.scene_id, 0, 10))[-1]
        made = await services.branches.make_branch(table.scene_id, last_row.turn.id, "If it burns")
        branch = ScriptedProgram(
            table.program, await services.stories.resume(made.copy.story_id), table.model
        )
        await work_beside_play(branch)
        assert len(await lantern_rows(branch)) == 1
        assert branch.asked.count(Persona.ARCHIVIST) == 1, "read and paid for on the line that was left"
        await services.play.submit(branch.scene_id, "> The Salt Lantern burns after all, high over the quay.")
        await work_beside_play(branch)
        assert branch.asked.count(Persona.ARCHIVIST) == 2
