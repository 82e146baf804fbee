"""Rows of a list that the cursor skips: headings and plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from widgets.ink import Ink, Line
from widgets.row_list import ListRow
from widgets.safe_text import ellipsise, wrap


def heading_row(text: str) -> ListRow[Any]:
    """Return a heading with an empty line above it."""

    def draw(width: int) -> Sequence[Line]:
        return [[], [(f" {ellipsise(text, width - 1)}", Ink.HEADING)]]

    return ListRow(f"heading {text}", draw, height=2)


def text_row(key: str, *texts: str, ink: Ink = Ink.MUTED) -> ListRow[Any]:
    """Return paragraphs in one ink."""

    def draw(width: int) -> Sequence[Line]:
        return [[("  ", ink), (line, ink)] for text in texts for line in wrap(text, width - 3)]

    return ListRow(key, draw)
