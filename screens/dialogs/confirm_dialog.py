"""A yes-or-no question. Nothing happens unless the user says yes."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from screens.base import PaletteTarget
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.typed_ahead import find_prompt_below


class ConfirmDialog(Dialog[bool]):
    """Dismisses with True for yes. Over the story, what is typed on goes to the prompt and answers no."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Question"
    BINDINGS = [
        Binding("enter", "answer(True)", "Yes", id="confirm.yes", tooltip="Do it", key_display="⏎"),
        Binding("escape", "answer(False)", "No", id="confirm.no", tooltip="Leave it as it is"),
    ]

    def __init__(self, question: str, detail: str = "", *, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._button_labels = (yes, no)
        self._is_answered = False
        self._prompt_screen: PaletteTarget | None = None

    def compose(self) -> ComposeResult:
        yes, no = self._button_labels
        with Vertical(classes="dialog"):
            yield Static(self._question, classes="question", markup=False)
            if self._detail:
                yield Static(self._detail, classes="detail", markup=False)
            yield Static(f"⏎  {yes}     esc  {no}", classes="keys", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._prompt_screen = find_prompt_below(self)

    def on_key(self, event: events.Key) -> None:
        if not (event.is_printable and event.character):
            return
        if self._prompt_screen is not None:  # a line that is typed on belongs to the story, and answers no
            event.stop()
            self._prompt_screen.type_text(event.character)
            self.action_answer(False)

    def action_answer(self, answer: bool) -> None:
        if not self._is_answered:  # keys may follow before the dialog is gone
            self._is_answered = True
            self.dismiss(answer)
