"""Plays one exchange up to the narration: typed words are recorded, rolled, sealed and finished, step by step.

After a crash between two steps the next one resumes; nothing typed can be lost once `record` has returned. If a
model narrates, `NarrationRunner` goes on from the last step's checkpoint.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.events import EventBus, ProposalsChanged, ResolutionSealed, TurnAppended
from agents.loop_transitions import LoopTransitions
from agents.narrator.decision_marks import find_plain_marks, find_typed_marks
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.orchestrator.arbiter import NO_ARBITRATION, Arbitration, arbitrate
from agents.orchestrator.deadlock import (
    STUCK_LINES,
    TURNS_A_LINE,
    find_repeated_lines,
    is_due_to_look,
    mark_pattern,
)
from agents.orchestrator.exchange import EXCHANGE_STEPS, Exchange, RollPlan
from agents.orchestrator.narration.runner import NarrationRunner
from agents.orchestrator.narration.state import (
    NarrationState,
    read_exchange,
    read_unrecorded_state,
    read_words,
)
from agents.orchestrator.rolls import RollService
from agents.orchestrator.transition_sources import PlayedExchange, propose_transitions
from agents.proposals.proposals import Proposals
from agents.resolver.resolution_requests import SealedResult
from agents.solo.cast_moves import CastMoves, RecordedMoves
from agents.solo.oracle_draws import followup_roll_of
from stores.errors import IllegalTransition, InputError, NotFound
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.play import GM_SPEAKERS, Degree, MoveKind, Resolution, Speaker, Turn
from stores.records.workflow import Checkpoint, Loop, ProposedChange, Transition


@dataclass(frozen=True, slots=True)
class ExchangeRun:
    """An exchange on its way through the steps; each step returns it with what it added."""

    exchange: Exchange
    context: SceneContext
    """The scene as it stood before the exchange."""
    last_transition: Transition | None = None
    """The last move of the exchange's turn loop."""
    turns: tuple[Turn, ...] = ()
    """The turns that were appended, in order."""
    results: tuple[Resolution, ...] = ()
    """The results that were sealed, in order."""
    proposals: tuple[ProposedChange, ...] = ()
    """The changes that were staged."""
    moves: RecordedMoves = field(default_factory=RecordedMoves)
    """Who comes and leaves by the typed words."""
    scene_transition: Transition | None = None
    """The move of the scene's loop that the exchange made."""
    context_after: SceneContext | None = None
    """The scene as it stands after the exchange, once it has ended; None if a model still has to narrate it."""
    agenda: StoryAgenda | None = None
    """The story's agenda after it, if what comes next was weighed by it."""
    arbitration: Arbitration = NO_ARBITRATION
    """What was weighed to come next."""
    circle: str = ""
    """What repeats without anything new, if play goes in circles."""


ExchangeStep = Callable[[ExchangeRun], Awaitable[ExchangeRun]]


