"""Killed between any two nodes, a telling goes on at the next and pays for no call twice."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from agents.orchestrator.exchange import EXCHANGE_STEPS
from agents.orchestrator.exchange_pipeline import ExchangePipeline, ExchangeRun
from agents.orchestrator.narration.runner import StepFunctions
from agents.orchestrator.narration.state import NARRATION_STEPS, NarrationState
from agents.orchestrator.narration.steps import NarrationSteps
from monitor_tui.compose import open_program
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import house, persona_of, scripted, telling
from tests.program import START

pytestmark = pytest.mark.slow

ACT = "I force the iron door. /check might 9"
PROSE = "A woman in grey steps out of the dark. Sister Ysolde bars the way, and the keeper nods."
CHANGE = {
    "kind": "new",
    "subject": "Sister Ysolde",
    "object": "character",
    "quote": "Sister Ysolde bars the way",
    "weight": 90,
}
SCRIPT = {
    Persona.DIRECTOR: json.dumps({"beats": ["she bars the way"], "assumptions": []}),
    Persona.NARRATOR: PROSE,
    Persona.CRITIC: json.dumps({"faults": []}),
    Persona.ARCHIVIST: json.dumps({"summary": "Ysolde bars the way.", "changes": [CHANGE]}),
}
ASKED = [Persona.DIRECTOR, Persona.NARRATOR, Persona.CRITIC, Persona.ARCHIVIST]
ON = (Persona.DIRECTOR, Persona.STEWARD, Persona.CRITIC)


class Killed(BaseException):
    """What a SIGKILL is to everything that runs: nothing after it is done."""


def killed(nodes: StepFunctions, at: str, *, done: bool) -> StepFunctions:
    """Return nodes of which one kills: before it begins, or when all it does is done but not checkpointed."""

    def dies(
        node: Callable[[NarrationState], Awaitable[NarrationState]],
    ) -> Callable[[NarrationState], Awaitable[NarrationState]]:
        async def run(state: NarrationState) -> NarrationState:
            if done:
                await node(state)
            raise Killed

        return run

    return {name: dies(node) if name == at else node for name, node in nodes.items()}


async def played(home: Path, scene_id: Id, backend: str) -> tuple[list[str], list[str], list[Persona]]:
    """Open the library again, finish what was cut off; return the line, the proposals and what it asked."""
    clock = SteppingClock(START.replace(year=2027))
    model = scripted(SCRIPT)
    program = await open_program(
        home, clock=clock, ids=SeededIdGenerator(2, clock), model=model, settings=house(*ON, backend=backend)
    )
    try:
        services = program.services
        await services.stories.recover()
        assert model.requests == [], "nothing is paid for before the player is there"
        await services.play.finish_narration(scene_id)
        rows = await services.play.transcript(scene_id, 0, 50)
        view = await services.play.scene(scene_id)
        assert view.unfinished_count == 0
        return (
            [row.turn.text for row in rows],
            [p.title for p in view.proposals],
            [persona_of(ask) for ask in model.requests],
        )
    finally:
        await program.close()


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("node", NARRATION_STEPS)
@pytest.mark.parametrize(
    "engines",
    [
        pytest.param(("langgraph", "langgraph"), id="langgraph"),
        pytest.param(("inmemory", "langgraph"), id="inmemory, langgraph", marks=pytest.mark.slow),
        pytest.param(("langgraph", "inmemory"), id="langgraph, inmemory", marks=pytest.mark.slow),
    ],
)
async def test_narration_it_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engines: tuple[str, str], node: str, done: bool
) -> None:
    whole = NarrationSteps.build_steps
    with monkeypatch.context() as patched:
        patched.setattr(NarrationSteps, "build_steps", lambda self: killed(whole(self), node, done=done))
        async with telling(tmp_path / "killed", SCRIPT, house(*ON, backend=engines[0])) as program_under_test:
            with pytest.raises(Killed):
                await program_under_test.program.services.play.submit(program_under_test.scene_id, ACT)
            scene_id, before = program_under_test.scene_id, program_under_test.asked
    line, proposals, after = await played(tmp_path / "killed", scene_id, engines[1])
    assert sorted([*before, *after]) == sorted(ASKED)
    assert line[-1] == PROSE
    assert len(line) == 3
    assert len(proposals) == 1


@pytest.mark.parametrize("step", EXCHANGE_STEPS[1:])
async def test_exchange_killed_before_its_dice_are_told_goes_on_and_is_narrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async def run_until_killed(
        self: ExchangePipeline, run: ExchangeRun, step_names: Sequence[str]
    ) -> ExchangeRun:
        for name in step_names:
            if name == step:
                raise Killed
            run = await self._steps[name](run)
        return run

    with monkeypatch.context() as patched:
        patched.setattr(ExchangePipeline, "_run_steps", run_until_killed)
        async with telling(tmp_path / "killed", SCRIPT, house(*ON)) as program_under_test:
            with pytest.raises(Killed):
                await program_under_test.program.services.play.submit(program_under_test.scene_id, ACT)
            scene_id = program_under_test.scene_id
            assert program_under_test.asked == []
    line, proposals, asked = await played(tmp_path / "killed", scene_id, "langgraph")
    assert sorted(asked) == sorted(ASKED)
    assert line[-1] == PROSE
    assert (len(line), len(proposals)) == (3, 1)
