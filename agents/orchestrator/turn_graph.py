"""The turn graph: what was typed is recorded and rolled here; then, if a model tells, `Telling` goes on.

Source: design/loops.md, "One turn". A crash between two nodes resumes at the next; nothing typed can be
lost once `record` has returned.
"""

from __future__ import annotations

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.messages import EventBus, ProposalsChanged, ResolutionSealed, TurnAppended
from agents.narrator.narrator import Narrator
from agents.orchestrator.chances import brought_by
from agents.orchestrator.exchange import NODES, Exchange, RollPlan
from agents.orchestrator.loops import Loops
from agents.orchestrator.rolls import Rolls
from agents.orchestrator.telling import Tellings
from agents.orchestrator.turn_state import TurnState, exchange_of, words_of
from agents.resolver.requests import Sealed
from stores.errors import IllegalTransition, InputError, NotFound
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id
from stores.records.ledger import Checkpoint, Loop, Transition
from stores.records.play import MoveKind, Resolution, Speaker, Turn


class TurnGraph:
    """Runs exchanges, node by node. Stateless: where an exchange stands is its checkpoint."""

    def __init__(
        self,
        log: OrchestratorLog,
        context: ContextAssembly,
        narrator: Narrator,
        rolls: Rolls,
        loops: Loops,
        tellings: Tellings,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._context = context
        self._narrator = narrator
        self._rolls = rolls
        self._loops = loops
        self._tellings = tellings
        self._clock = clock
        self._events = events

    async def play(self, exchange: Exchange, context: SceneContext) -> Resolution | None:
        """Play one exchange from the first node; returns its sealed result, if it rolled.

        One that a model tells is whole only when `tell` has been called too. Raises MonitorError with
        nothing half done that `resume` would not finish.
        """
        moves = await self._record(exchange)
        return await self._run(exchange, moves, after="record", context=context)

    async def tell(self, beat_id: Id, scene_id: Id, *, pause: bool = False) -> TurnState | None:
        """Have the model tell the exchange that was played; None if there is nothing to tell. With `pause`,
        what it would stage waits until the exchange is settled."""
        for checkpoint in await self._log.checkpoints(scene_id):
            if checkpoint.exchange_id == beat_id:
                return await self._tellings.run(checkpoint, pause=pause)
        return None

    async def untold(self, scene_id: Id) -> Id | None:
        """Return the beat of an exchange that was rolled, and that the model has not told to its end."""
        found = [c for c in await self._log.checkpoints(scene_id) if TurnState.reads(c)]
        return found[0].exchange_id if found else None

    async def resume(self, checkpoint: Checkpoint) -> None:
        """Go on with an exchange that a crash cut off, at the node after its last."""
        if not TurnState.reads(checkpoint):
            exchange = Exchange.model_validate(checkpoint.state)
            last = await self._log.loop_state(Loop.TURN, exchange.beat_id)
            context = await self._context.load(exchange.scene_id)
            await self._run(exchange, last, after=checkpoint.node, context=context)
            if exchange.telling is None:
                return
        await self.tell(checkpoint.exchange_id, checkpoint.scene_id)

    async def settle(self, scene_id: Id, *, tell: bool = True) -> list[str]:
        """Finish every exchange of the scene that was begun and not finished, before anything else is
        played. Returns a line for each. One that makes no sense any more is dropped, its words kept;
        raises StoreError, with everything as it was, if the store still fails. Without `tell`, what a model
        has still to tell is left for later: nothing is paid for."""
        lines = []
        for checkpoint in await self._log.checkpoints(scene_id):
            if not tell and TurnState.tells(checkpoint):
                continue
            words = " ".join(words_of(checkpoint).split())
            short = words if len(words) < 60 else words[:57] + "..."
            try:
                await self.resume(checkpoint)
                lines.append(f"Finished the exchange that was cut off: {short}")
            # ValueError: the checkpoint itself cannot be read, as one of another version would not be.
            except (InputError, NotFound, IllegalTransition, ValueError) as error:
                await self.drop(checkpoint)
                lines.append(f"An exchange was cut off and could not be finished ({error}): {short}")
        return lines

    async def drop(self, checkpoint: Checkpoint) -> None:
        """Give up an exchange that cannot be finished; its words stay in the log."""
        await self._keep_words(checkpoint)
        last = await self._log.loop_state(Loop.TURN, checkpoint.exchange_id)
        move = self._loops.after(last, Loop.TURN, checkpoint.exchange_id, "drop")
        await self._log.finish_exchange(checkpoint.exchange_id, [move])
        self._loops.published(move)

    async def _keep_words(self, checkpoint: Checkpoint) -> None:
        """What the GM told stands in the checkpoint alone until it is told: tell it where play stands."""
        try:
            turn = exchange_of(checkpoint).words_turn(self._clock())
        except ValueError:
            return  # no turn can be made of it; `settle` says so, with its words
        if turn is None or turn.speaker is not Speaker.GM or await self._log.turns([turn.id]):
            return
        scene = await self._log.scene(turn.scene_id)
        head = await self._log.turn(scene.head) if scene.head else None
        place = {"parent_id": head.id if head else None, "depth": head.depth + 1 if head else 0}
        await self._narrator.tell(turn.model_copy(update={**place, "exchange_id": turn.id}))

    async def _run(
        self, exchange: Exchange, last: Transition | None, *, after: str, context: SceneContext
    ) -> Resolution | None:
        done = NODES.index(after)
        if done < NODES.index("assemble"):
            last = await self._assemble(exchange, last)
        if done < NODES.index("narrate"):
            await self._narrate(exchange)
        sealed = await self._resolve(exchange, context) if done < NODES.index("resolve") else None
        if exchange.telling is None:
            await self._finish(exchange, last)
        else:
            await self._log.save_checkpoint(TurnState(exchange=exchange).checkpoint(self._clock()))
        return sealed

    async def _record(self, exchange: Exchange) -> Transition:
        """What was typed is in the log, with all that is needed to go on, before anything else."""
        scene_move = await self._loops.plan(Loop.SCENE, exchange.scene_id, "user_turn")
        turn_move = self._loops.after(None, Loop.TURN, exchange.beat_id, "user_input")
        turn = exchange.words_turn(self._clock())
        if turn is not None and not exchange.told:
            await self._log.begin_exchange(
                turn, MoveKind.APPEND, self._checkpoint(exchange, "record"), [scene_move, turn_move]
            )
            self._events.publish(TurnAppended(turn))
        else:
            await self._log.save_checkpoint(self._checkpoint(exchange, "record"), [scene_move, turn_move])
        self._loops.published(scene_move, turn_move)
        return turn_move

    async def _assemble(self, exchange: Exchange, last: Transition | None) -> Transition:
        """The context is loaded; without a model nothing is made of it but names and numbers."""
        move = self._loops.after(last, Loop.TURN, exchange.beat_id, "context_loaded")
        await self._log.save_checkpoint(self._checkpoint(exchange, "assemble"), [move])
        self._loops.published(move)
        return move

    async def _narrate(self, exchange: Exchange) -> None:
        """The GM's words, when that is what was typed."""
        turn = exchange.words_turn(self._clock())
        if turn is None or not exchange.told:
            return
        await self._narrator.tell(turn)
        self._events.publish(TurnAppended(turn))

    async def _resolve(self, exchange: Exchange, context: SceneContext) -> Resolution | None:
        """The result is sealed first; only then does the line show it, and what it brings behind it."""
        if exchange.proposals:
            await self._rolls.stage(exchange.proposals)
            self._events.publish(ProposalsChanged(context.universe.id, exchange.scene_id))
        if exchange.roll is None:
            return None
        words = exchange.words_turn(self._clock())
        if words is None and exchange.parent_id:
            words = await self._log.turn(exchange.parent_id)
        sealed = await self._rolls.seal(exchange.roll, context, words, exchange.tick)
        turn = exchange.oracle_turn(sealed.resolution.text, self._clock())
        await self._show(turn, sealed, context, MoveKind.TAKE if exchange.roll.alter else MoveKind.APPEND)
        if brought := brought_by(sealed.resolution, context.story.tension):
            await self._bring(exchange, exchange.brought(*brought), turn, words, context)
        return sealed.resolution

    async def _bring(
        self, exchange: Exchange, plan: RollPlan, behind: Turn, words: Turn | None, context: SceneContext
    ) -> None:
        """What a result brings is part of its exchange: played on after a crash, and undone with it."""
        try:
            sealed = await self._rolls.seal(plan, context, words, exchange.tick)
        except InputError:
            return  # there is nobody and nothing that an event could be about
        turn = exchange.brought_turn(plan, behind, sealed.resolution.text, self._clock())
        await self._show(turn, sealed, context)

    async def _show(
        self, turn: Turn, sealed: Sealed, context: SceneContext, kind: MoveKind = MoveKind.APPEND
    ) -> None:
        await self._log.append_turn(turn, kind)
        self._events.publish(ResolutionSealed(sealed.resolution))
        self._events.publish(TurnAppended(turn))
        if sealed.proposals:
            self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))

    async def _finish(self, exchange: Exchange, last: Transition | None) -> None:
        ready = self._loops.after(last, Loop.TURN, exchange.beat_id, "response_ready")
        staged = self._loops.after(ready, Loop.TURN, exchange.beat_id, "proposals_staged")
        await self._log.finish_exchange(exchange.beat_id, [ready, staged])
        self._loops.published(ready, staged)

    def _checkpoint(self, exchange: Exchange, node: str) -> Checkpoint:
        return Checkpoint(
            exchange_id=exchange.beat_id,
            scene_id=exchange.scene_id,
            node=node,
            state=exchange.model_dump(mode="json"),
            at=self._clock(),
        )


def answered(turns: list[Turn]) -> bool:
    """Say whether the exchange that the line ends in has the GM's words already."""
    exchange_id = turns[-1].exchange_id if turns else None
    return any(t.speaker in (Speaker.GM, Speaker.NPC) for t in turns if t.exchange_id == exchange_id)
