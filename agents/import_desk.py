"""The part of the desk that brings in logs of existing play. It raises MonitorError with words for the
user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress


class ImportDesk(Protocol):
    async def order(self, path: str, *, universe: str = "", story: str = "", hero: str = "") -> ImportOrder:
        """Read a file, and return what `look` and `run` are asked for with it."""
        ...

    async def look(self, order: ImportOrder) -> ImportPreview:
        """Say what a log holds and where it would go; changes nothing."""
        ...

    async def bring(
        self, order: ImportOrder, hear: Callable[[ImportProgress], None] = lambda progress: None
    ) -> ImportDone:
        """Bring a log in, or go on where that was cut off; play may go on meanwhile. To cancel it, cancel the
        task: what is in stays, and the same order goes on from there."""
        ...

    async def run(self, order: ImportOrder) -> ImportDone | None:
        """As `bring`, and tell of it in events (`ImportMoved`, a `Notice` at its end); None if it was
        cancelled. One runs at a time."""
        ...

    @property
    def running(self) -> ImportProgress | None:
        """How far the one is that `run` brings in; None if there is none."""
        ...

    def cancel(self) -> None:
        """End the one that runs, between two scenes."""
        ...
