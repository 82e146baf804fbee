"""Moving along the turn tree: undo, redo, takes, branches. Nothing is ever removed or rewritten.

Source: design/ontology.md, "The turn tree"; design/interface.md, "Takes".
"""

from __future__ import annotations

from typing import Literal

from agents.messages import EventBus, LineMoved, ProposalsChanged, TurnAppended
from agents.narrator.narrator import Narrator
from agents.orchestrator.exchange import brought_id
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdMaker
from stores.records.play import MoveKind, Resolution, Scene, Speaker, Turn

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
        """Step back before the last exchange, or from a roll that was taken otherwise to the roll as it
        fell; returns the turns that left the line, first first. Raises InputError when the line is empty.
        """
        if altered := await self._undo_altered(scene):
            return altered
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

    async def last_roll(self, scene: Scene) -> tuple[Turn, Resolution]:
        """Return the roll that the line ends in: not what it brought by itself. Raises InputError."""
        last = await self._last(scene)
        shown = await self._rolled_by(last) if last else None
        if shown is not None and shown.speaker is Speaker.ORACLE:
            for resolution in await self._log.resolutions([shown.id]):
                return shown, resolution
        rolls = [t for t in await self.last_exchange(scene) if t.speaker is Speaker.ORACLE]
        if not rolls:
            raise InputError(
                "The line does not end in a roll.",
                kept="Nothing was changed.",
                todo="/reroll and /pick are for the roll that was just made.",
            )
        raise InputError(
            "That roll has been answered already.",
            kept="Nothing was changed.",
            todo=f"/branch {rolls[-1].depth + 1} goes back to it, and what came after stays in the tree.",
        )

    async def next_take(self, turn: Turn) -> int:
        """Return the number of one more take of the turn."""
        return max(t.take for t in await self._takes(turn)) + 1

    async def take_after(self, scene: Scene, exchange_id: Id, speaker: Speaker) -> int:
        """Return the number of a turn of this exchange that follows the head: the rolls or answers that were
        there before it stay in the tree."""
        beside = await self._log.children(scene.id, scene.head)
        takes = [t.take for t in beside if t.exchange_id == exchange_id and t.speaker is speaker]
        return max(takes, default=0) + 1

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

    async def _undo_altered(self, scene: Scene) -> list[Turn]:
        """Go back from a roll that was taken otherwise to the one that it stands for."""
        last = await self._last(scene)
        shown = await self._rolled_by(last) if last else None
        if last is None or shown is None or shown.speaker is not Speaker.ORACLE:
            return []
        before = next((r.instead_of for r in await self._log.resolutions([shown.id])), None)
        if before is None:
            return []
        brought = brought_id(before)
        to_turn = brought if await self._log.turns([brought]) else before
        await self._move(scene, to_turn, MoveKind.UNDO)
        return [shown] if last.id == shown.id else [shown, last]

    async def _rolled_by(self, turn: Turn) -> Turn | None:
        """Return the turn, or the one whose result brought it."""
        if turn.parent_id and turn.id == brought_id(turn.parent_id):
            return await self._log.turn(turn.parent_id)
        return turn

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
