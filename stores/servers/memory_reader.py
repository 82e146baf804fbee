"""Reading what is remembered, summed up and put away, and what the background has still to do, from MongoDB.
The words of each method are those of `LogReader`."""

from __future__ import annotations

from collections.abc import Collection

from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, JobState
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.servers.log_documents import Reads, among, record
from stores.servers.mongo import one_filter


class MemoryReads(Reads):
    async def memories(
        self,
        entity_id: Id | None = None,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        scene_id: Id | None = None,
        turn_ids: Collection[Id] | None = None,
        fact_id: Id | None = None,
        last: int | None = None,
        most_important: int | None = None,
    ) -> list[Memory]:
        if 0 in (last, most_important):  # which to MongoDB is no limit
            return []
        where = one_filter(
            {
                "entity_id": entity_id,
                "universe_id": universe_id,
                "scene_id": scene_id,
                "linked_fact_id": fact_id,
                "_id": None if ids is None else among(ids),
                "turn_id": None if turn_ids is None else among(turn_ids),
            }
        )
        heaviest_first = last is None and most_important is not None
        order = [("importance", -1), ("made", -1)] if heaviest_first else [("made", -1)]
        most = most_important if heaviest_first else last
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all("memories", where, order=order, limit=most or 0)
        if most_important is not None:
            found = sorted(found, key=lambda d: (-d["importance"], -d["made"]))[:most_important]
        return [record(Memory, d) for d in sorted(found, key=lambda d: int(d["made"]))]

    async def summaries(self, scene_id: Id) -> list[Summary]:
        return await self._all("summaries", Summary, {"scene_id": scene_id})

    async def archived_logs(self, *, universe_id: Id | None = None) -> list[ArchivedLog]:
        return await self._all("archived_logs", ArchivedLog, one_filter({"universe_id": universe_id}))

    async def jobs(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[JobKind] | None = None,
        states: Collection[JobState] | None = None,
    ) -> list[Job]:
        given = {"_id": ids, "kind": kinds, "state": states}
        where = {
            field: among([str(v) for v in values]) for field, values in given.items() if values is not None
        }
        return await self._all("jobs", Job, where)
