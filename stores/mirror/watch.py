"""Looks after one server in the background: whether it is still there, and whether it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import chain, repeat
from typing import Any

from stores.mirror.link import Link, Patience, Sleep


class Watch:
    """Probes the server of `link`, ever less often while it is down; `on_back` when it may be used again."""

    def __init__(self, link: Link, sleep: Sleep, patience: Patience, on_back: Callable[[], None]) -> None:
        self._link = link
        self._sleep = sleep
        self._patience = patience
        self._on_back = on_back

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            if self._link.answers:
                await self._for_a_while()
                if self._link.answers:
                    await self._link.probe()
            else:
                await self._until_back()

    async def _until_back(self) -> None:
        for pause in _forever(self._patience.again):
            await self._sleep(pause)
            if await self._link.probe():
                break
        self._on_back()

    async def _for_a_while(self) -> None:
        """Sleep until it is time to look again, or somebody has found it gone."""
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self._sleep(self._patience.idle)),
            asyncio.ensure_future(self._link.lost.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def _forever(pauses: tuple[float, ...]) -> Iterable[float]:
    return chain(pauses, repeat(pauses[-1]))
