"""Which streams run now, and how the player stops one. The only runtime state of the model's door."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from stores.records.ids import Id


class Stops:
    """Streams by scene. A stop is heard by every stream that runs there at that moment."""

    def __init__(self) -> None:
        self._running: dict[Id | None, set[asyncio.Event]] = {}

    @contextmanager
    def listening(self, scene_id: Id | None) -> Iterator[asyncio.Event]:
        """Give a stream the event that tells it to stop."""
        stop = asyncio.Event()
        running = self._running.setdefault(scene_id, set())
        running.add(stop)
        try:
            yield stop
        finally:
            running.discard(stop)
            if not running:
                self._running.pop(scene_id, None)

    def stop(self, scene_id: Id | None) -> bool:
        """Stop what streams there; returns whether anything did."""
        running = self._running.get(scene_id, set())
        for event in running:
            event.set()
        return bool(running)
