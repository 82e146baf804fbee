"""The turn tree in MongoDB: appending, moving the head, and the line in step with both.

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
from stores.servers.log_documents import among, document, record
from stores.servers.mongo import Document, Reading, Writing
from stores.servers.mongo_schema import PLAYED

_BOTH = ("turns", "told")
_AT_ONCE = 500
"""Depths that are read at once while a path is climbed."""


class Head(NamedTuple):
    """Where play stands in a scene, and how often it has moved."""

    turn: Id | None
    depth: int
    moves: int


# --- reading ----------------------------------------------------------------------------------------


async def turns(tx: Reading, where: Document) -> list[Turn]:
    """Return the turns that a filter finds, played and told, in the order they were made."""
    found = [d for name in _BOTH for d in await tx.all(name, where)]
    return [record(Turn, d) for d in sorted(found, key=lambda d: int(d["made"]))]


async def head(tx: Reading, scene_id: Id) -> Head:
    """Return where play stands in a scene. Raises NotFound for an unknown one."""
    found = await tx.one("scene_heads", {"_id": scene_id})
    if found is None:
        raise NotFound(f"There is no scene {scene_id}.")
    return Head(found["head"], int(found["depth"]), int(found["moves"]))


async def line(tx: Reading, scene_id: Id, start: int, end: int) -> list[Turn]:
    """Return the turns at depths `start` to `end` - 1 of the line."""
    if start >= end:
        return []
    positions = await _positions(tx, scene_id, start, end)
    by_id = {turn.id: turn for turn in await turns(tx, {"_id": among(list(positions.values()))})}
    return [by_id[positions[depth]] for depth in sorted(positions)]


async def on_line(tx: Reading, turn_ids: Collection[Id], scene_id: Id | None = None) -> set[Id]:
    """Return those of the turns that are on their scene's line (of this scene, if one is named)."""
    where = {"_id": among(turn_ids)} | ({"scene_id": scene_id} if scene_id else {})
    asked = await _shown(tx, where, {"scene_id": 1, "depth": 1})
    heads = await tx.all("scene_heads", {"_id": among([d["scene_id"] for d in asked])})
    depth_of = {d["_id"]: int(d["depth"]) for d in heads}
    places = {"_id": among([_place(d["scene_id"], int(d["depth"])) for d in asked])}
    there = {d["_id"]: d["turn_id"] for d in await tx.all("line", places)}
    return {
        str(d["_id"])
        for d in asked
        if there.get(_place(d["scene_id"], int(d["depth"]))) == d["_id"]
        and int(d["depth"]) <= depth_of.get(d["scene_id"], -1)
    }


async def redo_target(tx: Reading, scene_id: Id) -> Id | None:
    """Return the head that was last left for the present one by an undo."""
    found = await tx.one("scene_heads", {"_id": scene_id})
    if found is None:
        return None
    undone = {"scene_id": scene_id, "to_turn": found["head"], "kind": MoveKind.UNDO.value}
    left = await tx.one("head_moves", undone, newest="seq")
    return left["from_turn"] if left else None


async def _positions(tx: Reading, scene_id: Id, start: int, end: int) -> dict[int, Id]:
    where = {"scene_id": scene_id, "depth": {"$gte": start, "$lt": end}}
    found = await tx.all("line", where)
    return {int(d["depth"]): d["turn_id"] for d in found}


# --- writing ----------------------------------------------------------------------------------------


async def append_turn(tx: Writing, turn: Turn, kind: MoveKind) -> None:
    """Add the turn and stand on it; nothing if it is there already.

    Raises NotFound for an unknown scene, StoreError if it does not fit where it is put.
    """
    if await turns(tx, {"_id": turn.id}):
        return
    stands = await head(tx, turn.scene_id)
    await _check_place(tx, turn, kind, stands)
    collection = "turns" if turn.speaker in PLAYED else "told"
    await tx.insert(collection, [document(collection, turn)])
    await stand_on(tx, turn.scene_id, stands, turn, kind, turn.created_at)


async def move_head(tx: Writing, scene_id: Id, to_turn: Id | None, kind: MoveKind, at: datetime) -> None:
    """Stand on another turn of the scene (None: before the first); nothing if play stands there."""
    stands = await head(tx, scene_id)
    if to_turn == stands.turn:
        return
    if kind is MoveKind.APPEND:
        raise StoreError("A head moves by undo, redo, take or branch; appending brings its own turn.")
    target = await _turn_of(tx, scene_id, to_turn) if to_turn else None
    if to_turn is not None and target is None:
        raise NotFound(f"There is no turn {to_turn} in scene {scene_id}.")
    await stand_on(tx, scene_id, stands, target, kind, at)


