"""Reads entities that were merged as the ones that they are now. Read-only.

A merge leaves memories and scenes with the one that was absorbed, so that a split needs to move nothing back.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.memory import Memory


@dataclass(frozen=True, slots=True)
class MergedEntities:
    """Which entities of a universe were merged into which."""

    kept_by_absorbed: Mapping[Id, Id] = field(default_factory=dict)

    def current_id(self, entity_id: Id) -> Id:
        """Return the entity that an id means now."""
        for _ in self.kept_by_absorbed:
            if entity_id not in self.kept_by_absorbed:
                break
            entity_id = self.kept_by_absorbed[entity_id]
        return entity_id

    def ids_of(self, entity_id: Id) -> tuple[Id, ...]:
        """Return the id and those of all that was merged into it."""
        absorbed_ids = (i for i in self.kept_by_absorbed if self.current_id(i) == entity_id)
        return tuple(dict.fromkeys((entity_id, *absorbed_ids)))

    def current_ids(self, entity_ids: Iterable[Id]) -> list[Id]:
        """Return the entities that the ids mean now, each once."""
        return list(dict.fromkeys(map(self.current_id, entity_ids)))

    def with_current_entities(self, fact: Fact) -> Fact:
        """Return the fact with the entities that those in it are merged into."""
        if not any(i.entity_id in self.kept_by_absorbed for i in fact.involves):
            return fact
        involves = (i.model_copy(update={"entity_id": self.current_id(i.entity_id)}) for i in fact.involves)
        return fact.model_copy(update={"involves": tuple(involves)})

    def with_current_owners(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return the memories, each with the entity that its owner is merged into as its owner."""
        return [
            m if (owner_id := self.current_id(m.entity_id)) == m.entity_id else _owned_by(m, owner_id)
            for m in memories
        ]

    def is_same_fact(self, old: Fact, new: Fact) -> bool:
        """Say whether a fact is an older one that moved to whom its entity was merged into."""
        moved_ids = {i.entity_id for i in old.involves} - {i.entity_id for i in new.involves}
        return (
            bool(moved_ids)
            and (old.statement, old.predicate, old.value, old.valid_from)
            == (new.statement, new.predicate, new.value, new.valid_from)
            and self._involves(old) == self._involves(new)
        )

    def _involves(self, fact: Fact) -> list[tuple[str, Id]]:
        return sorted((str(i.role), self.current_id(i.entity_id)) for i in fact.involves)


async def read_merged_entities(canon: CanonReader, universe_id: Id) -> MergedEntities:
    """Return the merges of a universe that hold now. Raises StoreError."""
    merged_entities = await canon.merged_entities(universe_id)
    return MergedEntities({e.id: e.merged_into for e in merged_entities if e.merged_into})


async def read_merged_entities_of(canon: CanonReader, entity_id: Id) -> MergedEntities:
    """Return the merges of the universe of an entity; none of one that is not in canon. Raises StoreError."""
    entity = (await canon.entities_by_id([entity_id])).get(entity_id)
    return await read_merged_entities(canon, entity.universe_id) if entity else MergedEntities()


async def read_memories_of(
    log: LogReader,
    merged_entities: MergedEntities,
    entity_id: Id,
    *,
    ids: Collection[Id] | None = None,
    last: int | None = None,
    most_important: int | None = None,
) -> list[Memory]:
    """Return what somebody remembers, with what all who were merged into them remember, oldest first.

    `last` and `most_important` count for each who was merged. Raises StoreError.
    """
    memory_lists = await gather(
        *(
            log.memories(MemoryQuery(entity_id=i, ids=ids, last=last, most_important=most_important))
            for i in merged_entities.ids_of(entity_id)
        )
    )
    if len(memory_lists) == 1:
        return memory_lists[0]
    memories = (m for memories in memory_lists for m in memories)
    return sorted(merged_entities.with_current_owners(memories), key=lambda m: m.created_at)


def _owned_by(memory: Memory, owner_id: Id) -> Memory:
    return memory.model_copy(update={"entity_id": owner_id})
