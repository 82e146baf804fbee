"""A scrolled line of turns, of which only what is seen is fetched, wrapped and drawn.

Heights are guessed until a turn comes near the view, then known. What is on the screen never jumps,
because the position is kept as (turn, line of the screen) and not as a sum of guesses.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual import on
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer

from agents.views.play_views import TurnView
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.heights import Heights
from widgets.ink import Ink, InkView, strip
from widgets.live_turn import LiveTurn
from widgets.safe_text import wrap
from widgets.turn_lines import TurnOptions, estimate, turn_strips
from widgets.turn_pages import PAGE, TurnPages

Fetch = Callable[[int, int], Awaitable[list[TurnView]]]
"""Gives the rows at depths `start` ... `start + count - 1`."""

TURNS_DRAWN = 256
FLUSHES_A_SECOND = 20
_UNKNOWN_HEIGHT = 3


class TurnScroll(InkView):
    """Turns drawn on the line API; row numbers are depths on the line."""

    follow: reactive[bool] = reactive(True)
    """Whether the view stays at the end as turns come."""

    hide_mechanics: reactive[bool] = reactive(False, init=False)
    """Show the story alone, without rolls and marks."""

    empty: reactive[str] = reactive("", init=False)
    """What is said before the first turn."""

    @dataclass
    class FetchFailed(Message):
        """A page could not be read; it is asked for again when the view moves."""

        error: MonitorError

    @dataclass
    class _PageLoaded(Message, bubble=False):
        generation: int
        page: int
        views: list[TurnView]

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(TurnScroll.empty, empty)
        self._fetch: Fetch | None = None
        self._generation = 0
        self._pages = TurnPages()
        self._pending: set[int] = set()
        self._heights = Heights()
        self._strips: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(TURNS_DRAWN)
        self._anchor = (0, 0)  # a row, and the line of the screen at which it begins
        self._settling = False
        self._flush: Timer | None = None
        self._changed = False
        self._lives: dict[Id, LiveTurn] = {}  # what is being told, below the last row
        self._drawn_width = 0

    # --- what screens call -------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """How many turns the line has."""
        return len(self._heights)

    def view_at(self, depth: int) -> TurnView | None:
        """Return the turn at `depth` if it is here."""
        return self._pages.get(depth) if depth < self.total else None

    def open(self, total: int, fetch: Fetch) -> None:
        """Show another line from its end. Only what comes into view is fetched."""
        self._fetch = fetch
        self._generation += 1
        self._pending.clear()
        self._pages.clear()
        self._strips.clear()
        self._lives.clear()
        self._heights = Heights(total, _UNKNOWN_HEIGHT)
        self._anchor = (0, 0)
        self.follow = True
        self._settle()

    def reload(self, total: int) -> None:
        """The same line may have changed (undo, another take): fetch again what is in view.

        What is known stays on the screen until the new rows are here, so nothing flickers.
        """
        self._generation += 1
        self._pending.clear()
        self._pages.mark_stale()
        if total < self.total:
            self._heights.shorten(total)
        while self.total < total:
            self._heights.append(_UNKNOWN_HEIGHT)
        self._settle()

    def append(self, view: TurnView) -> None:
        """Add the line's next turn; a turn of any other depth is taken as a change of that row."""
        if view.turn.depth != self.total:
            self.update_turn(view)
            return
        self._lives.pop(view.turn.id, None)
        self._pages.append(view)
        self._redraw_row(self.total)
        self._heights.append(estimate(view, self._width, self._options))
        self._settle()

    def update_turn(self, view: TurnView) -> None:
        """Draw one known turn anew: words streamed in, a take was added, canon rests on it.

        Changes that come faster than the eye reads are drawn together.
        """
        if self._pages.replace(view):
            self._redraw_row(view.turn.depth)
            self._changed = True
            self._wait()
        self.drop_words(view.turn.id)

    @property
    def telling(self) -> bool:
        """Whether words stand below the last row that are no turn yet."""
        return bool(self._lives)

    def add_words(self, turn_id: Id, text: str, name: str = "", *, apart: bool = False) -> None:
        """Add words of a turn that is being told; it stands below the last row until it is appended itself,
        `apart` from that if it opens an exchange.

        The first words show at once; those that come faster than the eye reads are drawn together.
        """
        live = self._lives.get(turn_id) or LiveTurn(turn_id, name, apart=apart)
        self._lives[turn_id] = live
        live.add(text)
        self._changed = True
        if self._flush is None:
            self._flushed()

    def drop_words(self, turn_id: Id) -> None:
        """Take words away that are no turn's any more: it is a row now, or is not told at all."""
        if self._lives.pop(turn_id, None) is not None:
            self._settle()

    def _flushed(self) -> None:
        self._flush = None
        if self._changed:
            self._changed = False
            self._wait()
            self._settle()

    def _wait(self) -> None:
        if self._flush is None:
            self._flush = self.set_timer(1 / FLUSHES_A_SECOND, self._flushed)

    # --- what the subclass says --------------------------------------------------------------------

    def is_at_cursor(self, row: int) -> bool:
        """Whether the row is drawn as the one the cursor stands on."""
        return False

    def turns_came(self, start: int, count: int) -> None:
        """These rows are here now."""

    # --- pages -------------------------------------------------------------------------------------

    def _ask(self, first: int, last: int) -> None:
        """Ask for the pages that hold these rows and are neither here nor on their way."""
        if self._fetch is None:
            return
        for page in self._pages.missing(first, last, self.total):
            if page not in self._pending:
                self._pending.add(page)
                self.run_worker(
                    self._load(self._fetch, self._generation, page), group="transcript", exit_on_error=False
                )

    async def _load(self, fetch: Fetch, generation: int, page: int) -> None:
        start = page * PAGE
        try:
            views = await fetch(start, min(PAGE, self.total - start))
        except MonitorError as error:
            self.post_message(self.FetchFailed(error))
        else:
            self.post_message(self._PageLoaded(generation, page, views))
        finally:
            if generation == self._generation:
                self._pending.discard(page)

    @on(_PageLoaded)
    def _take_page(self, message: _PageLoaded) -> None:
        if message.generation != self._generation:
            return
        start = message.page * PAGE
        count = self._pages.take(message.page, list(message.views), self.total)
        for row in range(start, start + count):
            self._redraw_row(row)
            view = self._pages.get(row)
            if view is not None:
                self._lives.pop(view.turn.id, None)
                self._heights[row] = estimate(view, self._width, self._options)
        self._settle()
        self.turns_came(start, count)

    # --- heights and position ----------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    @property
    def _options(self) -> TurnOptions:
        return TurnOptions(hide_mechanics=self.hide_mechanics)

    @property
    def _lines(self) -> int:
        """How many lines there are: of all rows, and of what is being told below them."""
        return self._heights.total + sum(len(self._live_strips(live)) for live in self._lives.values())

    def _show_row(self, row: int, line: int) -> None:
        """Bring `row` to line `line` of the screen."""
        self._anchor = (row, line)
        self._settle(keep_anchor=True)

    def _settle(self, *, keep_anchor: bool = False) -> None:
        """Learn the heights of what is in view and near it, and put the view where it belongs."""
        height = self.size.height
        if self._settling or not height:
            return
        self._settling = True
        try:
            for _ in range(8):  # each pass may bring turns of yet unknown height into view
                top = self._wanted_top()
                if not self._learn(top - height, top + 2 * height):
                    break
            top = self._wanted_top()
            self.virtual_size = Size(self._width, self._lines)
            if top != self.scroll_y:
                self.move_view(top)
            if self.total and not keep_anchor and not self._pending:
                row = self._heights.row_at(top)
                self._anchor = (row, self._heights.top(row) - top)
        finally:
            self._settling = False
        if self.total:
            self._ask(self._heights.row_at(max(0, top - height)), self._heights.row_at(top + 2 * height))
        self.refresh()

    def _wanted_top(self) -> int:
        most = max(0, self._lines - self.size.height)
        if self.follow:
            return most
        row, line = self._anchor
        return max(0, min(self._heights.top(min(row, self.total)) - line, most))

    def _learn(self, first_line: int, last_line: int) -> bool:
        """Measure the turns between two lines; returns whether any height was wrong."""
        wrong = False
        row = self._heights.row_at(max(0, first_line))
        line = self._heights.top(row)
        while row < self.total and line < last_line:
            strips = self._block(row)
            if strips is not None and len(strips) != self._heights[row]:
                self._heights[row] = len(strips)
                wrong = True
            line += self._heights[row]
            row += 1
        return wrong

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._settling or not (self.total or self._lives):
            return
        self.set_reactive(TurnScroll.follow, new_value >= self.max_scroll_y)
        if not self.total:
            return
        row, line = self._anchor
        moved = round(old_value) - round(new_value)
        if abs(moved) <= 2 * self.size.height and row < self.total:
            # What is on the screen moves by just so many lines, whatever is learned of what comes in.
            self._anchor = (row, line + moved)
        else:
            row = self._heights.row_at(round(new_value))
            self._anchor = (row, self._heights.top(row) - round(new_value))
        self._settle()

    def watch_follow(self, follow: bool) -> None:
        if follow:
            self._settle()

    def on_resize(self) -> None:
        if self._width != self._drawn_width:
            self._drawn_width = self._width
            self._guess_again()
        self._settle()

    def watch_hide_mechanics(self) -> None:
        self._guess_again()
        self._settle()

    def _guess_again(self) -> None:
        """The width or the options changed: every known height is a guess again."""
        self._strips.clear()
        for row, view in self._pages:
            if row < self.total:
                self._heights[row] = estimate(view, self._width, self._options)

    # --- drawing -----------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        for live in self._lives.values():
            live.forget_drawing()

    def watch_empty(self) -> None:
        self.refresh()

    def _redraw_row(self, row: int) -> None:
        self._strips.discard((row, False))
        self._strips.discard((row, True))

    def _block(self, row: int) -> list[Strip] | None:
        """Return the turn's strips, or None while it is not here."""
        at_cursor = self.is_at_cursor(row)
        strips = self._strips.get((row, at_cursor))
        if strips is None:
            view = self.view_at(row)
            if view is None:
                return None
            inks = self.inks(under_cursor=at_cursor)
            strips = turn_strips(
                view, self._width, inks, self._options, at_cursor=at_cursor, ground=self.inks()
            )
            self._strips[row, at_cursor] = strips
        return strips

    def render_line(self, y: int) -> Strip:
        width, inks = self._width, self.inks()
        if not self.total and not self._lives:
            text = wrap(self.empty, width - 4)
            return strip(
                [("  ", Ink.MUTED), (text[y - 1], Ink.MUTED)] if 0 < y <= len(text) else [], inks, width
            )
        line = y + self.scroll_offset.y
        if line >= self._heights.total:
            return self._live_line(line - self._heights.total)
        row = self._heights.row_at(line)
        offset = line - self._heights.top(row)
        strips = self._block(row)
        if strips is None:
            return strip([("      …", Ink.MUTED)] if offset == 0 else [], inks, width)
        return strips[offset] if offset < len(strips) else strip([], inks, width)

    def _live_strips(self, live: LiveTurn) -> list[Strip]:
        return live.strips(self._width, self.inks())

    def _live_line(self, line: int) -> Strip:
        """Draw a line of what is being told, counted from below the last row."""
        for live in self._lives.values():
            strips = self._live_strips(live)
            if line < len(strips):
                return strips[line]
            line -= len(strips)
        return strip([], self.inks(), self._width)
