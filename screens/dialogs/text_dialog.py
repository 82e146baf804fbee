"""Edits some words: a proposal before it is accepted, or the last GM turn for another take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static, TextArea
from textual.worker import Worker

from screens.dialogs.answer_check import AnswerCheck
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from widgets.wrapped_area import WrappedArea


class TextDialog(Dialog[str | None]):
    """Dismisses with the new words, or None if they are unchanged.

    With `save_text` they are saved first: what is refused is said over them, and they stay to be changed.
    """

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "TextArea"
    BINDING_GROUP_TITLE = "Edit text"
    BINDINGS = [
        Binding("enter", "save", "Save", id="edit.save", tooltip="Save this text", priority=True),
        Binding(
            "ctrl+j", "newline", "New line", id="edit.newline", tooltip="Begin a new line", priority=True
        ),
        Binding(
            "escape", "cancel", "Leave as it was", id="edit.cancel", tooltip="Change nothing", priority=True
        ),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        hint: str = "",
        *,
        is_optional: bool = False,
        save_text: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """Ask for a text; if `is_optional`, it may be empty or unchanged and is still an answer."""
        super().__init__()
        self._answer_check = AnswerCheck(self, save_text)
        self._is_optional = is_optional
        self._heading = title
        self._text = text
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            if self._hint:
                yield Static(self._hint, classes="detail", markup=False)
            # Over the words: a long text leaves no room under them.
            problem = Static(id="problem", markup=False)
            problem.display = False
            yield problem
            yield WrappedArea(self._text)
        yield KeyBar()

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)

    def action_newline(self) -> None:
        self.query_one(TextArea).insert("\n")

    def action_save(self) -> None:
        """Save after the keys that were typed before Enter: they may still be in the field's queue."""
        self.query_one(TextArea).call_later(self._dismiss_with_text)

    def _dismiss_with_text(self) -> None:
        """Dismiss with the text; an empty one is not saved, since that would delete the words."""
        if not self.is_current:
            return  # Enter was pressed twice
        new_text = self.query_one(TextArea).text.strip()
        is_changed = bool(new_text) and new_text != self._text.strip()
        if is_changed or self._is_optional:
            self._answer_check.submit(new_text)
        else:
            self.dismiss(None)

    @on(TextArea.Changed)
    def _clear_problem(self, message: TextArea.Changed) -> None:
        message.stop()
        self._answer_check.clear_problem()

    @on(AnswerCheck.AnswerSaved)
    def _dismiss_with_answer(self, message: AnswerCheck.AnswerSaved) -> None:
        self.dismiss(message.answer)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        self._answer_check.show_refusal(message)

    def action_cancel(self) -> None:
        self.dismiss(None)
