"""Saves what was typed in a dialog before the dialog closes: a refused answer stays where it can be changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from screens.base import ErrorRaised
from stores.errors import MonitorError
from widgets.worker import start_worker

SaveAnswer = Callable[[str], Awaitable[None]]
"""Saves an answer. Raises MonitorError for one that cannot be."""

Result = TypeVar("Result")


def save_then_show(
    save: Callable[[str], Awaitable[Result]], show: Callable[[Result], object]
) -> tuple[SaveAnswer, Callable[[str | None], None]]:
    """Return what saves a dialog's answer while it is open, and the callback that shows the result once it is closed.

    What is shown may open a dialog or another screen, so it waits until this dialog is gone.
    """
    results: list[Result] = []

    async def save_answer(answer: str) -> None:
        results.append(await save(answer))

    def show_result(_: str | None) -> None:
        if results:
            show(results[-1])

    return save_answer, show_result


class AnswerCheck:
    """Saves the answer of a dialog that has a `#problem` line."""

    @dataclass
    class AnswerSaved(Message):
        """The answer is saved, or needs no saving: the dialog may close."""

        answer: str

    def __init__(self, dialog: ModalScreen[Any], save_answer: SaveAnswer | None) -> None:
        self._dialog = dialog
        self._save_answer = save_answer

    def submit(self, answer: str) -> None:
        """Save the answer, once at a time, and announce it."""
        if self._save_answer is None:
            self._dialog.post_message(self.AnswerSaved(answer))
        elif not any(w.node is self._dialog and not w.is_finished for w in self._dialog.workers):
            self.clear_problem()
            start_worker(self._dialog, partial(self._save, self._save_answer, answer), "save")

    async def _save(self, save_answer: SaveAnswer, answer: str) -> None:
        await save_answer(answer)
        self._dialog.post_message(self.AnswerSaved(answer))

    def show_refusal(self, message: Worker.StateChanged) -> None:
        """Say at the answer why it was refused."""
        error = message.worker.error
        if message.state is not WorkerState.ERROR or error is None:
            return
        if isinstance(error, MonitorError):
            problem = self._dialog.query_one("#problem", Static)
            problem.update(str(error))
            problem.display = True
        else:
            self._dialog.post_message(ErrorRaised(error))

    def clear_problem(self) -> None:
        self._dialog.query_one("#problem", Static).update("")
