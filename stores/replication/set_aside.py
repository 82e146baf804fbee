"""Inspects a copy without its servers, and sets it aside so that the next opening fetches a new one."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from stores.authority import Store
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.embedded.permissions import OUTBOX_TABLE
from stores.errors import InputError
from stores.replication.copy_builder import install_copy
from stores.replication.outbox import PRIMARY_STORES, Outbox, copy_pending_entries
from stores.replication.replica_state import ReplicaState, read_replica_state, write_replica_state


class CopyReport(NamedTuple):
    """The state of the copy in a home folder, and the number of writes that wait to be sent, by store."""

    replica_state: ReplicaState
    pending_counts: Counter[Store]


async def inspect_copy(home: Path) -> CopyReport:
    """Inspect the library in `home`. Raises LibraryInUse, or InputError if there is none."""
    library = await _open_library(home)
    try:
        outbox = Outbox(library, Counter())
        await outbox.count_pending()
        return CopyReport(await read_replica_state(library), outbox.pending_counts)
    finally:
        await library.close()


async def set_aside_copy(home: Path) -> Path:
    """Turn the copy into a library of its own under another name, and return its path.

    It keeps all that was played; waiting writes of log and canon are not sent any more, those of documents
    and indexes still are. Raises LibraryInUse, or InputError if there is no library.
    """
    library = await _open_library(home)
    try:
        new_library = await open_library(home / "filling" / "library.db")
        replica_id = (await read_replica_state(library)).replica_id  # the servers know the lease holder by it
        try:
            await write_replica_state(new_library, ReplicaState(replica_id=replica_id))
            await copy_pending_entries(library, new_library, set(Store) - set(PRIMARY_STORES))
        finally:
            await new_library.close()
        await write_replica_state(library, ReplicaState())
        await library.write_as_owner(
            lambda connection: connection.execute(f"DELETE FROM {OUTBOX_TABLE}") and None
        )
    finally:
        await library.close()
    kept_path = await asyncio.to_thread(install_copy, home, set_aside=True)
    assert kept_path is not None
    return kept_path


async def _open_library(home: Path) -> Database:
    path = home / "library.db"
    if not await asyncio.to_thread(path.exists):
        raise InputError(f"There is no library in {home}.", kept="Nothing was changed.")
    return await open_library(path)
