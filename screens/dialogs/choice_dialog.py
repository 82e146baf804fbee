"""Asks which of a few ways to do something is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from screens.dialogs.dialog import Dialog
from screens.dialogs.form_fields import Picker
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar

Choice = TypeVar("Choice")


class ChoiceDialog(Dialog[Choice | None], Generic[Choice]):
    """Dismisses with the value that was chosen, or None; the first is under the cursor."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "Picker"
    BINDING_GROUP_TITLE = "Choose one"
    BINDINGS = [Binding("escape", "leave", "Back", id="choose.leave", tooltip="Choose none")]

    def __init__(self, heading: str, choices: Sequence[tuple[Choice, str]]) -> None:
        """`choices` are pairs of value and what it is."""
        super().__init__()
        self._heading = heading
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            yield Picker(*(words for _, words in self._choices), markup=False)
        yield KeyBar()

    @on(OptionList.OptionSelected)
    def _choose(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._choices[message.option_index][0])

    def action_leave(self) -> None:
        self.dismiss(None)
