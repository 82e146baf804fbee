"""Tracks the streams that are running, so that the player can stop those of a scene."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from stores.records.ids import Id


class Cancellations:
    """Running streams by scene. Cancelling a scene stops every stream that runs there at that moment."""

    def __init__(self) -> None:
        self._events_by_scene: dict[Id | None, set[asyncio.Event]] = {}

    @contextmanager
    def watch_scene(self, scene_id: Id | None) -> Iterator[asyncio.Event]:
        """Register a stream of the scene and yield the event that tells it to stop."""
        stop_event = asyncio.Event()
        scene_events = self._events_by_scene.setdefault(scene_id, set())
        scene_events.add(stop_event)
        try:
            yield stop_event
        finally:
            scene_events.discard(stop_event)
            if not scene_events:
                self._events_by_scene.pop(scene_id, None)

    def cancel_scene(self, scene_id: Id | None) -> bool:
        """Stop all streams of the scene. Returns whether there were any."""
        scene_events = self._events_by_scene.get(scene_id, set())
        for event in scene_events:
            event.set()
        return bool(scene_events)
