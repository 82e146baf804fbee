"""The transcript: the turns of a timeline, with a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from agents.views.turn_views import TurnView
from stores.records.ids import Id
from widgets.safe_text import plain_text
from widgets.transcript.linked_turns import LinkedTurnScroll
from widgets.transcript.turn_scroll import FetchTurns

__all__ = ["FetchTurns", "Transcript"]

NO_NAMES_IN_VIEW = "Nobody and nothing that canon knows is named in what is on the screen."
NO_LINE_YET = "Nothing is told in this scene yet. From its first line on, Ctrl+G goes to the names."


class Transcript(LinkedTurnScroll, can_focus=True):
    """A virtualised transcript.

    Screens call `open_timeline`, `append` for new turns, and `reload` after a move.
    """

    HELP_TITLE: ClassVar[str] = "Transcript"
    HELP_TEXT: ClassVar[str] = (
        "Up and Down go from turn to turn, Page Up and Page Down by the page, Home and End to the ends.\n"
        "Enter or x shows where a turn stands and what it made true (★), o opens the card of whom it names, y copies "
        "its words. ] and [ step through the names on the screen, ^g does from the prompt too; Enter opens the "
        "card, as a click on a name does. The view follows new turns while it stands at the end.\n"
        "At the end of a line stands what became of it: `proposed 2` changes of the world (+2 where room is scarce); "
        "`heard by` or `believed by` somebody, who remembers it while canon stays as it is; `nothing proposed` "
        "where it says what is so in words that are not read: /fact WORDS proposes it. A line of mere "
        "story has no mark."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Turn up", show=False, id="transcript.up", tooltip="The turn before"),
        Binding("down,j", "move(1)", "Turn down", show=False, id="transcript.down", tooltip="The turn after"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="transcript.page_up", tooltip="A page back"),
        Binding("pagedown", "page(1)", "Page on", show=False, id="transcript.page_down", tooltip="A page on"),
        Binding(
            "home", "edge(-1)", "First turn", show=False, id="transcript.first", tooltip="The first turn"
        ),
        Binding("end", "edge(1)", "Last turn", show=False, id="transcript.last", tooltip="The last turn"),
        Binding("enter", "open_name", "Open", id="transcript.open_name", tooltip="The card of whom is named"),
        Binding(
            "x,enter", "choose", "Look at turn", id="transcript.choose", tooltip="What this turn made true"
        ),
        Binding(
            "o", "card", "Card", show=False, id="transcript.card", tooltip="The card of whom this turn names"
        ),
        Binding(
            "ctrl+g,right_square_bracket",
            "name(1)",
            "Names",
            id="transcript.next_name",
            tooltip="The next name on the screen: Enter opens its card",
        ),
        Binding(
            "left_square_bracket",
            "name(-1)",
            "Name before",
            show=False,
            id="transcript.previous_name",
            tooltip="The name before, on the screen",
        ),
        Binding("y", "copy", "Copy turn", show=False, id="transcript.copy", tooltip="Copy the turn's words"),
    ]
    DEFAULT_CSS = """
    Transcript { height: 1fr; }
    """

    cursor: reactive[int | None] = reactive(None)
    """Depth of the turn under the cursor; drawn while the transcript has the focus, or after a jump."""

    @dataclass
    class TurnHighlighted(Message):
        """The cursor is on another turn."""

        view: TurnView

    @dataclass
    class TurnChosen(Message):
        """Enter, or a click, on the turn under the cursor."""

        turn_id: Id
        depth: int

    @dataclass
    class CardRequested(Message):
        """The card of somebody or something that a turn names is wanted."""

        text: str

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._was_jumped_to = False
        self._jump: tuple[int, int] | None = None
        """The turn that was brought into view and the lines of the view then, until something else is looked at."""

    # --- what screens call -------------------------------------------------------------------------

    @property
    def current(self) -> TurnView | None:
        """The turn under the cursor, if it is loaded."""
        return None if self.cursor is None else self.view_at(self.cursor)

    def open_timeline(self, total: int, fetch: FetchTurns) -> None:
        self.cursor = None
        self._was_jumped_to = False
        self._jump = None
        super().open_timeline(total, fetch)
        if self.has_focus and total:
            self.cursor = total - 1
        self.refresh_bindings()  # there are turns to look at now

    def reload(self, total: int) -> None:
        if self.cursor is not None and self.cursor >= total:
            self.cursor = total - 1 if total else None
        super().reload(total)

    def append(self, view: TurnView) -> None:
        if not self.has_focus:
            self._was_jumped_to = False
        super().append(view)

    def jump_to(self, depth: int) -> None:
        """Bring a turn into view and mark it, whether or not the transcript has the focus."""
        if self.total:
            self._was_jumped_to = True
            self._show_jump(max(0, min(depth, self.total - 1)))

    def _show_jump(self, row: int) -> None:
        self._move_cursor_to(row, screen_line=max(1, self.size.height // 3))
        self._jump = (row, self.size.height)

    def on_resize(self) -> None:
        """Keep what was jumped to where it belongs: the lines around the story may be laid out only after the jump."""
        if self._jump is not None and self._jump[1] != self.size.height:
            self._show_jump(self._jump[0])

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        # Where the view has another height, it was the layout that scrolled, and a resize follows.
        if self._jump is not None and not self._is_settling and self._jump[1] == self.size.height:
            self._jump = None

    # --- the cursor --------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        if self.cursor is None:
            self._move_cursor_to(self._last_row_in_view())
            return
        is_taller_than_view = self._heights[self.cursor] > self.size.height
        top = self._heights.line_of_row(self.cursor) - self.scroll_offset.y
        hidden_lines = top + self._heights[self.cursor] - self.size.height if step > 0 else -top
        if is_taller_than_view and hidden_lines > 0:
            # A turn longer than the view is read to its end before the cursor goes on.
            self.scroll_relative(y=step * min(hidden_lines, max(1, self.size.height // 2)), animate=False)
        else:
            self._move_cursor_to(self._nearest_visible_row(self.cursor + step, step))

    def action_page(self, step: int) -> None:
        if not self.total:
            return
        self.scroll_relative(y=step * max(1, self.size.height - 2), animate=False)
        y = self.scroll_offset.y
        if (y == 0 and step < 0) or (y == self.max_scroll_y and step > 0):
            self._move_cursor_to(self._nearest_visible_row(0 if step < 0 else self.total - 1, -step))
        else:
            middle_row = self._nearest_visible_row(self._heights.row_at(y + self.size.height // 2), step)
            self.cursor = self.cursor if middle_row is None else middle_row

    def action_edge(self, step: int) -> None:
        self._move_cursor_to(self._nearest_visible_row(0 if step < 0 else self.total - 1, -step))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose":
            return self.total > 0  # before the first turn there is nothing to look at
        if action == "open_name":
            return self.current_link is not None
        return super().check_action(action, parameters)

    def action_name(self, step: int) -> None:
        """Step through the names on the screen, the first time from the turn under the cursor on."""
        first_row = self.cursor if self.cursor is not None else self._last_row_in_view()
        row = self.step_to_link(step, first_row or 0)
        if row is None:
            self.notify(NO_NAMES_IN_VIEW if self.total else NO_LINE_YET, markup=False)
        else:
            self.cursor = row
        self.refresh_bindings()

    def action_open_name(self) -> None:
        if self.current_link is not None:
            self.post_message(self.NameChosen(self.current_link.entity.id))

    def action_card(self) -> None:
        if self.current_link is not None:
            self.action_open_name()
        elif (view := self.current) is not None:
            self.post_message(self.CardRequested(plain_text(view.turn.text)))

    def action_choose(self) -> None:
        if (view := self.current) is not None:
            self.post_message(self.TurnChosen(view.turn.id, view.turn.depth))

    def action_copy(self) -> None:
        if (view := self.current) is not None:
            self.app.copy_to_clipboard(plain_text(view.turn.text))

    def on_click(self, event: events.Click) -> None:
        if (link := self.link_under(event)) is not None:
            self.post_message(self.NameChosen(link.entity.id))
            return
        line = event.y + self.scroll_offset.y
        if not self.total or line >= self._heights.total_lines:
            return
        row = self._heights.row_at(line)
        if self.is_at_cursor(row):
            self.action_choose()
        self.cursor = row

    def on_focus(self) -> None:
        self._was_jumped_to = False
        if self.cursor is None and self.total:
            self.cursor = self._last_row_in_view()
        self._redraw_cursor()

    def on_blur(self) -> None:
        self.leave_link()
        self._redraw_cursor()

    def watch_cursor(self, old: int | None, new: int | None) -> None:
        self.refresh()
        self.leave_link_outside(new)
        if (view := self.current) is not None and old != new:
            self.post_message(self.TurnHighlighted(view))

    def is_at_cursor(self, row: int) -> bool:
        return row == self.cursor and (self.has_focus or self._was_jumped_to)

    def turns_loaded(self, start: int, count: int) -> None:
        if self.cursor is not None and start <= self.cursor < start + count and self.current is not None:
            self.post_message(self.TurnHighlighted(self.current))

    def _redraw_cursor(self) -> None:
        if self.cursor is not None:
            self._redraw_row(self.cursor)
        self.refresh()

    def _nearest_visible_row(self, row: int, step: int) -> int | None:
        """Return the first row from `row` on, in the direction of `step`, that is not hidden."""
        while 0 <= row < self.total:
            if self._heights[row]:
                return row
            row += step
        return None

    def _last_row_in_view(self) -> int | None:
        return self._nearest_visible_row(
            self._heights.row_at(self.scroll_offset.y + max(0, self.size.height - 1)), -1
        )

    def _move_cursor_to(self, row: int | None, screen_line: int | None = None) -> None:
        """Put the cursor on `row` and bring it into view, at screen line `at` if that is given."""
        if row is None:
            return
        self._jump = None
        self.cursor = row
        height, size = self.size.height, self._heights[row]
        top = self._heights.line_of_row(row) - self.scroll_offset.y
        if screen_line is None:
            if top >= 0 and top + size <= height:
                return
            screen_line = 0 if top < 0 or size > height else height - size
        self.set_reactive(Transcript.follow, row == self.total - 1)
        self._show_row(row, screen_line)
