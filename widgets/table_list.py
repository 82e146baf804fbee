"""Tables to roll on, each with its rows once it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.table_views import TableOrigin, TablesView, TableView
from widgets.ink import Ink, Line
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap

NAME_CELLS, DIE_CELLS, RESULT_CELLS = 24, 8, 9


class TableList(RowList[TableView]):
    """The cursor stands on tables."""

    HELP_TITLE: ClassVar[str] = "Tables"
    HELP_TEXT: ClassVar[str] = (
        "Space opens a table and shows its rows; Enter edits it, as a file of your own. A table of this world changes "
        "at the gate. {weather} in a row rolls on the table of that name, too. In a scene, /table NAME rolls."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "expand", "Expand", id="tables.expand", tooltip="Show or hide its rows"),
        Binding("enter", "change", "Change", id="tables.change", tooltip="Edit it, as a file of your own"),
    ]

    class ChangeRequested(Message):
        """A table is to be edited."""

        def __init__(self, table: TableView) -> None:
            super().__init__()
            self.table = table

    def __init__(self, *, empty: str) -> None:
        super().__init__(empty=empty)
        self._view: TablesView | None = None
        self._open_names: set[str] = set()

    def show_tables(self, view: TablesView) -> None:
        self._view = view
        self._show_rows()

    def _show_rows(self) -> None:
        if self._view is not None:
            self.set_rows(list(_rows(self._view, self._open_names)))

    def row_highlighted(self, value: TableView | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "expand":
                return self.current is not None
            case "change":
                return self.current is not None and self.current.origin is not TableOrigin.WORLD
        return super().check_action(action, parameters)

    def row_chosen(self, value: TableView) -> None:
        self.action_expand()

    def action_expand(self) -> None:
        if self.current is not None:
            self._open_names ^= {self.current.name}
            self._show_rows()

    def action_change(self) -> None:
        if self.current is not None:
            self.post_message(self.ChangeRequested(self.current))


def _rows(view: TablesView, open_names: set[str]) -> Iterator[ListRow[TableView]]:
    for origin in TableOrigin:
        tables = [table for table in view.tables if table.origin is origin]
        if tables:
            yield heading_row(origin.value.capitalize())
        for table in tables:
            yield ListRow(table.name, partial(_table_lines, table, table.name in open_names), table)
    if view.problems:
        yield heading_row("Not used")
        yield text_row("problems", *map(one_line, view.problems), ink=Ink.WARN)


def _count_text(row_count: int) -> str:
    return "1 row" if row_count == 1 else f"{row_count:,} rows"


def _table_lines(table: TableView, is_open: bool, width: int) -> Sequence[Line]:
    room = max(8, width - 2 - NAME_CELLS - DIE_CELLS)
    name = ellipsise(one_line(table.name), NAME_CELLS - 1)
    summary = f"{one_line(table.title)} · {_count_text(len(table.rows))}"
    lines: list[Line] = [
        [
            ("  ", Ink.PROSE),
            (pad(name, NAME_CELLS), Ink.STRONG),
            (pad(table.die, DIE_CELLS), Ink.MUTED),
            (ellipsise(summary, room), Ink.PROSE),
        ]
    ]
    if table.missing_names:
        missing = f"⚠ calls {', '.join(table.missing_names)}, which there is not"
        lines += [[("    ", Ink.PROSE), (line, Ink.WARN)] for line in wrap(missing, max(8, width - 5))]
    for result, words in table.rows if is_open else ():
        first, *rest = wrap(one_line(words), max(8, width - 5 - RESULT_CELLS))
        lines.append([("    ", Ink.PROSE), (pad(result, RESULT_CELLS), Ink.MUTED), (first, Ink.PROSE)])
        lines += [[(" " * (4 + RESULT_CELLS), Ink.PROSE), (line, Ink.PROSE)] for line in rest]
    return lines
