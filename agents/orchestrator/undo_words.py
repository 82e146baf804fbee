"""Words for what is undone: counts, and the beginning of a long line. Pure."""

from __future__ import annotations

MAX_SHOWN = 60
"""Characters of a turn that are shown of it."""


def shorten(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 3]}..."


def count_noun(count: int, noun: str) -> str:
    """Return `1 turn`, `2 turns`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
