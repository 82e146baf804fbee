"""Letters at the panes of a screen: the letter that is pressed focuses its pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Offset
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar

LETTERS: Final = "asdfghjklqwertyuiopzxcvbnm"
"""Those under the fingers first."""


@dataclass(frozen=True, slots=True)
class Pane:
    """Something on a screen that can have the focus, with the letter that leads there."""

    letter: str
    name: str
    offset: Offset
    widget: Widget


def list_panes(screen: Screen[Any]) -> tuple[Pane, ...]:
    """Return what can have the focus and is on the screen, from top to bottom and left to right."""
    seen = [widget for widget in screen.focus_chain if widget.region.overlaps(screen.region)]
    seen.sort(key=lambda widget: (widget.region.y, widget.region.x))
    return tuple(
        Pane(letter, _name_of(widget), widget.region.intersection(screen.region).offset, widget)
        for letter, widget in zip(LETTERS, seen, strict=False)
    )


def _name_of(widget: Widget) -> str:
    """Return what a pane is called in help or on the screen; empty if it has no name."""
    for node in widget.ancestors_with_self:
        if isinstance(node, Screen):
            break
        if name := str(getattr(node, "HELP_TITLE", "") or getattr(node, "border_title", None) or ""):
            return name.strip().lower()
    return ""


class JumpScreen(ModalScreen[Widget | None]):
    """Dismisses with the pane whose letter is pressed, or None."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Jump to a pane"
    BINDINGS = [Binding("escape,f12", "leave", "Back", id="jump.leave", tooltip="Stay where the focus is")]

    def __init__(self, panes: Sequence[Pane]) -> None:
        super().__init__()
        self._panes = panes

    def compose(self) -> ComposeResult:
        for pane in self._panes:
            words = Content(f" {pane.letter} {pane.name}".rstrip() + " ")
            label = Static(words, classes="pane", markup=False)
            label.styles.offset = pane.offset
            yield label
        yield KeyBar()

    def on_key(self, event: events.Key) -> None:
        """Go to the pane of a letter; any other letter leads nowhere, and does nothing."""
        if event.is_printable:
            event.stop()
            wanted = (pane.widget for pane in self._panes if pane.letter == (event.character or "").lower())
            if (widget := next(wanted, None)) is not None:
                self.dismiss(widget)

    def action_leave(self) -> None:
        self.dismiss(None)
