"""All of one universe out of Neo4j and MongoDB, and into them. The methods' words are those of `History`.

Two servers share no transaction: what a load wrote is taken back if it fails, or at the next opening if
the program died in it.
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
from stores.servers.canon_history import CanonHistory
from stores.servers.log_history import LogHistory
from stores.servers.mongo import Mongo, Writing
from stores.servers.neo4j_graph import Graph

T = TypeVar("T")

_AT_ONCE = 500
"""Records written by one transaction."""
_LOADING = "loading"

assert {*RECORD_COLLECTIONS} == canon_history.COLLECTIONS | log_history.COLLECTIONS, (
    "a collection has no server"
)


class ServerHistory:
    is_single_snapshot = False
    """Each server shows its part as of one moment; MONITOR alone writes to them."""

    def __init__(self, graph: Graph, mongo: Mongo) -> None:
        self._canon = CanonHistory(graph)
        self._log = LogHistory(mongo)
        self._mongo = mongo

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        if universe_id not in await self._canon.universes():
            raise NotFound(f"There is no universe {universe_id}.")
        found = await self._both(universe_id)
        await asyncio.to_thread(_pour, found, sink)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        for universe_id in await self._canon.universes():
            found = await self._both(universe_id)
            await asyncio.to_thread(_pour, found, partial(sink, universe_id))
        moves = await self._log.of_no_universe()
        await asyncio.to_thread(sink, NO_UNIVERSE, "transitions", iter(moves))

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        if finish_partial:
            await self._write(parts)
            return set()
        if known := await self._known(list(mentioned_ids)):
            return known
        await self._mark({"canon": await self._canon.mark(), "log": await self._log.mark()})
        try:
            await self._write(parts)
        except BaseException:
            await asyncio.shield(self.take_back())
            raise
        await self._mark(None)
        return set()

    async def take_back(self) -> bool:
        """Take back what a load that failed had written; return whether there was one."""
        async with self._mongo.reading(None) as tx:
            begun = await tx.one("counters", {"_id": _LOADING})
        if begun is None or begun["since"] is None:
            return False
        await self._canon.drop_since(int(begun["since"]["canon"]))
        await self._log.drop_since(int(begun["since"]["log"]))
        await self._mark(None)
        return True

    # --- inside -------------------------------------------------------------------------------------

    async def _both(self, universe_id: Id) -> dict[str, list[Record]]:
        logged = await self._log.dump(universe_id)
        scenes = [str(getattr(r, "id")) for r in logged["scenes"]]  # noqa: B009  every scene has one
        turns = [str(getattr(r, "id")) for r in logged["turns"]]  # noqa: B009
        return {**logged, **await self._canon.dump(universe_id, scenes, turns)}

    async def _known(self, ids: Sequence[Id]) -> set[Id]:
        found: set[Id] = set()
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            found |= await self._canon.known(some) | await self._log.known(some)
        return found

    async def _write(self, parts: Iterable[CollectionRecords]) -> None:
        scenes: list[Id] = []
        turned = iter(parts)
        while (part := await asyncio.to_thread(next, turned, None)) is not None:
            collection, records = part
            rest = iter(records)
            while some := await asyncio.to_thread(_take, rest):
                store = self._canon if collection in canon_history.COLLECTIONS else self._log
                await store.write(collection, some)
                if collection == "scenes":
                    scenes += [str(getattr(scene, "id")) for scene in some]  # noqa: B009
        await self._log.lay_lines(scenes)

    async def _mark(self, since: dict[str, int] | None) -> None:
        async def mark(tx: Writing) -> None:
            await tx.put("counters", {"_id": _LOADING, "since": since})

        await self._mongo.write(None, mark)


def _pour(found: dict[str, list[Record]], sink: Callable[[str, Iterator[Record]], None]) -> None:
    for collection in RECORD_COLLECTIONS:
        sink(collection, iter(found[collection]))


def _take(records: Iterator[T]) -> list[T]:
    return list(islice(records, _AT_ONCE))
