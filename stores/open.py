"""Opens the five stores of a home folder, in files or on servers.

Importing this is cheap: SQLite and numpy are imported when a store is opened or used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from stores.authority import Role, Store
from stores.errors import InputError, LibraryInUse, LibraryUnreadable, NotFound, StoreError, StoreFull
from stores.records.ids import Clock, utc_now
from stores.stores import AnyCanon, AnyLog, Stores, make_home

if TYPE_CHECKING:
    from stores.changes import ChangeReader
    from stores.embedded.database import Database
    from stores.embedded.index_file import IndexFile
    from stores.history import History
    from stores.ports import ObjectStore, TextIndex, VectorIndex

__all__ = [
    "ALL_EMBEDDED",
    "ALL_STORES_VARIABLE",
    "StoreKind",
    "StoreKinds",
    "Stores",
    "StoresBehindPlay",
    "StoresForBackup",
    "StoresForReading",
    "open_stores",
    "open_stores_behind_play",
    "open_stores_beside",
    "open_stores_for_backup",
    "open_stores_for_reading",
    "open_worker_stores",
    "read_store_kinds",
]


class StoreKind(StrEnum):
    """What stands behind a port: a file of the home folder, or a server."""

    EMBEDDED = "embedded"
    SERVERS = "servers"


StoreKinds = Mapping[Store, StoreKind]

ALL_EMBEDDED: StoreKinds = MappingProxyType(dict.fromkeys(Store, StoreKind.EMBEDDED))
"""Every store in the home folder: the default."""

ALL_STORES_VARIABLE = "MONITOR_STORES"


def read_store_kinds(environ: Mapping[str, str]) -> StoreKinds:
    """Return the kind of each store.

    `MONITOR_STORES` sets all five, and `MONITOR_CANON`, `MONITOR_LOG`, `MONITOR_VECTORS`, `MONITOR_WORDS`
    and `MONITOR_OBJECTS` one of them.

    Raises InputError for an unknown kind.
    """
    default_kind = _parse_kind(ALL_STORES_VARIABLE, environ.get(ALL_STORES_VARIABLE))
    variable_names = {store: f"MONITOR_{store.name}" for store in Store}
    return {
        store: _parse_kind(name, environ.get(name)) or default_kind or StoreKind.EMBEDDED
        for store, name in variable_names.items()
    }


def _parse_kind(variable_name: str, value: str | None) -> StoreKind | None:
    if not value:
        return None
    try:
        return StoreKind(value.strip().casefold())
    except ValueError:
        raise InputError(
            f"{variable_name} is {value!r}, and there are no such stores.",
            kept="Nothing was opened.",
            todo=f"Set it to {' or '.join(StoreKind)}, or leave it out.",
        ) from None


async def open_stores(
    home: Path,
    *,
    clock: Clock = utc_now,
    kinds: StoreKinds = ALL_EMBEDDED,
    environ: Mapping[str, str] = MappingProxyType({}),
    on_progress: Callable[[str], None] = lambda line: None,
) -> Stores:
    """Open the library in `home`; folder and files are created if absent.

    `environ` has the addresses of servers; `on_progress` is called while a first copy of them is fetched.
    Raises LibraryUnreadable (nothing was changed), LibraryInUse (naming who has it), InputError (the address of
    a server is missing), CopyDiverged (the folder is the copy of a library on servers) or what
    `open_replicated_stores` raises; nothing stays open.
    """
    if server_stores := frozenset(store for store in Store if kinds[store] is not StoreKind.EMBEDDED):
        return await _open_with_servers(home, server_stores, clock, environ, on_progress)
    from stores.embedded.library import open_library, refuse_new_library
    from stores.embedded.object_store import remove_temporary_files
    from stores.embedded.stores import build_embedded_stores

    await asyncio.to_thread(make_home, home)
    async with AsyncExitStack() as exit_stack:
        await asyncio.to_thread(refuse_new_library, home)
        library = await open_library(home / "library.db")
        index = await _open_index_of(library, home / "index.db", exit_stack)
        await asyncio.to_thread(remove_temporary_files, home / "objects")
        return build_embedded_stores(home, library, index, clock, exit_stack.pop_all().aclose)


async def _open_index_of(library: Database, index_path: Path, exit_stack: AsyncExitStack) -> IndexFile:
    """Open the index of an open library; the stack closes both. Raises CopyDiverged for a library on servers."""
    from stores.embedded.index_file import open_index
    from stores.replication.join_errors import servers_not_named_error
    from stores.replication.replica_state import read_replica_state

    exit_stack.push_async_callback(library.close)
    if (await read_replica_state(library)).joined_stores:
        raise servers_not_named_error()
    index = await open_index(index_path)
    exit_stack.push_async_callback(index.close)
    return index


class StoresBehindPlay(NamedTuple):
    """What background workers read beside the process that plays, and the indexes and archives that they write.

    Canon and log refuse every write.
    """

    canon: AnyCanon
    log: AnyLog
    words: TextIndex
    vectors: VectorIndex
    archives: ObjectStore
    originals: ObjectStore
    """Documents that were imported; they are only read."""
    changes: ChangeReader | None
    """None where changes are not numbered: on servers."""
    close: Callable[[], Awaitable[None]]


async def open_stores_behind_play(home: Path, *, clock: Clock = utc_now) -> StoresBehindPlay:
    """Open the library of another process for reading, and its indexes for writing.

    One process at a time: that of a program that was killed may be at its last write still. Raises LibraryInUse,
    LibraryUnreadable or StoreError; nothing stays open then.
    """
    from stores.embedded.canon_graph import EmbeddedCanon
    from stores.embedded.changes import EmbeddedChanges
    from stores.embedded.index_file import join_index
    from stores.embedded.library import follow_library
    from stores.embedded.narrative_log import EmbeddedLog
    from stores.embedded.object_store import EmbeddedObjectStore
    from stores.embedded.process_lock import ProcessLock
    from stores.embedded.text_index import EmbeddedTextIndex
    from stores.embedded.vector_index import EmbeddedVectorIndex

    async with AsyncExitStack() as exit_stack:
        index_path = home / "index.db"
        lock = await asyncio.to_thread(ProcessLock, home / "background.lock", index_path)
        exit_stack.callback(lock.release)
        library = await follow_library(home / "library.db")
        exit_stack.push_async_callback(library.close)
        index = await join_index(index_path)
        exit_stack.push_async_callback(index.close)
        return StoresBehindPlay(
            EmbeddedCanon(library, Role.MEMORY_MANAGER),
            EmbeddedLog(library, Role.MEMORY_MANAGER, clock=clock),
            EmbeddedTextIndex(index, Role.INDEXER),
            EmbeddedVectorIndex(index, Role.INDEXER),
            EmbeddedObjectStore(home / "objects", Role.ARCHIVIST),
            EmbeddedObjectStore(home / "objects", Role.CONTEXT_ASSEMBLY),
            EmbeddedChanges(library),
            exit_stack.pop_all().aclose,
        )


async def open_worker_stores(environ: Mapping[str, str]) -> StoresBehindPlay:
    """Open the stores on servers for a worker on another machine. Raises InputError or StoreError."""
    from stores.servers.worker_stores import open_worker_stores as open_on_servers

    return await open_on_servers(environ)


async def open_stores_beside(
    home: Path, *, clock: Clock = utc_now, kinds: StoreKinds = ALL_EMBEDDED
) -> Stores:
    """Open the library in `home` only to be read, beside whatever program has it open. Nothing locks it.

    Every write is refused (WriteDenied). Raises NotFound without a library, InputError for stores on servers,
    LibraryUnreadable or StoreError; nothing stays open then.
    """
    from tempfile import TemporaryDirectory

    from stores.embedded.index_file import follow_index
    from stores.embedded.library import follow_library
    from stores.embedded.object_store import EmbeddedObjectStore
    from stores.embedded.stores import build_embedded_stores
    from stores.embedded.write_ahead_log import check_log

    if any(kind is not StoreKind.EMBEDDED for kind in kinds.values()):
        raise InputError(
            "This library is on servers, and only one in files can be read beside the program.",
            kept="Nothing was opened.",
            todo=f"Leave {ALL_STORES_VARIABLE} out to read a library in files.",
        )
    library_path = home / "library.db"
    if not library_path.is_file():
        raise NotFound(
            f"There is no library in {home}.",
            todo="Open MONITOR once, or name the folder of your library: --home FOLDER.",
        )
    await asyncio.to_thread(check_log, library_path)
    async with AsyncExitStack() as exit_stack:
        folder = Path(exit_stack.enter_context(TemporaryDirectory(prefix="monitor-")))
        library = await follow_library(library_path)
        exit_stack.push_async_callback(library.close)
        index = await follow_index(home / "index.db", folder)
        exit_stack.push_async_callback(index.close)
        stores = build_embedded_stores(home, library, index, clock, exit_stack.pop_all().aclose)
        return replace(
            stores, objects=lambda role: EmbeddedObjectStore(home / "objects", Role.CONTEXT_ASSEMBLY)
        )


class StoresForBackup(NamedTuple):
    """What a backup is made of, open for reading. Implements `stores.backup.writing.BackedUpStores`."""

    history: History
    objects: Callable[[Role | None], ObjectStore]
    close: Callable[[], Awaitable[None]]


async def open_stores_for_backup(home: Path) -> StoresForBackup:
    """Open the library of another process to back it up. Raises LibraryUnreadable or StoreError."""
    from stores.embedded.history import EmbeddedHistory
    from stores.embedded.library import follow_library
    from stores.embedded.object_store import EmbeddedObjectStore

    library = await follow_library(home / "library.db")
    return StoresForBackup(
        EmbeddedHistory(library), lambda role: EmbeddedObjectStore(home / "objects", role), library.close
    )


class StoresForReading(NamedTuple):
    """Open stores; `problem` says why they are a copy of the library, and is None if they are the library."""

    stores: Stores
    problem: StoreError | None


async def open_stores_for_reading(
    home: Path,
    *,
    clock: Clock = utc_now,
    kinds: StoreKinds = ALL_EMBEDDED,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> StoresForReading:
    """Open the library as `open_stores` does, or a copy of it if that is in use, on a full or on a read-only disk.

    What is written to a copy is lost. Raises what `open_stores` raises if no copy can be made, if the copy would
    lack writes, and for a library on servers.
    """
    try:
        return StoresForReading(await open_stores(home, clock=clock, kinds=kinds, environ=environ), None)
    except (LibraryInUse, LibraryUnreadable, StoreFull) as error:
        if any(kind is not StoreKind.EMBEDDED for kind in kinds.values()):
            raise
        try:
            return StoresForReading(await _open_snapshot(home, clock), error)
        except (StoreError, OSError, UnicodeEncodeError):
            raise error from None


async def _open_snapshot(home: Path, clock: Clock) -> Stores:
    """Open a copy of the library in a temporary folder; its objects are read where they are."""
    from tempfile import TemporaryDirectory

    from stores.embedded.snapshot import open_library_copy
    from stores.embedded.stores import build_embedded_stores

    async with AsyncExitStack() as exit_stack:
        folder = Path(exit_stack.enter_context(TemporaryDirectory(prefix="monitor-")))
        library = await open_library_copy(home / "library.db", folder)
        index = await _open_index_of(library, folder / "index.db", exit_stack)
        return build_embedded_stores(home, library, index, clock, exit_stack.pop_all().aclose)


async def _open_with_servers(
    home: Path,
    server_stores: frozenset[Store],
    clock: Clock,
    environ: Mapping[str, str],
    on_progress: Callable[[str], None],
) -> Stores:
    """Open with these stores on servers, and with a copy in `home` that is used while one is down."""
    from stores.replication.open_replicated import open_replicated_stores
    from stores.replication.replay_clock import ReplayClock
    from stores.servers.server_settings import read_server_settings
    from stores.servers.server_stores import ServerStores, import_drivers

    await asyncio.to_thread(import_drivers, server_stores)
    servers = ServerStores(read_server_settings(environ, server_stores), ReplayClock(clock))
    mirrored_stores = await open_replicated_stores(
        servers.make_connectors(server_stores), home, on_progress=on_progress
    )
    return replace(mirrored_stores, doctor=servers.make_doctor(mirrored_stores.doctor, server_stores))
