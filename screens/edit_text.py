"""Change some words: a proposal before it is accepted, or the last GM words for another take."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from screens.key_bar import KeyBar


class EditTextScreen(ModalScreen[str | None]):
    """Dismisses with the new words, or None if they were left alone."""

    CSS_PATH = "dialog.tcss"
    AUTO_FOCUS = "TextArea"
    BINDING_GROUP_TITLE = "Editing words"
    BINDINGS = [
        Binding("enter", "save", "Save", id="edit.save", tooltip="Keep these words", priority=True),
        Binding(
            "ctrl+j", "newline", "New line", id="edit.newline", tooltip="Begin a new line", priority=True
        ),
        Binding(
            "escape", "cancel", "Leave as it was", id="edit.cancel", tooltip="Change nothing", priority=True
        ),
    ]

    def __init__(self, title: str, text: str, hint: str = "", *, optional: bool = False) -> None:
        """`optional` words may be empty, or stay as they are, and are still an answer."""
        super().__init__()
        self._optional = optional
        self._heading = title
        self._text = text
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            if self._hint:
                yield Static(self._hint, classes="detail", markup=False)
            yield TextArea(self._text, soft_wrap=True, compact=True, tab_behavior="focus")
        yield KeyBar()

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)

    def action_newline(self) -> None:
        self.query_one(TextArea).insert("\n")

    def action_save(self) -> None:
        """Save behind the keys that were typed before Enter: they may still wait in the field's queue."""
        self.query_one(TextArea).call_later(self._save)

    def _save(self) -> None:
        """Empty words save nothing: they would be a deletion, and nothing is deleted here."""
        if not self.is_current:
            return  # Enter was pressed twice
        words = self.query_one(TextArea).text.strip()
        changed = bool(words) and words != self._text.strip()
        self.dismiss(words if changed or self._optional else None)

    def action_cancel(self) -> None:
        self.dismiss(None)
