"""What waits in one lane of the background, and whose turn it is. Pure.

Fair between universes: each has its turn. Within one the order is: what play just touched, then the higher
priority, then what was asked for first. Source: design/loops.md, "Background" (the fair scheduler).
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import count

from agents.background.worker import Subject, Worker
from stores.records.ids import Id
from stores.records.jobs import JobKind


@dataclass(slots=True, eq=False)
class Entry:
    """One thing to do: a worker and a subject. `attempts` counts failures in a row, `waits` says why it is
    not tried now, `again` that it was asked for while it ran."""

    worker: Worker
    subject: Subject
    number: int = 0
    urgent: bool = False
    left: int = 1
    attempts: int = 0
    waits: str = ""
    counted: bool = False
    again: bool = False
    running: bool = False

    @property
    def key(self) -> tuple[JobKind, Id]:
        return self.worker.kind, self.subject.id

    @property
    def rank(self) -> tuple[bool, int, int]:
        return not self.urgent, -self.worker.priority, self.number


@dataclass
class Lane:
    """What is ready, by universe, and what is tried again later. Times are in seconds of any clock."""

    _ready: OrderedDict[Id, list[tuple[tuple[bool, int, int], int, Entry]]] = field(
        default_factory=OrderedDict
    )
    _later: list[tuple[float, int, Entry]] = field(default_factory=list)
    _tie: count[int] = field(default_factory=count)
    _where: dict[Entry, int] = field(default_factory=dict)

    def put(self, entry: Entry, *, at: float | None = None) -> None:
        """Let the entry wait: till its turn, or till `at`. Where it waited before, it waits no more."""
        ticket = next(self._tie)
        self._where[entry] = ticket
        if at is not None:
            heapq.heappush(self._later, (at, ticket, entry))
        else:
            heap = self._ready.setdefault(entry.subject.universe_id, [])
            heapq.heappush(heap, (entry.rank, ticket, entry))

    def take(self, now: float) -> Entry | None:
        """Return whose turn it is, if anybody's."""
        while self._later and self._later[0][0] <= now:
            _, ticket, entry = heapq.heappop(self._later)
            if self._where.get(entry) == ticket:
                entry.waits = ""
                self.put(entry)
        for universe_id in list(self._ready):
            self._drop_moved(universe_id)
        if not self._ready:
            return None
        urgent = (u for u, heap in self._ready.items() if not heap[0][0][0])
        universe_id = next(urgent, next(iter(self._ready)))
        _, _, entry = heapq.heappop(self._ready[universe_id])
        self._ready.move_to_end(universe_id)
        del self._where[entry]
        return entry

    def next_due(self) -> float | None:
        """When something that waits is to be tried again."""
        return self._later[0][0] if self._later else None

    def _drop_moved(self, universe_id: Id) -> None:
        """Forget tickets of entries that wait elsewhere by now."""
        heap = self._ready[universe_id]
        while heap and self._where.get(heap[0][2]) != heap[0][1]:
            heapq.heappop(heap)
        if not heap:
            del self._ready[universe_id]
