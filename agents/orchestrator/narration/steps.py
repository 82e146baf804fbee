"""The narration steps, from `assemble` to `arbitrate`.

Each takes the state and returns it with what it added. Running one twice changes nothing, because calls, turns
and proposals have identifiers that the exchange fixes. When a model fails, the player is told and the step
falls back to what needs no model; only the Narrator has no fallback.
"""

from __future__ import annotations

import logging
import time
from asyncio import gather
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Literal

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.live_facts import find_live_facts
from agents.context_assembly.scene_context import SceneContextLoader
from agents.events import (
    EventBus,
    MemoriesRead,
    StepStateChanged,
)
from agents.llm.cancellations import Cancellations
from agents.llm.errors import ModelError
from agents.narrator.change_extraction import ChangeExtractor
from agents.narrator.prose_checks import find_unfounded_claims
from agents.narrator.result_check import find_reported_contradiction
from agents.orchestrator.arbiter import arbitrate
from agents.orchestrator.deadlock import describe_circle, find_repeated_narrations
from agents.orchestrator.narration.inputs import NarrationInput, NarrationInputLoader, ReadNarrationInput
from agents.orchestrator.narration.npc_voices import count_voices
from agents.orchestrator.narration.played_exchange import build_narrated_exchange, propose_as_persona
from agents.orchestrator.narration.prose_steps import ProseSteps
from agents.orchestrator.narration.runner import StepFunctions
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.narration.step_results import (
    AGENT_BY_STEP,
    StepOutcome,
    StepResult,
    build_brief,
    call_context_of,
    with_failure,
    with_fault,
)
from agents.orchestrator.transition_sources import propose_transitions
from agents.personas.personas import ArchivistRecord, Personas
from agents.personas.reported_cast import NO_REPORT
from agents.proposals.proposals import Proposals
from agents.solo.cast_moves import CastMoves
from agents.solo.described_moves import describe_moves
from agents.solo.narrated_time import NarratedTime
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from stores.errors import MonitorError
from stores.ports import MemoryLog
from stores.records.ids import Clock, Id, derive_id
from stores.records.memory import Summary
from stores.records.play import Degree, Speaker, Turn
from stores.records.workflow import ExchangeStep

EXCHANGE_SUMMARY_KIND = "bullet"
"""The kind of a summary of one exchange."""


