"""Tracks which fact superseded which, and derives the older one's status and end.

Everything here is a function of the edges and of which facts are retconned, so that retconning a fact
and restoring it leaves canon as it was.
"Retcon".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from agents.canon_keeper.fact_readings import starts_later
from stores.records.canon import Fact, FactStatus, Supersession
from stores.records.ids import Id

FactsById = Mapping[Id, Fact]


class SupersessionGraph:
    """The `SUPERSEDES` edges among some facts."""

    def __init__(self, edges: Iterable[Supersession] = ()) -> None:
        self._newer: defaultdict[Id, dict[Id, None]] = defaultdict(dict)
        self._older: defaultdict[Id, dict[Id, None]] = defaultdict(dict)
        for edge in edges:
            self.add(edge.newer_id, edge.older_id)

    def add(self, newer_id: Id, older_id: Id) -> None:
        self._newer[older_id][newer_id] = None
        self._older[newer_id][older_id] = None

    def facts_ended_by(self, fact_id: Id, facts: FactsById) -> Iterator[Fact]:
        """Yield what the fact superseded; for one that was retconned, what that superseded."""
        for older in _facts_in(self._older[fact_id], facts):
            if older.status is FactStatus.RETCONNED:
                yield from self.facts_ended_by(older.id, facts)
            else:
                yield older

    def with_derived_status(self, fact: Fact, facts: FactsById) -> Fact:
        """Return the fact with the status and end that its successors give it.

        With none that stands it is canonical and open; otherwise it ended when the first of them began.
        Only open facts are ever superseded, so no end that was stated is lost by this.
        """
        if not self._newer[fact.id]:
            return fact.model_copy(update={"status": FactStatus.CANONICAL})
        standing_successors = list(self._standing_successors(fact.id, facts))
        end_ticks = [_end_tick(newer, fact) for newer in standing_successors]
        return fact.model_copy(
            update={
                "closed": any(newer.closed for newer in standing_successors),
                "status": FactStatus.SUPERSEDED if end_ticks else FactStatus.CANONICAL,
                "valid_to": min((end for end in end_ticks if end is not None), default=None),
            }
        )

    def _standing_successors(self, fact_id: Id, facts: FactsById) -> Iterator[Fact]:
        """Yield what superseded the fact; for one of these that was retconned, what superseded that."""
        for newer in _facts_in(self._newer[fact_id], facts):
            if newer.status is FactStatus.RETCONNED:
                yield from self._standing_successors(newer.id, facts)
            else:
                yield newer


def _facts_in(ids: Iterable[Id], facts: FactsById) -> list[Fact]:
    return [facts[i] for i in ids if i in facts]


def _end_tick(newer: Fact, older: Fact) -> int | None:
    """Return the tick at which `newer` ends `older`: its own start, or none of `older` is left."""
    return newer.valid_from if starts_later(newer, older) else older.valid_from
