"""Checks hits of an index against canon and log, by kind. Read-only.

An index may be out of date: a turn may have been undone, or a fact retconned, since it was written.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from agents.memory_manager.valid_memories import filter_valid
from agents.search.search_port import SearchKind, SearchScope
from agents.search.source_texts import read_present_snippets
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.world import EntityStatus

ENDED_FACT_WEIGHT: Final = 0.5
"""Factor on the score of a fact that has ended."""


@dataclass(frozen=True, slots=True)
class ValidityChecker:
    """Says how far each hit counts: 1 if current, less if ended, 0 if it is not true."""

    canon: CanonReader
    log: LogReader

    async def weigh_results(
        self, kind: SearchKind, ids: Sequence[Id], search_scope: SearchScope
    ) -> dict[Id, float]:
        """Return the weight of each of `ids`; missing items are left out. Raises StoreError."""
        if not ids:
            return {}
        match kind:
            case "turns":
                return dict.fromkeys(await self.log.on_line(search_scope.scene_id, ids), 1.0)
            case "facts":
                facts = await self.canon.facts_by_id(ids)
                return {id: weigh_fact(fact) for id, fact in facts.items()}
            case "entities":
                entities = await self.canon.entities_by_id(ids)
                return {id: 1.0 for id, e in entities.items() if e.status is EntityStatus.CANONICAL}
            case "memories":
                return dict.fromkeys(await self._counting_memory_ids(ids), 1.0)
            case "scenes":
                scene_ids = await gather(*(self._existing_scene_id(id) for id in ids))
                return dict.fromkeys(filter(None, scene_ids), 1.0)
            case "snippets":
                return dict.fromkeys(await read_present_snippets(self.log, ids), 1.0)
            case _:
                assert_never(kind)

    async def _counting_memory_ids(self, ids: Collection[Id]) -> list[Id]:
        memories = await self.log.memories(MemoryQuery(ids=ids))
        return [memory.id for memory in await filter_valid(self.log, memories)]

    async def _existing_scene_id(self, scene_id: Id) -> Id | None:
        try:
            return (await self.log.scene(scene_id)).id
        except NotFound:
            return None


def weigh_fact(fact: Fact) -> float:
    """Return how far a fact counts for a question about the present."""
    if fact.status is FactStatus.RETCONNED:
        return 0.0
    return ENDED_FACT_WEIGHT if is_ended(fact) else 1.0


def is_ended(fact: Fact) -> bool:
    """Say whether a fact held once and does not hold now: it was replaced, or it ended.

    An event never ends.
    """
    if fact.status is FactStatus.SUPERSEDED or fact.closed:
        return True
    return fact.valid_to is not None and fact.kind is not FactKind.EVENT
