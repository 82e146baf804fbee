"""Letters pressed in a panel of the play screen that wait a moment: they may be the beginning of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

TYPING_SECONDS: float = 0.25
"""So long a letter that a panel acts on waits for the next one. Who types a line has pressed it by then."""
_HARMLESS: Final = frozenset({"j", "k"})
"""Letters that only move the cursor: they act at once."""
_PRESSED_IN_A_ROW: Final = frozenset({"a", "r", "d"})
"""Letters that decide one row after another, and with which no word begins twice, but for `aardvark`."""


class TypedRun:
    """The letters that wait, in order."""

    def __init__(self) -> None:
        self._keys: list[events.Key] = []
        self._pressed_count = 0
        self._screen: Screen[Any] | None = None

    def __bool__(self) -> bool:
        return bool(self._keys)

    def add(self, key: events.Key, screen: Screen[Any]) -> bool:
        """Let a letter wait; say whether it is to be pressed at once all the same, as it only moves the cursor."""
        is_first = self._pressed_count == len(self._keys)
        self._keys.append(key)
        self._screen = screen
        acts_at_once = is_first and key.key in _HARMLESS
        self._pressed_count += acts_at_once
        return acts_at_once

    def repeats(self, key: events.Key) -> bool:
        """Say whether a key is the one letter that waits, and decides the next row: no line begins so."""
        return key.key in _PRESSED_IN_A_ROW and all(waiting.key == key.key for waiting in self._keys)

    def end_as_text(self, key: events.Key) -> str:
        """Return all letters with the one that shows that they are text; none wait then."""
        text = "".join(waiting.character or "" for waiting in (*self._keys, key))
        self._clear()
        return text

    def end_as_keys(self, screen: Screen[Any]) -> list[events.Key]:
        """Return the keys to be pressed: none if another screen is in front; none wait then."""
        keys = self._keys[self._pressed_count :] if self._screen is screen else []
        self._clear()
        return keys

    def _clear(self) -> None:
        self._keys, self._pressed_count, self._screen = [], 0, None