class ExchangePipeline:
    """Runs exchanges step by step; the checkpoint says which steps are done."""

    def __init__(
        self,
        log: OrchestratorLog,
        contexts: SceneContextLoader,
        gm_turn_writer: GmTurnWriter,
        rolls: RollService,
        agenda_reader: StoryAgendaReader,
        proposals: Proposals,
        loops: LoopTransitions,
        narration_runner: NarrationRunner,
        cast_moves: CastMoves,
        clock: Clock,
        events: EventBus,
        records_beside_play: Callable[[], bool],
    ) -> None:
        self._records_beside_play = records_beside_play
        self._log = log
        self._contexts = contexts
        self._gm_turn_writer = gm_turn_writer
        self._rolls = rolls
        self._agenda_reader = agenda_reader
        self._proposals = proposals
        self._loops = loops
        self._narration_runner = narration_runner
        self._cast_moves = cast_moves
        self._clock = clock
        self._events = events
        steps: tuple[ExchangeStep, ...] = (
            self._record_input,
            self._record_context_loaded,
            self._append_gm_words,
            self._resolve_roll,
            self._finish_exchange,
        )
        self._steps = dict(zip(EXCHANGE_STEPS, steps, strict=True))

    async def play(self, exchange: Exchange, context: SceneContext) -> ExchangeRun:
        """Play one exchange from the first step.

        An exchange that a model narrates is complete only after `narrate` too. Raises MonitorError; whatever
        was half done then, `resume` finishes.
        """
        return await self._run_steps(ExchangeRun(exchange, context), EXCHANGE_STEPS)

    async def read_context_after(self, run: ExchangeRun) -> SceneContext:
        """Return the scene as it is after an exchange that was played to its end."""
        if run.context_after is not None:
            return run.context_after
        if run.exchange.roll is not None and run.exchange.roll.alteration is not None:
            # The old roll's proposals left the line.
            return await self._contexts.load_context(run.exchange.scene_id)
        return await self._contexts.advance(run.context, run.turns, run.proposals, run.moves.entries)

    async def resume(self, checkpoint: Checkpoint, *, narrate: bool = True) -> None:
        """Go on with an exchange that a crash interrupted, at the step after its last.

        Without `narrate`, only up to what a model has to narrate.
        """
        if not NarrationState.is_stored_in(checkpoint):
            exchange = Exchange.model_validate(checkpoint.state)
            last_transition = await self._log.loop_state(Loop.TURN, exchange.run_id)
            run = ExchangeRun(
                exchange,
                await self._contexts.load_context(exchange.scene_id),
                last_transition=last_transition,
            )
            await self._run_steps(run, EXCHANGE_STEPS[EXCHANGE_STEPS.index(checkpoint.step) + 1 :])
            if exchange.narration is None:
                return
        if narrate:
            await self._narration_runner.narrate(checkpoint.scene_id, checkpoint.run_id)

    async def finish_open_exchanges(self, scene_id: Id, *, narrate: bool = True) -> list[str]:
        """Finish every unfinished exchange of the scene before anything else is played; return a line for each.

        An exchange that cannot be finished any more is dropped, its words kept. Raises StoreError, with
        everything as it was, if the store still fails. Without `narrate`, what a model still has to narrate is
        left for later, so that nothing is paid for.
        """
        lines = []
        for checkpoint in await self._log.checkpoints(scene_id):
            if not narrate and NarrationState.is_stored_in(checkpoint):
                continue
            if (state := read_unrecorded_state(checkpoint)) and await self._is_left_to_record(state):
                continue
            words = " ".join(read_words(checkpoint).split())
            short_words = words if len(words) < 60 else words[:57] + "..."
            try:
                await self.resume(checkpoint, narrate=narrate)
                if narrate or not NarrationState.needs_narration(checkpoint):
                    lines.append(f"Finished the exchange that was cut off: {short_words}")
            # ValueError: the checkpoint itself cannot be read, as one of another version would not be.
            except (InputError, NotFound, IllegalTransition, ValueError) as error:
                await self.drop_exchange(checkpoint)
                lines.append(f"An exchange was cut off and could not be finished ({error}): {short_words}")
        return lines

    async def _is_left_to_record(self, state: NarrationState) -> bool:
        """Return whether a narration is recorded beside play, or has left the line and is recorded if it returns."""
        return self._records_beside_play() or not await self._narration_runner.is_on_line(state)

    async def drop_exchange(self, checkpoint: Checkpoint) -> None:
        """Give up an exchange that cannot be finished; its words stay in the log."""
        await self._save_gm_words(checkpoint)
        last_transition = await self._log.loop_state(Loop.TURN, checkpoint.run_id)
        drop_transition = self._loops.build_transition(last_transition, Loop.TURN, checkpoint.run_id, "drop")
        await self._log.finish_exchange(checkpoint.run_id, [drop_transition])
        self._loops.publish_transitions(drop_transition)

    async def _save_gm_words(self, checkpoint: Checkpoint) -> None:
        """Append the GM's words, which only the checkpoint holds, at the present end of the timeline."""
        try:
            turn = read_exchange(checkpoint).build_words_turn(self._clock())
        except ValueError:
            return  # no turn can be made of it; `settle` says so, with its words
        if turn is None or turn.speaker not in GM_SPEAKERS or await self._log.turns([turn.id]):
            return
        scene = await self._log.scene(turn.scene_id)
        head = await self._log.turn(scene.head) if scene.head else None
        position = {"parent_id": head.id if head else None, "depth": head.depth + 1 if head else 0}
        await self._gm_turn_writer.append_turn(turn.model_copy(update={**position, "exchange_id": turn.id}))

    async def _run_steps(self, run: ExchangeRun, step_names: Sequence[str]) -> ExchangeRun:
        for step_name in step_names:
            run = await self._steps[step_name](run)
        return run

    async def _record_input(self, run: ExchangeRun) -> ExchangeRun:
        """Write what was typed, with all that is needed to go on, before anything else is done."""
        exchange = run.exchange
        last_transition = run.context.scene_transition or await self._loops.read_last_transition(
            Loop.SCENE, exchange.scene_id
        )
        scene_transition = self._loops.build_transition(
            last_transition, Loop.SCENE, exchange.scene_id, "user_turn"
        )
        turn_transition = self._loops.build_transition(None, Loop.TURN, exchange.run_id, "user_input")
        scene_transition = mark_pattern(scene_transition, last_transition, exchange, run.context)
        transitions = [scene_transition, turn_transition]
        checkpoint = self._build_checkpoint(exchange, "record")
        turn = exchange.build_words_turn(self._clock())
        run = replace(run, last_transition=turn_transition, scene_transition=scene_transition)
        if turn is not None and not exchange.gm_authored:
            await self._log.begin_exchange(turn, MoveKind.APPEND, checkpoint, transitions)
            run = replace(run, turns=(turn,))
        else:
            await self._log.save_checkpoint(checkpoint, transitions)
        self._loops.publish_transitions(*transitions)
        return run

    async def _record_context_loaded(self, run: ExchangeRun) -> ExchangeRun:
        """Record that the context was loaded; without a model it gives only names and numbers."""
        exchange = run.exchange
        transition = self._loops.build_transition(
            run.last_transition, Loop.TURN, exchange.run_id, "context_loaded"
        )
        await self._log.save_checkpoint(self._build_checkpoint(exchange, "assemble"), [transition])
        self._loops.publish_transitions(transition)
        return replace(run, last_transition=transition)

    async def _append_gm_words(self, run: ExchangeRun) -> ExchangeRun:
        """Append the GM's words, if that is what was typed; store what typed words decide, and whom they move.

        Only then is the turn announced: who remembers it has to know who was taken out of earshot by it.
        """
        exchange = run.exchange
        turn = exchange.build_words_turn(self._clock())
        if turn is None:
            return run
        if exchange.gm_authored:
            await self._gm_turn_writer.append_turn(turn)
        universe_id = run.context.universe.id
        marks = find_typed_marks(exchange.words, turn, universe_id)
        if not exchange.is_oracle_question:
            marks += find_plain_marks(turn.text, turn, universe_id)
        await self._gm_turn_writer.record_decisions(marks)
        # What somebody says moves nobody.
        moves = (
            RecordedMoves() if exchange.npc_name else await self._cast_moves.record_moves(run.context, turn)
        )
        run = replace(run, moves=moves, proposals=(*run.proposals, *moves.proposals))
        self._events.publish(TurnAppended(turn))
        return replace(run, turns=(*run.turns, turn)) if exchange.gm_authored else run

    async def _resolve_roll(self, run: ExchangeRun) -> ExchangeRun:
        """Seal the result first; only then show it on the timeline, with its follow-up behind it."""
        exchange = run.exchange
        if exchange.proposals:
            await self._proposals.stage(exchange.proposals)
            run = replace(run, proposals=(*run.proposals, *exchange.proposals))
        if exchange.roll is None:
            return run
        words_turn = exchange.build_words_turn(self._clock())
        if words_turn is None:
            words_turn = await self._read_words_before(exchange.parent_id)
        sealed_result = await self._rolls.seal_roll(
            exchange.roll, run.context, words_turn, exchange.tick, is_bare=exchange.words_id is None
        )
        turn = exchange.build_oracle_turn(sealed_result.resolution.text, self._clock())
        move_kind = MoveKind.TAKE if exchange.roll.alteration else MoveKind.APPEND
        run = await self._append_result(run, turn, sealed_result, move_kind)
        if followup := followup_roll_of(sealed_result.resolution, run.context.story.tension):
            run = await self._resolve_followup(run, exchange.plan_followup_roll(*followup), turn, words_turn)
        return run

    async def _read_words_before(self, turn_id: Id | None) -> Turn | None:
        """Return the turn that a roll without words was made for: not another roll, nor a whisper and its answer.

        What is whispered is no deed: the dice after it decide something else.
        """
        last_turn = turn = await self._log.turn(turn_id) if turn_id else None
        while turn is not None and last_turn is not None and turn.exchange_id == last_turn.exchange_id:
            if turn.hearers:
                return None
            turn = await self._log.turn(turn.parent_id) if turn.parent_id else None
        return None if last_turn is None or last_turn.speaker is Speaker.ORACLE else last_turn

    async def _resolve_followup(
        self, run: ExchangeRun, plan: RollPlan, previous_turn: Turn, words_turn: Turn | None
    ) -> ExchangeRun:
        """Resolve the follow-up roll as part of the exchange: resumed after a crash, and undone with it."""
        exchange = run.exchange
        try:
            sealed_result = await self._rolls.seal_roll(
                plan, run.context, words_turn, exchange.tick, is_bare=True
            )
        except InputError:
            return run  # there is nobody and nothing that an event could be about
        turn = exchange.build_followup_turn(plan, previous_turn, sealed_result.resolution.text, self._clock())
        return await self._append_result(run, turn, sealed_result, MoveKind.APPEND)

    async def _append_result(
        self, run: ExchangeRun, turn: Turn, sealed_result: SealedResult, move_kind: MoveKind
    ) -> ExchangeRun:
        await self._log.append_turn(turn, move_kind)
        self._events.publish(ResolutionSealed(sealed_result.resolution))
        self._events.publish(TurnAppended(turn))
        if sealed_result.proposals:
            self._events.publish(ProposalsChanged(run.context.universe.id, run.context.scene.id))
        return replace(
            run,
            turns=(*run.turns, turn),
            results=(*run.results, sealed_result.resolution),
            proposals=(*run.proposals, *sealed_result.proposals),
        )

    async def _finish_exchange(self, run: ExchangeRun) -> ExchangeRun:
        """End the exchange; one that a model narrates is handed over by a checkpoint instead."""
        exchange = run.exchange
        if exchange.narration is not None:
            await self._log.save_checkpoint(NarrationState(exchange=exchange).to_checkpoint(self._clock()))
            return run
        ready_transition = self._loops.build_transition(
            run.last_transition, Loop.TURN, exchange.run_id, "response_ready"
        )
        staged_transition = self._loops.build_transition(
            ready_transition, Loop.TURN, exchange.run_id, "proposals_staged"
        )
        run = await self._weigh_next_step(run)
        staged_transition = run.arbitration.record_on(staged_transition).model_copy(
            update={"detail": run.circle[:200]}
        )
        await self._log.finish_exchange(exchange.run_id, [ready_transition, staged_transition])
        self._loops.publish_transitions(ready_transition, staged_transition)
        return replace(run, last_transition=staged_transition)

    async def _weigh_next_step(self, run: ExchangeRun) -> ExchangeRun:
        """Return the run with what could come next, and with what repeats, if play goes in circles.

        Nothing is read for it that the reply would not read: the story's clocks only if they bear on it, for the
        reply to show, and the last turns only once a line has come five times.
        """
        context = await self.read_context_after(run)
        played = _describe_played(run, context)
        agenda = None
        if played.is_of_interest_to_clocks():
            agenda = await self._agenda_reader.read_agenda(context)
            full_clocks = tuple(clock for clock in agenda.clocks if clock.is_full)
            played = replace(played, open_clocks=agenda.open_clocks, finished_clocks=full_clocks)
        circle = ""
        if is_due_to_look(run.scene_transition) and run.exchange.words and not run.exchange.gm_authored:
            turn_count = STUCK_LINES * TURNS_A_LINE
            circle = find_repeated_lines(await self._log.line_tail(context.scene.id, turn_count))
        arbitration = arbitrate(propose_transitions(played))
        return replace(run, context_after=context, agenda=agenda, arbitration=arbitration, circle=circle)

    def _build_checkpoint(self, exchange: Exchange, step: str) -> Checkpoint:
        return Checkpoint(
            run_id=exchange.run_id,
            scene_id=exchange.scene_id,
            step=step,
            state=exchange.model_dump(mode="json"),
            at=self._clock(),
        )


