"""A character sheet, a line for each number, track and tag, with what is about to be changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.message import Message

from agents.views.play_views import SheetRow
from stores.records.world import Number
from widgets.ink import Ink, Line
from widgets.numbers import CHANGED
from widgets.row_list import Row, RowList
from widgets.safe_text import ellipsise, one_line, pad

LABEL, VALUE = 16, 16
"""Cells for what a line is called, and for its value with the change."""


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """What is typed on a sheet and not staged yet: numbers by key, tags put on or taken off."""

    numbers: Mapping[str, Number]
    tags: Mapping[str, bool]

    def __bool__(self) -> bool:
        return bool(self.numbers or self.tags)


def sheet_line(row: SheetRow, edit: SheetEdit, width: int) -> Line:
    """Draw one line: name, value (and what it will be), meaning. Staged changes carry an asterisk."""
    if row.kind == "tag":
        going = edit.tags.get(row.key)
        sign = "−" if going is False else "+"
        value = CHANGED * row.staged if going is None else "new" if going else "taken off"
        ink = Ink.WARN
        label, name_ink = f"{sign}{row.label}", Ink.STRUCK if going is False else Ink.QUOTE
    else:
        label, name_ink = row.label, Ink.STRONG
        value, ink = row.shown + CHANGED * row.staged, Ink.WARN if row.staged else Ink.PROSE
        if row.key in edit.numbers:
            value, ink = f"{row.shown} → {edit.numbers[row.key]:g}", Ink.WARN
    space = max(0, width - LABEL - VALUE - 2)
    return [
        (" ", Ink.PROSE),
        (pad(ellipsise(one_line(label), LABEL - 1), LABEL), name_ink),
        (pad(ellipsise(one_line(value), VALUE - 1), VALUE), ink),
        (ellipsise(one_line(row.meaning), space), Ink.MUTED),
    ]


class SheetList(RowList[SheetRow]):
    """The lines of a sheet. Screens `show` them, with what is about to be changed."""

    HELP_TITLE: ClassVar[str] = "Sheet"
    HELP_TEXT: ClassVar[str] = (
        "+ and - change the number under the cursor, e types a value (7, or -3), t puts a tag on, x takes "
        "one off. Enter stages what was changed, Esc drops it. An asterisk: canon does not have it so yet."
    )

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another line."""

        row: SheetRow | None

    def show(self, rows: Sequence[SheetRow], edit: SheetEdit) -> None:
        """Show these, tags that are being put on among them."""
        there = {row.key for row in rows if row.kind == "tag"}
        new = [SheetRow("tag", tag, tag) for tag, on in edit.tags.items() if on and tag not in there]
        self.set_rows(
            [
                Row(f"{row.kind} {row.key}", partial(self._draw, row, edit), row, height=1)
                for row in (*rows, *new)
            ]
        )

    def _draw(self, row: SheetRow, edit: SheetEdit, width: int) -> list[Line]:
        return [sheet_line(row, edit, width)]

    def highlighted(self, value: SheetRow | None) -> None:
        self.post_message(self.Highlighted(value))


def names_line(others: Sequence[tuple[str, str]], current: str) -> Collection[tuple[str, str]]:
    """Return (text, style) for whose sheets lie here; the open one stands in brackets."""
    return [
        (f"[{one_line(name)}]" if key == current else one_line(name), "bold" if key == current else "dim")
        for key, name in others
    ]