class NarrationSteps:
    """The narration steps with the agents that they need."""

    def __init__(
        self,
        input_loader: NarrationInputLoader,
        contexts: SceneContextLoader,
        personas: Personas,
        prose: ProseSteps,
        extraction: ChangeExtractor,
        proposals: Proposals,
        cast_moves: CastMoves,
        narrated_time: NarratedTime,
        memory: MemoryLog,
        read_catalogue: ReadCatalogue,
        clock: Clock,
        events: EventBus,
        cancellations: Cancellations,
        *,
        timer: Callable[[], float] = time.perf_counter,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._telemetry = telemetry
        self._cancellations = cancellations
        self._input_loader = input_loader
        self._contexts = contexts
        self._personas = personas
        self._prose = prose
        self._extraction = extraction
        self._proposals = proposals
        self._cast_moves = cast_moves
        self._narrated_time = narrated_time
        self._memory = memory
        self._read_catalogue = read_catalogue
        self._clock = clock
        self._events = events
        self._timer = timer
        self._errors_ahead: dict[Id, ModelError] = {}
        """Why the Archivist gave no answer while a draft was checked, by the narration."""

    def build_steps(self) -> StepFunctions:
        """Return the steps by name for one run, each timed, published and recorded for the X-ray."""
        read_input = self._input_loader.loader_for_run()
        step_functions = {
            "assemble": self._assemble_context,
            "direct": self._plan_beats,
            "validate": self._check_premises,
            "narrate": self._prose.narrate_exchange,
            "critique": self._check_narration,
            "move": self._move_by_words,
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
        started_at = self._timer()
        try:
            with (
                self._watch_call(step_name, state.exchange.scene_id),
                self._telemetry.span(MeasuredOperation.STEP, step_name, _records_of(state)),
            ):
                self._publish_step(state, step_name, "running")
                result = await step_function(state, await read_input(state))
        except ModelError as error:
            result = StepResult(with_failure(state, step_name, error), "failed", error.what)
        except MonitorError:
            raise  # a store's trouble: the checkpoint stays, and the step is done again
        except Exception:
            # A fault of ours in one step must not cost the exchange: what was typed, rolled and narrated stands.
            logging.getLogger("monitor").exception("The step %s of the narration failed.", step_name)
            result = StepResult(
                with_fault(state, step_name), "failed", "a fault of MONITOR's own, see monitor.log"
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

    def _watch_call(self, step_name: str, scene_id: Id) -> AbstractContextManager[object]:
        """Let the player stop the call of a step from when they see that the step runs: preparing it takes a while."""
        return self._cancellations.watch_scene(scene_id) if step_name == "narrate" else nullcontext()

    # --- before the narration -----------------------------------------------------------------------

    async def _assemble_context(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        package = narration_input.package
        canon = package.canonical
        live_facts = (live_fact.fact for live_fact in find_live_facts(package))
        facts = (*canon.axioms, *live_facts, *canon.encounters, *canon.assertions)
        fact_count = len({fact.id for fact in facts})
        summary = f"{len(package.narrative.recent_turns)} turns, {fact_count} facts in view"
        summary += "".join(f"; {retrieval_note}" for retrieval_note in _describe_retrieval(package))
        self._publish_memories_read(package)
        return StepResult(state, "done", summary)

    async def _plan_beats(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        if count_voices(self._personas.character, state, narration_input):
            return StepResult(state, "skipped", "those who are addressed answer for themselves")
        plan = await self._personas.director.plan(
            narration_input.package, narration_input.brief, call_context_of(state, narration_input)
        )
        if plan is None:
            return StepResult(state, "skipped", "off")
        update = {
            "beats": plan.beats,
            "assumptions": plan.assumptions,
            "transition_proposals": tuple(
                propose_as_persona("Director", plan.next_step, state, narration_input, is_plan=True)
            ),
        }
        return StepResult(state.model_copy(update=update), "done", plan.in_short())

    async def _check_premises(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Check what the player's words take for granted."""
        warnings = find_unfounded_claims(narration_input.brief.player_text, narration_input.package)
        player_lines = (*state.player_lines, *(f"⚠ {warning}" for warning in warnings))
        summary = (
            f"{len(warnings)} {'warning' if len(warnings) == 1 else 'warnings'}" if warnings else "clear"
        )
        return StepResult(
            state.model_copy(update={"warnings": warnings, "player_lines": player_lines}), "done", summary
        )

    # --- after the narration ------------------------------------------------------------------------

    async def _check_narration(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Check the prose; the Archivist reads it meanwhile, if a model checks it.

        Its answer is on record then, and the step that needs it finds it there; after a rewrite it reads that one.
        """
        if not self._personas.critic.is_on or state.gm_turn_id is None:
            return await self._prose.critique_narration(state, narration_input)
        result, _ = await gather(
            self._prose.critique_narration(state, narration_input),
            self._read_ahead(state, narration_input),
        )
        return result

    async def _read_ahead(self, state: NarrationState, narration_input: NarrationInput) -> None:
        try:
            await self._record_exchange(state, narration_input)
        except ModelError as error:
            # The step that needs the answer says so: asked again at once, it would be refused again.
            self._errors_ahead[state.narration.turn_id] = error

    async def _record_exchange(
        self, state: NarrationState, narration_input: NarrationInput
    ) -> ArchivistRecord:
        """Return what the Archivist reads of the narration. Raises ModelError."""
        catalogue = await self._read_catalogue(narration_input.package.scene.universe.id)
        is_rewritten = state.gm_turn_id != state.narration.turn_id
        error_ahead = self._errors_ahead.pop(state.narration.turn_id, None)
        if error_ahead is not None and not is_rewritten:
            raise error_ahead
        call_context = replace(
            call_context_of(state, narration_input),
            nth=2 if is_rewritten else 1,
            is_beside_play=state.awaits_record,
        )
        return await self._personas.archivist.record(
            state.narrated_text,
            narration_input.package,
            build_brief(state, narration_input),
            catalogue,
            call_context,
        )

    async def _move_by_words(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Enter who comes and leaves by what the narration plainly says: the next line goes by it at once."""
        turn = await self._find_narrated_turn(state)
        if turn is None:
            return StepResult(state, "skipped", "nothing was narrated")
        context = await self._contexts.load_context(turn.scene_id)
        # A model has somebody absent act or speak by mistake: it was warned of, and brings nobody in.
        moves = await self._cast_moves.record_moves(context, turn, needs_entrance=True)
        context_after = await self._contexts.advance(context, (), moves.proposals, moves.entries)
        lines = describe_moves(context_after, moves.entries)
        state = state.model_copy(update={"player_lines": (*state.player_lines, *lines)})
        return StepResult(state, "done" if lines else "skipped", "; ".join(lines) or "nobody moves")

    async def _extract_proposals(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        if state.gm_turn_id is None:
            return StepResult(state, "skipped", "nothing was narrated")
        turn = await self._input_loader.find_turn(state.gm_turn_id)
        assert turn is not None
        catalogue = await self._read_catalogue(narration_input.package.scene.universe.id)
        failure: ModelError | None = None
        changes, exchange_summary, reported_cast, reported_time, next_step = None, "", NO_REPORT, "", ""
        try:
            archivist_record = await self._record_exchange(state, narration_input)
            changes, exchange_summary = archivist_record.changes, archivist_record.summary
            reported_cast, reported_time = archivist_record.cast, archivist_record.time
            next_step = archivist_record.next_step
            state = _with_result_warning(state, narration_input, archivist_record, turn.text)
        except ModelError as error:
            failure, state = error, with_failure(state, "extract", error)
        extraction = await self._extraction.extract(
            turn, changes, narration_input.package, catalogue, narration_input.words_turn
        )
        update = {
            "proposals": extraction.proposals,
            "exchange_summary": exchange_summary,
            "reported_cast": reported_cast,
            "reported_time": reported_time,
            "transition_proposals": (
                *state.transition_proposals,
                *propose_as_persona("Archivist", next_step, state, narration_input),
            ),
        }
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
        if state.proposals:
            await self._proposals.stage(state.proposals)
        move_lines = await self._move_cast(state)
        state = state.model_copy(update={"player_lines": (*state.player_lines, *move_lines)})
        if not state.proposals:
            return StepResult(state, "skipped", "; ".join(move_lines) or "nothing to stage")
        count = len(state.proposals)
        summary = f"{count} {'proposal' if count == 1 else 'proposals'} wait for you"
        return StepResult(state, "done", "; ".join((summary, *move_lines)))

    async def _move_cast(self, state: NarrationState) -> tuple[str, ...]:
        """Enter who comes and leaves as the Archivist read it, and the time that passes; return a line on each.

        Play may have gone on since: the entries are the narration's own, and those of later turns come after them.
        """
        turn = await self._find_narrated_turn(state)
        if turn is None:
            return ()
        context = await self._contexts.load_context(turn.scene_id)
        context_at_turn = await self._contexts.rewind(context, turn)
        entries = await self._cast_moves.record_reported_cast(context_at_turn, turn, state.reported_cast)
        time_lines = await self._narrated_time.record_time(context, turn, state.reported_time)
        if not entries:
            return time_lines
        moved_ids = {entry.entity_id for entry in entries}
        await self._read_later_turns_again(turn, moved_ids)
        context_after = await self._contexts.advance(context_at_turn, (), (), entries)
        return (*describe_moves(context_after, entries), *time_lines)

    async def _read_later_turns_again(self, turn: Turn, moved_ids: Collection[Id]) -> None:
        """Enter what later turns say of people of whom it was not known, when they were read, where they were."""
        context = await self._contexts.load_context(turn.scene_id)
        for later_turn in await self._input_loader.read_line_after(context, turn):
            context = await self._contexts.load_context(turn.scene_id)
            context_before = await self._contexts.rewind(
                context, await self._input_loader.find_turn(later_turn.parent_id or "")
            )
            await self._cast_moves.record_moves(
                context_before,
                later_turn,
                needs_entrance=later_turn.speaker is not Speaker.PLAYER,
                only_ids=moved_ids,
            )

    async def _find_narrated_turn(self, state: NarrationState) -> Turn | None:
        return await self._input_loader.find_turn(state.gm_turn_id) if state.gm_turn_id else None

    async def _offer_next(self, state: NarrationState, narration_input: NarrationInput) -> StepResult:
        """Offer what could come next, and say when play goes nowhere."""
        turn = await self._find_narrated_turn(state)
        if turn is None:
            return StepResult(state, "skipped", "nothing was narrated")
        if not await self._input_loader.is_last_turn(turn):
            return StepResult(state, "skipped", "play has gone on")
        played = build_narrated_exchange(state, narration_input)
        arbitration = arbitrate((*propose_transitions(played), *state.transition_proposals))
        player_lines = arbitration.player_lines
        recent_turns = (*narration_input.package.narrative.recent_turns, turn)
        if not state.proposals and (
            pattern := find_repeated_narrations(recent_turns, narration_input.package)
        ):
            player_lines = (*player_lines, describe_circle(pattern))
        update = {
            "transition_proposals": arbitration.weighed,
            "offered_command": arbitration.offered_command,
            "player_lines": (*state.player_lines, *player_lines),
        }
        return StepResult(state.model_copy(update=update), "done", arbitration.summary)

    # --- inside --------------------------------------------------------------------------------------

    def _publish_memories_read(self, package: ContextPackage) -> None:
        """Publish which memories were put before a model: being recalled strengthens a memory."""
        memory_groups = package.recalled.memories_by_entity.values()
        if ids := tuple(memory.id for memories in memory_groups for memory in memories):
            self._events.publish(MemoriesRead(ids, package.scene.tick))

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


def _with_result_warning(
    state: NarrationState, narration_input: NarrationInput, archivist_record: ArchivistRecord, text: str
) -> NarrationState:
    """Return the state with a warning if the narration ends otherwise than the dice, as the Archivist reads it."""
    degree = narration_input.brief.degree
    quoted_text = find_reported_contradiction(
        text, degree, archivist_record.outcome, archivist_record.outcome_quote
    )
    if not quoted_text or not state.is_complete:
        return state
    rolled, narrated = ("success", "failure") if degree is Degree.SUCCESS else ("failure", "success")
    line = (
        f"⚠ The dice say {rolled}, and it reads as a {narrated}: “{quoted_text}” The result stands; "
        "Ctrl+R narrates again."
    )
    if line in state.player_lines:
        return state
    return state.model_copy(update={"player_lines": (*state.player_lines, line)})


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


def _records_of(state: NarrationState) -> SpanRecords:
    return SpanRecords(scene_id=state.exchange.scene_id, run_id=state.exchange.run_id)
