"""Stands where a screen will be whose code is not loaded yet, or whose library is still being opened."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from screens.key_bar import KeyBar
from screens.routes import Route, ToMenu, Visit
from screens.title_bar import TitleBar


class OpeningScreen(Screen[None]):
    """The title of the screen that comes. The app puts that in its place, and holds the keys until then."""

    BINDING_GROUP_TITLE = "Opening"
    BINDINGS = [Binding("escape", "leave", "Back", id="opening.escape", tooltip="Back to the main menu")]

    def __init__(self, route: Route, title: str) -> None:
        super().__init__()
        self.route = route
        self._title_text = title
        self._has_been_shown = False

    def compose(self) -> ComposeResult:
        yield TitleBar(self._title_text)
        yield Static("Opening …", id="opening", markup=False)
        yield KeyBar()

    def on_screen_resume(self) -> None:
        """Ask again for the screen: an error, or something else, was shown over this one when it could be opened."""
        if self._has_been_shown:
            self.post_message(Visit(self.route))
        self._has_been_shown = True

    def leaves_on(self, key: str) -> bool:
        """Return whether a key leads back to the menu."""
        active = self.active_bindings.get(key)
        return active is not None and active.node is self

    def action_leave(self) -> None:
        self.post_message(Visit(ToMenu()))
