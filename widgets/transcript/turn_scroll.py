"""A scrolled timeline of turns, of which only the visible part is fetched, wrapped and drawn.

Heights are estimated until a turn comes near the view, then measured. The position is kept as (turn, line of
the screen) and not as a sum of estimates, so that what is on the screen never jumps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.cache import LRUCache
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer

from agents.views.gate_views import SceneEnd
from agents.views.turn_views import TurnView
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.ink import Ink, InkView, Line, draw_line
from widgets.safe_text import one_line, wrap
from widgets.transcript.live_turn import LiveTurn
from widgets.transcript.row_heights import RowHeights
from widgets.transcript.turn_lines import (
    TurnOptions,
    estimate_height,
    muted_lines,
    turn_strips,
    with_cursor_bar,
)
from widgets.transcript.turn_pages import PAGE_SIZE, TurnPages
from widgets.worker import start_worker

FetchTurns = Callable[[int, int], Awaitable[list[TurnView]]]
"""Returns the rows at depths `start` ... `start + count - 1`."""

MIN_DRAWN_TURNS = 96
"""Turns whose drawing is kept, some ten kilobytes each; in a tall view more, as many as may be in view and near it."""

FLUSHES_A_SECOND = 20
_UNKNOWN_HEIGHT = 3


class TurnScroll(InkView):
    """Turns drawn with the line API; row numbers are depths on the timeline."""

    follow: reactive[bool] = reactive(True)
    """Whether the view stays at the end as turns are added."""

    hide_mechanics: reactive[bool] = reactive(False, init=False)
    """Show the story alone, without rolls and marks."""

    empty: reactive[str] = reactive("", init=False)
    """Shown before the first turn."""

    @dataclass
    class FetchFailed(Message):
        """A page could not be read; it is fetched again when the view moves."""

        error: MonitorError

    @dataclass
    class _PageLoaded(Message, bubble=False):
        generation: int
        page: int
        views: list[TurnView]

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(TurnScroll.empty, empty)
        self._fetch_turns: FetchTurns | None = None
        self._generation = 0
        self._pages = TurnPages()
        self._pending_pages: set[int] = set()
        self._is_near_awaited = False
        """Whether what is near the view is read after the next frame."""
        self._heights = RowHeights()
        self._strips: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(MIN_DRAWN_TURNS)
        self._anchor = (0, 0)  # a row, and the line of the screen at which it begins
        self._is_settling = False
        self._flush_timer: Timer | None = None
        self._has_changes = False
        self._live_turns: dict[Id, LiveTurn] = {}  # what is being told, below the last row
        self._drawn_width = 0
        self._previous_end: SceneEnd | None = None

    # --- what screens call -------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """The number of turns."""
        return len(self._heights)

    def view_at(self, depth: int) -> TurnView | None:
        """Return the turn at `depth` if it is loaded."""
        return self._pages.get(depth) if depth < self.total else None

    def open_timeline(self, total: int, fetch: FetchTurns) -> None:
        """Show another timeline from its end; only the visible part is fetched."""
        self._fetch_turns = fetch
        self._generation += 1
        self._pending_pages.clear()
        self._pages.clear()
        self._strips.clear()
        self._live_turns.clear()
        self._heights = RowHeights(total, _UNKNOWN_HEIGHT)
        self._anchor = (0, 0)
        self.follow = True
        self._settle_view()

    def show_previous_end(self, previous_end: SceneEnd | None) -> None:
        """Show the end of the scene before above this one's first turn."""
        self._previous_end = previous_end
        self._redraw_row(0)
        self._settle_view()

    def reload(self, total: int) -> None:
        """Fetch again what is in view, after an undo or another take.

        The old rows stay on the screen until the new ones arrive, so that nothing flickers.
        """
        self._generation += 1
        self._pending_pages.clear()
        self._pages.mark_stale()
        if total < self.total:
            self._heights.truncate(total)
        while self.total < total:
            self._heights.append(_UNKNOWN_HEIGHT)
        self._settle_view()

    def append(self, view: TurnView) -> None:
        """Add the timeline's next turn; a turn at any other depth replaces that row."""
        if view.turn.depth != self.total:
            self.update_turn(view)
            return
        self._live_turns.pop(view.turn.id, None)
        self._pages.append(view)
        self._redraw_row(self.total)
        self._heights.append(estimate_height(view, self._width, self._options))
        self._settle_view()

    def update_turn(self, view: TurnView) -> None:
        """Draw one loaded turn again: streamed words, another take, new canon.

        Fast changes are drawn together.
        """
        if self._pages.replace(view):
            self._redraw_row(view.turn.depth)
            self._has_changes = True
            self._schedule_flush()
        self.drop_narrated_text(view.turn.id)

    @property
    def is_narrating(self) -> bool:
        """Whether there are words below the last row that are not a turn yet."""
        return bool(self._live_turns)

    def add_narrated_text(self, turn_id: Id, text: str, *, opens_exchange: bool = False) -> None:
        """Add words of a turn that is being narrated, below the last row until the turn is appended.

        With `opens_exchange` an empty line sets it apart. The first words show at once; later ones are drawn
        together.
        """
        live = self._live_turns.get(turn_id) or LiveTurn(turn_id, opens_exchange=opens_exchange)
        self._live_turns[turn_id] = live
        live.add_text(text)
        self._has_changes = True
        if self._flush_timer is None:
            self._flush_changes()

    def drop_narrated_text(self, turn_id: Id) -> None:
        """Remove the words of a turn that is a row now, or that will not be narrated."""
        if self._live_turns.pop(turn_id, None) is not None:
            self._settle_view()

    def _flush_changes(self) -> None:
        self._flush_timer = None
        if self._has_changes:
            self._has_changes = False
            self._schedule_flush()
            self._settle_view()

    def _schedule_flush(self) -> None:
        if self._flush_timer is None:
            self._flush_timer = self.set_timer(1 / FLUSHES_A_SECOND, self._flush_changes)

    # --- what the subclass says --------------------------------------------------------------------

    def is_at_cursor(self, row: int) -> bool:
        """Return whether the row is drawn as the one under the cursor."""
        return False

    def turns_loaded(self, start: int, count: int) -> None:
        """Called when these rows are loaded."""

    # --- pages -------------------------------------------------------------------------------------

    def _missing_pages(self, first_line: int, last_line: int) -> list[int]:
        """Return the pages of the rows between two lines that are not loaded."""
        first, last = self._heights.row_at(max(0, first_line)), self._heights.row_at(last_line)
        return self._pages.missing_pages(first, last, self.total)

    def _request_near_pages(self) -> None:
        """Fetch the pages of the rows in view and near it that are neither loaded nor requested."""
        self._is_near_awaited = False
        if self._fetch_turns is None or not self.total:
            return
        top, height = self._target_top(), self.size.height
        for page in self._missing_pages(top - height, top + 2 * height):
            if page not in self._pending_pages:
                self._pending_pages.add(page)
                start_worker(
                    self, partial(self._load_page, self._fetch_turns, self._generation, page), "transcript"
                )

    async def _load_page(self, fetch: FetchTurns, generation: int, page: int) -> None:
        start = page * PAGE_SIZE
        try:
            views = await fetch(start, min(PAGE_SIZE, self.total - start))
        except MonitorError as error:
            self.post_message(self.FetchFailed(error))
        else:
            self.post_message(self._PageLoaded(generation, page, views))
        finally:
            if generation == self._generation:
                self._pending_pages.discard(page)

    @on(_PageLoaded)
    def _store_page(self, message: _PageLoaded) -> None:
        if message.generation != self._generation:
            return
        start = message.page * PAGE_SIZE
        top_of_view = self._top_of_view()
        count = self._pages.store_page(message.page, list(message.views), self.total)
        for row in range(start, start + count):
            self._redraw_row(row)
            view = self._pages.get(row)
            if view is not None:
                self._live_turns.pop(view.turn.id, None)
                self._heights[row] = estimate_height(view, self._width, self._options)
        self._settle_view(redraw=False)
        if self._is_in_view(start, start + count) or self._top_of_view() != top_of_view:
            self.refresh()
        self.turns_loaded(start, count)

    # --- heights and position ----------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    @property
    def _options(self) -> TurnOptions:
        return TurnOptions(hide_mechanics=self.hide_mechanics)

    @property
    def _line_count(self) -> int:
        """The number of lines of all rows and of the narrated text below them."""
        return self._heights.total_lines + sum(
            len(self._live_strips(live)) for live in self._live_turns.values()
        )

    def _show_row(self, row: int, line: int) -> None:
        """Scroll `row` to line `line` of the screen."""
        self._anchor = (row, line)
        self._settle_view(keep_anchor=True)

    def _settle_view(self, *, keep_anchor: bool = False, redraw: bool = True) -> None:
        """Measure the turns in view and near it, put the view where it belongs, and draw it again."""
        height = self.size.height
        if self._is_settling or not height:
            return
        self._is_settling = True
        try:
            for _ in range(8):  # each pass may bring turns of yet unknown height into view
                top = self._target_top()
                if not self._measure_rows(top - height, top + 2 * height):
                    break
            top = self._target_top()
            self.set_line_count(self._line_count, self._width)
            if top != self.scroll_y:
                self.scroll_to_line(top)
            if self.total and not keep_anchor and not self._pending_pages:
                row = self._heights.row_at(top)
                self._anchor = (row, self._heights.line_of_row(row) - top)
        finally:
            self._is_settling = False
        if self.total:
            if self._missing_pages(top, top + height):
                self._request_near_pages()
            elif not self._is_near_awaited:
                # What is only near the view is read after the frame: reading it would take that frame's time.
                self._is_near_awaited = True
                self.call_after_refresh(self._request_near_pages)
        if redraw:
            self.refresh()

    def _top_of_view(self) -> tuple[int, int]:
        """Return the row at the top of the view, and how many of its lines are above that."""
        top = self.scroll_offset.y
        row = self._heights.row_at(top)
        return row, top - self._heights.line_of_row(row)

    def _is_in_view(self, first: int, end: int) -> bool:
        """Say whether one of the rows from `first` to before `end` is on the screen."""
        top = self.scroll_offset.y
        first_in_view, last_in_view = map(self._heights.row_at, (top, top + self.size.height))
        return first <= last_in_view and end > first_in_view

    def _target_top(self) -> int:
        last_top = max(0, self._line_count - self.size.height)
        if self.follow:
            return last_top
        row, line = self._anchor
        return max(0, min(self._heights.line_of_row(min(row, self.total)) - line, last_top))

    def _measure_rows(self, first_line: int, last_line: int) -> bool:
        """Measure the turns between two lines; return whether any estimate was wrong."""
        has_corrections = False
        row = self._heights.row_at(max(0, first_line))
        line = self._heights.line_of_row(row)
        while row < self.total and line < last_line:
            strips = self._row_strips(row)
            if strips is not None and len(strips) != self._heights[row]:
                self._heights[row] = len(strips)
                has_corrections = True
            line += self._heights[row]
            row += 1
        return has_corrections

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self._is_settling:
            # What was learned of heights out of view changes line numbers, and nothing on the screen but the bar.
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.position = new_value
            return
        super().watch_scroll_y(old_value, new_value)
        if not (self.total or self._live_turns):
            return
        self.set_reactive(TurnScroll.follow, new_value >= self.max_scroll_y)
        if not self.total:
            return
        row, line = self._anchor
        scrolled_lines = round(old_value) - round(new_value)
        if abs(scrolled_lines) <= 2 * self.size.height and row < self.total:
            # What is on the screen moves by just so many lines, whatever is learned of what comes in.
            self._anchor = (row, line + scrolled_lines)
        else:
            row = self._heights.row_at(round(new_value))
            self._anchor = (row, self._heights.line_of_row(row) - round(new_value))
        self._settle_view()

    def watch_follow(self, follow: bool) -> None:
        if follow:
            self._settle_view()

    def on_resize(self) -> None:
        if self._width != self._drawn_width:
            self._drawn_width = self._width
            self._reset_heights()
        self._strips.grow(3 * self.size.height)
        self._settle_view()

    def watch_hide_mechanics(self) -> None:
        self._reset_heights()
        self._settle_view()

    def _reset_heights(self) -> None:
        """Make every height an estimate again, after a change of width or options."""
        self._strips.clear()
        for row, view in self._pages:
            if row < self.total:
                self._heights[row] = estimate_height(view, self._width, self._options)

    # --- drawing -----------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        for live in self._live_turns.values():
            live.discard_drawing()

    def watch_empty(self) -> None:
        self.refresh()

    def _redraw_row(self, row: int) -> None:
        self._strips.discard((row, False))
        self._strips.discard((row, True))

    def _row_strips(self, row: int) -> list[Strip] | None:
        """Return the turn's strips, or None while it is not loaded."""
        at_cursor = self.is_at_cursor(row)
        strips = self._strips.get((row, at_cursor))
        if strips is None:
            view = self.view_at(row)
            if view is None:
                return None
            inks = self.inks(under_cursor=at_cursor)
            strips = turn_strips(
                view,
                self._width,
                inks,
                self._options,
                is_at_cursor=at_cursor,
                inks_outside_cursor=self.inks(),
            )
            if row == 0:
                strips = [*self._previous_end_strips(), *strips]
            self._strips[row, at_cursor] = strips
        return strips

    def render_line(self, y: int) -> Strip:
        if not self.total and not self._live_turns:
            lines = self._lines_before_first_turn(self._width)
            return self._draw_line(lines[y] if y < len(lines) else [])
        line = y + self.scroll_offset.y
        if line >= self._heights.total_lines:
            return self._live_line(line - self._heights.total_lines)
        row = self._heights.row_at(line)
        offset = line - self._heights.line_of_row(row)
        strips = self._row_strips(row)
        if strips is not None and offset < len(strips):
            return strips[offset]
        return self._draw_line([("      …", Ink.MUTED)] if strips is None and offset == 0 else [])

    def _draw_line(self, line: Line) -> Strip:
        return draw_line(line, self.inks(), self._width)

    def _lines_before_first_turn(self, width: int) -> list[Line]:
        """Return what stands where the first turn will: the end of the scene before, then what to do."""
        hint_lines: list[Line] = [
            [("  ", Ink.MUTED), (text, Ink.MUTED)] for text in wrap(self.empty, width - 4)
        ]
        if self.has_focus:  # no turn can show it
            hint_lines = [with_cursor_bar(line) for line in hint_lines]
        if self._previous_end is None:
            return [[], *hint_lines]
        heading, *turn_lines = self._previous_end_lines(width)
        room = max(1, self.size.height - len(hint_lines) - 4)
        return [[], heading, *turn_lines[-room:], [], *hint_lines]

    def _previous_end_lines(self, width: int) -> list[Line]:
        """Return the end of the scene before, under its title; nothing if there is none."""
        if self._previous_end is None:
            return []
        heading: Line = [("  ", Ink.MUTED), (f"… {one_line(self._previous_end.title)}", Ink.QUOTE)]
        return [heading, *(line for view in self._previous_end.turns for line in muted_lines(view, width))]

    def _previous_end_strips(self) -> list[Strip]:
        """Draw the end of the scene before, set apart from the first turn of this one."""
        lines = self._previous_end_lines(self._width)
        return [self._draw_line(line) for line in ([*lines, []] if lines else [])]

    def _live_strips(self, live: LiveTurn) -> list[Strip]:
        return live.draw_strips(self._width, self.inks())

    def _live_line(self, line: int) -> Strip:
        """Return a line of the narrated text, counted from below the last row."""
        for live in self._live_turns.values():
            strips = self._live_strips(live)
            if line < len(strips):
                return strips[line]
            line -= len(strips)
        return self._draw_line([])
