"""Has Python look for garbage while the player pauses, not while a key is answered.

A collection of the oldest generation goes over all that a long scene has in memory: a tenth of a second, at any key.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Final

from textual._styles_cache import StylesCache

PAUSE_SECONDS: Final = 5.0
"""How long no key was pressed when the oldest generation is collected."""

CHECK_SECONDS: Final = 5.0

_MIDDLE_COLLECTIONS: Final = 20
"""Collections of the middle generation after which the oldest is worth collecting (Python's own count is 10)."""

_MAX_MIDDLE_COLLECTIONS: Final = 500
"""After so many it is collected at once, though the player never pauses."""


class GarbageCollector:
    """Collects the oldest generation in pauses."""

    def __init__(self, read_seconds: Callable[[], float] = time.monotonic) -> None:
        self._read_seconds = read_seconds
        self._last_key_at = read_seconds()
        self._is_opening = False
        """Whether what the first pause finds is to stay, too: the screens that were opened since the start."""

    def start(self) -> None:
        """Take what is loaded by now as what stays, and leave the rest to pauses.

        What is garbage of it stays as well: it is a megabyte or two, and to look through all that is loaded takes a
        quarter of a second, for which a key may have to wait.
        """
        gc.freeze()
        self._is_opening = True
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _MAX_MIDDLE_COLLECTIONS)

    def note_key(self) -> None:
        self._last_key_at = self._read_seconds()

    def collect_in_pause(self) -> None:
        """Collect if it is worth it and nobody types."""
        is_paused = self._read_seconds() - self._last_key_at > PAUSE_SECONDS
        if is_paused and self._is_opening:
            self._is_opening = False
            gc.freeze()
        elif is_paused and gc.get_count()[2] > _MIDDLE_COLLECTIONS:
            forget_closed_widgets()
            gc.collect()


def forget_closed_widgets() -> None:
    """Let go of the drawn lines of widgets that are gone: Textual keeps the last thousand in the cache of a method."""
    StylesCache.get_inner_outer.cache_clear()
