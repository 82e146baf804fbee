"""Tracks the streams that are running, so that the player can stop those of a scene."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from stores.records.ids import Id


class Cancellations:
    """Running streams by scene. Cancelling a scene stops those that run there at that moment.

    Who watches a scene while its call is prepared has it stopped before it is sent: a stream that begins while another
    watch of its scene was told to stop is told so from the start.

    A stream beside play is stopped only if there is no other: who stops a narration does not mean the record of the
    one before.
    """

    def __init__(self) -> None:
        self._events: dict[tuple[Id | None, bool], set[asyncio.Event]] = {}
        """By scene, and by whether they run beside play."""

    @contextmanager
    def watch_scene(self, scene_id: Id | None, *, is_beside_play: bool = False) -> Iterator[asyncio.Event]:
        """Register a stream of the scene, or what prepares one, and yield the event that tells it to stop."""
        stop_event = asyncio.Event()
        key = scene_id, is_beside_play
        scene_events = self._events.setdefault(key, set())
        if any(event.is_set() for event in scene_events):
            stop_event.set()
        scene_events.add(stop_event)
        try:
            yield stop_event
        finally:
            scene_events.discard(stop_event)
            if not scene_events:
                self._events.pop(key, None)

    def cancel_scene(self, scene_id: Id | None) -> bool:
        """Stop the streams of the scene. Returns whether there were any."""
        scene_events = self._events.get((scene_id, False)) or self._events.get((scene_id, True), set())
        for event in scene_events:
            event.set()
        return bool(scene_events)
