"""Finds the memories of facts that their owner knows to have ended. Read-only.

Who remembers the newer fact, or is part of it, does not believe the older one; nor does who gave away what they had
by the older one. Whoever was away may.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence

from agents.memory_manager.given_things import find_givers
from agents.memory_manager.merged_entities import MergedEntities, read_merged_entities
from agents.memory_manager.valid_memories import filter_on_line
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.memory import Memory

MAX_SUCCESSORS = 20
"""Newer facts that are followed from one that ended."""
_LASTING_KINDS = (FactKind.STATE, FactKind.RELATION, FactKind.ATTRIBUTE)


async def drop_outdated(
    canon: CanonReader, log: LogReader, memories: Sequence[Memory], left_turn_ids: Collection[Id] = ()
) -> list[Memory]:
    """Return the memories without those of facts that their owner knows to have ended."""
    facts_by_id = await canon.facts_by_id({m.linked_fact_id for m in memories if m.linked_fact_id})
    ended_facts = [f for f in facts_by_id.values() if f.kind in _LASTING_KINDS and _has_ended(f)]
    if not ended_facts:
        return list(memories)
    merged_entities = await read_merged_entities(canon, ended_facts[0].universe_id)
    successors_by_id = {f.id: await _read_successors(canon, f, merged_entities) for f in ended_facts}
    successor_ids = {s.id for successors in successors_by_id.values() for s in successors}
    if not successor_ids:
        return list(memories)
    newer_memories = await gather(*(log.memories(MemoryQuery(fact_id=i)) for i in sorted(successor_ids)))
    counting_memories = await filter_on_line(
        log, [m for memories in newer_memories for m in memories], left_turn_ids
    )
    knowers = {
        (merged_entities.current_id(m.entity_id), m.linked_fact_id) for m in counting_memories if m.text
    }

    def is_outdated(memory: Memory) -> bool:
        owner_id = merged_entities.current_id(memory.entity_id)
        return any(
            (owner_id, s.id) in knowers
            or owner_id in {merged_entities.current_id(i.entity_id) for i in s.involves}
            for s in successors_by_id.get(memory.linked_fact_id or "", ())
        )

    believed = [m for m in memories if not is_outdated(m)]
    believed_fact_ids = {m.linked_fact_id for m in believed}
    givers = await find_givers(
        canon,
        log,
        [f for f in ended_facts if f.id in believed_fact_ids],
        successors_by_id,
        merged_entities,
        left_turn_ids,
    )
    return [m for m in believed if (merged_entities.current_id(m.entity_id), m.linked_fact_id) not in givers]


def _has_ended(fact: Fact) -> bool:
    return fact.status is FactStatus.SUPERSEDED or fact.valid_to is not None


async def _read_successors(canon: CanonReader, fact: Fact, merged_entities: MergedEntities) -> list[Fact]:
    """Return the facts that replaced it, those that replaced them, and so on.

    What a merge moved says the same as before, and replaces nothing.
    """
    successors: dict[Id, Fact] = {}
    waiting = [fact]
    while waiting and len(successors) < MAX_SUCCESSORS:
        newer_facts = [
            f
            for f in await canon.superseded_by(waiting.pop().id)
            if f.status is not FactStatus.RETCONNED and f.id not in successors and f.kind in _LASTING_KINDS
        ]
        successors |= {f.id: f for f in newer_facts}
        waiting += newer_facts
    return [f for f in successors.values() if not merged_entities.is_same_fact(fact, f)]
