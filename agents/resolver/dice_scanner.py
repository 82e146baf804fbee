"""Takes tokens from dice notation, and builds the errors about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from agents.resolver.dice_formula import EXAMPLES
from stores.errors import InputError

_SPACE: Final = re.compile(r"\s*")
_NEXT_TOKEN: Final = re.compile(r"\w{1,20}|.", re.DOTALL)
_PLAIN_SIGNS: Final = str.maketrans("−–×÷", "--*/")


def dice_error(what: str) -> InputError:
    """Return the error for a roll that cannot be made, with examples of rolls that can."""
    return InputError(what, kept="Nothing was rolled.", todo=f"Try {EXAMPLES}.")


class Scanner:
    """Takes tokens from the left, skipping blanks."""

    def __init__(self, text: str) -> None:
        self._text = text.translate(_PLAIN_SIGNS)
        self._position = 0
        self._token_start = 0

    @property
    def column(self) -> int:
        """The column (from 1) of the token taken last."""
        return self._token_start + 1

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._skip_blanks()
        match = pattern.match(self._text, self._position)
        if match:
            self._advance(match.end())
        return match

    def take_any(self, characters: str) -> str:
        """Take one of `characters`; empty if none stands here."""
        self._skip_blanks()
        character = self._text[self._position : self._position + 1]
        if not character or character not in characters:
            return ""
        self._advance(self._position + 1)
        return character

    def take_name(self, names: Mapping[str, int]) -> int | None:
        """Take the longest of `names` that stands here as a whole word, and return its value."""
        self._skip_blanks()
        for name in sorted(names, key=len, reverse=True):
            end = self._position + len(name)
            name_text, next_character = self._text[self._position : end], self._text[end : end + 1]
            if (
                name
                and name_text.casefold() == name.casefold()
                and not (next_character.isalnum() or next_character == "_")
            ):
                self._advance(end)
                return names[name]
        return None

    def peek(self) -> str:
        """Return the next word or character without taking it; empty at the end."""
        self._skip_blanks()
        match = _NEXT_TOKEN.match(self._text, self._position)
        return match[0] if match else ""

    def error_here(self, what: str) -> InputError:
        """Return the error about what comes next."""
        return self._error_at(what, self._position)

    def token_error(self, what: str) -> InputError:
        """Return the error about the token taken last."""
        return self._error_at(what, self._token_start)

    def _error_at(self, what: str, position: int) -> InputError:
        if not self._text.strip():
            return dice_error("There are no dice to roll.")
        return dice_error(f"Cannot roll {self._text.strip()!r}: {what} (column {position + 1}).")

    def _advance(self, end: int) -> None:
        self._token_start, self._position = self._position, end

    def _skip_blanks(self) -> None:
        match = _SPACE.match(self._text, self._position)
        self._position = match.end() if match else self._position
