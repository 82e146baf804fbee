"""Asks for one line: a name, an amount, a key. An invalid line is explained and kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static
from textual.worker import Worker

from screens.dialogs.answer_check import AnswerCheck
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from stores.errors import InputError

MAX_LINE_LENGTH = 500


class LineDialog(Dialog[str | None]):
    """Dismisses with the line (empty, if that is an answer), or None if nothing is to change."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "Input"
    BINDING_GROUP_TITLE = "Type one line"
    BINDINGS = [
        Binding("enter", "save", "Save", id="ask.save", tooltip="Take this line", priority=True),
        Binding("escape", "leave", "Leave as it was", id="ask.leave", tooltip="Change nothing"),
    ]

    def __init__(
        self,
        heading: str,
        *,
        value: str = "",
        explanation: str = "",
        is_secret: bool = False,
        suggestions: Sequence[str] = (),
        validate_line: Callable[[str], object] | None = None,
        save_line: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """Ask for a line; with `save_line` it is saved before the dialog closes.

        `validate_line` raises InputError for a line that is not valid; a line with `is_secret` is not
        shown.
        """
        super().__init__()
        self._heading = heading
        self._explanation = explanation
        self._validate_line = validate_line
        self._answer_check = AnswerCheck(self, save_line)
        self._input = Input(
            value,
            password=is_secret,
            compact=True,
            max_length=MAX_LINE_LENGTH,
            select_on_focus=False,
            suggester=SuggestFromList(suggestions, case_sensitive=False) if suggestions else None,
        )

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            if self._explanation:
                yield Static(self._explanation, classes="detail", markup=False)
            yield self._input
            yield Static(id="problem", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._input.action_end()

    @on(Input.Changed)
    def _clear_problem(self, message: Input.Changed) -> None:
        message.stop()
        self._answer_check.clear_problem()

    @on(Input.Submitted)
    def _stop_submission(self, message: Input.Submitted) -> None:
        message.stop()

    def action_save(self) -> None:
        """Save after the keys that were typed before Enter: they may still be in the field's queue."""
        self._input.call_later(self._dismiss_with_line)

    def _dismiss_with_line(self) -> None:
        if not self.is_current:
            return  # Enter was pressed twice
        line = self._input.value.strip()
        try:
            if self._validate_line is not None:
                self._validate_line(line)
        except InputError as error:
            self.query_one("#problem", Static).update(" ".join(filter(None, (error.what, error.todo))))
        else:
            self._answer_check.submit(line)

    @on(AnswerCheck.AnswerSaved)
    def _dismiss_with_answer(self, message: AnswerCheck.AnswerSaved) -> None:
        self.dismiss(message.answer)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        self._answer_check.show_refusal(message)

    def action_leave(self) -> None:
        self.dismiss(None)
