"""Rows of a list that the cursor passes over: headings, and words that are only to be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widgets.ink import Ink, Line
from widgets.row_list import Row
from widgets.safe_text import ellipsise, wrap


def heading(words: str) -> Row[Any]:
    """Return a heading with an empty line above it."""

    def draw(width: int) -> Sequence[Line]:
        return [[], [(f" {ellipsise(words, width - 1)}", Ink.HEADING)]]

    return Row(f"heading {words}", draw, height=2)


def words_row(key: str, *texts: str, ink: Ink = Ink.MUTED) -> Row[Any]:
    """Return paragraphs in one ink."""

    def draw(width: int) -> Sequence[Line]:
        return [[("  ", ink), (line, ink)] for text in texts for line in wrap(text, width - 3)]

    return Row(key, draw)
