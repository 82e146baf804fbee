"""The part of the desk that brings in logs of existing play. It raises MonitorError with words for the
user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress


class ImportDesk(Protocol):
    async def look(self, order: ImportOrder) -> ImportPreview:
        """Say what a log holds and where it would go; changes nothing."""
        ...

    async def bring(
        self, order: ImportOrder, hear: Callable[[ImportProgress], None] = lambda progress: None
    ) -> ImportDone:
        """Bring a log in, or go on where that was cut off; play may go on meanwhile. To cancel it, cancel the
        task: what is in stays, and the same order goes on from there."""
        ...
