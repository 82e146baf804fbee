"""Describes the status of the background, and publishes it at most twice a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from agents.events import BackgroundProgressed, EventBus
from agents.jobs.job_queue import QueueEntry
from agents.jobs.worker import Worker
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind


@dataclass(frozen=True, slots=True)
class BackgroundView:
    """The status of background work, for the footer and the System screen."""

    items_left: int = 0
    """Items left to do, as far as known."""

    current_work: str = ""
    """What is being done now; empty: nothing."""

    rows: tuple[tuple[str, str], ...] = ()
    """Label and state of indexes, embedding model and memories, for the System screen."""

    poisoned: tuple[Job, ...] = ()
    """Jobs that failed too often and wait for the user."""

    names: Mapping[Id, str] = field(default_factory=dict)
    """Display names of the subjects of poisoned jobs, as far as known."""

    def with_names(self, names: Mapping[Id, str]) -> BackgroundView:
        return replace(self, names=names)


SECONDS: Final = 0.5
"""Time between two events. The first one waits as long: work that is done by then is not announced."""

KIND_NAMES: Final = {
    JobKind.INDEX: ("words", "indexing"),
    JobKind.EMBED: ("meaning", "indexing"),
    JobKind.REMEMBER: ("memories", "remembering"),
    JobKind.SUMMARISE: ("summaries", "summarising"),
    JobKind.ARCHIVE: ("archive", "archiving"),
    JobKind.DOUBT: ("look at new sentences", "looking at new sentences"),
    JobKind.RECORD: ("record of the narrations", "recording what was narrated"),
    JobKind.EXTRACT: ("your own prose, by the model", "reading your prose"),
    JobKind.IMPORT: ("import", "importing"),
    JobKind.INGEST: ("documents", "reading"),
    JobKind.ENRICH: ("documents, by the model", "asking the model"),
}
"""For each kind of job, what it keeps up to date, and what the work is called."""


_SHOWN_WHEN_BUSY: Final = frozenset({JobKind.RECORD, JobKind.EXTRACT})
"""Kinds of which there is nothing to say while nothing is to do: they keep no index that could be behind."""


def build_background_view(
    workers: Sequence[Worker],
    entries: Iterable[QueueEntry],
    poisoned: tuple[Job, ...],
    rows: tuple[tuple[str, str], ...],
    scan_problems: Mapping[str, str] = MappingProxyType({}),
) -> BackgroundView:
    """Return the status of the background; `scan_problems` says for a kind why it is not known what is to do."""
    open_entries = list(entries)
    current_work = next((KIND_NAMES[one.worker.kind][1] for one in open_entries if not one.wait_reason), "")
    worker_rows = [
        (
            KIND_NAMES[worker.kind][0],
            _worker_status(worker, open_entries, poisoned, scan_problems.get(worker.kind, "")),
        )
        for worker in workers
        if worker.kind not in _SHOWN_WHEN_BUSY or _has_work(worker, open_entries, poisoned)
    ]
    return BackgroundView(
        items_left=sum(one.items_left for one in open_entries),
        current_work=current_work,
        rows=(*worker_rows, *rows),
        poisoned=poisoned,
    )


def _has_work(worker: Worker, entries: Sequence[QueueEntry], poisoned: Sequence[Job]) -> bool:
    return any(one.worker is worker for one in entries) or any(job.kind is worker.kind for job in poisoned)


def _worker_status(
    worker: Worker, entries: Sequence[QueueEntry], poisoned: Sequence[Job], scan_problem: str
) -> str:
    worker_entries = [one for one in entries if one.worker is worker]
    parts = [f"{sum(one.items_left for one in worker_entries):,} to do"] if worker_entries else []
    if not worker_entries and not scan_problem:
        parts = ["up to date"]
    if wait_reason := next((one.wait_reason for one in worker_entries if one.wait_reason), scan_problem):
        parts.append(wait_reason)
    if poisoned_count := sum(job.kind is worker.kind for job in poisoned):
        parts.append(f"{poisoned_count} failed")
    return " · ".join(parts)


class StatusPublisher:
    """Publishes BackgroundProgressed when the status has changed since it was last published or read."""

    def __init__(self, events: EventBus, now: Callable[[], BackgroundView]) -> None:
        self._events = events
        self._now = now
        self._timer: asyncio.TimerHandle | None = None
        self._last_event = BackgroundProgressed(0)
        self._was_read = False

    def note_read(self) -> None:
        """Note that somebody shows the status of this moment, though no event said so."""
        self._was_read = True

    def schedule(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._publish)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _publish(self) -> None:
        self._timer = None
        view = self._now()
        event = BackgroundProgressed(view.items_left, view.current_work, len(view.poisoned))
        if event != self._last_event or self._was_read:
            self._last_event, self._was_read = event, False
            self._events.publish(event)
