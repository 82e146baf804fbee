"""What every narration step works with: its result, the call's context, the brief, and lines on a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from agents.llm.call_context import CallContext
from agents.llm.errors import ModelError
from agents.orchestrator.narration.inputs import NarrationInput
from agents.orchestrator.narration.state import NarrationState
from agents.personas.narrator_brief import NarratorBrief

AGENT_BY_STEP = {
    "assemble": "Librarian",
    "direct": "Director",
    "validate": "Steward",
    "narrate": "Narrator",
    "critique": "Critic",
    "move": "Resolver",
    "extract": "Archivist",
    "summarise": "Archivist",
    "stage": "Resolver",
    "arbitrate": "Orchestrator",
}
"""The agent of each step, for the X-ray."""

StepOutcome = Literal["done", "skipped", "failed"]


class StepResult(NamedTuple):
    """What a step returns: the state, whether it did anything, and one line about it."""

    state: NarrationState
    outcome: StepOutcome = "done"
    summary: str = ""


def call_context_of(state: NarrationState, narration_input: NarrationInput) -> CallContext:
    scene = narration_input.package.scene
    return CallContext(
        scene.universe.id,
        scene.story.id,
        scene.scene.id,
        state.exchange.run_id,
        state.narration.turn_id,
        narrator_model=state.narration.model,
    )


def build_brief(state: NarrationState, narration_input: NarrationInput) -> NarratorBrief:
    """Return the Narrator's brief: the input, and what the steps before have added."""
    return replace(
        narration_input.brief,
        is_opening=narration_input.is_opening,
        warnings=state.warnings,
        beats=state.beats,
        assumptions=state.assumptions,
        voices=state.voices,
    )


def with_failure(state: NarrationState, step_name: str, error: ModelError) -> NarrationState:
    """Return the state with lines on a failure: one line for a helper, and what to do for the Narrator."""
    if step_name == "narrate":
        line = f"Nothing was narrated: {error}"
    else:
        line = f"The {AGENT_BY_STEP[step_name]} gave no answer; the turn goes on without it: {error.what}"
    return (
        state
        if line in state.player_lines
        else state.model_copy(update={"player_lines": (*state.player_lines, line)})
    )


def with_fault(state: NarrationState, step_name: str) -> NarrationState:
    line = f"A fault of MONITOR's own kept the {AGENT_BY_STEP[step_name]} from its part (monitor.log). All else stands."
    return state.model_copy(update={"player_lines": (*state.player_lines, line)})
