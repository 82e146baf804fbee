"""Describes a narrated exchange for the arbiter, and turns what a persona says comes next into a proposal. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agents.orchestrator.narration.inputs import NarrationInput
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.transition_sources import SETTLED_DEPTH, PlayedExchange, vocabulary
from stores.records.play import Degree
from stores.records.workflow import TransitionProposal

SUPPORTED_DEPENDENCY: Final = 80
UNSUPPORTED_DEPENDENCY: Final = 30
"""What a persona's word counts for that nothing in the exchange bears out: too little to be offered."""

PERSONA_CONFIDENCE: Final = 60


def build_narrated_exchange(state: NarrationState, narration_input: NarrationInput) -> PlayedExchange:
    """Return the exchange as it was narrated, with what it staged; nothing is read."""
    package, exchange = narration_input.package, state.exchange
    scene = replace(package.scene, staged_proposals=(*package.scene.staged_proposals, *state.proposals))
    present_ids = {p.entity.id for p in package.canonical.cast if p.is_here}
    roll_turn_id = exchange.roll.turn_id if exchange.roll else None
    clocks = package.agenda.clocks
    return PlayedExchange(
        scene=scene,
        parent_id=exchange.parent_id,
        turn_ids=frozenset(filter(None, (exchange.words_id, roll_turn_id, state.gm_turn_id))),
        words=narration_input.brief.player_text,
        narrated_text=state.narrated_text,
        degree=narration_input.brief.degree,
        open_clocks=package.agenda.open_clocks,
        finished_clocks=tuple(clock for clock in clocks if clock.is_full),
        named=tuple(p for p in package.canonical.named_elsewhere if p.entity.id not in present_ids),
        is_narrated_by_model=True,
    )


def propose_as_persona(
    persona: str,
    next_step: str,
    state: NarrationState,
    narration_input: NarrationInput,
    *,
    is_plan: bool = False,
) -> Iterator[TransitionProposal]:
    """Yield the scene's end if a persona says that it has come: by its goal, by a beat, or because it is over.

    What nothing else bears out is weighed and recorded, and too weak to be offered: models are quick to see an end.
    """
    scene = narration_input.package.scene
    words = next_step.casefold()
    is_goal = "goal" in words
    if not is_goal and not any(word in words for word in ("beat", "over", "end")):
        return
    goal_words = vocabulary(scene.scene.goal)
    is_long = scene.head is not None and scene.head.depth >= SETTLED_DEPTH
    is_goal_named = bool(
        goal_words & vocabulary(f"{state.narrated_text} {narration_input.brief.player_text}")
    )
    is_won = narration_input.brief.degree is Degree.SUCCESS
    is_supported = is_long and (is_goal_named or is_won) if is_goal else is_long and is_won
    reason = "the scene's goal is reached" if is_goal else "the beat of the story is complete"
    if not is_goal and "beat" not in words:
        reason = "the scene is over"
    yield TransitionProposal(
        proposer=persona,
        event="goal_met" if is_goal else "end",
        command="/end",
        reason=f"{reason}, {'as planned' if is_plan else 'as the narration has it'}",
        urgency=40,
        dependency=SUPPORTED_DEPENDENCY if is_supported else UNSUPPORTED_DEPENDENCY,
        intent=40,
        confidence=PERSONA_CONFIDENCE,
    )
