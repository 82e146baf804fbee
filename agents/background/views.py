"""What runs behind play, as the footer and the System screen draw it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from stores.records.ids import Id
from stores.records.jobs import Job


@dataclass(frozen=True, slots=True)
class BackgroundView:
    """`waiting` counts what is left to do (items, as far as it is known), `doing` says what is done now
    (empty: nothing). `rows` are (what, how it stands) for the System screen: indexes, embedding model,
    memories. `poisoned` failed too often and wait for a word of the user's."""

    waiting: int = 0
    doing: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    poisoned: tuple[Job, ...] = ()
    names: Mapping[Id, str] = field(default_factory=dict)
    """What subjects of poisoned jobs are called, as far as it is known."""

    def named(self, names: Mapping[Id, str]) -> BackgroundView:
        return replace(self, names=names)


class BackgroundDesk(Protocol):
    def start(self) -> None:
        """Begin to work behind play, if this program does; returns at once. Twice is once."""
        ...

    def now(self) -> BackgroundView:
        """How it stands, as far as it is known without a store."""
        ...

    async def look(self) -> BackgroundView: ...

    async def retry(self, job_id: Id) -> None:
        """Try a poisoned job again, from its first attempt."""
        ...

    def left_of(self, universe_id: Id) -> int:
        """What is left to do of a universe (items, as far as it is known)."""
        ...

    async def settle(self, universe_id: Id | None = None) -> None:
        """Return when nothing is left to do (of the universe) but what is poisoned or waits for a store."""
        ...
