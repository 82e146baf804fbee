"""A background that does nothing but say how it stands, as the test has it."""

from __future__ import annotations

from agents.jobs.job_status import BackgroundView
from stores.records.ids import Id


class TwinBackground:
    """Implements `agents.jobs.job_views.BackgroundDesk`."""

    def __init__(self) -> None:
        self.view = BackgroundView(rows=(("words", "up to date"), ("embedding model", "asleep")))
        self.retried: list[Id] = []
        self.started = False

    def start(self) -> None:
        self.started = True

    def current_status(self) -> BackgroundView:
        return self.view

    async def read_status(self) -> BackgroundView:
        return self.view

    async def retry(self, job_id: Id) -> None:
        self.retried.append(job_id)

    def count_items_left(self, universe_id: Id) -> int:
        return 0

    async def wait_until_idle(self, universe_id: Id | None = None) -> None: ...
