"""The two narration steps that write prose: the Narrator narrates, and checks may have it rewritten once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.events import EventBus, TextDiscarded, TextStreamed, TurnAppended
from agents.llm.errors import ModelError
from agents.narrator.decision_marks import find_decision_marks, strip_markers
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.narrator.prose_checks import (
    ProseFinding,
    build_prose_check_input,
    check_prose,
    find_prompt_echo,
    needs_rewrite,
    rewrite_note,
)
from agents.orchestrator.exchange import rewritten_turn_id
from agents.orchestrator.narration.continued_text import continuation_note, join_continuation
from agents.orchestrator.narration.inputs import NarrationInput
from agents.orchestrator.narration.npc_voices import MAX_VOICES, add_npc_voices
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.narration.step_results import StepResult, build_brief, call_context_of, with_failure
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.outputs import DraftFault
from agents.personas.personas import Personas
from agents.sanitize import clean
from stores.records.ids import Id
from stores.records.llm import CallOutcome
from stores.records.play import MoveKind, Turn


class ProseSteps:
    """Writes the narration of an exchange, and has it rewritten if it fails a check."""

    def __init__(
        self,
        personas: Personas,
        packages: ContextPackageBuilder,
        gm_turn_writer: GmTurnWriter,
        events: EventBus,
    ) -> None:
        self._personas = personas
        self._packages = packages
        self._gm_turn_writer = gm_turn_writer
        self._events = events

    async def narrate_exchange(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        call_context = call_context_of(state, narration_input)
        voiced_state = await add_npc_voices(self._personas.character, state, narration_input, call_context)
        if voiced_state is None:
            return _stopped_before_first_word(state)
        state = voiced_state
        try:
            prose = await self._stream_narration(state, narration_input)
        except ModelError as error:
            return StepResult(with_failure(state, "narrate", error), "failed", error.what)
        if prose is None:
            return _stopped_before_first_word(state)
        turn = narration_input.build_gm_turn(state.narration.turn_id, prose.text, state.narration.take)
        move_kind = MoveKind.TAKE if state.narration.is_take else MoveKind.APPEND
        await self._append_gm_turn(turn, prose.raw, move_kind, narration_input)
        update = {
            "gm_turn_id": turn.id,
            "narrated_text": turn.text,
            "is_complete": prose.is_complete,
            "cutoff_reason": prose.cutoff_reason,
        }
        if not prose.is_complete:
            ways_on = "F7 goes on with it, Ctrl+R narrates again" if prose.is_cut else "Ctrl+R narrates again"
            line = f"The narration ended early: {prose.cutoff_reason}. What came is kept; {ways_on}."
            update["player_lines"] = (*state.player_lines, line)
        word_count = len(turn.text.split())
        line = f"{word_count} words{'' if prose.is_complete else ', cut off'}"
        return StepResult(state.model_copy(update=update), "done", line)

    async def critique_narration(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Check the prose without a model, and with the Critic if it is on; at most one rewrite, as another take."""
        if state.gm_turn_id is None or not state.is_complete:
            # What came of it is the player's to go on with; but what repeats the prompt leads nowhere, and is said to.
            echoes = tuple(find_prompt_echo(state.narrated_text))
            return StepResult(_with_findings(state, echoes), "skipped", "no complete narration")
        brief = build_brief(state, narration_input)
        findings = await self._check_prose(state.narrated_text, narration_input, brief)
        note = rewrite_note(findings)
        # With two who answered for themselves an exchange has had its calls.
        if not needs_rewrite(findings) and len(state.voices) < MAX_VOICES:
            faults = await self._personas.critic.find_faults(
                state.narrated_text, narration_input.package, brief, call_context_of(state, narration_input)
            )
            note = "\n".join(map(_describe_fault, faults))
        if not note:
            return StepResult(_with_findings(state, findings), "done", _describe_findings(findings))
        # What the player asked of this narration holds in its rewrite, too.
        rewrite_brief = replace(
            brief, draft=state.narrated_text, note="\n".join(filter(None, (brief.note, note)))
        )
        turn_id = rewritten_turn_id(state.narration.turn_id)
        rewrite = await self._stream_prose(state, narration_input, rewrite_brief, turn_id, nth=2)
        if rewrite is None or not rewrite.is_complete:
            self._events.publish(TextDiscarded(state.exchange.scene_id, turn_id))
            return StepResult(_with_findings(state, findings), "failed", "the rewrite was cut off")
        turn = narration_input.build_gm_turn(turn_id, rewrite.text, state.narration.take + 1)
        await self._append_gm_turn(turn, rewrite.raw, MoveKind.TAKE, narration_input)
        remaining_findings = await self._check_prose(turn.text, narration_input, brief)
        reason = "; ".join(dict.fromkeys(f.reason for f in findings)) or note
        state = state.model_copy(update={"gm_turn_id": turn.id, "narrated_text": turn.text})
        line = f"Rewritten: {reason} (← shows the first take)"
        state = state.model_copy(update={"player_lines": (*state.player_lines, line)})
        return StepResult(_with_findings(state, remaining_findings), "done", f"rewritten: {reason}")

    async def _check_prose(
        self, text: str, narration_input: NarrationInput, brief: NarratorBrief
    ) -> tuple[ProseFinding, ...]:
        """Check the prose against the record, with all whom it names."""
        package = await self._packages.with_named_in(narration_input.package, text)
        return check_prose(text, build_prose_check_input(package, brief))

    async def _stream_narration(
        self, state: NarrationState, narration_input: NarrationInput
    ) -> _Prose | None:
        """Stream the narration; of one that was cut off, its rest behind what came of it."""
        brief, turn_id = build_brief(state, narration_input), state.narration.turn_id
        cut_turn = narration_input.cut_turn
        if cut_turn is None:
            return await self._stream_prose(state, narration_input, brief, turn_id, nth=1)
        narrative = narration_input.package.narrative
        narrative = replace(narrative, recent_turns=(*narrative.recent_turns, cut_turn))
        with_cut_turn = replace(
            narration_input, package=replace(narration_input.package, narrative=narrative)
        )
        brief = replace(brief, note=continuation_note(cut_turn.text, brief.note))
        self._events.publish(TextStreamed(state.exchange.scene_id, turn_id, f"{cut_turn.text} "))
        rest = await self._stream_prose(state, with_cut_turn, brief, turn_id, nth=1)
        return rest and rest._replace(text=join_continuation(cut_turn.text, rest.text))

    async def _stream_prose(
        self,
        state: NarrationState,
        narration_input: NarrationInput,
        brief: NarratorBrief,
        turn_id: Id,
        *,
        nth: int,
    ) -> _Prose | None:
        """Stream the prose; None if it was stopped before its first word."""
        scene_id = state.exchange.scene_id
        call_context = replace(call_context_of(state, narration_input), nth=nth, turn_id=turn_id)

        def on_text(words: str) -> None:
            self._events.publish(TextStreamed(scene_id, turn_id, words))

        try:
            narration = await self._personas.narrator.narrate(
                narration_input.package, brief, on_text, call_context
            )
        except ModelError:
            self._events.publish(TextDiscarded(scene_id, turn_id))
            raise
        text = strip_markers(clean(narration.text))
        if not text:
            self._events.publish(TextDiscarded(scene_id, turn_id))
            return None
        is_cut = narration.call.outcome is CallOutcome.CUT
        return _Prose(text, narration.text, narration.is_complete, narration.cutoff_reason, is_cut)

    async def _append_gm_turn(
        self, turn: Turn, raw: str, move_kind: MoveKind, narration_input: NarrationInput
    ) -> None:
        """Append the narration to the log, before anything is made of it."""
        await self._gm_turn_writer.append_turn(turn, move_kind)
        await self._gm_turn_writer.record_decisions(
            find_decision_marks(raw, turn, narration_input.package.scene.universe.id)
        )
        self._events.publish(TurnAppended(turn))


