"""Keys typed straight on behind a line whose Enter opened a screen where keys decide: they decide nothing there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

PAUSE_SECONDS: float = 0.6
"""Who pauses so long has seen the screen that came."""
BOUNCE_SECONDS: float = 0.3
"""An Enter so soon behind another answers nothing that the first one brought: it cannot have been read."""


class TypedOn:
    """What is typed without a pause since Enter sent a line of play."""

    def __init__(self) -> None:
        self._last_time = 0.0
        self._last_key = ""
        self._play_screen: Screen[Any] | None = None
        """The screen whose line the last Enter sent, until there is a pause."""
        self._characters: list[str] = []

    def note_key(self, key: events.Key, screen: Screen[Any], *, is_play: bool) -> None:
        """Note a key before it does anything."""
        if key.time - self._last_time >= PAUSE_SECONDS:
            self._play_screen = None
        if is_play and key.key == "enter":
            self._play_screen = screen
        self._last_time, self._last_key = key.time, key.key

    def is_bounced(self, key: events.Key) -> bool:
        """Say whether a key, before it is noted, is an Enter at once behind another."""
        is_again = key.key == self._last_key == "enter"
        return is_again and key.time - self._last_time < BOUNCE_SECONDS

    def is_typed_on(self, screen: Screen[Any]) -> bool:
        """Say whether what is typed now was begun on the play screen, over which another one has come."""
        return self._play_screen is not None and self._play_screen is not screen

    def keep(self, key: events.Key) -> bool:
        """Keep a key that decides nothing; return whether it is the first of them."""
        is_first = not self._characters
        self._characters.append((key.character or "") if key.is_printable else " ")
        return is_first

    def take_words(self) -> str:
        """Return what was kept, once."""
        words, self._characters = " ".join("".join(self._characters).split()), []
        return words
