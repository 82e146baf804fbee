"""Starting a Textual worker from a function, and passing its failure on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from textual.dom import DOMNode
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker, WorkerState

Result = TypeVar("Result")

_STEPS_TO_FRAME: Final = 10
"""Steps of the event loop, with one or two to spare, from a key's action to the frame that shows it."""


@dataclass
class WorkFailed(Message):
    """A worker of a panel failed. The panel's screen handles it as one of its own."""

    error: BaseException
    worker_name: str


def start_worker(
    node: DOMNode,
    work: Callable[[], Coroutine[None, None, Result]],
    name: str,
    *,
    is_exclusive: bool = False,
) -> Worker[Result]:
    """Run `work` in a worker of `node`, in the group of its name; errors go to `on_worker_state_changed`.

    It takes a function, not a coroutine: a node that is removed at once cancels its workers before their first
    step, and Python warns of a coroutine that nobody awaited.
    """
    worker: Worker[Result] = node.run_worker(
        work, name=name, group=name, exclusive=is_exclusive, exit_on_error=False
    )
    return worker


async def let_frame_go_first() -> None:
    """Let the frame be drawn that a key asked for: threads that read the stores beside it take half of its time.

    It waits for no clock: where nothing is to be drawn it takes no time. Of work that waits so, what was started first
    goes on first.
    """
    for _ in range(_STEPS_TO_FRAME):
        await asyncio.sleep(0)


def call_behind_keys(widget: Widget, container: DOMNode, callback: Callable[[], object]) -> None:
    """Call back once all keys are heard that `widget` was pressed before now, and `container` all they have it post.

    A key goes from the widget up to the app, whose binding acts, and what the widget posts then goes up to the
    container. A key with priority is heard by the app alone, and would overtake them.
    """
    _call_behind((widget, *widget.ancestors, widget, container), callback)


def _call_behind(nodes: Sequence[DOMNode], callback: Callable[[], object]) -> None:
    """Call back after all messages that the first node has now, then all that the next has, and so on."""
    if nodes:
        nodes[0].call_later(_call_behind, nodes[1:], callback)
    else:
        callback()


def post_failed_work(panel: Widget, message: Worker.StateChanged) -> None:
    """Pass the failure of a panel's worker on to its screen."""
    if message.state is WorkerState.ERROR and message.worker.error is not None:
        panel.post_message(WorkFailed(message.worker.error, message.worker.name))
