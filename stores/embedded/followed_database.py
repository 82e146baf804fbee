"""Follows a SQLite file that another process has open: reads what that process has written, and writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

from stores.authority import Role
from stores.embedded.connections import ConnectionFactory, check_header
from stores.embedded.database import Priority
from stores.embedded.permissions import StoreOfTable
from stores.embedded.reader_pool import ReaderPool, closed_error
from stores.errors import StoreError, WriteDenied

T = TypeVar("T")


class FollowedDatabase:
    """The file, for reading. Implements `stores.embedded.database.DatabaseFile`.

    Its connections are read-only, so that closing the last of them after a crash of the other process leaves the
    write-ahead log as it is.
    """

    def __init__(self, path: Path, connections: ConnectionFactory) -> None:
        self.path = path
        self._readers = ReaderPool(path, connections)
        self._closed = False

    @classmethod
    async def open(
        cls, path: Path, *, store_of_table: StoreOfTable, application_id: int, version: int
    ) -> FollowedDatabase:
        """Open the file, which is there in this version of its format. Raises LibraryUnreadable or StoreError."""
        await asyncio.to_thread(check_header, path, application_id, version)
        database = cls(path, ConnectionFactory(path, store_of_table, "FULL"))
        found_version = await database.read(lambda connection: int(connection.pragma("user_version")))
        if found_version != version:
            await database.close()
            raise StoreError(
                f"{path.name} has format {found_version}, and this program follows {version}.",
                kept="Nothing was changed.",
            )
        return database

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` on a read-only connection, in one snapshot, in a thread."""
        if self._closed:
            raise closed_error()
        return await self._readers.read(work)

    async def write(
        self, role: Role, work: Callable[[apsw.Connection], T], priority: Priority = Priority.PLAY
    ) -> T:
        """Raises WriteDenied."""
        raise _write_error()

    async def write_as_owner(
        self, work: Callable[[apsw.Connection], T], priority: Priority = Priority.PLAY
    ) -> T:
        """Raises WriteDenied."""
        raise _write_error()

    async def close(self) -> None:
        """Close it. Closing twice is no error."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._readers.close)


def _write_error() -> WriteDenied:
    return WriteDenied("The library is only read here.", kept="Nothing was written.")
