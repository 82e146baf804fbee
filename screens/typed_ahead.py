"""Keys that are pressed before what they are meant for is there: the next page, or the prompt of the scene below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual import events
from textual.message import Message
from textual.screen import Screen

from screens.base import PaletteTarget


@dataclass
class TypedAhead(Message):
    """A key for the prompt or page that comes next: the app holds it, with all that follows, until that is there."""

    key: events.Key


@dataclass
class TypedAheadReady(Message):
    """The page is there: the app presses the keys that it holds."""


@dataclass
class TypedAheadDropped(Message):
    """The page does not come: the app forgets the keys that it holds."""


def type_ahead(screen: Screen[Any], key: events.Key) -> None:
    """Pass a key on to what comes after this screen, or on it."""
    key.stop()
    fresh_key = events.Key(key.key, key.character)  # one that went to a screen already goes to no other
    fresh_key.time = key.time
    fresh_key.set_sender(screen.app)  # a key sent by this screen would not bubble up beyond it
    screen.post_message(TypedAhead(fresh_key))


class TypeAhead:
    """Takes the keys of a line that begins on a screen which leads back to a prompt, and closes with the first."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._has_begun = False

    def take(self, key: events.Key) -> bool:
        """Pass a key on to the prompt; return whether it is part of a line."""
        begins_line = key.is_printable and key.character is not None and not key.character.isspace()
        if not (self._has_begun or begins_line):
            return False
        self._has_begun = True
        type_ahead(self._screen, key)
        return True


def is_over_prompt(screen: Screen[Any]) -> bool:
    """Return whether the screen lies directly over one with a prompt."""
    return find_prompt_below(screen) is not None


def find_prompt_below(screen: Screen[Any]) -> PaletteTarget | None:
    """Return the screen with a prompt over which this one lies directly."""
    stack = screen.app.screen_stack
    below = stack[stack.index(screen) - 1] if screen in stack[1:] else None
    return below if isinstance(below, PaletteTarget) else None