def _describe_played(run: ExchangeRun, context: SceneContext) -> PlayedExchange:
    """Return the exchange as the arbiter's sources look at it."""
    exchange = run.exchange
    degrees = [result.degree for result in run.results if result.degree is not Degree.NONE]
    return PlayedExchange(
        scene=context,
        parent_id=exchange.parent_id,
        turn_ids=frozenset(filter(None, (exchange.words_id, *(turn.id for turn in run.turns)))),
        # The GM answers the player's words: what comes of them is weighed by both.
        words=_player_words(exchange, run.context.head),
        narrated_text=exchange.words if exchange.gm_authored and not exchange.npc_name else "",
        degree=degrees[-1] if degrees else None,
    )


def _player_words(exchange: Exchange, head: Turn | None) -> str:
    """Return the player's words of the exchange, or those that the GM answers in it."""
    if exchange.is_oracle_question:
        return ""
    if not exchange.gm_authored:
        return exchange.words
    return head.text if head is not None and head.speaker is Speaker.PLAYER else ""


def is_answered(turns: list[Turn]) -> bool:
    """Return whether the last exchange of the timeline has GM words already."""
    exchange_id = turns[-1].exchange_id if turns else None
    return any(t.speaker in GM_SPEAKERS for t in turns if t.exchange_id == exchange_id)
