"""Reads memories, summaries, archived logs and jobs from MongoDB; see `LogReader`."""

from __future__ import annotations

from collections.abc import Collection

from stores.queries import MemoryQuery
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, JobState
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.servers.log_documents import ServerRecordReader, any_of, parse_document
from stores.servers.mongo import equality_filter


class ServerMemoryReader(ServerRecordReader):
    async def memories(self, query: MemoryQuery = MemoryQuery()) -> list[Memory]:
        if 0 in (query.last, query.most_important):  # to MongoDB, 0 is no limit
            return []
        where = equality_filter(
            {
                "entity_id": query.entity_id,
                "universe_id": query.universe_id,
                "scene_id": query.scene_id,
                "linked_fact_id": query.fact_id,
                "_id": None if query.ids is None else any_of(query.ids),
                "turn_id": None if query.turn_ids is None else any_of(query.turn_ids),
            }
        )
        is_important_first = query.last is None and query.most_important is not None
        order = [("importance", -1), ("made", -1)] if is_important_first else [("made", -1)]
        row_limit = query.most_important if is_important_first else query.last
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all("memories", where, order=order, limit=row_limit or 0)
        if query.most_important is not None:
            documents = sorted(documents, key=lambda d: (-d["importance"], -d["made"]))[
                : query.most_important
            ]
        return [parse_document(Memory, d) for d in sorted(documents, key=lambda d: int(d["made"]))]

    async def summaries(self, scene_id: Id) -> list[Summary]:
        return await self._read_all("summaries", Summary, {"scene_id": scene_id})

    async def archived_logs(self, *, universe_id: Id | None = None) -> list[ArchivedLog]:
        return await self._read_all(
            "archived_logs", ArchivedLog, equality_filter({"universe_id": universe_id})
        )

    async def jobs(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[JobKind] | None = None,
        states: Collection[JobState] | None = None,
    ) -> list[Job]:
        filters = {"_id": ids, "kind": kinds, "state": states}
        where = {
            field: any_of([str(v) for v in values]) for field, values in filters.items() if values is not None
        }
        return await self._read_all("jobs", Job, where)
