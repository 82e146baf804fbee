"""A list of rows of one or more lines each, some of which the cursor can stand on.

Rows are drawn when they come into view. Rows that state their height cost nothing until then, so a
list of a hundred proposals or a thousand facts answers each key within a frame.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, Generic, NamedTuple, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip

from widgets.ink import Ink, InkView, Line, draw_line
from widgets.safe_text import wrap

RowValue = TypeVar("RowValue")

CURSOR_SIGN = "▸"


@dataclass(frozen=True, slots=True)
class ListRow(Generic[RowValue]):
    """A row; `draw` returns its lines at a width, each with a space in its first cell for the cursor.

    `value` is what the row stands for (None: the cursor skips it); `key` keeps the cursor on the same record
    when rows change; `height` 0 means that it is known only by drawing.
    """

    key: str
    draw: Callable[[int], Sequence[Line]]
    value: RowValue | None = None
    height: int = 0


class _ViewLine(NamedTuple):
    pieces: Line
    is_under_cursor: bool


class RowList(InkView, Generic[RowValue], can_focus=True):
    """A virtualised list. Subclasses make rows, and answer `row_highlighted` and `row_chosen`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="rows.up", tooltip="The row above"),
        Binding("down,j", "move(1)", "Down", show=False, id="rows.down", tooltip="The row below"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="rows.page_up", tooltip="A page up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="rows.page_down", tooltip="A page down"),
        Binding("home", "edge(-1)", "First", show=False, id="rows.first", tooltip="The first row"),
        Binding("end", "edge(1)", "Last", show=False, id="rows.last", tooltip="The last row"),
    ]

    cursor: reactive[int | None] = reactive(None, repaint=False)
    """Index of the row under the cursor."""

    empty: reactive[str] = reactive("")
    """What the list says when it has no rows."""

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: Sequence[ListRow[RowValue]] = ()
        self._row_ends: list[int] = []
        self._drawn_lines: dict[int, Sequence[Line]] = {}
        self._height_before = 0
        self.set_reactive(RowList.empty, empty)

    # --- what subclasses use -----------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[ListRow[RowValue]]:
        return self._rows

    @property
    def current(self) -> RowValue | None:
        """The value of the row under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor].value

    def find_row(self, key: str | None) -> int | None:
        """Return the index of the row with this key; None if there is none."""
        return next((i for i, row in enumerate(self._rows) if row.key == key), None)

    def set_rows(self, rows: Sequence[ListRow[RowValue]], *, selects_row: bool = True) -> None:
        """Show other rows; the cursor stays on its row, or on the nearest one if that is gone.

        Who has scrolled away from that row to read on is not taken back to it, and what is read does not move when rows
        above it grow or go.

        Without `selects_row` it stands on none, until a key moves it to one.
        """
        value_before = self.current
        cursor_before = self.cursor
        key = None if cursor_before is None else self._rows[cursor_before].key
        is_scrolled_away = cursor_before is not None and not self._is_in_view(cursor_before)
        kept_place = self._kept_place()
        lines_before = self._drawn_view()
        self._rows = rows
        self._measure_rows()
        row_index = self.find_row(key)
        target = row_index if row_index is not None else self._nearest_row(cursor_before or 0)
        target = target if selects_row else None
        self.set_reactive(RowList.cursor, target)
        if kept_place is not None:
            self._scroll_to_place(*kept_place)
        stays = target is not None and target == row_index and (is_scrolled_away or self._is_in_view(target))
        if not stays:
            self._show_cursor()
        self._refresh_changed_lines(lines_before)
        if self.current != value_before:
            self.row_highlighted(self.current)

    def redraw(self) -> None:
        """Draw the same rows again, after something besides their values has changed."""
        self._drawn_lines.clear()
        self.refresh()

    def redraw_row(self, row_index: int) -> None:
        """Draw one row again, of the same height."""
        self._drawn_lines.pop(row_index, None)
        self._refresh_row(row_index)

    def row_highlighted(self, value: RowValue | None) -> None:
        """The cursor is on `value` now."""

    def row_chosen(self, value: RowValue) -> None:
        """A row was clicked that had the cursor already."""

    # --- the cursor --------------------------------------------------------------------------------

    def _nearest_row(self, index: int) -> int | None:
        """Return the selectable row nearest to `index`, looking down first."""
        below = range(max(0, index), len(self._rows))
        above = range(min(index, len(self._rows)) - 1, -1, -1)
        return next((i for i in (*below, *above) if self._rows[i].value is not None), None)

    def action_move(self, step: int) -> None:
        if self.cursor is None:
            self.cursor = self._nearest_row(0)
            if self.cursor is None:
                self.scroll_relative(y=step, animate=False)
            return
        places = range(self.cursor + step, len(self._rows) if step > 0 else -1, step)
        target = next((i for i in places if self._rows[i].value is not None), None)
        if target is None:
            # Past the last row there may still be text to read.
            self.scroll_relative(y=step, animate=False)
        else:
            self.cursor = target

    def go_to_next(self, is_wanted: Callable[[RowValue], bool]) -> None:
        """Put the cursor on the next row below that is wanted, if there is one."""
        if self.cursor is None:
            return
        below = range(self.cursor + 1, len(self._rows))
        target = next((i for i in below if (v := self._rows[i].value) is not None and is_wanted(v)), None)
        if target is not None:
            self.cursor = target

    def action_page(self, step: int) -> None:
        if self.cursor is None:
            self._scroll_page(step)
            return
        line = self._row_top(self.cursor) + step * max(1, self.size.height - 1)
        target = self._nearest_row(self._row_at(line))
        if target == self.cursor and self._is_at_edge(step):
            self._scroll_page(step)
        elif target == self.cursor:
            self.action_edge(step)
        else:
            self.cursor = target

    def action_edge(self, step: int) -> None:
        was_at_edge = self._is_at_edge(step)
        self.cursor = self._nearest_row(0 if step < 0 else len(self._rows))
        if step < 0:
            self.scroll_to_line(0)
        elif self.cursor is None or was_at_edge:
            self.scroll_to_line(self._last_top)
        else:
            # Past the last row there may still be text to read: as much of it as leaves the row in view, and all of it
            # by the same key again.
            self.scroll_to_line(min(self._last_top, self._row_top(self.cursor)))

    @property
    def _last_top(self) -> int:
        """The line that stands first where the list is scrolled to its end."""
        return max(0, self._row_ends[-1] - self.size.height) if self._rows else 0

    def _is_at_edge(self, step: int) -> bool:
        """Say whether the first or the last row is highlighted, with as much before or behind it in view as can be."""
        if self.cursor is None or self.cursor != self._nearest_row(0 if step < 0 else len(self._rows)):
            return False
        line = 0 if step < 0 else min(self._last_top, self._row_top(self.cursor))
        return step * self.scroll_offset.y >= step * line

    def _scroll_page(self, step: int) -> None:
        self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def watch_cursor(self, old: int | None, new: int | None) -> None:
        self._show_cursor()
        for row_index in {old, new}:
            self._refresh_row(row_index)
        if old != new:
            self.row_highlighted(self.current)

    def _refresh_row(self, row_index: int | None) -> None:
        """Draw one row again; the cursor changes no other."""
        if row_index is not None and row_index < len(self._row_ends):
            self.refresh_lines(self._row_top(row_index), self._row_ends[row_index] - self._row_top(row_index))

    def _refresh_changed_lines(self, lines_before: Sequence[_ViewLine | None]) -> None:
        """Draw again what other rows changed: a frame takes as long as it has lines, and most stay as they are."""
        if len(lines_before) != self.size.height or not self._rows:
            self.refresh()
            return
        width = self._width
        for line, line_before in enumerate(lines_before, self.scroll_offset.y):
            if self._view_line(line, width) != line_before:
                self.refresh_lines(line)

    def watch_empty(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if not self._row_ends or line >= self._row_ends[-1]:
            return
        index = self._row_at(line)
        value = self._rows[index].value
        if value is None:
            return
        if index == self.cursor:
            self.row_chosen(value)
        self.cursor = index

    # --- lines -------------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    def _row_lines(self, index: int, width: int) -> Sequence[Line]:
        """Return the lines of a row; `width` is the list's, which takes longer to find than a row to draw."""
        if index not in self._drawn_lines:
            self._drawn_lines[index] = self._rows[index].draw(width)
        return self._drawn_lines[index]

    def _measure_rows(self) -> None:
        self._drawn_lines.clear()
        width = self._width
        heights = (row.height or len(self._row_lines(i, width)) for i, row in enumerate(self._rows))
        self._row_ends = list(accumulate(heights))
        self.set_line_count(self._row_ends[-1] if self._row_ends else 0, width)

    def _drawn_view(self) -> Sequence[_ViewLine | None]:
        """Return the lines in view as they were drawn; None for those that were not."""
        if not self._rows:
            return ()
        top, width = self.scroll_offset.y, self._width
        return [
            self._view_line(line, width) if self._row_at(line) in self._drawn_lines else None
            for line in range(top, top + self.size.height)
        ]

    def _view_line(self, line: int, width: int) -> _ViewLine:
        """Return what a line of the list shows; nothing behind the last."""
        if line >= self._row_ends[-1]:
            return _ViewLine((), is_under_cursor=False)
        index = self._row_at(line)
        lines, offset = self._row_lines(index, width), line - self._row_top(index)
        pieces = lines[offset] if offset < len(lines) else ()
        # An empty line is the space around a row, not a part of it.
        is_under_cursor = index == self.cursor and bool(pieces)
        if is_under_cursor and offset == 0:
            pieces = _with_cursor_sign(pieces)
        return _ViewLine(pieces, is_under_cursor)

    def _row_top(self, index: int) -> int:
        return self._row_ends[index - 1] if index else 0

    def _row_at(self, line: int) -> int:
        return max(0, min(bisect_right(self._row_ends, line), len(self._rows) - 1))

    def _kept_place(self) -> tuple[str, int] | None:
        """Return the key of the row that other rows must not move, and on which line of the view it begins.

        That is the first in view for who has scrolled away from the cursor to read on. There is none at the beginning
        of the list, or with the cursor in view: what comes first, or above the cursor, is to be seen.
        """
        top = self.scroll_offset.y
        if not self._rows or not top:
            return None
        if self.cursor is not None and top <= self._row_top(self.cursor) < top + self.size.height:
            return None
        index = self._row_at(top)
        return self._rows[index].key, self._row_top(index) - top

    def _scroll_to_place(self, key: str, view_line: int) -> None:
        """Scroll so that a row begins on this line of the view, if it is there still."""
        row_index = self.find_row(key)
        if row_index is not None:
            self.scroll_to_line(max(0, min(self._row_top(row_index) - view_line, self._last_top)))

    def _is_in_view(self, index: int, height: int | None = None) -> bool:
        """Say whether a whole row is in view, or was at another height of the list."""
        top, end = self._row_top(index), self._row_ends[index]
        height = self.size.height if height is None else height
        return top >= self.scroll_offset.y and end <= self.scroll_offset.y + height

    def _show_cursor(self) -> None:
        if self.cursor is None or not self.size.height:
            return
        top, end = self._row_top(self.cursor), self._row_ends[self.cursor]
        if end <= self.size.height and self._nearest_row(0) == self.cursor:
            top = 0  # the headings above the first row belong to the view of it
        if top < self.scroll_offset.y:
            self.scroll_to_line(top)
        elif end > self.scroll_offset.y + self.size.height:
            self.scroll_to_line(min(end - self.size.height, self._row_top(self.cursor)))

    def on_resize(self) -> None:
        """Measure the rows at the new width; what is read stays, and so does the cursor, if it was in view."""
        was_cursor_in_view = self.cursor is not None and self._is_in_view(self.cursor, self._height_before)
        kept_place = self._kept_place()
        self._measure_rows()
        if kept_place is not None:
            self._scroll_to_place(*kept_place)
        is_to_be_shown = was_cursor_in_view or not self._height_before
        if self.cursor is not None and is_to_be_shown and not self._is_in_view(self.cursor):
            self._show_cursor()
        self._height_before = self.size.height
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self._width
        if not self._rows:
            text = wrap(self.empty, width - 2)
            return draw_line(
                [(" ", Ink.MUTED), (text[y], Ink.MUTED)] if y < len(text) else [], self.inks(), width
            )
        view_line = self._view_line(y + self.scroll_offset.y, width)
        return draw_line(view_line.pieces, self.inks(under_cursor=view_line.is_under_cursor), width)


def _with_cursor_sign(line: Line) -> Line:
    """Return the line with the cursor's sign in its first cell, so that colour is not the only mark."""
    (text, ink), *rest = line
    return [(CURSOR_SIGN, Ink.YOU), (text[1:], ink), *rest] if text.startswith(" ") else line
