"""The turn tree in SQL: appends turns, moves the head, and keeps the line up to date.

`line` maps depth to turn for the path from the first turn to the head; a turn is on the line if the
line has it at its depth and the head is at least as deep (view `on_line`).
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import apsw

from stores.embedded.documents import insert_new
from stores.errors import NotFound, StoreError
from stores.records.ids import Id
from stores.records.play import MoveKind, Turn

_UPDATE_LINE = """
    WITH RECURSIVE climb (id, parent_id, depth) AS (
        SELECT id, parent_id, depth FROM turns WHERE id = :turn
        UNION ALL
        SELECT t.id, t.parent_id, t.depth FROM climb JOIN turns t ON t.id = climb.parent_id
        WHERE climb.depth > :head_depth
           OR climb.id IS NOT (SELECT turn_id FROM line WHERE scene_id = :scene AND depth = climb.depth))
    INSERT INTO line (scene_id, depth, turn_id) SELECT :scene, depth, id FROM climb WHERE true
    ON CONFLICT (scene_id, depth) DO UPDATE SET turn_id = excluded.turn_id
        WHERE turn_id IS NOT excluded.turn_id"""
"""From a turn up to where it meets the present line, so that only the difference is written."""


class _HeadPosition(NamedTuple):
    turn_id: Id | None
    depth: int


def append_turn(connection: apsw.Connection, turn: Turn, kind: MoveKind) -> None:
    """Append the turn and move the head to it; do nothing if it exists.

    Raises NotFound for an unknown scene, StoreError if its parent or depth do not fit.
    """
    if connection.execute("SELECT 1 FROM turns WHERE id = ?", (turn.id,)).fetchone():
        return
    head = _read_head(connection, turn.scene_id)
    _check_position(connection, turn, kind, head)
    insert_new(connection, "turns", [turn])
    _set_head(connection, turn.scene_id, head, turn.id, kind, turn.created_at)


def move_head(
    connection: apsw.Connection, scene_id: Id, to_turn: Id | None, kind: MoveKind, at: datetime
) -> None:
    """Move the head to another turn of the scene (None: before the first); do nothing if it is there."""
    head = _read_head(connection, scene_id)
    if to_turn == head.turn_id:
        return
    if kind is MoveKind.APPEND:
        raise StoreError("A head moves by undo, redo, take or branch; appending brings its own turn.")
    if to_turn is not None and _find_depth(connection, scene_id, to_turn) is None:
        raise NotFound(f"There is no turn {to_turn} in scene {scene_id}.")
    _set_head(connection, scene_id, head, to_turn, kind, at)


def line_length(connection: apsw.Connection, scene_id: Id) -> int:
    return _read_head(connection, scene_id).depth + 1


def _read_head(connection: apsw.Connection, scene_id: Id) -> _HeadPosition:
    row = connection.execute(
        """SELECT s.head, coalesce(h.depth, -1)
           FROM scenes s LEFT JOIN turns h ON h.id = s.head WHERE s.id = ?""",
        (scene_id,),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no scene {scene_id}.")
    return _HeadPosition(*row)


def _check_position(connection: apsw.Connection, turn: Turn, kind: MoveKind, head: _HeadPosition) -> None:
    if kind not in (MoveKind.APPEND, MoveKind.TAKE, MoveKind.BRANCH):
        raise StoreError(f"A turn is appended, taken again or branched, not added by {kind.value}.")
    if kind is MoveKind.APPEND and turn.parent_id != head.turn_id:
        raise StoreError(
            f"Turn {turn.id} continues from {turn.parent_id}, but play stands on {head.turn_id}.",
            kept="Nothing was written.",
        )
    parent_depth = -1 if turn.parent_id is None else _find_depth(connection, turn.scene_id, turn.parent_id)
    if parent_depth is None:
        raise StoreError(f"Turn {turn.id} continues from {turn.parent_id}, which is not in its scene.")
    if turn.depth != parent_depth + 1:
        raise StoreError(f"Turn {turn.id} is at depth {turn.depth} after one at {parent_depth}.")


def _find_depth(connection: apsw.Connection, scene_id: Id, turn_id: Id) -> int | None:
    cursor = connection.execute("SELECT depth FROM turns WHERE id = ? AND scene_id = ?", (turn_id, scene_id))
    depth_row = cursor.fetchone()
    return None if depth_row is None else depth_row[0]


def _set_head(
    connection: apsw.Connection,
    scene_id: Id,
    head: _HeadPosition,
    to_turn: Id | None,
    kind: MoveKind,
    at: datetime,
) -> None:
    connection.execute(_UPDATE_LINE, {"turn": to_turn, "scene": scene_id, "head_depth": head.depth})
    connection.execute("UPDATE scenes SET head = ? WHERE id = ?", (to_turn, scene_id))
    connection.execute(
        """INSERT INTO head_moves (scene_id, seq, kind, from_turn, to_turn, at)
           SELECT ?1, coalesce(max(seq), 0) + 1, ?2, ?3, ?4, ?5 FROM head_moves WHERE scene_id = ?1""",
        (scene_id, kind.value, head.turn_id, to_turn, at.isoformat()),
    )
