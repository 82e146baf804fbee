"""Where a story's scenes went by facts (`/go`, `/fact I am in PLACE`), as entries of its journal. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from agents.context_assembly.scene_context import (
    derive_place_entry_id,
    find_pc_arrivals,
    select_effective_proposals,
)
from stores.records.ids import Id
from stores.records.story_journal import JournalEntry, PlaceEntry
from stores.records.workflow import ProposalStatus, ProposedChange


def enter_stated_places(
    entries: Iterable[JournalEntry],
    proposals: Collection[ProposedChange],
    pc_id: Id | None,
    opening_place_ids: Mapping[Id, Id | None],
) -> list[JournalEntry]:
    """Return the entries with where the hero went by facts that are canon or proposed, each as its turn has it.

    `opening_place_ids` are where the scenes began, by scene. A fact is left out if the hero was there already, or if
    nothing said before where they were: then it is no move.
    """
    own_entries = list(entries)
    stated_entries = {e.id: e for e in own_entries if isinstance(e, PlaceEntry) and not e.is_narrated}
    counting = [*select_effective_proposals(proposals), *_select_accepted(proposals)]
    for proposal, place_id in find_pc_arrivals(counting, pc_id):
        entry_id = derive_place_entry_id(proposal.id)
        if entry_id not in stated_entries and proposal.scene_id in opening_place_ids:
            stated_entries[entry_id] = PlaceEntry(
                id=entry_id,
                scene_id=proposal.scene_id,
                turn_id=proposal.turn_id,
                tick=proposal.tick or 0,
                at=proposal.created_at,
                place_id=place_id,
            )
    timeline = [e for e in own_entries if e.id not in stated_entries]
    moves = [*(e for e in timeline if isinstance(e, PlaceEntry)), *stated_entries.values()]
    current_ids = dict(opening_place_ids)
    for move in sorted(moves, key=_place_in_time):
        earlier_id = current_ids.get(move.scene_id)
        current_ids[move.scene_id] = move.place_id
        if move.id in stated_entries and earlier_id not in (None, move.place_id):
            timeline.insert(_find_position(timeline, move), move)
    return timeline


def _select_accepted(proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
    return [p for p in proposals if p.status is ProposalStatus.ACCEPTED]


def _place_in_time(entry: PlaceEntry) -> tuple[int, datetime]:
    return entry.tick, entry.at


def _find_position(timeline: Sequence[JournalEntry], move: PlaceEntry) -> int:
    """Return where a move stands: before what its turn has of the same time or later, which it brought about."""
    later = (n for n, e in enumerate(timeline) if e.turn_id == move.turn_id and e.at >= move.at)
    return next(later, len(timeline))
