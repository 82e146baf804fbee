"""Words for what is undone: lists, and the beginning of a long line. Pure."""

from __future__ import annotations

from collections.abc import Sequence

MAX_SHOWN = 60
"""Characters of a turn that are shown of it."""

MAX_LISTED = 6
"""Records of canon that a question names before it counts the rest."""


def shorten(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 3]}..."


def list_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names as indented lines, and how many more there are: they have to fit a question."""
    if len(names) <= MAX_LISTED:
        return tuple(f"  {name}" for name in names)
    return (*(f"  {name}" for name in names[: MAX_LISTED - 1]), f"  and {len(names) - MAX_LISTED + 1} more")
