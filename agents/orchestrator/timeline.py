"""Moves along the turn tree: undo, redo, takes, branches. Nothing is ever removed or rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from agents.context_assembly.scene_context import is_scene_end_turn
from agents.events import EventBus, HeadMoved, ProposalsChanged, TurnAppended
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.orchestrator.exchange import followup_turn_id, narrated_turn_id, rewritten_turn_id
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import GM_SPEAKERS, HeadMove, MoveKind, Resolution, Scene, Speaker, Turn
from stores.records.workflow import Loop


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A step back along the timeline."""

    removed_turns: list[Turn]
    """The turns that leave the timeline, oldest first."""
    target_id: Id | None
    """The turn that becomes the head."""


def find_standing_move(moves: Iterable[HeadMove]) -> HeadMove | None:
    """Return the move forward that led to where the head is, once undo and redo are taken into account. Pure."""
    standing: list[HeadMove] = []
    undone: list[tuple[HeadMove, list[HeadMove]]] = []
    for move in moves:
        if move.kind is MoveKind.UNDO:
            kept_count = len(standing)
            while kept_count and standing[kept_count - 1].to_turn != move.to_turn:
                kept_count -= 1
            undone.append((move, standing[kept_count:]))
            standing = standing[:kept_count]
        elif move.kind is MoveKind.REDO:
            standing += next(
                (
                    taken
                    for undo, taken in reversed(undone)
                    if (undo.from_turn, undo.to_turn) == (move.to_turn, move.from_turn)
                ),
                [move],
            )
        else:
            standing.append(move)
    return standing[-1] if standing else None


def find_redoable_undo(moves: Sequence[HeadMove], head: Id | None) -> HeadMove | None:
    """Return the last undo that led to `head` and was not redone from there. Pure."""
    for move in reversed(moves):
        if move.kind is MoveKind.UNDO and move.to_turn == head:
            return move
        if move.kind is MoveKind.REDO and move.from_turn == head:
            return None
    return None


