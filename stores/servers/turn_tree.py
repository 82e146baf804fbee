"""The turn tree in MongoDB: appends turns, moves the head, and keeps the line up to date.

`line` maps depth to turn for the path from the first turn to the head; a turn is on the line if the
line has it at its depth and the head is at least as deep.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from stores.errors import NotFound, StoreError
from stores.records.ids import Id
from stores.records.play import HeadMove, MoveKind, Turn
from stores.servers.log_documents import any_of, make_document, parse_document
from stores.servers.mongo import Document, MongoReadTransaction, MongoWriteTransaction
from stores.servers.mongo_schema import PLAYED_SPEAKERS

_TURN_COLLECTIONS = ("turns", "told")
_BATCH_DEPTHS = 500
"""Depths that are read at once while a path is followed to its start."""


class HeadPosition(NamedTuple):
    """The head of a scene, its depth, and the number of head moves."""

    turn_id: Id | None
    depth: int
    move_count: int


# --- reading ----------------------------------------------------------------------------------------


async def read_turns(tx: MongoReadTransaction, where: Document) -> list[Turn]:
    """Return the turns that match, of both collections, in the order they were made."""
    documents = [d for name in _TURN_COLLECTIONS for d in await tx.find_all(name, where)]
    return [parse_document(Turn, d) for d in sorted(documents, key=lambda d: int(d["made"]))]


async def read_head(tx: MongoReadTransaction, scene_id: Id) -> HeadPosition:
    """Return the head of a scene. Raises NotFound for an unknown one."""
    head_document = await tx.find_one("scene_heads", {"_id": scene_id})
    if head_document is None:
        raise NotFound(f"There is no scene {scene_id}.")
    return HeadPosition(head_document["head"], int(head_document["depth"]), int(head_document["moves"]))


async def read_line(tx: MongoReadTransaction, scene_id: Id, start: int, end: int) -> list[Turn]:
    """Return the turns at depths `start` to `end` - 1 of the line."""
    if start >= end:
        return []
    positions = await _read_positions(tx, scene_id, start, end)
    by_id = {turn.id: turn for turn in await read_turns(tx, {"_id": any_of(list(positions.values()))})}
    return [by_id[positions[depth]] for depth in sorted(positions)]


async def find_on_line(
    tx: MongoReadTransaction, turn_ids: Collection[Id], scene_id: Id | None = None
) -> set[Id]:
    """Return those of the turns that are on their scene's line (of this scene, if one is named)."""
    where = {"_id": any_of(turn_ids)} | ({"scene_id": scene_id} if scene_id else {})
    wanted_turns = await _read_fields(tx, where, {"scene_id": 1, "depth": 1})
    heads = await tx.find_all("scene_heads", {"_id": any_of([d["scene_id"] for d in wanted_turns])})
    head_depths = {d["_id"]: int(d["depth"]) for d in heads}
    position_filter = {"_id": any_of([_position_key(d["scene_id"], int(d["depth"])) for d in wanted_turns])}
    line_turn_ids = {d["_id"]: d["turn_id"] for d in await tx.find_all("line", position_filter)}
    return {
        str(d["_id"])
        for d in wanted_turns
        if line_turn_ids.get(_position_key(d["scene_id"], int(d["depth"]))) == d["_id"]
        and int(d["depth"]) <= head_depths.get(d["scene_id"], -1)
    }


async def read_redo_target(tx: MongoReadTransaction, scene_id: Id) -> Id | None:
    """Return the head that the last undo to the present head came from, unless that was redone."""
    head_document = await tx.find_one("scene_heads", {"_id": scene_id})
    if head_document is None:
        return None
    undo_filter = {"scene_id": scene_id, "to_turn": head_document["head"], "kind": MoveKind.UNDO.value}
    last_undo = await tx.find_one("head_moves", undo_filter, newest_by="seq")
    if last_undo is None:
        return None
    redo_filter = {
        "scene_id": scene_id,
        "from_turn": head_document["head"],
        "kind": MoveKind.REDO.value,
        "seq": {"$gt": last_undo["seq"]},
    }
    return None if await tx.find_one("head_moves", redo_filter) else last_undo["from_turn"]


async def _read_positions(tx: MongoReadTransaction, scene_id: Id, start: int, end: int) -> dict[int, Id]:
    where = {"scene_id": scene_id, "depth": {"$gte": start, "$lt": end}}
    documents = await tx.find_all("line", where)
    return {int(d["depth"]): d["turn_id"] for d in documents}


# --- writing ----------------------------------------------------------------------------------------


async def append_turn(tx: MongoWriteTransaction, turn: Turn, kind: MoveKind) -> None:
    """Append the turn and move the head to it; do nothing if it exists.

    Raises NotFound for an unknown scene, StoreError if its parent or depth do not fit.
    """
    if await read_turns(tx, {"_id": turn.id}):
        return
    head_position = await read_head(tx, turn.scene_id)
    await _check_position(tx, turn, kind, head_position)
    collection = "turns" if turn.speaker in PLAYED_SPEAKERS else "told"
    await tx.insert(collection, [make_document(collection, turn)])
    await set_head(tx, turn.scene_id, head_position, turn, kind, turn.created_at)


