"""Widgets in which one key decides something: pasted text, which is many keys, decides nothing there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events

BURST_SECONDS: Final = 0.004
"""Keys that come within this time of the first were sent together: nobody types so fast. Each waits so long to act."""
MIN_PASTED_KEYS: Final = 3
"""Keys sent together that are taken for pasted text: two may be pressed while the program is busy."""
ENTER_AFTER_PASTE_SECONDS: Final = 2.0
"""Within this time an Enter belongs to the text before it that decided nothing."""
PASTE_IGNORED: Final = "Pasted text decides nothing. Here one key at a time decides."


class SingleKeys:
    """Marks a widget whose keys decide. It comes after the widget's own class, from which Textual inherits styles."""


def begins_burst(key: events.Key) -> bool:
    """Say whether a key may be the first of pasted text."""
    return key.is_printable or key.key == "enter"


def is_pasted(keys: Sequence[events.Key]) -> bool:
    """Say whether keys that were sent together are pasted text, as a terminal without bracketed paste sends it.

    A key that is held down comes many times.
    """
    return len(keys) >= MIN_PASTED_KEYS and len({key.key for key in keys}) > 1