class Timeline:
    """Moves the head of a scene along its turn tree; every move is in the log."""

    def __init__(
        self,
        log: OrchestratorLog,
        gm_turn_writer: GmTurnWriter,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._gm_turn_writer = gm_turn_writer
        self._ids = ids
        self._clock = clock
        self._events = events

    async def plan_undo(self, scene: Scene) -> UndoStep:
        """Return the step back before the last thing done, or from an altered roll to the roll as it fell.

        That is the last line that was typed, with all that came of it: its rolls and its narration. A roll that
        was typed without words is a line of its own.

        Raises InputError if there is nothing to undo.
        """
        if step := await self._plan_alteration_undo(scene):
            return step
        exchange_turns = await self.read_last_exchange(scene)
        if not exchange_turns:
            raise InputError(
                "Nothing to undo in this scene.",
                kept="What the scene before made canon stays." if scene.order > 1 else "Nothing was changed.",
                todo="R in the universe retcons it; /map plays on from an earlier turn."
                if scene.order > 1
                else "",
            )
        removed_turns = exchange_turns[await self._find_last_step(exchange_turns) :]
        return UndoStep(removed_turns, removed_turns[0].parent_id)

    async def undo(self, scene: Scene, target_id: Id | None) -> None:
        """Go back to `target_id` (None: before the first turn), so that redo comes back here."""
        await self._move_head(scene, target_id, MoveKind.UNDO)

    async def find_last_jump(self, scene: Scene) -> HeadMove | None:
        """Return the branch, or the change to another take of the GM's words, that play stands on.

        None if something was played since, or a turn was last. What a model rewrote by itself is part of its turn.
        """
        move = find_standing_move(m for m in await self._read_moves_of_play(scene) if not _is_rewrite(m))
        if move is None or move.kind is MoveKind.BRANCH:
            return move
        if move.kind is not MoveKind.TAKE or move.to_turn is None or move.from_turn is None:
            return None
        take = await self._log.turn(move.to_turn)
        return move if take.speaker in GM_SPEAKERS else None

    async def find_undone_move(self, scene: Scene) -> HeadMove | None:
        """Return the last undo that led to where play stands; redo takes it back."""
        return find_redoable_undo(await self._log.head_moves(scene.id), scene.head)

    async def find_redone_at(self, scene: Scene) -> datetime | None:
        """Return when the last line was brought back by redo; None if it was not."""
        moves = await self._log.head_moves(scene.id)
        is_redone = moves and moves[-1].kind is MoveKind.REDO and moves[-1].to_turn == scene.head
        return moves[-1].at if is_redone else None

    async def read_last_turns_at(self, scene: Scene, times: Iterable[datetime]) -> list[Id | None]:
        """Return the turn of play that was the last at each of these times; None: before the first."""
        moves = await self._log.head_moves(scene.id)
        heads = [next((m.to_turn for m in reversed(moves) if m.at <= at), None) for at in times]
        turns = await self._log.turns({head for head in heads if head})
        parent_ids = {i: turn.parent_id for i, turn in turns.items() if is_scene_end_turn(turn)}
        return [parent_ids.get(head, head) if head else None for head in heads]

    async def find_left_head(self, scene: Scene) -> Id | None:
        """Return the end of the line that a branch left last; None if none was left."""
        moves = await self._read_moves_of_play(scene)
        left_ids = [m.from_turn for m in moves if m.kind is MoveKind.BRANCH and m.from_turn]
        on_line_ids = await self._log.on_line(scene.id, left_ids)
        return next((turn_id for turn_id in reversed(left_ids) if turn_id not in on_line_ids), None)

    async def redo(self, scene: Scene) -> Turn:
        """Go forward again to where the last undo from here began. Raises InputError if there was none."""
        target_id = await self._log.redo_target(scene.id)
        if target_id is None:
            raise InputError(
                "Nothing to redo.",
                kept="Nothing was changed.",
                todo="Ctrl+Y brings back what Ctrl+Z took, until something else is done.",
            )
        await self._move_head(scene, target_id, MoveKind.REDO)
        return await self._log.turn(target_id)

    async def retake(self, scene: Scene, text: str) -> Turn:
        """Add the last GM turn in other words, as another take."""
        return await self.add_take(scene, await self.read_last_narration(scene), text)

    async def read_last_narration(self, scene: Scene) -> Turn:
        """Return the last turn, which a retake puts in other words. Raises InputError if it is not the GM's."""
        last_turn = await self._read_last_turn(scene)
        if last_turn is None:
            raise InputError(
                "No GM turn to narrate again yet.",
                kept="Nothing was changed.",
                todo="> narrates what happens.",
            )
        if last_turn.speaker not in GM_SPEAKERS:
            raise InputError(
                "The last turn is not the GM's, so there is nothing to retake.",
                kept="Nothing was changed.",
                todo="> narrates what happens; Ctrl+Z takes the last line back; E on an earlier turn edits it.",
            )
        return last_turn

    async def add_take(self, scene: Scene, turn: Turn, text: str) -> Turn:
        """Add a GM turn of the line in other words; what followed it stays in the tree."""
        take = turn.model_copy(
            update={
                "id": self._ids.new(),
                "text": text,
                "take": await self.next_take_number(turn),
                "created_at": self._clock(),
            }
        )
        kind = MoveKind.TAKE if turn.id == scene.head else MoveKind.BRANCH
        await self._gm_turn_writer.append_turn(take, kind)
        self._events.publish(TurnAppended(take))
        self._publish_moved(scene)
        return take

    async def walk_takes(self, scene: Scene, step: Literal[-1, 1]) -> Turn:
        """Go to the previous or next take of the last turn. Raises InputError at either end."""
        last_turn = await self._read_last_turn(scene)
        takes = sorted(await self._read_takes(last_turn), key=lambda t: t.take) if last_turn else []
        if last_turn is None or len(takes) < 2:
            raise InputError("The last turn has only one take.", todo="Ctrl+R makes another.")
        take_index = [t.id for t in takes].index(last_turn.id) + step
        if not 0 <= take_index < len(takes):
            raise InputError(
                f"That is the {'first' if step < 0 else 'last'} take.",
                todo="" if step < 0 else "Ctrl+R makes another.",
            )
        await self._move_head(scene, takes[take_index].id, MoveKind.TAKE)
        return takes[take_index]

    async def branch(self, scene: Scene, turn_id: Id | None) -> None:
        """Go on from another turn of the scene (None: from before its first); what is left stays in the tree."""
        await self._move_head(scene, turn_id, MoveKind.BRANCH)

    def require_other_turn(self, scene: Scene, turn: Turn) -> None:
        """Raise InputError if play cannot go on from the turn: it is another scene's, or play is there."""
        if turn.scene_id != scene.id:
            raise InputError(
                "That turn belongs to another scene.",
                kept="Nothing was changed.",
                todo="A branch starts from a turn of the scene that is being played.",
            )
        if turn.id == scene.head:
            raise InputError("Play is at that turn already.")

    async def read_last_roll(self, scene: Scene) -> tuple[Turn, Resolution]:
        """Return the roll at the end of the timeline, without its follow-up. Raises InputError."""
        last_turn = await self._read_last_turn(scene)
        roll_turn = await self._read_roll_turn(last_turn) if last_turn else None
        if roll_turn is not None and roll_turn.speaker is Speaker.ORACLE:
            for resolution in await self._log.resolutions([roll_turn.id]):
                return roll_turn, resolution
        roll_turns = [t for t in await self.read_last_exchange(scene) if t.speaker is Speaker.ORACLE]
        if not roll_turns:
            raise InputError(
                "The last turn is not a roll.",
                kept="Nothing was changed.",
                todo="/reroll and /pick are for the roll that was just made.",
            )
        raise InputError(
            "That roll has been answered already.",
            kept="Nothing was changed.",
            todo=f"/branch {roll_turns[-1].depth + 1} goes back to it; the later turns stay in the tree.",
        )

    async def next_take_number(self, turn: Turn) -> int:
        """Return the number of the next take of the turn."""
        return max(t.take for t in await self._read_takes(turn)) + 1

    async def take_number_after(self, scene: Scene, exchange_id: Id, speaker: Speaker) -> int:
        """Return the take number for a turn of this exchange after the head.

        Earlier rolls or answers at that point stay in the tree.
        """
        siblings = await self._log.children(scene.id, scene.head)
        take_numbers = [t.take for t in siblings if t.exchange_id == exchange_id and t.speaker is speaker]
        return max(take_numbers, default=0) + 1

    async def read_turns_left(self, scene: Scene, target_id: Id | None) -> list[Turn]:
        """Return the turns that leave the timeline when play goes on from `target_id`, oldest first.

        None stands for the beginning, before the first turn.
        """
        common_turn = await self._log.turn(target_id) if target_id else None
        while common_turn is not None and not await self._log.on_line(scene.id, [common_turn.id]):
            common_turn = await self._log.turn(common_turn.parent_id) if common_turn.parent_id else None
        length, start = await self._log.line_length(scene.id), common_turn.depth + 1 if common_turn else 0
        return await self._log.line_slice(scene.id, start, length - start)

    async def read_last_exchange(self, scene: Scene) -> list[Turn]:
        """Return the turns of the last exchange on the timeline, oldest first."""
        reach = 8
        while True:
            last_turns = await self._log.line_tail(scene.id, reach)
            exchange_turns = [t for t in last_turns if t.exchange_id == last_turns[-1].exchange_id]
            if len(exchange_turns) < len(last_turns) or len(last_turns) < reach:
                return exchange_turns
            reach *= 4

    async def _find_last_step(self, exchange_turns: Sequence[Turn]) -> int:
        """Return the index of the turn that the last thing done in this exchange begins with."""
        narrated_ids = {narrated_turn_id(turn.id) for turn in exchange_turns}
        # A run is named after the first turn that it appends: a roll that begins one was typed without words.
        first_turn_ids = await self._log.loop_states(Loop.TURN, [turn.id for turn in exchange_turns])
        for index, turn in reversed(list(enumerate(exchange_turns))):
            match turn.speaker:
                case Speaker.PLAYER:
                    return index
                case Speaker.ORACLE if turn.id in first_turn_ids:
                    return index
                case Speaker.GM | Speaker.NPC if not narrated_ids & {
                    take.id for take in await self._read_takes(turn)
                }:
                    return index
                case _:
                    continue
        return 0

    async def _plan_alteration_undo(self, scene: Scene) -> UndoStep | None:
        """Return the step from an altered roll back to the roll that it replaced; None if there is none."""
        last_turn = await self._read_last_turn(scene)
        roll_turn = await self._read_roll_turn(last_turn) if last_turn else None
        if last_turn is None or roll_turn is None or roll_turn.speaker is not Speaker.ORACLE:
            return None
        replaced_turn_id = next((r.instead_of for r in await self._log.resolutions([roll_turn.id])), None)
        if replaced_turn_id is None:
            return None
        followup_id = followup_turn_id(replaced_turn_id)
        target_id = followup_id if await self._log.turns([followup_id]) else replaced_turn_id
        return UndoStep([roll_turn] if last_turn.id == roll_turn.id else [roll_turn, last_turn], target_id)

    async def _read_moves_of_play(self, scene: Scene) -> list[HeadMove]:
        """Return the moves of the scene's head, without those to and from the report of the scene's end."""
        moves = await self._log.head_moves(scene.id)
        branches = [m for m in moves if m.kind is MoveKind.BRANCH]
        turns = await self._log.turns({i for m in branches for i in (m.from_turn, m.to_turn) if i})
        end_ids = {turn.id for turn in turns.values() if is_scene_end_turn(turn)}
        return [m for m in moves if end_ids.isdisjoint({m.from_turn, m.to_turn})]

    async def _read_roll_turn(self, turn: Turn) -> Turn | None:
        """Return the turn, or the one whose result it follows up."""
        if turn.parent_id and turn.id == followup_turn_id(turn.parent_id):
            return await self._log.turn(turn.parent_id)
        return turn

    async def _read_last_turn(self, scene: Scene) -> Turn | None:
        return await self._log.turn(scene.head) if scene.head else None

    async def _read_takes(self, turn: Turn) -> list[Turn]:
        siblings = await self._log.children(turn.scene_id, turn.parent_id)
        return [t for t in siblings if t.exchange_id == turn.exchange_id and t.speaker == turn.speaker]

    async def _move_head(self, scene: Scene, target_id: Id | None, kind: MoveKind) -> None:
        await self._log.move_head(scene.id, target_id, kind)
        self._publish_moved(scene)

    def _publish_moved(self, scene: Scene) -> None:
        self._events.publish(HeadMoved(scene.id))
        self._events.publish(ProposalsChanged(scene.universe_id, scene.id))


def _is_rewrite(move: HeadMove) -> bool:
    """Return whether a move is to what the model made of its own words, when its prose was checked."""
    return move.from_turn is not None and move.to_turn == rewritten_turn_id(move.from_turn)
