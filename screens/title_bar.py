"""One line at the top of a screen: its place on the left, a state on the right."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from widgets.safe_text import one_line


class TitleBar(Horizontal):
    """The name of the screen, what it shows, and its state."""

    DEFAULT_CSS = """
    TitleBar {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $foreground;
        & > #place { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & > #state { width: auto; color: $text-muted; margin-left: 2; }
    }
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._screen_name = name
        self._place_text = self._state_text = ""

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(self._screen_name, "bold"), id="place", markup=False)
        yield Static(id="state", markup=False)

    def show_place(self, place: str, state: str = "") -> None:
        """Show what the screen is about, and its state."""
        place_text, state_text = one_line(place), one_line(state)
        if place_text != self._place_text:
            name = Content.styled(self._screen_name, "bold")
            self.query_one("#place", Static).update(
                Content.assemble(name, "  " if place_text else "", place_text), layout=False
            )
        if state_text != self._state_text:
            # To lay the whole screen out takes longer than all else that a key does: only for another width.
            is_other_width = cell_len(state_text) != cell_len(self._state_text)
            self.query_one("#state", Static).update(Content(state_text), layout=is_other_width)
        self._place_text, self._state_text = place_text, state_text
