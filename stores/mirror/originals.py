"""Documents on a server, and those of them that were here once: immutable, and each named by its content.

A document goes there and stays here, so reading one that is here asks nobody. Its key goes to the outbox
before either: after a crash it is looked for here, then there, and put where it is missing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from stores.authority import Role, Store
from stores.errors import MonitorError, NotFound
from stores.mirror.board import Board
from stores.mirror.link import Link, Outage
from stores.mirror.outbox import Letter, Outbox
from stores.ports import ObjectStore
from stores.records.ids import Clock

T = TypeVar("T")

Here = Callable[[Role | None], ObjectStore]
"""Gives the documents of the home folder as a role may use them."""


class Originals:
    """Keeps what is here and what is there the same."""

    def __init__(self, here: Here, link: Link, outbox: Outbox, board: Board, now: Clock) -> None:
        self._here = here
        self._link = link
        self._outbox = outbox
        self._board = board
        self._now = now
        self._order = asyncio.Lock()
        self._under_way: set[asyncio.Task[Any]] = set()
        self.on_waiting: Callable[[], None] = lambda: None

    async def put(self, role: Role | None, collection: str, data: bytes) -> str:
        """Store it there (or, while it is down, only here) and here; return its key."""
        task = asyncio.ensure_future(self._in_order(self._put(role, collection, data)))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # its caller may be gone
        return await asyncio.shield(task)

    async def get(self, role: Role | None, collection: str, key: str) -> bytes:
        """Return it from here, or from there, and then keep it here too."""
        try:
            return await self._here(role).get(collection, key)
        except NotFound:
            if not self._link.answers:
                raise self._link.outage() from None
        try:
            data: bytes = await self._link.read(role, "get", collection, key)
        except Outage:
            raise self._link.outage() from None
        await self._here(None).put(collection, data)
        return data

    async def exists(self, role: Role | None, collection: str, key: str) -> bool:
        here = await self._here(role).exists(collection, key)
        if here or not self._link.answers:
            return here
        try:
            return bool(await self._link.read(role, "exists", collection, key))
        except Outage:
            return False

    async def keys(self, role: Role | None, collection: str) -> list[str]:
        """Return every key; while the server is down, of what is here."""
        here = await self._here(role).keys(collection)
        if not self._link.answers:
            return here
        try:
            return sorted({*here, *await self._link.read(role, "keys", collection)})
        except Outage:
            return here

    async def close(self) -> None:
        """Finish what is under way."""
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def deliver(self, letter: Letter) -> None:
        """Put the document of a letter wherever it is missing."""
        if not self._link.answers:
            raise self._link.outage()
        self._board.catching_up(Store.OBJECTS)
        await self._in_order(self._deliver(letter))

    async def _deliver(self, letter: Letter) -> None:
        collection, key = json.loads(letter.arguments)
        owner = self._here(None)
        try:
            data = await owner.get(collection, key)
        except NotFound:
            # Asked for by a process that ended: whatever came of it is there, or nothing did.
            if await self._link.read(None, "exists", collection, key):
                await owner.put(collection, await self._link.read(None, "get", collection, key))
            return
        await self._link.write(letter.role, "put", collection, data)

    async def emptied(self) -> bool:
        if self._link.answers:
            self._board.up(Store.OBJECTS)
        return True

    async def _put(self, role: Role | None, collection: str, data: bytes) -> str:
        key = hashlib.sha256(data).hexdigest()
        letter = await self._outbox.post(
            Letter(Store.OBJECTS, role, "put", json.dumps([collection, key]), self._now(), applied=True)
        )
        try:
            arrived = await self._sent(role, collection, data)
            await self._here(role).put(collection, data)
        except MonitorError:
            await self._outbox.remove(letter)
            raise
        if arrived:
            await self._outbox.remove(letter)
        else:
            self.on_waiting()
        return key

    async def _in_order(self, job: Coroutine[Any, Any, T]) -> T:
        """Do one thing at a time: what is being put is not looked for by who sends what waits."""
        async with self._order:
            return await job

    async def _sent(self, role: Role | None, collection: str, data: bytes) -> bool:
        if not self._link.answers:
            return False
        try:
            await self._link.write(role, "put", collection, data)
        except Outage:
            return False
        return True


class OriginalsHandle:
    """The port, for one role. The words of each method are those of `ObjectStore`."""

    def __init__(self, originals: Originals, role: Role | None) -> None:
        self._originals = originals
        self._role = role

    async def put(self, collection: str, data: bytes) -> str:
        return await self._originals.put(self._role, collection, data)

    async def get(self, collection: str, key: str) -> bytes:
        return await self._originals.get(self._role, collection, key)

    async def exists(self, collection: str, key: str) -> bool:
        return await self._originals.exists(self._role, collection, key)

    async def keys(self, collection: str) -> list[str]:
        return await self._originals.keys(self._role, collection)
