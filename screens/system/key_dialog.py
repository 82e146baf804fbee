"""Waits for the key that is to do something from now on."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker

from screens.dialogs.answer_check import AnswerCheck, SaveAnswer
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar


class KeyDialog(ModalScreen[str | None]):
    """Dismisses with the key that was pressed and saved, or None."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Press a key"
    BINDINGS = [Binding("escape", "leave", "Leave as it was", id="key.leave", tooltip="Change nothing")]

    def __init__(self, heading: str, explanation: str, save_key: SaveAnswer) -> None:
        super().__init__()
        self._heading = heading
        self._explanation = explanation
        self._answer_check = AnswerCheck(self, save_key)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            yield Static(self._explanation, classes="detail", markup=False)
            yield Static(id="problem", markup=False)
        yield KeyBar()

    def on_key(self, event: events.Key) -> None:
        if event.key != "escape":
            event.stop()
            event.prevent_default()
            self._answer_check.submit(event.key)

    @on(AnswerCheck.AnswerSaved)
    def _dismiss_with_key(self, message: AnswerCheck.AnswerSaved) -> None:
        self.dismiss(message.answer)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        self._answer_check.show_refusal(message)

    def action_leave(self) -> None:
        self.dismiss(None)
