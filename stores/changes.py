"""The port by which derived data follows log and canon: every change of a record has a number.

The numbers are given in the transaction of the write itself, so what has no number was not written. Whoever follows
keeps a cursor, the last change that it has taken in, beside what it derives.

Only stores that are all in one file can number their changes in one order. Those on servers cannot
(`Stores.changes` is None): what is derived from them is kept up to date by comparing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from stores.records.ids import Id


class RecordKind(StrEnum):
    """What was written.

    A scene also changes with its head, its summaries, how far its memories are written, its beginning and end and its
    story's, and its story's player character.
    """

    SCENE = "scene"
    MEMORY = "memory"
    ENTITY = "entity"
    FACT = "fact"
    SOURCE = "source"
    """A document, or snippets of it."""


class ChangeCursor(NamedTuple):
    """A change up to which everything was taken in."""

    number: int
    tag: int
    """Drawn at random for each change: a library that was restored has others under the same numbers."""

    @classmethod
    def parse(cls, text: str) -> ChangeCursor | None:
        """Return the cursor that was stored, or None if there is none."""
        number, _, tag = text.partition(":")
        if not number.isdecimal() or not tag.removeprefix("-").isdecimal():
            return None
        return cls(int(number), int(tag))

    def as_text(self) -> str:
        return f"{self.number}:{self.tag}"


class Change(NamedTuple):
    """A record that was written or removed."""

    cursor: ChangeCursor
    """Of its last change."""
    kind: RecordKind
    id: Id
    universe_id: Id
    scene_id: Id | None
    """Of a memory: its scene, if it has one."""


class ChangeReader(Protocol):
    """Reads what was changed. Raises StoreError."""

    async def last_change(self) -> ChangeCursor:
        """Return the cursor of what has taken in everything."""
        ...

    async def knows(self, cursor: ChangeCursor) -> bool:
        """Return whether the library has changed from there to its present state.

        False after a restore of an older library, and when the change was replaced by much later ones of its record:
        then everything has to be compared.
        """
        ...

    async def changes_after(self, cursor: ChangeCursor, *, limit: int) -> list[Change]:
        """Return the records that changed after the cursor, each once, in the order of their last changes.

        At most `limit`: if there are so many, ask again after the last of them.
        """
        ...
