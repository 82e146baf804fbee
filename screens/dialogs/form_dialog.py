"""A small form over a screen: it stages what was typed, or says what is wrong and keeps it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from agents.views.world_views import StagedEdits
from screens.base import ErrorRaised
from screens.dialogs.dialog import Dialog
from screens.dialogs.field_problems import clear_field_problem, show_field_problem
from screens.dialogs.form_fields import FieldInput, FormPage
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from stores.errors import InputError, MonitorError
from widgets.worker import start_worker

StageForm = Callable[[FormPage], Awaitable[StagedEdits]]
"""Stages the form. Raises InputError for what cannot be staged."""


class FormDialog(Dialog[StagedEdits | None]):
    """Dismisses with what was staged, or None if nothing was."""

    CSS_PATH = [SCREENS_FOLDER / "dialogs/dialog.tcss", SCREENS_FOLDER / "dialogs/form_dialog.tcss"]
    AUTO_FOCUS = "FieldInput, TextArea"
    BINDING_GROUP_TITLE = "Form"
    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Propose",
            id="form.stage",
            tooltip="Propose it: it waits at the gate",
            priority=True,
            key_display="⏎",
        ),
        Binding("escape", "close", "Leave as it is", id="form.close", tooltip="Propose nothing"),
    ]

    class FormStaged(Message):
        """The form's change waits at the gate."""

        def __init__(self, staged_edits: StagedEdits) -> None:
            super().__init__()
            self.staged_edits = staged_edits

    def __init__(
        self,
        heading: str,
        fields: Sequence[Widget],
        stage_form: StageForm,
        *,
        hint: str = "",
        main_field: str = "",
    ) -> None:
        """`main_field` is the field at which an error stands that is about no field of the form."""
        super().__init__()
        self._main_field = main_field
        self._heading = heading
        self._fields = fields
        self._stage_form = stage_form
        self._hint = hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield FormPage(self._heading, self._fields, id="form")
            if self._hint:
                yield Static(self._hint, classes="detail", id="hint", markup=False)
            yield Static(id="problem", markup=False)
        yield KeyBar()

    def show_hint(self, hint: str) -> None:
        """Show another hint under the fields."""
        self.query_one("#hint", Static).update(hint)

    def on_mount(self) -> None:
        """Put the cursor at the end of the first field, since its text is to be changed, not replaced."""
        for entry in self.query(FieldInput):
            entry.select_on_focus = False
            entry.action_end()

    @on(Input.Submitted)
    def _stop_submission(self, message: Input.Submitted) -> None:
        message.stop()

    def action_stage(self) -> None:
        """Stage after the keys that were typed before Enter: they may still be in the field's queue."""
        (self.focused or self).call_later(self._start_staging)

    def _start_staging(self) -> None:
        if not any(worker.node is self and not worker.is_finished for worker in self.workers):
            self._show_problem("")
            clear_field_problem(self)
            start_worker(self, self._stage_fields, "stage")

    async def _stage_fields(self) -> None:
        self.post_message(self.FormStaged(await self._stage_form(self.query_one(FormPage))))

    @on(FormStaged)
    def _dismiss_with_edits(self, message: FormStaged) -> None:
        self.dismiss(message.staged_edits)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Show what cannot be staged, with every word still in its field."""
        error = message.worker.error
        if message.state is not WorkerState.ERROR or error is None:
            return
        if isinstance(error, InputError) and show_field_problem(self, error, self._main_field):
            return
        if isinstance(error, InputError):
            self._show_problem(" ".join(filter(None, (error.what, error.todo))))
        elif isinstance(error, MonitorError):
            self._show_problem(str(error))
        else:
            self.post_message(ErrorRaised(error))

    def _show_problem(self, problem: str) -> None:
        self.query_one("#problem", Static).update(problem)

    def action_close(self) -> None:
        self.dismiss(None)
