"""How the background stands, in words; and events about it, no more than two a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agents.background.lane import Entry
from agents.background.views import BackgroundView
from agents.background.worker import Worker
from agents.messages import BackgroundMoved, EventBus
from stores.records.jobs import Job, JobKind

SECONDS: Final = 0.5
"""Between two events. The first one waits as long: what is done within it was never worth a word."""

NAMES: Final = {
    JobKind.INDEX: ("words", "indexing"),
    JobKind.EMBED: ("meaning", "indexing"),
    JobKind.REMEMBER: ("memories", "remembering"),
    JobKind.SUMMARISE: ("summaries", "summarising"),
    JobKind.ARCHIVE: ("archive", "archiving"),
    JobKind.IMPORT: ("import", "importing"),
}
"""What a kind of work keeps up to date, and what it is called while it is done."""


def shown(
    workers: Sequence[Worker],
    entries: Iterable[Entry],
    poisoned: tuple[Job, ...],
    rows: tuple[tuple[str, str], ...],
) -> BackgroundView:
    """Return how it stands."""
    open_ = list(entries)
    doing = next((NAMES[one.worker.kind][1] for one in open_ if not one.waits), "")
    told = [(NAMES[worker.kind][0], _how(worker, open_, poisoned)) for worker in workers]
    return BackgroundView(
        waiting=sum(one.left for one in open_), doing=doing, rows=(*told, *rows), poisoned=poisoned
    )


def _how(worker: Worker, entries: Sequence[Entry], poisoned: Sequence[Job]) -> str:
    own = [one for one in entries if one.worker is worker]
    parts = [f"{sum(one.left for one in own):,} to do" if own else "up to date"]
    if why := next((one.waits for one in own if one.waits), ""):
        parts.append(why)
    if failed := sum(job.kind is worker.kind for job in poisoned):
        parts.append(f"{failed} gave up")
    return " · ".join(parts)


class Telling:
    """Publishes BackgroundMoved when what it would say is another thing than what it said last."""

    def __init__(self, events: EventBus, now: Callable[[], BackgroundView]) -> None:
        self._events = events
        self._now = now
        self._timer: asyncio.TimerHandle | None = None
        self._last = BackgroundMoved(0)

    def moved(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._tell)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _tell(self) -> None:
        self._timer = None
        view = self._now()
        told = BackgroundMoved(view.waiting, view.doing, len(view.poisoned))
        if told != self._last:
            self._last = told
            self._events.publish(told)