_KEPT_WHEN_STOPPED: Mapping[str, str] = {
    "answer": "What you typed is in the story; /continue narrates it.",
    "retake": "The take that there was is kept.",
    "rest": "The turn is kept as it was cut off; /continue goes on with it.",
    "on": "/continue begins it again.",
}
"""What was kept, and what to do, by the kind of a narration that was stopped before its first word."""


def _stopped_before_first_word(state: NarrationState) -> StepResult:
    line = f"The narration was stopped before its first word. {_KEPT_WHEN_STOPPED[state.narration.kind]}"
    state = state.model_copy(update={"player_lines": (*state.player_lines, line)})
    return StepResult(state, "skipped", "stopped before the first word")


def _describe_fault(fault: DraftFault) -> str:
    """Return what to correct, with the line of the record: the Narrator has to see why."""
    correction = fault.note.rstrip(".") or "It goes against the record"
    return f"- {correction}: on record is “{fault.breaks}”. You wrote: “{fault.quote}”"


class _Prose(NamedTuple):
    """`text` as it is stored, `raw` as the model sent it."""

    text: str
    raw: str
    is_complete: bool
    cutoff_reason: str
    is_cut: bool
    """Whether the model broke off, so that it can go on."""


def _with_findings(state: NarrationState, findings: Sequence[ProseFinding]) -> NarrationState:
    lines = tuple(f"⚠ {finding.reason}" for finding in findings)
    return state.model_copy(update={"player_lines": (*state.player_lines, *lines)}) if lines else state


def _describe_findings(findings: Sequence[ProseFinding]) -> str:
    return "; ".join(f.reason for f in findings) or "nothing amiss"
