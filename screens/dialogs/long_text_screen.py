"""One long text over a screen, to be read and copied."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen

from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.title_bar import TitleBar
from widgets.long_text import LongText


class LongTextScreen(Screen[None]):
    """A title and words."""

    CSS_PATH = SCREENS_FOLDER / "llm/xray_screen.tcss"
    AUTO_FOCUS = "LongText"
    BINDING_GROUP_TITLE = "Full text"
    BINDINGS = [
        Binding("escape,q,enter", "close", "Back", id="text.close", tooltip="Back to where you were"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._heading = title
        self._text = text

    def compose(self) -> ComposeResult:
        yield TitleBar(self._heading)
        yield LongText(self._text)
        yield KeyBar()

    def action_close(self) -> None:
        self.dismiss(None)
