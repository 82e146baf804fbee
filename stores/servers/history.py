"""Reads all of a universe from Neo4j and MongoDB, and writes it there; see `History`.

The two servers share no transaction: a load that fails is rolled back, at the next opening if the program died.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from stores.errors import NotFound
from stores.history import NO_UNIVERSE, RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.ids import Id
from stores.servers import canon_history, log_history
from stores.servers.canon_history import ServerCanonHistory
from stores.servers.log_history import ServerLogHistory
from stores.servers.mongo import MongoDatabase, MongoWriteTransaction
from stores.servers.neo4j_graph import Neo4jGraph

T = TypeVar("T")

_BATCH_SIZE = 500
"""Records written by one transaction."""
_LOAD_MARK_KEY = "loading"

assert {*RECORD_COLLECTIONS} == canon_history.CANON_COLLECTIONS | log_history.LOG_COLLECTIONS, (
    "a collection has no server"
)


class ServerHistory:
    is_single_snapshot = False
    """Each server is read as of one moment, but not both as of the same one."""

    def __init__(self, graph: Neo4jGraph, mongo: MongoDatabase) -> None:
        self._canon = ServerCanonHistory(graph)
        self._log = ServerLogHistory(mongo)
        self._mongo = mongo

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        if universe_id not in await self._canon.universe_ids():
            raise NotFound(f"There is no universe {universe_id}.")
        records = await self._read_universe(universe_id)
        await asyncio.to_thread(_feed_sink, records, sink)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        for universe_id in await self._canon.universe_ids():
            records = await self._read_universe(universe_id)
            await asyncio.to_thread(_feed_sink, records, partial(sink, universe_id))
        transitions = await self._log.session_transitions()
        await asyncio.to_thread(sink, NO_UNIVERSE, "transitions", iter(transitions))

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        if finish_partial:
            await self._write_collections(parts)
            return set()
        if existing_ids := await self._find_existing_ids(list(mentioned_ids)):
            return existing_ids
        await self._write_load_mark(
            {"canon": await self._canon.next_number(), "log": await self._log.next_number()}
        )
        try:
            await self._write_collections(parts)
        except BaseException:
            await asyncio.shield(self.undo_failed_load())
            raise
        await self._write_load_mark(None)
        return set()

    async def undo_failed_load(self) -> bool:
        """Delete what a failed load has written; return whether there was one."""
        async with self._mongo.read_transaction(None) as tx:
            load_mark = await tx.find_one("counters", {"_id": _LOAD_MARK_KEY})
        if load_mark is None or load_mark["since"] is None:
            return False
        await self._canon.drop_since(int(load_mark["since"]["canon"]))
        await self._log.drop_since(int(load_mark["since"]["log"]))
        await self._write_load_mark(None)
        return True

    # --- inside -------------------------------------------------------------------------------------

    async def _read_universe(self, universe_id: Id) -> dict[str, list[Record]]:
        log_records = await self._log.dump(universe_id)
        scenes = [str(getattr(r, "id")) for r in log_records["scenes"]]  # noqa: B009  every scene has one
        turns = [str(getattr(r, "id")) for r in log_records["turns"]]  # noqa: B009
        return {**log_records, **await self._canon.dump(universe_id, scenes, turns)}

    async def _find_existing_ids(self, ids: Sequence[Id]) -> set[Id]:
        existing_ids: set[Id] = set()
        for start in range(0, len(ids), _BATCH_SIZE):
            batch = ids[start : start + _BATCH_SIZE]
            existing_ids |= await self._canon.existing_ids(batch) | await self._log.existing_ids(batch)
        return existing_ids

    async def _write_collections(self, parts: Iterable[CollectionRecords]) -> None:
        scenes: list[Id] = []
        collection_iterator = iter(parts)
        while (part := await asyncio.to_thread(next, collection_iterator, None)) is not None:
            collection, records = part
            record_iterator = iter(records)
            while batch := await asyncio.to_thread(_next_batch, record_iterator):
                store = self._canon if collection in canon_history.CANON_COLLECTIONS else self._log
                await store.write(collection, batch)
                if collection == "scenes":
                    scenes += [str(getattr(scene, "id")) for scene in batch]  # noqa: B009
        await self._log.rebuild_lines(scenes)

    async def _write_load_mark(self, since: dict[str, int] | None) -> None:
        async def put_load_mark(tx: MongoWriteTransaction) -> None:
            await tx.put("counters", {"_id": _LOAD_MARK_KEY, "since": since})

        await self._mongo.write(None, put_load_mark)


def _feed_sink(
    records_by_collection: dict[str, list[Record]], sink: Callable[[str, Iterator[Record]], None]
) -> None:
    for collection in RECORD_COLLECTIONS:
        sink(collection, iter(records_by_collection[collection]))


def _next_batch(records: Iterator[T]) -> list[T]:
    return list(islice(records, _BATCH_SIZE))
