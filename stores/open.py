"""Opening a home folder: the five stores of it, each as whatever role asks may use it.

Importing this is cheap: SQLite and numpy come when a store is opened or used.
Source: design/architecture.md ("stores/", "A home folder holds ...").
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from stores.authority import Store
from stores.errors import InputError
from stores.records.ids import Clock, utc_now
from stores.stores import Stores, make_home

__all__ = ["ALL_STORES", "EMBEDDED", "Kind", "Kinds", "Stores", "kinds_named", "open_stores"]


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


async def open_stores(
    home: Path,
    *,
    clock: Clock = utc_now,
    kinds: Kinds = EMBEDDED,
    environ: Mapping[str, str] = MappingProxyType({}),
    tell: Callable[[str], None] = lambda line: None,
) -> Stores:
    """Open the library in `home`; folder and files are made if absent. The one place that chooses stores.

    `environ` says where servers are; `tell` hears how the first copy of what is on them comes along.
    Raises LibraryUnreadable (nothing was changed), LibraryInUse (naming who has it), InputError (it is not
    said where a server is), Apart (it is the copy of a library on servers) or what `mirrored` raises; nothing
    stays open.
    """
    if elsewhere := frozenset(store for store in Store if kinds[store] is not Kind.EMBEDDED):
        return await _on_servers(home, elsewhere, clock, environ, tell)
    from stores.embedded.index import open_index
    from stores.embedded.library import open_library
    from stores.embedded.object_store import remove_unfinished
    from stores.embedded.stores import embedded_stores
    from stores.mirror.place import place_of
    from stores.mirror.words import a_copy

    await asyncio.to_thread(make_home, home)
    async with AsyncExitStack() as opened:
        library = await open_library(home / "library.db")
        opened.push_async_callback(library.close)
        if (await place_of(library)).joined:
            raise a_copy()
        index = await open_index(home / "index.db")
        opened.push_async_callback(index.close)
        await asyncio.to_thread(remove_unfinished, home / "objects")
        return embedded_stores(home, library, index, clock, opened.pop_all().aclose)


async def _on_servers(
    home: Path,
    stores: frozenset[Store],
    clock: Clock,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
) -> Stores:
    """Open with these stores on servers, and with a copy in `home` that stands in while one is down."""
    from stores.mirror.open import mirrored
    from stores.mirror.stamps import Stamps
    from stores.servers.addresses import addresses
    from stores.servers.open import ServerStores, import_drivers

    await asyncio.to_thread(import_drivers, stores)
    servers = ServerStores(addresses(environ, stores), Stamps(clock))
    opened = await mirrored(servers.servers(stores), home, tell=tell)
    return replace(opened, doctor=servers.doctor(opened.doctor, stores))
