"""Follows the changes of log and canon for one index, from the change up to which the index is made."""

from __future__ import annotations

import asyncio
from enum import Enum, auto
from typing import Final

from agents.indexer.index_writers import IndexWriter
from stores.changes import Change, ChangeCursor, ChangeReader

CHANGES_PER_READ: Final = 5_000


class IndexStart(Enum):
    """What is known of an index when it is opened."""

    FOLLOWS = auto()
    """It is made up to a change of this library: what changed since is all that there is to do."""
    NEVER_FOLLOWED = auto()
    """It is new or of an earlier version: its fingerprints say what is out of date."""
    DIVERGED = auto()
    """It was made from another state of the library, as after a restore: everything has to be compared."""


class ChangeFollower:
    """Reads each change once. The index keeps the cursor of what it has taken in."""

    def __init__(self, changes: ChangeReader, writer: IndexWriter) -> None:
        self._changes = changes
        self._writer = writer
        self._read_lock = asyncio.Lock()
        self._stored_cursor: ChangeCursor | None = None
        self.cursor: ChangeCursor | None = None
        """Up to where changes were read; None until `start`."""

    async def start(self) -> IndexStart:
        """Begin at the index's cursor, or at the present state if all before has to be compared."""
        async with self._read_lock:
            last_change = await self._changes.last_change()
            self._stored_cursor = ChangeCursor.parse(await self._writer.read_cursor())
            if self._stored_cursor is None:
                self.cursor = last_change
                return IndexStart.NEVER_FOLLOWED
            if not await self._changes.knows(self._stored_cursor):
                self.cursor = last_change
                return IndexStart.DIVERGED
            self.cursor = self._stored_cursor
            return IndexStart.FOLLOWS

    async def read_new(self) -> list[Change]:
        """Return what changed since the last call; nothing before `start`."""
        new_changes: list[Change] = []
        async with self._read_lock:
            cursor = self.cursor
            while cursor is not None:
                page = await self._changes.changes_after(cursor, limit=CHANGES_PER_READ)
                new_changes += page
                cursor = page[-1].cursor if len(page) == CHANGES_PER_READ else None
            if new_changes:
                self.cursor = new_changes[-1].cursor
        return new_changes

    async def store_cursor(self) -> None:
        """Store that the index has taken in everything that was read."""
        if self.cursor is not None and self.cursor != self._stored_cursor:
            cursor = self.cursor
            await self._writer.write_cursor(cursor.as_text())
            self._stored_cursor = cursor
