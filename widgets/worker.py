"""Starting a Textual worker from a function."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TypeVar

from textual.dom import DOMNode
from textual.worker import Worker

Result = TypeVar("Result")


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
