"""Vectors and words: derived, so without a copy here. What is written while they are down waits, and goes.

A search while the server is down raises StoreUnavailable, and the caller falls back. So does a write when
too much waits already: whoever indexes keeps count of what is indexed, and comes again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

from stores.authority import Role, Store
from stores.errors import MonitorError, StoreUnavailable
from stores.mirror.board import NAMES, Board
from stores.mirror.calls import pack
from stores.mirror.link import Link, Outage
from stores.mirror.outbox import Letter, Outbox

log = logging.getLogger(__name__)

MOST = 20_000
"""Writes that may wait for one index."""


class Index:
    """The vectors or the words, on a server."""

    def __init__(self, link: Link, outbox: Outbox, board: Board, most: int = MOST) -> None:
        self._link = link
        self._outbox = outbox
        self._board = board
        self._most = most
        self._order = asyncio.Lock()
        self.on_waiting: Callable[[], None] = lambda: None

    async def read(
        self, store: Store, role: Role, method: str, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Any:
        if not self._link.answers:
            raise self._link.outage()
        return await self._link.read(role, method, *args, **named)

    def rebuilds(self, role: Role) -> bool:
        """Tell whether this index can be made anew beside the one that is in use."""
        return self._link.offers(role, "rebuild")

    async def rebuild(self, role: Role, collection: str, batches: AsyncIterator[Any]) -> int:
        """Make a collection anew there. Raises StoreUnavailable, and then it is as it was."""
        if not self._link.answers:
            raise self._link.outage()
        return int(await self._link.work(role, "rebuild", collection, batches))

    async def write(self, letter: Letter) -> None:
        """Write there, or let it wait. Raises StoreUnavailable if no more may wait."""
        async with self._order:
            if self._link.answers and not self._outbox.waiting[letter.store]:
                try:
                    return await self._send(letter)
                except Outage:
                    log.info("What was to be indexed waits.")
            if self._outbox.waiting[letter.store] >= self._most:
                raise self._link.outage()
            assert letter.live is not None
            arguments = pack(letter.store, letter.method, *letter.live)
            await self._outbox.post(letter._replace(arguments=arguments, applied=True))
        self.on_waiting()
        return None

    async def deliver(self, letter: Letter) -> None:
        """Send what waited. What the server refuses is dropped: it can be made again from the truth."""
        if not self._link.answers:
            raise self._link.outage()
        self._board.catching_up(letter.store)
        try:
            await self._send(letter)
        except StoreUnavailable:
            raise
        except MonitorError as error:
            self._board.say(
                letter.store, f"What waited for the {NAMES[letter.store]} was refused: {error}", "warning"
            )

    async def emptied(self) -> bool:
        if self._link.answers:
            self._board.up(self._link.store)
        return True

    async def _send(self, letter: Letter) -> None:
        await letter.to(partial(self._link.write, letter.role, letter.method))
