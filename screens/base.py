"""What MONITOR's screens share: the desk, one way to read it, one way to fail.

Workers never touch widgets. A screen's `read` runs in a worker and posts what it found; handlers draw it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, runtime_checkable

from textual import on
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.events import Event, Notice
    from agents.services.services import Services
    from agents.views.play_views import CommandHelp

Result = TypeVar("Result")


@dataclass
class EventReceived(Message):
    """The desk published an event. The app sends it to every screen that is open."""

    event: Event


@dataclass
class ErrorRaised(Message):
    """Something failed and the screen has no better place to say so: the app shows it."""

    error: BaseException


@dataclass
class WorkFailed(Message):
    """A worker of a panel died. The screen that the panel is part of takes it as one of its own."""

    error: BaseException
    worker_name: str


def post_failed_work(panel: Widget, message: Worker.StateChanged) -> None:
    """Pass a panel's dead worker on to its screen."""
    if message.state is WorkerState.ERROR and message.worker.error is not None:
        panel.post_message(WorkFailed(message.worker.error, message.worker.name))


def start_change(node: DOMNode, change: Callable[[], Coroutine[None, None, None]], name: str) -> None:
    """Run a change in a worker of `node`, unless the same is under way: a key pressed twice does it once.

    A change is never cancelled by another; it may have been written already.
    """
    if not any(w.node is node and w.name == name and not w.is_finished for w in node.workers):
        start_worker(node, change, name)


@runtime_checkable
class CommandTarget(Protocol):
    """A screen with a prompt that slash commands can be typed into."""

    def commands(self) -> tuple[CommandHelp, ...]: ...

    def type_command(self, command: CommandHelp) -> None:
        """Send the command at once, or put it into the prompt when it wants words after it."""
        ...


class ServiceScreen(Screen[Result]):
    """A screen that reads the services in a worker, and reads them again when something happened."""

    PANELS: ClassVar[tuple[type[Widget], ...]] = ()
    """Panels that hold all that can have the focus: their keys work anywhere on the screen."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self._is_stale = False
        self._load_worker: Worker[None] | None = None

    async def load_view(self) -> None:
        """Read the desk and post what was found. Runs in a worker."""

    def is_affected_by(self, event: Event) -> bool:
        """Whether what this screen shows may have changed with `event`."""
        return False

    async def leave_for_menu(self) -> None:
        """What the Main Loop does when the user goes home from here."""
        await self.services.stories.leave()

    def show_notice(self, notice: Notice) -> None:
        """The desk has a word for the user, and this screen is the one in front."""
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
        """Read again, now or as soon as the read in progress is done. Events come in bursts; reads do not."""
        self._is_stale = True
        if self._load_worker is None or self._load_worker.is_finished:
            self._load_worker = start_worker(self, self._load_while_stale, "read")

    def start_change(self, change: Callable[[], Coroutine[None, None, None]], name: str) -> None:
        """Run a change in a worker of this screen: see `start_change` above."""
        start_change(self, change, name)

    async def _load_while_stale(self) -> None:
        while self._is_stale:
            self._is_stale = False
            await self.load_view()

    def on_screen_resume(self) -> None:
        """Shown for the first time, or again: what lay over this screen may have changed what it shows."""
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
        """The one place where a screen's dead workers are caught."""
        if message.state is WorkerState.ERROR and message.worker.error is not None:
            self.handle_error(message.worker.error, message.worker.name)
