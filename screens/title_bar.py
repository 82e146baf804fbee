"""One line at the top of a screen: its place on the left, a state on the right."""

from __future__ import annotations

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

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(self._screen_name, "bold"), id="place", markup=False)
        yield Static(id="state", markup=False)

    def show_place(self, place: str, state: str = "") -> None:
        """Show what the screen is about, and its state."""
        name = Content.styled(self._screen_name, "bold")
        place_text = one_line(place)
        self.query_one("#place", Static).update(
            Content.assemble(name, "  " if place_text else "", place_text)
        )
        self.query_one("#state", Static).update(Content(one_line(state)))
