"""What the commands share that ask the record: everything indexed first, and patience with what wakes up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from monitor_tui.cli_common import progress

if TYPE_CHECKING:
    from agents.desk import Desk

PATIENCE: Final = 60.0
"""Seconds that a question waits for an embedding model that wakes up; a screen does not wait so long."""
_AGAIN: Final = 0.2


class Noted(Protocol):
    @property
    def notes(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Noted)


async def up_to_date(desk: Desk) -> None:
    """Index what is missing; how far it is goes to stderr, if it takes long."""
    settling = asyncio.ensure_future(desk.background.settle())
    while True:
        done, _ = await asyncio.wait([settling], timeout=2.0)
        if done:
            return settling.result()
        if waiting := desk.background.now().waiting:
            progress(f"Indexing: {waiting:,} to do ...")


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask; and again while the embedding model wakes up."""
    from agents.indexer.meaning import WAKES

    until = time.monotonic() + PATIENCE
    while True:
        found = await ask()
        if not any(WAKES in note for note in found.notes) or time.monotonic() > until:
            return found
        await asyncio.sleep(_AGAIN)
