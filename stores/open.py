"""Opening a home folder: the five stores of it, each as whatever role asks may use it.

Importing this is cheap: SQLite and numpy come when a store is opened or used.
Source: design/architecture.md ("stores/", "A home folder holds ...").
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from stores.authority import Role, Store
from stores.errors import InputError, LibraryUnreadable
from stores.history import History
from stores.ports import (
    CanonKeeperLog,
    CanonWriter,
    ContainerWriter,
    IngestLog,
    MemoryLog,
    NarratorLog,
    ObjectStore,
    OrchestratorLog,
    ResolverLog,
    TextIndex,
    VectorIndex,
)
from stores.records.ids import Clock, utc_now

if TYPE_CHECKING:
    from stores.embedded.database import Database
    from stores.embedded.index import IndexFile

_OK = "ok"


class Kind(StrEnum):
    """What stands behind a port: a file of the home folder, or a server."""

    EMBEDDED = "embedded"
    SERVERS = "servers"


Kinds = Mapping[Store, Kind]

EMBEDDED: Kinds = MappingProxyType(dict.fromkeys(Store, Kind.EMBEDDED))
"""Every store in the home folder: what there is without any setting."""

ALL_STORES = "MONITOR_STORES"


def kinds_named(environ: Mapping[str, str]) -> Kinds:
    """Return what kind each store is to be: `MONITOR_STORES` says it of all five, and `MONITOR_CANON`,
    `MONITOR_LOG`, `MONITOR_VECTORS`, `MONITOR_WORDS` and `MONITOR_OBJECTS` of one.

    Raises InputError for a kind that there is not.
    """
    every = _kind(ALL_STORES, environ.get(ALL_STORES))
    named = {store: f"MONITOR_{store.name}" for store in Store}
    return {store: _kind(name, environ.get(name)) or every or Kind.EMBEDDED for store, name in named.items()}


def _kind(name: str, value: str | None) -> Kind | None:
    if not value:
        return None
    try:
        return Kind(value.strip().casefold())
    except ValueError:
        raise InputError(
            f"{name} is {value!r}, and there are no such stores.",
            kept="Nothing was opened.",
            todo=f"Set it to {' or '.join(Kind)}, or leave it out.",
        ) from None


class AnyLog(OrchestratorLog, NarratorLog, ResolverLog, CanonKeeperLog, MemoryLog, IngestLog, Protocol):
    """The log with every role's handle on it; the store refuses what the role may not do."""


class AnyCanon(ContainerWriter, CanonWriter, Protocol):
    """Canon with every role's handle on it; the store refuses what the role may not do."""


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores. Each factory gives a store as the role may use it; `None` is the owner's leave.

    `history` is the archive's door to the whole truth of a universe. `health` names each store with "ok"
    or with what is amiss. `close` finishes what is queued; closing twice is no error.
    """

    log: Callable[[Role], AnyLog]
    canon: Callable[[Role], AnyCanon]
    vectors: Callable[[Role], VectorIndex]
    words: Callable[[Role], TextIndex]
    objects: Callable[[Role | None], ObjectStore]
    history: History
    health: Callable[[], tuple[tuple[str, str], ...]]
    close: Callable[[], Awaitable[None]]


async def open_stores(home: Path, *, clock: Clock = utc_now, kinds: Kinds = EMBEDDED) -> Stores:
    """Open the library in `home`; folder and files are made if absent. The one place that chooses stores.

    Raises LibraryUnreadable (nothing was changed), LibraryInUse (naming who has it) or InputError (stores
    of that kind are not built); nothing stays open.
    """
    if elsewhere := [store for store in Store if kinds[store] is not Kind.EMBEDDED]:
        raise InputError(
            f"Stores on servers are not built yet ({', '.join(elsewhere)}).",
            kept="Nothing was opened.",
            todo=f"Leave {ALL_STORES} out, or set it to {Kind.EMBEDDED}.",
        )
    from stores.embedded.index import open_index
    from stores.embedded.library import open_library
    from stores.embedded.object_store import remove_unfinished

    await asyncio.to_thread(_make_home, home)
    async with AsyncExitStack() as opened:
        library = await open_library(home / "library.db")
        opened.push_async_callback(library.close)
        index = await open_index(home / "index.db")
        opened.push_async_callback(index.close)
        await asyncio.to_thread(remove_unfinished, home / "objects")
        return _embedded(home, library, index, clock, opened.pop_all().aclose)


def _embedded(
    home: Path, library: Database, index: IndexFile, clock: Clock, close: Callable[[], Awaitable[None]]
) -> Stores:
    from stores.embedded.canon_graph import EmbeddedCanon
    from stores.embedded.history import EmbeddedHistory
    from stores.embedded.narrative_log import EmbeddedLog
    from stores.embedded.object_store import EmbeddedObjects
    from stores.embedded.text_index import EmbeddedWords
    from stores.embedded.vector_index import EmbeddedVectors

    def health() -> tuple[tuple[str, str], ...]:
        derived = index.notice or _OK
        state = {Store.VECTORS: derived, Store.WORDS: derived}
        return tuple((store.value, state.get(store, _OK)) for store in Store)

    return Stores(
        log=lambda role: EmbeddedLog(library, role, clock=clock),
        canon=lambda role: EmbeddedCanon(library, role),
        vectors=lambda role: EmbeddedVectors(index, role),
        words=lambda role: EmbeddedWords(index, role),
        objects=lambda role: EmbeddedObjects(home / "objects", role),
        history=EmbeddedHistory(library),
        health=health,
        close=close,
    )


def _make_home(home: Path) -> None:
    """Make the folder for its owner's eyes alone; what a player writes is private."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise LibraryUnreadable(
            f"{home} is a file, and a library is a folder.",
            kept="It was left as it is.",
            todo="Choose another folder.",
        ) from None
    except OSError as error:
        raise LibraryUnreadable(
            f"The folder {home} cannot be made: {error.strerror or error}.",
            kept="Nothing was changed.",
            todo="Check who owns the folder above it, or choose another.",
        ) from error
