"""A yes-or-no question. Nothing happens unless the user says yes."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar


class ConfirmDialog(ModalScreen[bool]):
    """Dismisses with True for yes."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Question"
    BINDINGS = [
        Binding("enter,y", "answer(True)", "Yes", id="confirm.yes", tooltip="Do it", key_display="⏎"),
        Binding("escape,n", "answer(False)", "No", id="confirm.no", tooltip="Leave it as it is"),
    ]

    def __init__(self, question: str, detail: str = "", *, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._button_labels = (yes, no)

    def compose(self) -> ComposeResult:
        yes, no = self._button_labels
        with Vertical(classes="dialog"):
            yield Static(self._question, classes="question", markup=False)
            if self._detail:
                yield Static(self._detail, classes="detail", markup=False)
            yield Static(f"⏎  {yes}     esc  {no}", classes="keys", markup=False)
        yield KeyBar()

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
