"""The turn graph: what was typed is recorded and rolled here; then, if a model tells, `Telling` goes on."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged, ResolutionSealed, TurnAppended
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.orchestrator.exchange import EXCHANGE_STEPS, Exchange, RollPlan
from agents.orchestrator.loops import LoopTransitions
from agents.orchestrator.narration.runner import NarrationRunner
from agents.orchestrator.narration.state import NarrationState, read_exchange, read_words
from agents.orchestrator.rolls import RollService
from agents.resolver.resolution_requests import SealedResult
from agents.solo.oracle_draws import followup_roll_of
from stores.errors import IllegalTransition, InputError, NotFound
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.play import MoveKind, Resolution, Speaker, Turn
from stores.records.workflow import Checkpoint, Loop, Transition


class ExchangePipeline:
    """Runs exchanges, node by node. Stateless: where an exchange stands is its checkpoint."""

    def __init__(
        self,
        log: OrchestratorLog,
        context: SceneContextLoader,
        gm_turn_writer: GmTurnWriter,
        rolls: RollService,
        loops: LoopTransitions,
        narration_runner: NarrationRunner,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._context = context
        self._gm_turn_writer = gm_turn_writer
        self._rolls = rolls
        self._loops = loops
        self._narration_runner = narration_runner
        self._clock = clock
        self._events = events

    async def play(self, exchange: Exchange, context: SceneContext) -> Resolution | None:
        """Play one exchange from the first node; returns its sealed result, if it rolled.

        One that a model tells is whole only when `tell` has been called too. Raises MonitorError with
        nothing half done that `resume` would not finish.
        """
        last_transition = await self._record_input(exchange)
        return await self._run_steps(exchange, last_transition, last_step="record", context=context)

    async def narrate(self, run_id: Id, scene_id: Id, *, pause: bool = False) -> NarrationState | None:
        """Have the model tell the exchange that was played; None if there is nothing to tell. With `pause`,
        what it would stage waits until the exchange is settled."""
        for checkpoint in await self._log.checkpoints(scene_id):
            if checkpoint.exchange_id == run_id:
                return await self._narration_runner.run(checkpoint, pause=pause)
        return None

    async def find_unnarrated_run(self, scene_id: Id) -> Id | None:
        """Return the beat of an exchange that was rolled, and that the model has not told to its end."""
        unnarrated_checkpoints = [
            c for c in await self._log.checkpoints(scene_id) if NarrationState.is_stored_in(c)
        ]
        return unnarrated_checkpoints[0].exchange_id if unnarrated_checkpoints else None

    async def resume(self, checkpoint: Checkpoint) -> None:
        """Go on with an exchange that a crash cut off, at the node after its last."""
        if not NarrationState.is_stored_in(checkpoint):
            exchange = Exchange.model_validate(checkpoint.state)
            last_transition = await self._log.loop_state(Loop.TURN, exchange.run_id)
            context = await self._context.load_context(exchange.scene_id)
            await self._run_steps(exchange, last_transition, last_step=checkpoint.node, context=context)
            if exchange.narration is None:
                return
        await self.narrate(checkpoint.exchange_id, checkpoint.scene_id)

    async def finish_open_exchanges(self, scene_id: Id, *, narrate: bool = True) -> list[str]:
        """Finish every exchange of the scene that was begun and not finished, before anything else is
        played. Returns a line for each. One that makes no sense any more is dropped, its words kept;
        raises StoreError, with everything as it was, if the store still fails. Without `tell`, what a model
        has still to tell is left for later: nothing is paid for."""
        lines = []
        for checkpoint in await self._log.checkpoints(scene_id):
            if not narrate and NarrationState.needs_narration(checkpoint):
                continue
            words = " ".join(read_words(checkpoint).split())
            short_words = words if len(words) < 60 else words[:57] + "..."
            try:
                await self.resume(checkpoint)
                lines.append(f"Finished the exchange that was cut off: {short_words}")
            # ValueError: the checkpoint itself cannot be read, as one of another version would not be.
            except (InputError, NotFound, IllegalTransition, ValueError) as error:
                await self.drop_exchange(checkpoint)
                lines.append(f"An exchange was cut off and could not be finished ({error}): {short_words}")
        return lines

    async def drop_exchange(self, checkpoint: Checkpoint) -> None:
        """Give up an exchange that cannot be finished; its words stay in the log."""
        await self._save_gm_words(checkpoint)
        last_transition = await self._log.loop_state(Loop.TURN, checkpoint.exchange_id)
        drop_transition = self._loops.build_transition(
            last_transition, Loop.TURN, checkpoint.exchange_id, "drop"
        )
        await self._log.finish_exchange(checkpoint.exchange_id, [drop_transition])
        self._loops.publish_transitions(drop_transition)

    async def _save_gm_words(self, checkpoint: Checkpoint) -> None:
        """What the GM told stands in the checkpoint alone until it is told: tell it where play stands."""
        try:
            turn = read_exchange(checkpoint).build_words_turn(self._clock())
        except ValueError:
            return  # no turn can be made of it; `settle` says so, with its words
        if turn is None or turn.speaker is not Speaker.GM or await self._log.turns([turn.id]):
            return
        scene = await self._log.scene(turn.scene_id)
        head = await self._log.turn(scene.head) if scene.head else None
        position = {"parent_id": head.id if head else None, "depth": head.depth + 1 if head else 0}
        await self._gm_turn_writer.append_turn(turn.model_copy(update={**position, "exchange_id": turn.id}))

    async def _run_steps(
        self, exchange: Exchange, last_transition: Transition | None, *, last_step: str, context: SceneContext
    ) -> Resolution | None:
        done_index = EXCHANGE_STEPS.index(last_step)
        if done_index < EXCHANGE_STEPS.index("assemble"):
            last_transition = await self._record_context_loaded(exchange, last_transition)
        if done_index < EXCHANGE_STEPS.index("narrate"):
            await self._append_gm_words(exchange)
        sealed_result = (
            await self._resolve_roll(exchange, context)
            if done_index < EXCHANGE_STEPS.index("resolve")
            else None
        )
        if exchange.narration is None:
            await self._finish_exchange(exchange, last_transition)
        else:
            await self._log.save_checkpoint(NarrationState(exchange=exchange).to_checkpoint(self._clock()))
        return sealed_result

    async def _record_input(self, exchange: Exchange) -> Transition:
        """What was typed is in the log, with all that is needed to go on, before anything else."""
        scene_transition = await self._loops.plan_transition(Loop.SCENE, exchange.scene_id, "user_turn")
        turn_transition = self._loops.build_transition(None, Loop.TURN, exchange.run_id, "user_input")
        turn = exchange.build_words_turn(self._clock())
        if turn is not None and not exchange.gm_authored:
            await self._log.begin_exchange(
                turn,
                MoveKind.APPEND,
                self._build_checkpoint(exchange, "record"),
                [scene_transition, turn_transition],
            )
            self._events.publish(TurnAppended(turn))
        else:
            await self._log.save_checkpoint(
                self._build_checkpoint(exchange, "record"), [scene_transition, turn_transition]
            )
        self._loops.publish_transitions(scene_transition, turn_transition)
        return turn_transition

    async def _record_context_loaded(
        self, exchange: Exchange, last_transition: Transition | None
    ) -> Transition:
        """The context is loaded; without a model nothing is made of it but names and numbers."""
        transition = self._loops.build_transition(
            last_transition, Loop.TURN, exchange.run_id, "context_loaded"
        )
        await self._log.save_checkpoint(self._build_checkpoint(exchange, "assemble"), [transition])
        self._loops.publish_transitions(transition)
        return transition

    async def _append_gm_words(self, exchange: Exchange) -> None:
        """The GM's words, when that is what was typed."""
        turn = exchange.build_words_turn(self._clock())
        if turn is None or not exchange.gm_authored:
            return
        await self._gm_turn_writer.append_turn(turn)
        self._events.publish(TurnAppended(turn))

    async def _resolve_roll(self, exchange: Exchange, context: SceneContext) -> Resolution | None:
        """The result is sealed first; only then does the line show it, and what it brings behind it."""
        if exchange.proposals:
            await self._rolls.stage_proposals(exchange.proposals)
            self._events.publish(ProposalsChanged(context.universe.id, exchange.scene_id))
        if exchange.roll is None:
            return None
        words_turn = exchange.build_words_turn(self._clock())
        if words_turn is None and exchange.parent_id:
            words_turn = await self._log.turn(exchange.parent_id)
        sealed_result = await self._rolls.seal_roll(exchange.roll, context, words_turn, exchange.tick)
        turn = exchange.build_oracle_turn(sealed_result.resolution.text, self._clock())
        await self._append_result(
            turn, sealed_result, context, MoveKind.TAKE if exchange.roll.alteration else MoveKind.APPEND
        )
        if followup := followup_roll_of(sealed_result.resolution, context.story.tension):
            await self._resolve_followup(
                exchange, exchange.plan_followup_roll(*followup), turn, words_turn, context
            )
        return sealed_result.resolution

    async def _resolve_followup(
        self,
        exchange: Exchange,
        plan: RollPlan,
        previous_turn: Turn,
        words_turn: Turn | None,
        context: SceneContext,
    ) -> None:
        """What a result brings is part of its exchange: played on after a crash, and undone with it."""
        try:
            sealed_result = await self._rolls.seal_roll(plan, context, words_turn, exchange.tick)
        except InputError:
            return  # there is nobody and nothing that an event could be about
        turn = exchange.build_followup_turn(plan, previous_turn, sealed_result.resolution.text, self._clock())
        await self._append_result(turn, sealed_result, context)

    async def _append_result(
        self,
        turn: Turn,
        sealed_result: SealedResult,
        context: SceneContext,
        move_kind: MoveKind = MoveKind.APPEND,
    ) -> None:
        await self._log.append_turn(turn, move_kind)
        self._events.publish(ResolutionSealed(sealed_result.resolution))
        self._events.publish(TurnAppended(turn))
        if sealed_result.proposals:
            self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))

    async def _finish_exchange(self, exchange: Exchange, last_transition: Transition | None) -> None:
        ready_transition = self._loops.build_transition(
            last_transition, Loop.TURN, exchange.run_id, "response_ready"
        )
        staged_transition = self._loops.build_transition(
            ready_transition, Loop.TURN, exchange.run_id, "proposals_staged"
        )
        await self._log.finish_exchange(exchange.run_id, [ready_transition, staged_transition])
        self._loops.publish_transitions(ready_transition, staged_transition)

    def _build_checkpoint(self, exchange: Exchange, step: str) -> Checkpoint:
        return Checkpoint(
            exchange_id=exchange.run_id,
            scene_id=exchange.scene_id,
            node=step,
            state=exchange.model_dump(mode="json"),
            at=self._clock(),
        )


def is_answered(turns: list[Turn]) -> bool:
    """Say whether the exchange that the line ends in has the GM's words already."""
    exchange_id = turns[-1].exchange_id if turns else None
    return any(t.speaker in (Speaker.GM, Speaker.NPC) for t in turns if t.exchange_id == exchange_id)
