"""Three things that the player's character could do next; one of them goes into the prompt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.worker import Worker, WorkerState

from screens.base import ErrorRaised
from screens.dialogs.dialog import Dialog
from screens.dialogs.form_fields import Picker
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from stores.errors import MonitorError
from widgets.safe_text import content, one_line
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.views.scene_views import ActionIdeas


class IdeasDialog(Dialog[str | None]):
    """Dismisses with the line that was chosen, or None. Closing it stops a model that is still at it."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "Picker"
    BINDING_GROUP_TITLE = "Ideas"
    BINDINGS = [Binding("escape", "close", "Back", id="ideas.close", tooltip="Choose none")]

    @dataclass
    class ActionsSuggested(Message):
        suggested: ActionIdeas

    def __init__(self, suggest_actions: Callable[[], Awaitable[ActionIdeas]]) -> None:
        super().__init__()
        self._suggest_actions = suggest_actions
        self._actions: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static("What could you do next?", classes="question", markup=False)
            yield Static("Thinking ...", classes="detail", id="note", markup=False)
            picker = Picker(markup=False)
            picker.display = False
            yield picker
        yield KeyBar()

    def on_mount(self) -> None:
        start_worker(self, self._load_actions, "ideas")

    async def _load_actions(self) -> None:
        self.post_message(self.ActionsSuggested(await self._suggest_actions()))

    @on(ActionsSuggested)
    def _show_actions(self, message: ActionsSuggested) -> None:
        self._actions = message.suggested.actions
        note = (
            message.suggested.note
            or "Enter puts it into the prompt, where you can change it. Nothing is played yet."
        )
        self.query_one("#note", Static).update(content(note))
        picker = self.query_one(Picker)
        picker.add_options([content(one_line(action)) for action in self._actions])
        picker.display = True
        picker.highlighted = 0
        picker.focus()

    @on(OptionList.OptionSelected)
    def _choose(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._actions[message.option_index])

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        error = message.worker.error
        if message.state is not WorkerState.ERROR or error is None:
            return
        if isinstance(error, MonitorError):
            self.query_one("#note", Static).update(content(str(error)))
        else:
            self.post_message(ErrorRaised(error))

    def action_close(self) -> None:
        self.dismiss(None)