async def _check_place(tx: Reading, turn: Turn, kind: MoveKind, stands: Head) -> None:
    if kind not in (MoveKind.APPEND, MoveKind.TAKE, MoveKind.BRANCH):
        raise StoreError(f"A turn is appended, taken again or branched, not added by {kind.value}.")
    if turn.parent_id == stands.turn:
        _check_depth(turn, stands.depth)
        return
    if kind is MoveKind.APPEND:
        raise StoreError(
            f"Turn {turn.id} continues from {turn.parent_id}, but play stands on {stands.turn}.",
            kept="Nothing was written.",
        )
    parent = await _turn_of(tx, turn.scene_id, turn.parent_id) if turn.parent_id else None
    if turn.parent_id is not None and parent is None:
        raise StoreError(f"Turn {turn.id} continues from {turn.parent_id}, which is not in its scene.")
    _check_depth(turn, parent.depth if parent else -1)


def _check_depth(turn: Turn, parent_depth: int) -> None:
    if turn.depth != parent_depth + 1:
        raise StoreError(f"Turn {turn.id} is at depth {turn.depth} after one at {parent_depth}.")


async def _turn_of(tx: Reading, scene_id: Id, turn_id: Id) -> Turn | None:
    found = await turns(tx, {"_id": turn_id, "scene_id": scene_id})
    return found[0] if found else None


async def stand_on(
    tx: Writing, scene_id: Id, stands: Head, turn: Turn | None, kind: MoveKind, at: datetime
) -> None:
    """Put the line and the head on a turn, and record the move."""
    if turn is not None:
        await lay_line(tx, turn, stands)
    seq = stands.moves + 1
    new = {"head": turn.id if turn else None, "depth": turn.depth if turn else -1, "moves": seq}
    await tx.change("scene_heads", scene_id, new)
    move = HeadMove(scene_id=scene_id, seq=seq, kind=kind, from_turn=stands.turn, to_turn=new["head"], at=at)
    await tx.insert("head_moves", [move_document(move)])


def move_document(move: HeadMove) -> Document:
    """Return the document of a head move."""
    fields = {"scene_id": move.scene_id, "seq": move.seq, "kind": move.kind.value}
    turns_moved = {"from_turn": move.from_turn, "to_turn": move.to_turn}
    return document("head_moves", move, **fields, **turns_moved)


async def lay_line(tx: Writing, turn: Turn, stands: Head) -> None:
    """Lay the line from a turn up to where the present one is met: only what differs is written."""
    new: list[tuple[int, Id]] = []
    at_depth, wanted = turn.depth, turn.id
    if turn.parent_id == stands.turn:
        new, at_depth = [(turn.depth, turn.id)], -1
    while at_depth >= 0:
        start = max(0, at_depth + 1 - _AT_ONCE)
        path = await _ancestors(tx, turn.scene_id, start, at_depth)
        laid = await _positions(tx, turn.scene_id, start, at_depth + 1)
        while at_depth >= start:
            if at_depth <= stands.depth and laid.get(at_depth) == wanted:
                at_depth = -1
                break
            new.append((at_depth, wanted))
            parent = path[wanted]
            at_depth -= 1
            if parent is None:
                at_depth = -1
                break
            wanted = parent
    for depth, turn_id in new:
        laid_here = {"scene_id": turn.scene_id, "depth": depth, "turn_id": turn_id}
        await tx.put("line", {"_id": _place(turn.scene_id, depth), **laid_here})


async def _ancestors(tx: Reading, scene_id: Id, start: int, end: int) -> dict[Id, Id | None]:
    """Return the parent of each turn of a scene at depths `start` to `end`."""
    where = {"scene_id": scene_id, "depth": {"$gte": start, "$lte": end}}
    return {d["_id"]: d["parent_id"] for d in await _shown(tx, where, {"parent_id": 1})}


async def _shown(tx: Reading, where: Document, fields: Document) -> list[Document]:
    """Return these fields of the turns that a filter finds, played and told."""
    return [d for name in _BOTH for d in await tx.all(name, where, fields=fields)]


def _place(scene_id: Id, depth: int) -> str:
    return f"{scene_id}/{depth}"
