"""The dice tray: the last rolls of the scene with their faces, and a line to roll. Every roll is in the story."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import Worker, WorkerState

from agents.resolver.roll_kinds import TYPED_KINDS
from screens.base import ErrorRaised
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from stores.errors import InputError, MonitorError
from stores.records.play import Resolution
from widgets.roll_list import RollList, repeat_line
from widgets.safe_text import content
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.views.replies import Reply

MAX_ROLLS: Final = 12
MAX_LENGTH: Final = 300
HINT: Final = "2d6+1, 4dF, d20 … or /check, /oracle, /table"


def read_roll_line(text: str) -> str:
    """Return the line of play for what is typed in the tray: dice alone are rolled. Raises InputError."""
    text = text.strip()
    if not text.startswith("/"):
        return f"/roll {text}"
    command = text[1:].split(maxsplit=1)[0].lower() if text[1:].strip() else ""
    if command not in TYPED_KINDS:
        kinds = ", ".join(f"/{kind}" for kind in TYPED_KINDS)
        raise InputError(
            "Only rolls are made here.", kept="Nothing was played.", todo=f"Type dice, or {kinds}."
        )
    return text


class DiceTray(Dialog[None]):
    """Stays open while rolls are made. It closes itself for one that asks something in the prompt."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "Input"
    BINDING_GROUP_TITLE = "Dice"
    BINDINGS = [
        Binding(
            "enter",
            "roll",
            "Roll",
            id="dice.roll",
            tooltip="Roll what is typed, or else the roll under the cursor again",
            priority=True,
        ),
        Binding(
            "tab", "app.focus_next", "Last rolls", id="dice.rolls", tooltip="To the last rolls, and back"
        ),
        Binding(  # before the line, which would take Alt+D for a letter
            "escape,alt+d",
            "close",
            "Back",
            id="dice.close",
            tooltip="Back to the story",
            priority=True,
        ),
    ]

    @dataclass
    class RollsRead(Message):
        """The last rolls of the scene, the newest first."""

        rolls: tuple[Resolution, ...]

    @dataclass
    class Rolled(Message):
        reply: Reply

    @dataclass
    class RollFailed(Message):
        error: MonitorError

    def __init__(
        self,
        read_rolls: Callable[[], Awaitable[tuple[Resolution, ...]]],
        play_line: Callable[[str], Awaitable[Reply]],
        queue_play: Callable[[Callable[[], Awaitable[Reply]]], None],
    ) -> None:
        """`queue_play` has a roll made after what is being played."""
        super().__init__()
        self._read_rolls = read_rolls
        self._play_line = play_line
        self._queue_play = queue_play
        self._input = Input(placeholder=HINT, compact=True, max_length=MAX_LENGTH)
        self._rolls = RollList(empty="Nothing was rolled in this scene yet.")

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Static("Dice", classes="question", markup=False)
            yield self._input
            yield Static(id="problem", markup=False)
            yield self._rolls
        yield KeyBar()

    def on_mount(self) -> None:
        start_worker(self, self._load_rolls, "rolls")

    async def _load_rolls(self) -> None:
        self.post_message(self.RollsRead(await self._read_rolls()))

    @on(RollsRead)
    def _show_rolls(self, message: RollsRead) -> None:
        self._rolls.show_rolls(message.rolls)

    @on(RollList.AgainRequested)
    def action_roll(self) -> None:
        """Roll after the keys that were typed before Enter: they may still be in the field's queue."""
        self._input.call_later(self._roll_wanted)

    def _roll_wanted(self) -> None:
        """Roll what is typed; from the list, or with nothing typed, make the roll under the cursor again."""
        typed = "" if self._rolls.has_focus else self._input.value.strip()
        roll = self._rolls.current
        if wanted := typed or (repeat_line(roll) if roll else ""):
            self._roll(wanted)

    def _roll(self, text: str) -> None:
        try:
            line = read_roll_line(text)
        except InputError as error:
            self._show_words(str(error))
        else:
            self._show_words("Rolling …")
            self._queue_play(partial(self._play_roll, line))

    async def _play_roll(self, line: str) -> Reply:
        """Make a roll in its turn, and tell this tray what came of it."""
        try:
            reply = await self._play_line(line)
        except MonitorError as error:
            self.post_message(self.RollFailed(error))
            raise
        self.post_message(self.Rolled(reply))
        return reply

    @on(Rolled)
    def _show_rolled(self, message: Rolled) -> None:
        reply = message.reply
        if reply.prompt_text or reply.confirm_line or reply.goto:
            self.dismiss()  # it asks something where the story is
            return
        self._show_words("\n".join(reply.lines) if reply.severity != "information" else "")
        self._input.value = ""
        start_worker(self, self._load_rolls, "rolls")

    @on(RollFailed)
    def _show_failure(self, message: RollFailed) -> None:
        self._show_words(str(message.error))

    def _show_words(self, words: str) -> None:
        self.query_one("#problem", Static).update(content(words))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        error = message.worker.error
        if message.state is WorkerState.ERROR and error is not None:
            if isinstance(error, MonitorError):
                self._show_words(str(error))
            else:
                self.post_message(ErrorRaised(error))

    def action_close(self) -> None:
        self.dismiss()
