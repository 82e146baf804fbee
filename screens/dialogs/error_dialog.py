"""An error in plain words: what happened, what was kept, what to do."""

from __future__ import annotations

from typing import Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from stores.errors import MonitorError

ErrorAnswer = Literal["close", "retry", "quit"]


class ErrorDialog(Dialog[ErrorAnswer]):
    """Shows a `MonitorError` in its own words, and anything else as a fault of the program."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Error"
    BINDINGS = [
        Binding(
            "enter,escape", "answer('close')", "Close", id="error.close", tooltip="Continue", key_display="⏎"
        ),
        Binding("r", "answer('retry')", "Try again", id="error.retry", tooltip="Try it once more"),
        Binding("q", "answer('quit')", "Quit", id="error.quit", tooltip="Leave MONITOR"),
    ]

    def __init__(self, title: str, error: BaseException, *, is_fatal: bool = False) -> None:
        super().__init__()
        self._heading = title
        self._what_happened, self._what_was_kept, self._what_to_do = explain_error(error)
        self._is_fatal = is_fatal

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog error"):
            yield Static(self._heading, classes="question", markup=False)
            yield Static(self._what_happened, classes="what", markup=False)
            for label, text in (("Kept", self._what_was_kept), ("What to do", self._what_to_do)):
                if text:
                    yield Static(label, classes="label", markup=False)
                    yield Static(text, classes="detail", markup=False)
        yield KeyBar()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a library there is nothing to go on to, only trying again or quitting."""
        return (parameters == ("close",)) is not self._is_fatal if action == "answer" else True

    def action_answer(self, answer: ErrorAnswer) -> None:
        self.dismiss(answer)


def explain_error(error: BaseException) -> tuple[str, str, str]:
    """Return what happened, what was kept and what to do."""
    if isinstance(error, MonitorError):
        return error.what, error.kept, error.todo
    return (
        f"MONITOR itself failed: {type(error).__name__}: {error}",
        "Everything you typed before this is in the library.",
        "Continue. If it happens again, restart MONITOR; monitor.log has the details.",
    )
