"""Answers who knows what: since when, from whom, and whether they are right. Read-only.

A belief is compared with canon on each question and never stored as right or wrong, since canon may change.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.memory_manager.memory_decay import compute_retention, is_forgotten
from agents.memory_manager.merged_entities import (
    MergedEntities,
    read_memories_of,
    read_merged_entities,
    read_merged_entities_of,
)
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.memory_manager.proposed_facts import fact_from_proposal
from agents.memory_manager.scene_reader import read_ids_by_name
from agents.memory_manager.sentence_claims import ClaimReader
from agents.memory_manager.valid_memories import filter_valid
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery, ProposalQuery
from stores.records.canon import Fact, FactStatus, Standing
from stores.records.ids import Id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.workflow import WAITING_STATUSES


@dataclass(frozen=True, slots=True)
class FactKnowledge:
    """How one character stands to a fact."""

    entity_id: Id
    since_tick: int
    """World time (ticks) since which they have it."""
    how: MemoryOrigin
    memory: Memory
    """The memory that holds it."""
    told_by: Id | None = None
    """From whom they have it, if they were told."""
    is_mistaken: bool = False
    """Whether they believe otherwise than canon."""
    is_forgotten: bool = False
    """Whether it has faded below what is recalled."""


@dataclass(frozen=True, slots=True)
class CharacterBelief:
    """A memory, compared with what canon says."""

    memory: Memory
    retention: float
    """How much of the memory is left."""
    is_forgotten: bool
    current_fact: Fact | None = None
    """What canon says of the same, if anything."""
    agrees_with_canon: bool | None = None
    """None if it cannot be compared."""


@dataclass(frozen=True, slots=True)
class KnowledgeReader:
    """Answers who knows and believes what."""

    canon: CanonReader
    log: LogReader
    catalogue: ReadCatalogue

    async def find_who_knows(self, fact_id: Id, now_tick: int | None = None) -> list[FactKnowledge]:
        """Return who knows of a fact, the first to know first.

        `now_tick` is the world time of the question, by default the latest of the universe. A fact that is
        only proposed may be asked for too.
        """
        memories = await self._read_memories_of_fact(fact_id)
        if not memories:
            return []
        universe_id = memories[0].universe_id
        facts, undecided_proposals, ids_by_name, catalogue, own_memories = await gather(
            self.canon.facts_by_id([fact_id]),
            self.log.proposals(ProposalQuery(universe_id=universe_id, statuses=WAITING_STATUSES)),
            read_ids_by_name(universe_id, self.canon, self.log, [m.text for m in memories]),
            self.catalogue(universe_id),
            self.filter_valid(memories),
        )
        now_tick = await self.read_latest_tick(universe_id) if now_tick is None else now_tick
        proposed_facts = (
            fact_from_proposal(p, {}, catalogue) for p in undecided_proposals if fact_id_of(p) == fact_id
        )
        fact, claim_reader = facts.get(fact_id) or next(proposed_facts, None), ClaimReader(catalogue)
        rows_by_entity: dict[Id, list[FactKnowledge]] = {}
        for memory in own_memories:
            agrees_with_canon = (
                _agrees_with_fact(memory, fact, claim_reader, ids_by_name) if fact else not memory.mistaken
            )
            rows_by_entity.setdefault(memory.entity_id, []).append(
                FactKnowledge(
                    memory.entity_id,
                    memory.tick,
                    memory.how,
                    memory,
                    memory.told_by,
                    is_mistaken=agrees_with_canon is False,
                    is_forgotten=is_forgotten(memory, now_tick),
                )
            )
        best_rows = [_best_knowledge(rows) for rows in rows_by_entity.values()]
        return sorted(best_rows, key=lambda k: (k.since_tick, k.memory.created_at, k.entity_id))

    async def read_beliefs(self, entity_id: Id, now_tick: int | None = None) -> list[CharacterBelief]:
        """Return what a character remembers, oldest first, beside canon.

        Without memories that were corrected, and of what the character knows to have ended.
        """
        merged_entities = await read_merged_entities_of(self.canon, entity_id)
        memories = await self.filter_valid(await read_memories_of(self.log, merged_entities, entity_id))
        memories = await drop_outdated(self.canon, self.log, memories)
        return await self._compare_with_canon(memories, now_tick)

    async def _read_memories_of_fact(self, fact_id: Id) -> list[Memory]:
        """Return the memories of a fact, also of what it was before a merge moved it, as of those who now are."""
        fact = (await self.canon.facts_by_id([fact_id])).get(fact_id)
        if fact is None:
            return await self.log.memories(MemoryQuery(fact_id=fact_id))
        merged_entities = await read_merged_entities(self.canon, fact.universe_id)
        fact_ids = [fact_id]
        older_facts = [fact] if merged_entities.kept_by_absorbed else []
        while older_facts:
            moved_facts = [
                f
                for f in await self.canon.supersedes(older_facts.pop().id)
                if f.id not in fact_ids and merged_entities.is_same_fact(f, fact)
            ]
            fact_ids += [f.id for f in moved_facts]
            older_facts += moved_facts
        memory_lists = await gather(*(self.log.memories(MemoryQuery(fact_id=i)) for i in fact_ids))
        return merged_entities.with_current_owners(m for memories in memory_lists for m in memories)

    async def filter_valid(self, memories: Sequence[Memory]) -> list[Memory]:
        """Return the memories that count: on the line, not faded to nothing, not corrected since."""
        return await filter_valid(self.log, memories)

    async def read_latest_tick(self, universe_id: Id) -> int:
        """Return the latest world time (ticks) of play in a universe."""
        latest_tick = 0
        for story in (await self.log.readable_stories(universe_id)).records:
            for scene in (await self.log.scenes(story.id))[-1:]:
                try:
                    head = await self.log.turn(scene.head) if scene.head else None
                except NotFound:
                    head = None
                latest_tick = max(latest_tick, head.tick if head else scene.tick)
        return latest_tick

    async def _compare_with_canon(
        self, memories: Sequence[Memory], now_tick: int | None
    ) -> list[CharacterBelief]:
        if not memories:
            return []
        universe_id = memories[0].universe_id
        catalogue, ids_by_name = await gather(
            self.catalogue(universe_id),
            read_ids_by_name(universe_id, self.canon, self.log, [m.text for m in memories]),
        )
        as_of_tick = await self.read_latest_tick(universe_id) if now_tick is None else now_tick
        facts_by_id = await self.canon.facts_by_id({m.linked_fact_id for m in memories if m.linked_fact_id})
        successors = await self._read_successors(facts_by_id.values())
        merged_entities = await read_merged_entities(self.canon, universe_id)
        claim_reader = ClaimReader(catalogue)
        beliefs = []
        for memory in memories:
            fact = facts_by_id.get(memory.linked_fact_id or "")
            current_fact = successors.get(fact.id, fact) if fact else None
            agrees_with_canon = (
                _agrees_with_fact(
                    memory, merged_entities.with_current_entities(fact), claim_reader, ids_by_name
                )
                if fact
                else (False if memory.mistaken else None)
            )
            if agrees_with_canon and _is_replaced(fact, current_fact, merged_entities):
                agrees_with_canon = False  # the fact held then, and has ended since
            beliefs.append(
                CharacterBelief(
                    memory,
                    compute_retention(memory, as_of_tick),
                    is_forgotten(memory, as_of_tick),
                    current_fact,
                    agrees_with_canon,
                )
            )
        return beliefs

    async def _read_successors(self, facts: Iterable[Fact]) -> dict[Id, Fact]:
        """Return the current facts that replaced ended ones."""
        successors: dict[Id, Fact] = {}
        for fact in facts:
            if fact.status is FactStatus.CANONICAL and fact.valid_to is None:
                continue
            newer_facts = [
                f for f in await self.canon.superseded_by(fact.id) if f.status is FactStatus.CANONICAL
            ]
            if newer_facts:
                successors[fact.id] = newer_facts[-1]
        return successors


def _agrees_with_fact(
    memory: Memory, fact: Fact, claim_reader: ClaimReader, ids_by_name: dict[str, Id]
) -> bool | None:
    """Say whether a memory has the fact as canon has it."""
    if memory.mistaken:
        return False
    memory_claims = claim_reader.read_claims(memory.text, ids_by_name, memory.told_by)
    fact_claims = claim_reader.read_fact_claims(fact, ids_by_name)
    if any(c.contradicts(o) for c in memory_claims for o in fact_claims):
        return False
    if fact.status is FactStatus.RETCONNED or fact.standing is Standing.LIE:
        return False
    if fact.standing in (Standing.RUMOUR, Standing.DISPUTED):
        return None
    return True


def _best_knowledge(rows: Sequence[FactKnowledge]) -> FactKnowledge:
    """Return how somebody stands to a fact: what is right and not forgotten comes first, then the earliest."""
    return min(rows, key=lambda k: (k.is_mistaken, k.is_forgotten, k.since_tick))


def _is_replaced(fact: Fact | None, current_fact: Fact | None, merged_entities: MergedEntities) -> bool:
    """Say whether canon has another fact in its place; one that a merge moved is the same."""
    if fact is None or current_fact is None or fact is current_fact:
        return False
    return not merged_entities.is_same_fact(fact, current_fact)
