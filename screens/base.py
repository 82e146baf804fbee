"""What screens share: the services, one way to read them, one way to fail.

Workers never touch widgets: a screen's `load_view` runs in a worker and posts what it read; handlers draw it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Protocol, TypeVar, runtime_checkable

from textual import on
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from widgets.bare_lines import draw_repeated_lines_once
from widgets.worker import WorkFailed, start_worker

if TYPE_CHECKING:
    from textual.events import Key

    from agents.events import Event, Notice
    from agents.services.services import Services
    from agents.views.replies import CommandHelp
    from screens.routes import NamedRoute
    from stores.records.ids import Id

Result = TypeVar("Result")

READ_PATIENCE: Final = 3.0
"""Seconds after which keys work on a screen that is still reading: it can be left, however slow its stores are."""


@dataclass
class EventReceived(Message):
    """The program published an event. The app sends it to every open screen."""

    event: Event


@dataclass
class ErrorRaised(Message):
    """Something failed, and the screen has no better place for the error: the app shows it."""

    error: BaseException


def start_change(node: DOMNode, change: Callable[[], Coroutine[None, None, None]], name: str) -> None:
    """Run a change in a worker of `node`, unless the same one is running: a key pressed twice acts once.

    A change is never cancelled by another; it may have been written already. A read of the node's screen that
    is under way when the change ends may have begun before it: the screen reads once more, so that what was so
    before the change is not what it shows in the end.
    """
    screen = node.screen

    async def change_and_check_read() -> None:
        try:
            await change()
        finally:
            if isinstance(screen, ServiceScreen) and screen.is_reading:
                screen.reload()

    if not any(w.node is node and w.name == name and not w.is_finished for w in node.workers):
        start_worker(node, change_and_check_read, name)


@runtime_checkable
class TypedLineTarget(Protocol):
    """A screen with a prompt, into which a line goes that is typed while a list with keys of its own has the focus."""

    def type_text(self, text: str) -> None:
        """Type into the prompt, and go to it."""
        ...

    def may_begin_line(self, key: Key) -> bool:
        """Say whether a letter on which a panel would act may be the first of a line: nothing is being written."""
        ...

    def may_be_of_line(self, key: Key) -> bool:
        """Say whether a key that follows such a letter may go on with the line."""
        ...

    def is_letter_key(self, key: Key) -> bool:
        """Say whether the panel or the screen has such a letter for a key."""
        ...


@runtime_checkable
class PaletteTarget(TypedLineTarget, Protocol):
    """A screen that the command palette serves: slash commands for its prompt, and ways to other screens."""

    scene_id: Id
    """The scene that is played."""

    @property
    def offers_roll(self) -> bool:
        """Whether a roll for the last line stands in the prompt, which Enter throws."""
        ...

    def commands(self) -> tuple[CommandHelp, ...]: ...

    def type_command(self, command: CommandHelp) -> None:
        """Send the command at once, or put it into the prompt if it needs words after it."""
        ...

    def note_key(self, key: str) -> None:
        """Note a key before it does anything."""
        ...

    def named_routes(self) -> tuple[NamedRoute, ...]:
        """Return the screens that can be opened over this one."""
        ...


@runtime_checkable
class PasteTarget(Protocol):
    """A screen without a prompt that has a use for pasted text, whose keys would decide something."""

    def take_paste(self, text: str) -> None: ...


@runtime_checkable
class FilterTarget(Protocol):
    """A screen whose keys decide, with a filter that `/` opens."""

    def type_filter(self, text: str) -> None:
        """Open the filter, and type into it."""
        ...


class ServiceScreen(Screen[Result]):
    """A screen that reads the services in a worker, and again after events that affect it."""

    PANELS: ClassVar[tuple[type[Widget], ...]] = ()
    """Panels that contain everything focusable, so that their keys work anywhere on the screen."""

    KEYS_WAIT: ClassVar[bool] = False
    """Whether keys are about what is read: those pressed before it is there wait for `note_read`."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self._is_stale = False
        self._load_worker: Worker[None] | None = None
        self._is_read = False
        self._read_callbacks: list[Callable[[], object]] = []

    def on_mount(self) -> None:
        """Draw the empty lines of panels once: they are most of what a frame is cut from."""
        draw_repeated_lines_once((self, *self.walk_children(Widget)))

    async def load_view(self) -> None:
        """Read the services and post what was read. Runs in a worker."""

    def is_affected_by(self, event: Event) -> bool:
        """Return whether what this screen shows may have changed with `event`."""
        return False

    async def leave_for_menu(self) -> None:
        """Move the Main Loop when the user goes to the menu from here."""
        await self.services.stories.leave()

    def show_notice(self, notice: Notice) -> None:
        """Show a notice of the program; this screen is the one in front."""
        self.notify(notice.text, severity=notice.severity, markup=False)

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        """Show the error of a worker: a MonitorError in the screen's notices if it has any, else in a dialog."""
        from screens.notice_panel import NoticePanel  # not before the first frame: the app imports this file
        from stores.errors import MonitorError

        if isinstance(error, MonitorError) and (panels := self.query(NoticePanel)):
            panels.first().show_error(error)
        else:
            self.post_message(ErrorRaised(error))

    def reload(self) -> None:
        """Read again, now or as soon as the read in progress ends. A burst of events causes one read."""
        self._is_stale = True
        if not self.is_reading:
            self._load_worker = start_worker(self, self._load_while_stale, "read")

    @property
    def is_reading(self) -> bool:
        """Whether a read of the services is in progress."""
        return self._load_worker is not None and not self._load_worker.is_finished

    def start_change(self, change: Callable[[], Coroutine[None, None, None]], name: str) -> None:
        """Run a change in a worker of this screen, as the function `start_change` does."""
        start_change(self, change, name)

    async def _load_while_stale(self) -> None:
        while self._is_stale:
            self._is_stale = False
            await self.load_view()

    def note_read(self) -> None:
        """Note that the screen shows what its keys are about, and call back whoever waits for that."""
        self._is_read = True
        self._call_back()

    def call_when_read(self, callback: Callable[[], object]) -> None:
        """Call back after a refresh; if `KEYS_WAIT`, once the screen notes that it has read, and in any case soon."""
        self._read_callbacks.append(callback)
        if self._is_read or not self.KEYS_WAIT:
            self._call_back()
        else:
            self.set_timer(READ_PATIENCE, self._call_back)

    def _call_back(self) -> None:
        callbacks, self._read_callbacks = self._read_callbacks, []
        for callback in callbacks:
            self.call_after_refresh(callback)

    def on_screen_resume(self) -> None:
        """Read again when the screen comes to the front: another one may have changed what it shows."""
        self.reload()

    @on(EventReceived)
    def _dispatch_event(self, message: EventReceived) -> None:
        from agents.events import Notice  # not before the first frame: the app imports this file

        message.stop()
        if isinstance(message.event, Notice):
            # Under a dialog this screen is still the one to hear it; under another of ours that one is.
            if self.is_active or (self.is_current and not isinstance(self.app.screen, ServiceScreen)):
                self.show_notice(message.event)
        elif self.is_affected_by(message.event) and self.is_active:
            # A screen that lies under another reads again when it comes to the front: it costs no key there.
            self.reload()

    @on(WorkFailed)
    def _work_failed(self, message: WorkFailed) -> None:
        message.stop()
        self.handle_error(message.error, message.worker_name)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Handle the failure of any of this screen's workers."""
        if message.state is WorkerState.ERROR and message.worker.error is not None:
            self.handle_error(message.worker.error, message.worker.name)
