"""All of a universe, read from the copy and written to both the copy and its servers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from stores.authority import Store
from stores.embedded.database import Database
from stores.embedded.history import EmbeddedHistory
from stores.errors import MonitorError
from stores.history import CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id
from stores.replication.import_files import IMPORT_METHOD, ImportFiles
from stores.replication.outbox import OutboxEntry
from stores.replication.primary_stores import ReplicatedPrimaryStores


class ReplicatedHistory:
    """The `History` of a library that has a copy here. Reading asks the copy alone."""

    is_single_snapshot = True

    def __init__(
        self, db: Database, primary_stores: ReplicatedPrimaryStores, import_files: ImportFiles, now: Clock
    ) -> None:
        self._local_history = EmbeddedHistory(db)
        self._primary_stores = primary_stores
        self._import_files = import_files
        self._now = now

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        await self._primary_stores.apply_unapplied()
        await self._local_history.dump(universe_id, sink)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        await self._primary_stores.apply_unapplied()
        await self._local_history.dump_all(sink)

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        arguments = await self._import_files.write_file(parts, mentioned_ids, finish_partial=finish_partial)
        entry = OutboxEntry(Store.LOG, None, IMPORT_METHOD, arguments, self._now())
        try:
            existing_ids: set[Id] = await self._primary_stores.write(entry)
        except MonitorError:
            self._import_files.remove_file(entry)
            raise
        if existing_ids:
            self._import_files.remove_file(entry)
        return existing_ids
