"""Orders the jobs that wait in one queue of the background.

Universes take turns by their shares: one with the share 3 is served three times for one with the share 1, evenly
spread (smooth weighted round-robin), and none is ever left out. Within one, the order is: what play just touched, then
the higher priority, then what was requested first.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from agents.jobs.worker import JobSubject, Worker
from stores.records.ids import Id
from stores.records.jobs import JobKind


@dataclass(slots=True, eq=False)
class QueueEntry:
    """One job: a worker and a subject."""

    worker: Worker
    subject: JobSubject
    number: int = 0
    urgent: bool = False
    items_left: int = 1
    ready_since: float = 0.0
    """When it could have been done, in seconds of the queue's clock."""
    attempts: int = 0
    """Failures in a row."""

    wait_reason: str = ""
    """Why it is not tried now."""

    waits_after_failure: bool = False
    rerun: bool = False
    """Whether it was requested again while it ran."""

    is_running: bool = False

    @property
    def key(self) -> tuple[JobKind, Id]:
        return self.worker.kind, self.subject.id

    @property
    def rank(self) -> tuple[bool, int, int]:
        return not self.urgent, -self.worker.priority, self.number


@dataclass
class JobQueue:
    """Jobs that are ready, by universe, and jobs that wait for a time. Times are in seconds of any clock."""

    shares: Mapping[Id, int] = field(default_factory=dict)
    """How often each universe is served, relative to the others (1 if it is not named)."""
    _credits: dict[Id, int] = field(default_factory=dict)
    """How far each universe with ready jobs is from its next turn: the most is next."""
    _ready: OrderedDict[Id, list[tuple[tuple[bool, int, int], int, QueueEntry]]] = field(
        default_factory=OrderedDict
    )
    _delayed: list[tuple[float, int, QueueEntry]] = field(default_factory=list)
    _tickets: count[int] = field(default_factory=count)
    _ticket_of: dict[QueueEntry, int] = field(default_factory=dict)

    def put(self, entry: QueueEntry, *, due: float | None = None) -> None:
        """Queue the entry: ready now, or at `due`. It leaves the place where it waited before."""
        ticket = next(self._tickets)
        self._ticket_of[entry] = ticket
        if due is not None:
            heapq.heappush(self._delayed, (due, ticket, entry))
        else:
            heap = self._ready.setdefault(entry.subject.universe_id, [])
            heapq.heappush(heap, (entry.rank, ticket, entry))

    def take_next(self, now: float) -> QueueEntry | None:
        """Remove and return the next entry, or None."""
        while self._delayed and self._delayed[0][0] <= now:
            _, ticket, entry = heapq.heappop(self._delayed)
            if self._ticket_of.get(entry) == ticket:
                entry.wait_reason = ""
                self.put(entry)
        for universe_id in list(self._ready):
            self._drop_stale_tickets(universe_id)
        if not self._ready:
            return None
        urgent = [u for u, heap in self._ready.items() if not heap[0][0][0]]
        universe_id = self._choose_universe(urgent or list(self._ready))
        _, _, entry = heapq.heappop(self._ready[universe_id])
        self._ready.move_to_end(universe_id)
        del self._ticket_of[entry]
        return entry

    def ready_universes(self) -> list[Id]:
        """Return the universes with jobs that are ready."""
        return list(self._ready)

    def _choose_universe(self, universe_ids: Sequence[Id]) -> Id:
        """Return whose turn it is among these, and put it at the end of its round."""
        shares = {u: max(1, self.shares.get(u, 1)) for u in universe_ids}
        for universe_id, share in shares.items():
            self._credits[universe_id] = self._credits.get(universe_id, 0) + share
        chosen_id = max(
            universe_ids, key=lambda u: self._credits[u]
        )  # the first of equals: it waited longest
        self._credits[chosen_id] -= sum(shares.values())
        return chosen_id

    def next_due(self) -> float | None:
        """Return when the next delayed entry is to be tried."""
        return self._delayed[0][0] if self._delayed else None

    def _drop_stale_tickets(self, universe_id: Id) -> None:
        """Forget tickets of entries that wait elsewhere by now."""
        heap = self._ready[universe_id]
        while heap and self._ticket_of.get(heap[0][2]) != heap[0][1]:
            heapq.heappop(heap)
        if not heap:
            del self._ready[universe_id]
            self._credits.pop(universe_id, None)
