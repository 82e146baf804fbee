"""Builds the entries of a story's journal that a turn's moves become. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.prose.cast_reading import CastMove, CastState
from stores.records.ids import Id, derive_id
from stores.records.play import Turn
from stores.records.story_journal import Awareness, PlaceEntry, PresenceEntry
from stores.records.world import Entity

_AWARENESS_BY_MOVE: Final = {
    CastMove.SURVIVES: Awareness.AWARE,
    CastMove.FALLS_ASLEEP: Awareness.ASLEEP,
    CastMove.GOES_OUT_OF_EARSHOT: Awareness.OUT_OF_EARSHOT,
    CastMove.DIES: Awareness.DEAD,
}
"""How somebody is after a move that says so."""


def build_place_entry(turn: Turn, place_id: Id) -> PlaceEntry:
    return PlaceEntry(
        id=derive_id("place", turn.id),
        scene_id=turn.scene_id,
        turn_id=turn.id,
        tick=turn.tick,
        at=turn.created_at,
        place_id=place_id,
        is_narrated=True,
    )


def build_presence_entries(
    context: SceneContext,
    turn: Turn,
    moves: Sequence[tuple[CastMove, Id]],
    people: Sequence[Entity],
    state: CastState,
    companion_ids: Collection[Id],
    *,
    is_reported: bool = False,
) -> tuple[PresenceEntry, ...]:
    """Return the entries of a turn's moves. An id says whose and which move it is: read again, it is the same."""
    dead_ids = {people[n].id for n in state.dead}
    last_entries = context.last_presence_entries()
    sleeper_ids = {i for i, e in last_entries.items() if e.here and e.awareness is Awareness.ASLEEP}
    here_id = context.place.id if context.place else None
    counts: Counter[Id] = Counter()
    entries = []
    for move, entity_id in moves:
        counts[entity_id] += 1
        if move is not CastMove.COMES_ALONG:  # who is carried sleeps on
            sleeper_ids.discard(entity_id)
        entry_id = derive_presence_entry_id(turn.id, entity_id, counts[entity_id], is_reported=is_reported)
        usual_awareness = Awareness.DEAD if entity_id in dead_ids else Awareness.AWARE
        awareness = (
            Awareness.ASLEEP if entity_id in sleeper_ids else _AWARENESS_BY_MOVE.get(move, usual_awareness)
        )
        entries.append(_build_entry(entry_id, turn, entity_id, move, companion_ids, awareness, here_id))
    return tuple(entries)


def derive_presence_entry_id(turn_id: Id, entity_id: Id, nth: int, *, is_reported: bool) -> Id:
    """Return the id of the nth entry of somebody on a turn, by its words or by what a model reports of them."""
    return derive_id("presence", "reported" if is_reported else "words", turn_id, entity_id, nth)


def is_reported_entry(entry: PresenceEntry) -> bool:
    turn_id = entry.turn_id or ""
    return entry.id == derive_presence_entry_id(turn_id, entry.entity_id, 1, is_reported=True)


def _build_entry(
    entry_id: Id,
    turn: Turn,
    entity_id: Id,
    move: CastMove,
    companion_ids: Collection[Id],
    awareness: Awareness,
    here_id: Id | None,
) -> PresenceEntry:
    is_here = move not in (CastMove.LEAVES, CastMove.STAYS_BEHIND)
    return PresenceEntry(
        id=entry_id,
        scene_id=turn.scene_id,
        turn_id=turn.id,
        tick=turn.tick,
        at=turn.created_at,
        entity_id=entity_id,
        here=is_here,
        awareness=awareness,
        is_companion=is_here and entity_id in companion_ids,
        is_narrated=True,
        is_left_behind=move is CastMove.STAYS_BEHIND,
        place_id=here_id if move is CastMove.STAYS_BEHIND else None,
    )
