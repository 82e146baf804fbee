"""A character sheet, a line for each number, track and tag, with what is about to be changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.message import Message

from agents.views.sheet_views import SheetRow
from stores.records.world import Number
from widgets.ink import Ink, Line
from widgets.numbers import CHANGED_SIGN
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad

LABEL_CELLS, VALUE_CELLS = 16, 16
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
        tag_change = edit.tags.get(row.key)
        sign = "−" if tag_change is False else "+"
        value = CHANGED_SIGN * row.is_staged if tag_change is None else "new" if tag_change else "removed"
        ink = Ink.WARN
        is_struck = tag_change is False or row.is_gone
        label, name_ink = f"{sign}{row.label}", Ink.STRUCK if is_struck else Ink.QUOTE
    else:
        label, name_ink = row.label, Ink.STRONG
        value, ink = row.value_text + CHANGED_SIGN * row.is_staged, Ink.WARN if row.is_staged else Ink.PROSE
        if row.key in edit.numbers:
            value, ink = f"{row.value_text} → {edit.numbers[row.key]:g}", Ink.WARN
    space = max(0, width - LABEL_CELLS - VALUE_CELLS - 2)
    return [
        (" ", Ink.PROSE),
        (pad(ellipsise(one_line(label), LABEL_CELLS - 1), LABEL_CELLS), name_ink),
        (pad(ellipsise(one_line(value), VALUE_CELLS - 1), VALUE_CELLS), ink),
        (ellipsise(one_line(row.meaning), space), Ink.MUTED),
    ]


class SheetList(RowList[SheetRow]):
    """The lines of a sheet. Screens `show` them, with what is about to be changed."""

    HELP_TITLE: ClassVar[str] = "Sheet"
    HELP_TEXT: ClassVar[str] = (
        "+ and - change the number under the cursor, e types a value (7, or -3), # adds a tag, Delete removes "
        "one. Enter proposes the changes, Esc discards them. An asterisk marks a change that is not canon yet."
    )

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another line."""

        row: SheetRow | None

    def show_sheet(
        self, rows: Sequence[SheetRow], edit: SheetEdit, *, load_text: str = "", things: Sequence[str] = ()
    ) -> None:
        """Show these, tags that are being put on among them; then the gear with its load, and what is owned."""
        present_tags = {row.key for row in rows if row.kind == "tag"}
        new_tag_rows = [
            SheetRow("tag", tag, tag) for tag, on in edit.tags.items() if on and tag not in present_tags
        ]
        gear = [row for row in rows if row.is_gear]
        others = [*(row for row in rows if not row.is_gear), *new_tag_rows]
        self.set_rows(
            [
                *(self._row(row, edit) for row in others),
                *([heading_row(f"Gear: {load_text}")] if load_text else []),
                *(self._row(row, edit) for row in gear),
                *(
                    [heading_row("Owns"), text_row("things", ", ".join(map(one_line, things)))]
                    if things
                    else []
                ),
            ]
        )

    def _row(self, row: SheetRow, edit: SheetEdit) -> ListRow[SheetRow]:
        return ListRow(f"{row.kind} {row.key}", partial(self._draw_row, row, edit), row, height=1)

    def _draw_row(self, row: SheetRow, edit: SheetEdit, width: int) -> list[Line]:
        return [sheet_line(row, edit, width)]

    def row_highlighted(self, value: SheetRow | None) -> None:
        self.post_message(self.Highlighted(value))


def names_line(others: Sequence[tuple[str, str]], current: str) -> Collection[tuple[str, str]]:
    """Return (text, style) for whose sheets lie here; the open one stands in brackets."""
    return [
        (f"[{one_line(name)}]" if key == current else one_line(name), "bold" if key == current else "dim")
        for key, name in others
    ]
