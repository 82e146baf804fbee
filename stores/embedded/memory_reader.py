"""Reads memories, summaries, archived logs and jobs from `library.db`; see `LogReader`."""

from __future__ import annotations

from collections.abc import Collection

from stores.embedded.documents import RecordReader, ids_json, quote_values, where_clause
from stores.queries import MemoryQuery
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, JobState
from stores.records.memory import ArchivedLog, Memory, Summary


class EmbeddedMemoryReader(RecordReader):
    async def memories(self, query: MemoryQuery = MemoryQuery()) -> list[Memory]:
        bindings = {
            "ids": None if query.ids is None else ids_json(query.ids),
            "turn_ids": None if query.turn_ids is None else ids_json(query.turn_ids),
            "fact_id": query.fact_id,
            "scene_id": query.scene_id,
            "entity_id": query.entity_id,
            "universe_id": query.universe_id,
        }
        # The most selective condition first; the plus keeps SQLite from using the others' indexes.
        conditions = [_CONDITIONS[name] for name, value in bindings.items() if value is not None]
        rows_sql = (
            f"memories {where_clause([*conditions[:1], *('+' + condition for condition in conditions[1:])])}"
        )
        for row_limit, order in (
            (query.last, "made DESC"),
            (query.most_important, "importance DESC, made DESC"),
        ):
            if row_limit is not None:
                rows_sql = (
                    f"(SELECT made, importance FROM {rows_sql} ORDER BY {order} LIMIT {int(row_limit)})"
                )
        sql = f"SELECT body FROM memories WHERE made IN (SELECT made FROM {rows_sql}) ORDER BY made"
        return await self._all(Memory, sql, bindings)

    async def summaries(self, scene_id: Id) -> list[Summary]:
        return await self._all(
            Summary, "SELECT body FROM summaries WHERE scene_id = ? ORDER BY made", (scene_id,)
        )

    async def archived_logs(self, *, universe_id: Id | None = None) -> list[ArchivedLog]:
        conditions = [] if universe_id is None else ["universe_id = :universe_id"]
        sql = f"SELECT body FROM archived_logs {where_clause(conditions)} ORDER BY made"
        return await self._all(ArchivedLog, sql, {"universe_id": universe_id})

    async def jobs(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[JobKind] | None = None,
        states: Collection[JobState] | None = None,
    ) -> list[Job]:
        conditions = [] if ids is None else ["id IN (SELECT value FROM json_each(:ids))"]
        conditions += [
            f"{column} IN ({quote_values(wanted_values)})"
            for column, wanted_values in (("kind", kinds), ("state", states))
            if wanted_values is not None
        ]
        sql = f"SELECT body FROM jobs {where_clause(conditions)} ORDER BY made"
        return await self._all(Job, sql, {"ids": ids_json(ids or ())})


_CONDITIONS = {
    "ids": "id IN (SELECT value FROM json_each(:ids))",
    "turn_ids": "turn_id IN (SELECT value FROM json_each(:turn_ids))",
    **{f"{name}_id": f"{name}_id = :{name}_id" for name in ("fact", "scene", "entity", "universe")},
}
