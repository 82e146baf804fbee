"""The narration steps, from `assemble` to `arbitrate`.

Each takes the state and returns it with what it added. Running one twice changes nothing, because calls, turns
and proposals have identifiers that the exchange fixes. When a model fails, the player is told and the step
falls back to what needs no model; only the Narrator has no fallback.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.context_package import ContextPackage
from agents.events import (
    EventBus,
    MemoriesRead,
    StepStateChanged,
    TextDiscarded,
    TextStreamed,
    TurnAppended,
)
from agents.llm.call_context import CallContext
from agents.llm.errors import ModelError
from agents.narrator.change_extraction import ChangeExtractor
from agents.narrator.decision_marks import find_decision_marks, strip_markers
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.narrator.prose_checks import (
    ProseFinding,
    build_prose_check_input,
    check_prose,
    find_unfounded_claims,
    needs_rewrite,
    rewrite_note,
)
from agents.orchestrator.arbiter import WAYS_OUT, choose_offer, find_stuck_pattern, list_offers
from agents.orchestrator.narration.inputs import NarrationInput, NarrationInputLoader, ReadNarrationInput
from agents.orchestrator.narration.npc_voices import add_npc_voices
from agents.orchestrator.narration.runner import StepFunctions
from agents.orchestrator.narration.state import NarrationState
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.personas import Personas
from agents.proposals.proposals import Proposals
from agents.sanitize import clean
from stores.errors import MonitorError
from stores.ports import MemoryLog
from stores.records.ids import Clock, Id, derive_id
from stores.records.memory import Summary
from stores.records.play import MoveKind, Turn
from stores.records.workflow import ExchangeStep

AGENT_BY_STEP = {
    "assemble": "Librarian",
    "direct": "Director",
    "validate": "Steward",
    "narrate": "Narrator",
    "critique": "Critic",
    "extract": "Archivist",
    "summarise": "Archivist",
    "stage": "Resolver",
    "arbitrate": "Orchestrator",
}
"""The agent of each step, for the X-ray."""

EXCHANGE_SUMMARY_KIND = "bullet"
"""The kind of a summary of one exchange."""

StepOutcome = Literal["done", "skipped", "failed"]


class StepResult(NamedTuple):
    """What a step returns: the state, whether it did anything, and one line about it."""

    state: NarrationState
    outcome: StepOutcome = "done"
    summary: str = ""


class NarrationSteps:
    """The narration steps with the agents that they need."""

    def __init__(
        self,
        input_loader: NarrationInputLoader,
        personas: Personas,
        gm_turn_writer: GmTurnWriter,
        extraction: ChangeExtractor,
        proposals: Proposals,
        memory: MemoryLog,
        read_catalogue: ReadCatalogue,
        clock: Clock,
        events: EventBus,
        *,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._input_loader = input_loader
        self._personas = personas
        self._gm_turn_writer = gm_turn_writer
        self._extraction = extraction
        self._proposals = proposals
        self._memory = memory
        self._read_catalogue = read_catalogue
        self._clock = clock
        self._events = events
        self._timer = timer

    def build_steps(self) -> StepFunctions:
        """Return the steps by name for one run, each timed, published and recorded for the X-ray."""
        read_input = self._input_loader.loader_for_run()
        step_functions = {
            "assemble": self._assemble_context,
            "direct": self._plan_beats,
            "validate": self._check_premises,
            "narrate": self._narrate_exchange,
            "critique": self._critique_narration,
            "extract": self._extract_proposals,
            "summarise": self._summarise_exchange,
            "stage": self._stage_proposals,
            "arbitrate": self._offer_next,
        }
        return {
            step_name: partial(self._run_step, step_name, step_function, read_input)
            for step_name, step_function in step_functions.items()
        }

    async def _run_step(
        self,
        step_name: str,
        step_function: Callable[[NarrationState, NarrationInput], Awaitable[StepResult]],
        read_input: ReadNarrationInput,
        state: NarrationState,
    ) -> NarrationState:
        self._publish_step(state, step_name, "running")
        started_at = self._timer()
        try:
            result = await step_function(state, await read_input(state))
        except ModelError as error:
            result = StepResult(_with_failure(state, step_name, error), "failed", error.what)
        except MonitorError:
            raise  # a store's trouble: the checkpoint stays, and the step is done again
        except Exception:
            # A fault of ours in one step must not cost the exchange: what was typed, rolled and narrated stands.
            logging.getLogger("monitor").exception("The step %s of the telling failed.", step_name)
            result = StepResult(
                _with_fault(state, step_name), "failed", "a fault of MONITOR's own, see monitor.log"
            )
        elapsed_ms = round((self._timer() - started_at) * 1_000)
        step_record = ExchangeStep(
            step=step_name,
            agent=AGENT_BY_STEP[step_name],
            state=result.outcome,
            line=result.summary,
            ms=elapsed_ms,
        )
        self._publish_step(state, step_name, result.outcome, result.summary)
        return result.state.model_copy(update={"steps": (*result.state.steps, step_record)})

    # --- before the narration -----------------------------------------------------------------------

    async def _assemble_context(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        evidence_points = await self._personas.librarian.digest(
            narration_input.package, narration_input.brief.player_text, _call_context(state, narration_input)
        )
        package = narration_input.package
        recalled_ids = [m.id for memories in package.recalled.memories_by_entity.values() for m in memories]
        if recalled_ids:
            self._events.publish(MemoriesRead(tuple(recalled_ids), package.scene.tick))
        summary = f"{len(package.narrative.recent_turns)} turns, {len(package.canonical.facts)} facts in view"
        summary += "".join(f"; {retrieval_note}" for retrieval_note in _describe_retrieval(package))
        self._publish_memories_read(package)
        return StepResult(state.model_copy(update={"evidence": evidence_points}), "done", summary)

    async def _plan_beats(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        plan = await self._personas.director.plan(
            narration_input.package, narration_input.brief.player_text, _call_context(state, narration_input)
        )
        if plan is None:
            return StepResult(state, "skipped", "off")
        update = {"beats": plan.beats, "assumptions": plan.assumptions}
        return StepResult(state.model_copy(update=update), "done", plan.in_short())

    async def _check_premises(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Check the premises without a model, and with the Steward if it is on."""
        unfounded_claims = find_unfounded_claims(narration_input.brief.player_text, narration_input.package)
        try:
            warnings = await self._personas.steward.assess(
                narration_input.package,
                narration_input.brief,
                _call_context(state, narration_input),
                unfounded_claims,
            )
        except ModelError as error:
            state, warnings = _with_failure(state, "validate", error), unfounded_claims
        player_lines = (*state.player_lines, *(f"⚠ {warning}" for warning in warnings))
        summary = (
            f"{len(warnings)} {'warning' if len(warnings) == 1 else 'warnings'}" if warnings else "clear"
        )
        return StepResult(
            state.model_copy(update={"warnings": warnings, "player_lines": player_lines}), "done", summary
        )

    # --- the telling ---------------------------------------------------------------------------------

    async def _narrate_exchange(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        call_context = _call_context(state, narration_input)
        voiced_state = await add_npc_voices(self._personas.character, state, narration_input, call_context)
        if voiced_state is None:
            return StepResult(state, "skipped", "stopped before a word came")
        state = voiced_state
        try:
            prose = await self._stream_prose(
                state,
                narration_input,
                self._build_brief(state, narration_input),
                state.narration.turn_id,
                nth=1,
            )
        except ModelError as error:
            return StepResult(_with_failure(state, "narrate", error), "failed", error.what)
        if prose is None:
            return StepResult(state, "skipped", "stopped before a word came")
        turn = narration_input.build_gm_turn(state.narration.turn_id, prose.text, state.narration.take)
        move_kind = MoveKind.TAKE if state.narration.kind == "retake" else MoveKind.APPEND
        await self._append_gm_turn(turn, prose.raw, move_kind, narration_input)
        update = {
            "gm_turn_id": turn.id,
            "narrated_text": turn.text,
            "is_complete": prose.is_complete,
            "cutoff_reason": prose.cutoff_reason,
        }
        if not prose.is_complete:
            line = (
                f"The telling ended early: {prose.cutoff_reason}. What came is kept; Ctrl+R tells it again."
            )
            update["player_lines"] = (*state.player_lines, line)
        word_count = len(turn.text.split())
        line = f"{word_count} words{'' if prose.is_complete else ', cut off'}"
        return StepResult(state.model_copy(update=update), "done", line)

    async def _critique_narration(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Check the prose without a model, and with the Critic if it is on; at most one rewrite, as another take."""
        if state.gm_turn_id is None or not state.is_complete:
            return StepResult(state, "skipped", "nothing whole was told")
        brief = self._build_brief(state, narration_input)
        check_basis = build_prose_check_input(narration_input.package, brief)
        findings = check_prose(state.narrated_text, check_basis)
        note = rewrite_note(findings)
        if not needs_rewrite(findings):
            critique = await self._personas.critic.review_draft(
                state.narrated_text, narration_input.package, brief, _call_context(state, narration_input)
            )
            note = critique.note if critique.rewrite else ""
        if not note:
            return StepResult(_with_findings(state, findings), "done", _describe_findings(findings))
        rewrite_brief = replace(brief, draft=state.narrated_text, note=note)
        turn_id = derive_id("turn", "rewrite", state.narration.turn_id)
        rewrite = await self._stream_prose(state, narration_input, rewrite_brief, turn_id, nth=2)
        if rewrite is None or not rewrite.is_complete:
            self._events.publish(TextDiscarded(state.exchange.scene_id, turn_id))
            return StepResult(
                _with_findings(state, findings), "failed", "the rewrite was not told to its end"
            )
        turn = narration_input.build_gm_turn(turn_id, rewrite.text, state.narration.take + 1)
        await self._append_gm_turn(turn, rewrite.raw, MoveKind.TAKE, narration_input)
        remaining_findings = check_prose(turn.text, check_basis)
        reason = "; ".join(dict.fromkeys(f.reason for f in findings)) or note
        state = state.model_copy(update={"gm_turn_id": turn.id, "narrated_text": turn.text})
        line = f"Told again: {reason} (← shows the first take)"
        state = state.model_copy(update={"player_lines": (*state.player_lines, line)})
        return StepResult(_with_findings(state, remaining_findings), "done", f"rewritten: {reason}")

    # --- what comes of it ----------------------------------------------------------------------------

    async def _extract_proposals(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        if state.gm_turn_id is None:
            return StepResult(state, "skipped", "nothing was told")
        turn = await self._input_loader.find_turn(state.gm_turn_id)
        assert turn is not None
        failure: ModelError | None = None
        changes, exchange_summary = None, ""
        try:
            archivist_record = await self._personas.archivist.record(
                turn.text,
                narration_input.package,
                self._build_brief(state, narration_input),
                _call_context(state, narration_input),
            )
            changes, exchange_summary = archivist_record.changes, archivist_record.summary
        except ModelError as error:
            failure, state = error, _with_failure(state, "extract", error)
        catalogue = await self._read_catalogue(narration_input.package.scene.universe.id)
        extraction = await self._extraction.extract(turn, changes, narration_input.package, catalogue)
        update = {"proposals": extraction.proposals, "exchange_summary": exchange_summary}
        outcome: StepOutcome = "failed" if failure else "done"
        return StepResult(state.model_copy(update=update), outcome, extraction.in_short())

    async def _summarise_exchange(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        if state.gm_turn_id is None or not state.exchange_summary:
            return StepResult(state, "skipped", "nothing to sum up")
        summary = Summary(
            id=derive_id("summary", EXCHANGE_SUMMARY_KIND, state.gm_turn_id),
            scene_id=state.exchange.scene_id,
            kind=EXCHANGE_SUMMARY_KIND,
            text=state.exchange_summary,
            first_turn=state.exchange.exchange_id,
            last_turn=state.gm_turn_id,
            created_at=self._clock(),
        )
        await self._memory.put_summaries([summary])
        return StepResult(state, "done", state.exchange_summary)

    async def _stage_proposals(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        if not state.proposals:
            return StepResult(state, "skipped", "nothing to stage")
        await self._proposals.stage(state.proposals)
        count = len(state.proposals)
        summary = f"{count} {'proposal' if count == 1 else 'proposals'} wait for you"
        return StepResult(state, "done", summary)

    async def _offer_next(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Offer what could come next, and say when play goes nowhere."""
        if state.gm_turn_id is None:
            return StepResult(state, "skipped", "nothing was told")
        offer = choose_offer(
            list(
                list_offers(
                    narration_input.package,
                    narration_input.brief.player_text,
                    state.narrated_text,
                    narration_input.brief.degree,
                )
            )
        )
        player_lines = [offer.player_line] if offer else []
        turn = await self._input_loader.find_turn(state.gm_turn_id)
        recent_turns = (*narration_input.package.narrative.recent_turns, *((turn,) if turn else ()))
        if not state.proposals and (pattern := find_stuck_pattern(recent_turns, narration_input.package)):
            player_lines.append(f"Going in circles: {pattern}. {'; '.join(WAYS_OUT)}.")
        update = {
            "offered_command": offer.command if offer else "",
            "player_lines": (*state.player_lines, *player_lines),
        }
        step_summary = f"{offer.command} ({offer.score} of 100)" if offer else "go on"
        return StepResult(state.model_copy(update=update), "done", step_summary)

    # --- inside --------------------------------------------------------------------------------------

    def _publish_memories_read(self, package: ContextPackage) -> None:
        """Publish which memories were put before a model: being recalled strengthens a memory."""
        memory_groups = (package.memories_of(person.entity.id) for person in package.present_npcs())
        if ids := tuple(memory.id for memories in memory_groups for memory in memories):
            self._events.publish(MemoriesRead(ids, package.scene.tick))

    def _build_brief(self, state: NarrationState, narration_input: NarrationInput) -> NarratorBrief:
        """Return the Narrator's brief: the input, and what the steps before have added."""
        return replace(
            narration_input.brief,
            is_opening=narration_input.previous_turn is None,
            warnings=state.warnings,
            beats=state.beats,
            assumptions=state.assumptions,
            evidence=state.evidence,
            voices=state.voices,
        )

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
        call_context = replace(_call_context(state, narration_input), nth=nth, turn_id=turn_id)

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
        return _Prose(text, narration.text, narration.is_complete, narration.cutoff_reason)

    async def _append_gm_turn(
        self, turn: Turn, raw: str, move_kind: MoveKind, narration_input: NarrationInput
    ) -> None:
        """Append the narration to the log, before anything is made of it."""
        await self._gm_turn_writer.append_turn(turn, move_kind)
        await self._gm_turn_writer.record_decisions(
            find_decision_marks(raw, turn, narration_input.package.scene.universe.id)
        )
        self._events.publish(TurnAppended(turn))

    def _publish_step(
        self,
        state: NarrationState,
        step_name: str,
        outcome: Literal["running", "done", "skipped", "failed"],
        summary: str = "",
    ) -> None:
        exchange = state.exchange
        self._events.publish(
            StepStateChanged(exchange.scene_id, exchange.run_id, step_name, outcome, summary)
        )


class _Prose(NamedTuple):
    """`text` as it is stored, `raw` as the model sent it."""

    text: str
    raw: str
    is_complete: bool
    cutoff_reason: str


def _call_context(state: NarrationState, narration_input: NarrationInput) -> CallContext:
    scene = narration_input.package.scene
    return CallContext(
        scene.universe.id, scene.story.id, scene.scene.id, state.exchange.run_id, state.narration.turn_id
    )


def _describe_retrieval(package: ContextPackage) -> Iterator[str]:
    """Yield lines for the X-ray on what retrieval found and left out."""
    recalled = package.recalled
    memories = sum(len(person_memories) for person_memories in recalled.memories_by_entity.values())
    counts = (
        (len(recalled.passages), "turn of earlier play", "turns of earlier play"),
        (len(recalled.facts), "fact found again", "facts found again"),
        (memories, "memory", "memories"),
        (len(recalled.rule_texts), "rule", "rules"),
    )
    yield from (
        f"{count} {singular if count == 1 else plural}" for count, singular, plural in counts if count
    )
    if package.is_stale:
        yield "STALE: an older package"
    yield from (omission.reason for omission in package.omitted_items)


def _with_failure(state: NarrationState, step_name: str, error: ModelError) -> NarrationState:
    """Return the state with lines on a failure: one line for a helper, and what to do for the Narrator."""
    if step_name == "narrate":
        line = f"Nothing was told: {error}"
    else:
        line = f"The {AGENT_BY_STEP[step_name]} had no answer, and was gone without: {error.what}"
    return (
        state
        if line in state.player_lines
        else state.model_copy(update={"player_lines": (*state.player_lines, line)})
    )


def _with_fault(state: NarrationState, step_name: str) -> NarrationState:
    line = f"A fault of MONITOR's own kept the {AGENT_BY_STEP[step_name]} from its part (monitor.log). All else stands."
    return state.model_copy(update={"player_lines": (*state.player_lines, line)})


def _with_findings(state: NarrationState, findings: Sequence[ProseFinding]) -> NarrationState:
    lines = tuple(f"⚠ {finding.reason}" for finding in findings)
    return state.model_copy(update={"player_lines": (*state.player_lines, *lines)}) if lines else state


def _describe_findings(findings: Sequence[ProseFinding]) -> str:
    return "; ".join(f.reason for f in findings) or "nothing amiss"
