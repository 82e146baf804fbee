"""Moving along the turn tree: undo, redo, takes, branches. Nothing is ever removed or rewritten.

Source: design/ontology.md, "The turn tree"; design/interface.md, "Takes".
"""

from __future__ import annotations

from typing import Literal

from agents.messages import EventBus, LineMoved, ProposalsChanged, TurnAppended
from agents.narrator.narrator import Narrator
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdMaker
from stores.records.play import MoveKind, Scene, Speaker, Turn

_GM = (Speaker.GM, Speaker.NPC)


class Line:
    """Moves heads. Stateless: the head is the scene's, and every move is in the log."""

    def __init__(
        self, log: OrchestratorLog, narrator: Narrator, ids: IdMaker, clock: Clock, events: EventBus
    ) -> None:
        self._log = log
        self._narrator = narrator
        self._ids = ids
        self._clock = clock
        self._events = events

    async def undo(self, scene: Scene) -> list[Turn]:
        """Step back before the last exchange; returns the turns that left the line, first first.

        Raises InputError when the line is empty.
        """
        left = await self.last_exchange(scene)
        if not left:
            raise InputError("There is nothing to undo in this scene.", kept="Nothing was changed.")
        await self._move(scene, left[0].parent_id, MoveKind.UNDO)
        return left

    async def redo(self, scene: Scene) -> Turn:
        """Go back to where the last undo from here left. Raises InputError when there is none."""
        target = await self._log.redo_target(scene.id)
        if target is None:
            raise InputError("There is nothing to redo here.", kept="Nothing was changed.")
        await self._move(scene, target, MoveKind.REDO)
        return await self._log.turn(target)

    async def retake(self, scene: Scene, text: str) -> Turn:
        """Tell the last GM turn in other words, as another take beside it."""
        last = await self._last(scene)
        if last is None or last.speaker not in _GM:
            raise InputError(
                "The last turn is not the GM's, so there is nothing to retake.",
                kept="Nothing was changed.",
                todo="/undo takes the whole exchange back; > tells what happens.",
            )
        takes = await self._takes(last)
        turn = last.model_copy(
            update={
                "id": self._ids.new(),
                "text": text,
                "take": max(t.take for t in takes) + 1,
                "created_at": self._clock(),
            }
        )
        await self._narrator.tell(turn, MoveKind.TAKE)
        self._events.publish(TurnAppended(turn))
        self._moved(scene)
        return turn

    async def walk(self, scene: Scene, step: Literal[-1, 1]) -> Turn:
        """Stand on the take before or after the last turn's. Raises InputError at either end."""
        last = await self._last(scene)
        takes = sorted(await self._takes(last), key=lambda t: t.take) if last else []
        if last is None or len(takes) < 2:
            raise InputError("The last turn has one take only.", todo="Ctrl+R makes another.")
        place = [t.id for t in takes].index(last.id) + step
        if not 0 <= place < len(takes):
            raise InputError(f"That is the {'first' if step < 0 else 'last'} take.")
        await self._move(scene, takes[place].id, MoveKind.TAKE)
        return takes[place]

    async def branch(self, scene: Scene, turn_id: Id) -> Turn:
        """Go on from an older turn; what came after it stays in the tree."""
        turn = await self._log.turn(turn_id)
        if turn.scene_id != scene.id:
            raise InputError(
                "That turn belongs to another scene.",
                kept="Nothing was changed.",
                todo="A branch starts from a turn of the scene that is being played.",
            )
        if turn_id == scene.head:
            raise InputError("Play stands on that turn already.")
        await self._move(scene, turn_id, MoveKind.BRANCH)
        return turn

    async def after(self, scene: Scene, turn_id: Id) -> list[Turn]:
        """Return the turns of the line behind `turn_id`; none if it is not on the line."""
        if turn_id not in await self._log.on_line(scene.id, [turn_id]):
            return []
        turn = await self._log.turn(turn_id)
        length = await self._log.line_length(scene.id)
        return await self._log.line_slice(scene.id, turn.depth + 1, length - turn.depth - 1)

    async def last_exchange(self, scene: Scene) -> list[Turn]:
        """Return the turns of the exchange that the line ends in, first first."""
        reach = 8
        while True:
            tail = await self._log.line_tail(scene.id, reach)
            own = [t for t in tail if t.exchange_id == tail[-1].exchange_id]
            if len(own) < len(tail) or len(tail) < reach:
                return own
            reach *= 4

    async def _last(self, scene: Scene) -> Turn | None:
        return await self._log.turn(scene.head) if scene.head else None

    async def _takes(self, turn: Turn) -> list[Turn]:
        siblings = await self._log.children(turn.scene_id, turn.parent_id)
        return [t for t in siblings if t.exchange_id == turn.exchange_id and t.speaker == turn.speaker]

    async def _move(self, scene: Scene, to_turn: Id | None, kind: MoveKind) -> None:
        await self._log.move_head(scene.id, to_turn, kind)
        self._moved(scene)

    def _moved(self, scene: Scene) -> None:
        self._events.publish(LineMoved(scene.id))
        self._events.publish(ProposalsChanged(scene.universe_id, scene.id))