async def move_head(
    tx: MongoWriteTransaction, scene_id: Id, to_turn: Id | None, kind: MoveKind, at: datetime
) -> None:
    """Move the head to another turn of the scene (None: before the first); do nothing if it is there."""
    head_position = await read_head(tx, scene_id)
    if to_turn == head_position.turn_id:
        return
    if kind is MoveKind.APPEND:
        raise StoreError("A head moves by undo, redo, take or branch; appending brings its own turn.")
    target = await _find_turn(tx, scene_id, to_turn) if to_turn else None
    if to_turn is not None and target is None:
        raise NotFound(f"There is no turn {to_turn} in scene {scene_id}.")
    await set_head(tx, scene_id, head_position, target, kind, at)


async def _check_position(
    tx: MongoReadTransaction, turn: Turn, kind: MoveKind, head_position: HeadPosition
) -> None:
    if kind not in (MoveKind.APPEND, MoveKind.TAKE, MoveKind.BRANCH):
        raise StoreError(f"A turn is appended, taken again or branched, not added by {kind.value}.")
    if turn.parent_id == head_position.turn_id:
        _check_depth(turn, head_position.depth)
        return
    if kind is MoveKind.APPEND:
        raise StoreError(
            f"Turn {turn.id} continues from {turn.parent_id}, but play stands on {head_position.turn_id}.",
            kept="Nothing was written.",
        )
    parent = await _find_turn(tx, turn.scene_id, turn.parent_id) if turn.parent_id else None
    if turn.parent_id is not None and parent is None:
        raise StoreError(f"Turn {turn.id} continues from {turn.parent_id}, which is not in its scene.")
    _check_depth(turn, parent.depth if parent else -1)


def _check_depth(turn: Turn, parent_depth: int) -> None:
    if turn.depth != parent_depth + 1:
        raise StoreError(f"Turn {turn.id} is at depth {turn.depth} after one at {parent_depth}.")


async def _find_turn(tx: MongoReadTransaction, scene_id: Id, turn_id: Id) -> Turn | None:
    matching_turns = await read_turns(tx, {"_id": turn_id, "scene_id": scene_id})
    return matching_turns[0] if matching_turns else None


async def set_head(
    tx: MongoWriteTransaction,
    scene_id: Id,
    head_position: HeadPosition,
    turn: Turn | None,
    kind: MoveKind,
    at: datetime,
) -> None:
    """Move the line and the head to a turn, and record the move."""
    if turn is not None:
        await update_line(tx, turn, head_position)
    seq = head_position.move_count + 1
    new_head = {"head": turn.id if turn else None, "depth": turn.depth if turn else -1, "moves": seq}
    await tx.set_fields("scene_heads", scene_id, new_head)
    move = HeadMove(
        scene_id=scene_id,
        seq=seq,
        kind=kind,
        from_turn=head_position.turn_id,
        to_turn=new_head["head"],
        at=at,
    )
    await tx.insert("head_moves", [make_move_document(move)])


def make_move_document(move: HeadMove) -> Document:
    """Return the document of a head move."""
    fields = {"scene_id": move.scene_id, "seq": move.seq, "kind": move.kind.value}
    turn_fields = {"from_turn": move.from_turn, "to_turn": move.to_turn}
    return make_document("head_moves", move, **fields, **turn_fields)


async def update_line(tx: MongoWriteTransaction, turn: Turn, head_position: HeadPosition) -> None:
    """Update the line from a turn up to where it meets the present line."""
    new_positions: list[tuple[int, Id]] = []
    at_depth, path_turn_id = turn.depth, turn.id
    if turn.parent_id == head_position.turn_id:
        new_positions, at_depth = [(turn.depth, turn.id)], -1
    while at_depth >= 0:
        start = max(0, at_depth + 1 - _BATCH_DEPTHS)
        parent_by_turn = await _read_parents(tx, turn.scene_id, start, at_depth)
        stored_positions = await _read_positions(tx, turn.scene_id, start, at_depth + 1)
        while at_depth >= start:
            if at_depth <= head_position.depth and stored_positions.get(at_depth) == path_turn_id:
                at_depth = -1
                break
            new_positions.append((at_depth, path_turn_id))
            parent = parent_by_turn[path_turn_id]
            at_depth -= 1
            if parent is None:
                at_depth = -1
                break
            path_turn_id = parent
    for depth, turn_id in new_positions:
        position_fields = {"scene_id": turn.scene_id, "depth": depth, "turn_id": turn_id}
        await tx.put("line", {"_id": _position_key(turn.scene_id, depth), **position_fields})


async def _read_parents(tx: MongoReadTransaction, scene_id: Id, start: int, end: int) -> dict[Id, Id | None]:
    """Return the parent of each turn of a scene at depths `start` to `end`."""
    where = {"scene_id": scene_id, "depth": {"$gte": start, "$lte": end}}
    return {d["_id"]: d["parent_id"] for d in await _read_fields(tx, where, {"parent_id": 1})}


async def _read_fields(tx: MongoReadTransaction, where: Document, fields: Document) -> list[Document]:
    """Return these fields of the turns that match, of both collections."""
    return [d for name in _TURN_COLLECTIONS for d in await tx.find_all(name, where, fields=fields)]


def _position_key(scene_id: Id, depth: int) -> str:
    return f"{scene_id}/{depth}"
