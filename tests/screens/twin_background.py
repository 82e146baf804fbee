"""A background that does nothing but say how it stands, as the test has it."""

from __future__ import annotations

from agents.background.views import BackgroundView
from stores.records.ids import Id


class TwinBackground:
    """Implements `agents.background.views.BackgroundDesk`."""

    def __init__(self) -> None:
        self.view = BackgroundView(rows=(("words", "up to date"), ("embedding model", "asleep")))
        self.retried: list[Id] = []
        self.started = False

    def start(self) -> None:
        self.started = True

    def now(self) -> BackgroundView:
        return self.view

    async def look(self) -> BackgroundView:
        return self.view

    async def retry(self, job_id: Id) -> None:
        self.retried.append(job_id)

    def left_of(self, universe_id: Id) -> int:
        return 0

    async def settle(self, universe_id: Id | None = None) -> None: ...
