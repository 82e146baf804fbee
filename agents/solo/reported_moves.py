"""Reads who comes and leaves from what a model reports of the cast, beside what the words say. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.personas.reported_cast import ReportedCast
from agents.prose.cast_reading import CastMove, CastState
from agents.solo.cast_figures import build_figures, find_figure, is_mentioned
from stores.records.ids import Id
from stores.records.story_journal import PresenceEntry
from stores.records.world import Entity


def find_reported_moves(
    reported_cast: ReportedCast,
    text: str,
    people: Sequence[Entity],
    state: CastState,
    own_entries: Mapping[Id, PresenceEntry],
) -> list[tuple[CastMove, int]]:
    """Return the moves that a model reports beyond those that the words plainly said, which are `own_entries`.

    Whom it has here at the end has not left, and who left is not here at the end.
    """
    figures = build_figures(people)
    here, came, left = (
        {n for name in names if (n := find_figure(name, figures)) is not None}
        for names in (reported_cast.here, reported_cast.came, reported_cast.left)
    )
    moved = {n for n, entity in enumerate(people) if entity.id in own_entries}
    misread = {
        n
        for n in moved & (here - left)
        if not own_entries[people[n].id].here and not own_entries[people[n].id].is_left_behind
    }
    arrivals = {
        n
        for n in came - moved - state.present - state.dead
        if is_mentioned(figures[n], text) and (not here or n in here)
    }
    departures = (left - here - moved) & state.present
    return [
        *((CastMove.COMES, n) for n in sorted(misread | arrivals)),
        *((CastMove.LEAVES, n) for n in sorted(departures)),
    ]
