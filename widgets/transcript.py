"""The transcript: every turn of a line, of which only what is seen is fetched, wrapped and drawn.

Turns come in pages through a callback. Heights are guessed until a turn is near the view, then known;
what is on screen never jumps, because positions are kept as (turn, line of the screen), not as sums.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer

from agents.views import TurnView
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.heights import Heights
from widgets.ink import Ink, InkView, strip
from widgets.safe_text import wrap
from widgets.turn_lines import TurnOptions, estimate, turn_strips

Fetch = Callable[[int, int], Awaitable[list[TurnView]]]
"""Gives the rows at depths `start` ... `start + count - 1`."""

PAGE = 50
PAGES_KEPT = 40
TURNS_DRAWN = 256
FLUSHES_A_SECOND = 20
_UNKNOWN_HEIGHT = 3


class Transcript(InkView, can_focus=True):
    """A virtualised transcript with a cursor on turns; row numbers are depths on the line."""

    HELP_TITLE: ClassVar[str] = "Transcript"
    HELP_TEXT: ClassVar[str] = (
        "Up and Down go from turn to turn, Page Up and Page Down by the page, Home and End to the ends.\n"
        "Enter shows where a turn stands and what it made true (★). The view follows new turns while it "
        "stands at the end."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Turn up", show=False, id="transcript.up", tooltip="The turn before"),
        Binding("down,j", "move(1)", "Turn down", show=False, id="transcript.down", tooltip="The turn after"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="transcript.page_up", tooltip="A page back"),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="transcript.page_down", tooltip="A page on"
        ),
        Binding(
            "home", "edge(-1)", "First turn", show=False, id="transcript.first", tooltip="The first turn"
        ),
        Binding("end", "edge(1)", "Last turn", show=False, id="transcript.last", tooltip="The last turn"),
        Binding("enter", "choose", "Look at turn", id="transcript.choose", tooltip="Where this turn stands"),
    ]
    DEFAULT_CSS = """
    Transcript { height: 1fr; }
    """

    follow: reactive[bool] = reactive(True)
    """Whether the view stays at the end as turns come."""

    cursor: reactive[int | None] = reactive(None)
    """Depth of the turn the cursor stands on; drawn while the transcript has the focus, or after a jump."""

    hide_mechanics: reactive[bool] = reactive(False, init=False)
    """Show the story alone, without rolls and marks."""

    empty: reactive[str] = reactive("", init=False)
    """What the transcript says before the first turn."""

    @dataclass
    class TurnHighlighted(Message):
        """The cursor moved to another turn."""

        view: TurnView

    @dataclass
    class TurnChosen(Message):
        """Enter (or a click) on the turn under the cursor."""

        turn_id: Id
        depth: int

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
        self.set_reactive(Transcript.empty, empty)
        self._fetch: Fetch | None = None
        self._generation = 0
        self._pages: LRUCache[int, list[TurnView]] = LRUCache(PAGES_KEPT)
        self._stale: set[int] = set()
        self._pending: set[int] = set()
        self._heights = Heights()
        self._strips: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(TURNS_DRAWN)
        self._anchor = (0, 0)
        self._settling = False
        self._flush: Timer | None = None
        self._drawn_width = 0
        self._jumped = False

    # --- what screens call -------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """How many turns the line has."""
        return len(self._heights)

    @property
    def current(self) -> TurnView | None:
        """The turn under the cursor, if it is here yet."""
        return None if self.cursor is None else self.view_at(self.cursor)

    def open(self, total: int, fetch: Fetch) -> None:
        """Show another line from its end. Only what comes into view is fetched."""
        self._fetch = fetch
        self._generation += 1
        self._forget()
        self._pending.clear()
        self._heights = Heights(total, _UNKNOWN_HEIGHT)
        self.cursor = None
        self._jumped = False
        self.follow = True
        self._settle()

    def reload(self, total: int) -> None:
        """The same line may have changed (undo, another take): fetch again what is in view.

        What is known stays on the screen until the new rows are here, so nothing flickers.
        """
        self._generation += 1
        self._pending.clear()
        self._stale = set(self._pages.keys())
        if total < self.total:
            self._heights.shorten(total)
            if self.cursor is not None and self.cursor >= total:
                self.cursor = total - 1 if total else None
        while self.total < total:
            self._heights.append(_UNKNOWN_HEIGHT)
        self._settle()

    def append(self, view: TurnView) -> None:
        """Add the line's next turn. Other depths are taken as changes of that row."""
        depth = view.turn.depth
        if depth != self.total:
            self.update_turn(view)
            return
        self._heights.append(estimate(view, self._width, self._options))
        page, place = divmod(depth, PAGE)
        if not place:
            self._pages[page] = []
        known = self._pages.get(page)
        if known is not None and len(known) == place:
            known.append(view)
        if not self.has_focus:
            self._jumped = False
        self._settle()

    def update_turn(self, view: TurnView) -> None:
        """Draw one known turn anew: words streamed in, a take was added, canon rests on it.

        Changes that come faster than the eye reads are drawn together.
        """
        depth = view.turn.depth
        page, place = divmod(depth, PAGE)
        known = self._pages.get(page)
        if known is None or place >= len(known):
            return
        known[place] = view
        self._redraw_row(depth)
        if self._flush is None:
            self._flush = self.set_timer(1 / FLUSHES_A_SECOND, self._flushed)

    def jump(self, depth: int) -> None:
        """Bring a turn into view and mark it."""
        if not self.total:
            return
        self._jumped = True
        self._stand_on(max(0, min(depth, self.total - 1)), at=max(1, self.size.height // 3))

    def view_at(self, depth: int) -> TurnView | None:
        """Return the turn at `depth` if it is here."""
        page, place = divmod(depth, PAGE)
        known = self._pages.get(page)
        return known[place] if known and place < len(known) and depth < self.total else None

    # --- the cursor --------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        if self.cursor is None:
            self._stand_on(self._last_in_view())
            return
        top = self._heights.top(self.cursor) - self.scroll_offset.y
        end = top + self._heights[self.cursor]
        hidden = end - self.size.height if step > 0 else -top
        if hidden > 0 and self._heights[self.cursor] > self.size.height:
            # A turn longer than the view is read to its end before the cursor goes on.
            self.scroll_relative(y=step * min(hidden, max(1, self.size.height // 2)), animate=False)
            return
        target = self._seen(self.cursor + step, step)
        if target is not None:
            self._stand_on(target)

    def action_page(self, step: int) -> None:
        if not self.total:
            return
        height = self.size.height
        self.scroll_relative(y=step * max(1, height - 2), animate=False)
        at_edge = self.scroll_offset.y in (0, self.max_scroll_y)
        if at_edge and (self.scroll_offset.y == 0) == (step < 0):
            self._set_cursor(self._seen(0 if step < 0 else self.total - 1, -step))
        else:
            self._set_cursor(self._seen(self._heights.row_at(self.scroll_offset.y + height // 2), step))

    def action_edge(self, step: int) -> None:
        target = self._seen(0 if step < 0 else self.total - 1, -step)
        if target is not None:
            self._stand_on(target)

    def action_choose(self) -> None:
        view = self.current
        if view is not None:
            self.post_message(self.TurnChosen(view.turn.id, view.turn.depth))

    def on_click(self, event: events.Click) -> None:
        line = event.y + self.scroll_offset.y
        if not self.total or line >= self._heights.total:
            return
        row = self._heights.row_at(line)
        if row == self.cursor and self._cursor_shown:
            self.action_choose()
        else:
            self._set_cursor(row)

    def on_focus(self) -> None:
        self._jumped = False
        if self.cursor is None and self.total:
            self._set_cursor(self._last_in_view())
        self._redraw_cursor()

    def on_blur(self) -> None:
        self._redraw_cursor()

    @property
    def _cursor_shown(self) -> bool:
        return self.has_focus or self._jumped

    def _seen(self, row: int, step: int) -> int | None:
        """Return the first row from `row` on that is not hidden."""
        while 0 <= row < self.total:
            if self._heights[row]:
                return row
            row += step
        return None

    def _last_in_view(self) -> int:
        row = self._heights.row_at(self.scroll_offset.y + max(0, self.size.height - 1))
        seen = self._seen(row, -1)
        return row if seen is None else seen

    def _set_cursor(self, row: int | None) -> None:
        if row is not None:
            self.cursor = row

    def _stand_on(self, row: int, at: int | None = None) -> None:
        """Put the cursor on `row` and bring it into view, at screen line `at` if that is given."""
        self.cursor = row
        top = self._heights.top(row) - self.scroll_offset.y
        end = top + self._heights[row]
        height = self.size.height
        if at is None and top >= 0 and end <= height:
            return
        if at is None:
            at = 0 if top < 0 or self._heights[row] > height else height - self._heights[row]
        self.follow = row == self.total - 1
        self._anchor = (row, at)
        self._settle(keep_anchor=True)

    def watch_cursor(self, old: int | None, new: int | None) -> None:
        for row in (old, new):
            if row is not None:
                self._redraw_row(row)
        self.refresh()
        if (view := self.current) is not None:
            self.post_message(self.TurnHighlighted(view))

    # --- pages -------------------------------------------------------------------------------------

    def _ask(self, first: int, last: int) -> None:
        """Ask for the pages that hold rows `first` ... `last` and are not here or on their way."""
        if self._fetch is None:
            return
        for page in range(first // PAGE, last // PAGE + 1):
            known = self._pages.get(page)
            whole = known is not None and len(known) >= min(PAGE, self.total - page * PAGE)
            if page in self._pending or (whole and page not in self._stale):
                continue
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
        message.stop()
        start = message.page * PAGE
        views = message.views[: max(0, self.total - start)]
        known = self._pages.get(message.page)
        if known is not None and message.page not in self._stale and len(known) > len(views):
            views += known[len(views) :]  # turns that were appended while the page was on its way
        self._pages[message.page] = views
        self._stale.discard(message.page)
        for row, view in enumerate(views, start):
            self._redraw_row(row)
            self._heights[row] = estimate(view, self._width, self._options)
        self._settle(keep_anchor=bool(self._pending))
        if self.cursor is not None and start <= self.cursor < start + len(views):
            self.post_message(self.TurnHighlighted(views[self.cursor - start]))

    # --- heights and position ----------------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    @property
    def _options(self) -> TurnOptions:
        return TurnOptions(hide_mechanics=self.hide_mechanics)

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
            self.virtual_size = Size(self._width, self._heights.total)
            if top != self.scroll_y:
                self.move_view(top)
            if not keep_anchor and self.total:
                row = self._heights.row_at(top)
                self._anchor = (row, self._heights.top(row) - top)
        finally:
            self._settling = False
        if self.total:
            self._ask(self._heights.row_at(max(0, top - height)), self._heights.row_at(top + 2 * height))
        self.refresh()

    def _wanted_top(self) -> int:
        most = max(0, self._heights.total - self.size.height)
        row, line = self._anchor
        return most if self.follow else max(0, min(self._heights.top(row) - line, most))

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
        if self._settling or not self.total:
            return
        self.follow = new_value >= self.max_scroll_y
        row, line = self._anchor
        moved = round(old_value) - round(new_value)
        if abs(moved) <= 2 * self.size.height and row < self.total:
            # What is on the screen moves by just so many lines, whatever is learned about what comes in.
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
            self._estimate_all()
        self._settle()

    def watch_hide_mechanics(self) -> None:
        self._estimate_all()
        self._settle()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def _estimate_all(self) -> None:
        """The width or the options changed: every known height is a guess again."""
        self._strips.clear()
        for page in list(self._pages.keys()):
            for row, view in enumerate(self._pages[page], page * PAGE):
                if row < self.total:
                    self._heights[row] = estimate(view, self._width, self._options)

    def _flushed(self) -> None:
        self._flush = None
        self._settle()

    def _forget(self) -> None:
        self._pages.clear()
        self._stale.clear()
        self._strips.clear()
        self._anchor = (0, 0)

    # --- drawing -----------------------------------------------------------------------------------

    def _redraw_row(self, row: int) -> None:
        self._strips.discard((row, False))
        self._strips.discard((row, True))

    def _redraw_cursor(self) -> None:
        if self.cursor is not None:
            self._redraw_row(self.cursor)
        self.refresh()

    def _block(self, row: int) -> list[Strip] | None:
        """Return the turn's strips, or None while it is not here."""
        at_cursor = row == self.cursor and self._cursor_shown
        strips = self._strips.get((row, at_cursor))
        if strips is None:
            view = self.view_at(row)
            if view is None:
                return None
            strips = turn_strips(
                view,
                self._width,
                self.inks(under_cursor=at_cursor),
                self._options,
                at_cursor=at_cursor,
                ground=self.inks(),
            )
            self._strips[row, at_cursor] = strips
        return strips

    def render_line(self, y: int) -> Strip:
        width, inks = self._width, self.inks()
        line = y + self.scroll_offset.y
        if not self.total:
            text = wrap(self.empty, width - 4)
            return strip(
                [("  ", Ink.MUTED), (text[y - 1], Ink.MUTED)] if 0 < y <= len(text) else [], inks, width
            )
        if line >= self._heights.total:
            return strip([], inks, width)
        row = self._heights.row_at(line)
        offset = line - self._heights.top(row)
        strips = self._block(row)
        if strips is None:
            return strip([("      …", Ink.MUTED)] if offset == 0 else [], inks, width)
        return strips[offset] if offset < len(strips) else strip([], inks, width)
