"""What rests on a fact: shown before it is retconned, and before it is restored.

Source: design/authority.md, "Retcon": "a preview lists what rests on the fact".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable
from dataclasses import dataclass

from agents.canon_keeper.changes import apply
from agents.canon_keeper.decisions import OPEN, UNCHANGED
from agents.canon_keeper.house import ReadHouse
from agents.canon_keeper.naming import causes, named_entities, named_facts
from agents.canon_keeper.snapshot import read_snapshot
from agents.canon_keeper.world import World
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import Authority, Evidence, EvidenceKind, Fact, FactKind, FactStatus, RetconFact
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import ProposedChange
from stores.records.memory import Memory
from stores.records.play import Scene
from stores.records.world import Entity, EntityKind, EntityStatus

_MINDS = (EntityKind.CHARACTER, EntityKind.CREATURE, EntityKind.FACTION)
"""Kinds that remember."""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a retcon (or, with `restore`, its reverse) would change, and what would be left hanging.

    `facts` and `entities` pair each thing that changes with itself afterwards. Of the rest nothing
    changes by itself: `same_words` rest on the same turn, `involving` involve what it brought into the
    world, `caused` came of it, `commitments` are those of all these that are still open.
    """

    subject: Fact | Entity
    restore: bool
    facts: tuple[tuple[Fact, Fact], ...] = ()
    entities: tuple[tuple[Entity, Entity], ...] = ()
    supersedes: tuple[Fact, ...] = ()
    superseded_by: tuple[Fact, ...] = ()
    same_words: tuple[Fact, ...] = ()
    involving: tuple[Fact, ...] = ()
    caused: tuple[Fact, ...] = ()
    commitments: tuple[Fact, ...] = ()
    memories: tuple[Memory, ...] = ()
    scenes: tuple[Scene, ...] = ()
    proposals: tuple[ProposedChange, ...] = ()


class Impacts:
    """Previews retcons. Writes nothing."""

    def __init__(self, canon: CanonReader, log: LogReader, house: ReadHouse, clock: Clock) -> None:
        self._canon = canon
        self._log = log
        self._house = house
        self._clock = clock

    async def preview(self, subject_id: Id) -> Impact:
        """Preview the retcon of a fact or an entity; of one that was retconned, its restoration.

        Raises InputError if canon has neither, or if it was merged into another: that is split.
        """
        subject = await self.subject(subject_id)
        restore = subject.status == FactStatus.RETCONNED.value
        is_fact = isinstance(subject, Fact)
        evidence = await self._canon.evidence_of(subject_id)
        facts, entities = await self._changes(subject, restore)
        same, born = await self._beside(subject_id, evidence)
        near = await self._about(
            {i.entity_id for i in subject.involves} if isinstance(subject, Fact) else {subject_id}
        )
        involving = await self._about({e.id for e in born}) if is_fact else near
        caused = [f for f in near if subject_id in f.because]
        hanging = _without(subject_id, [*same, *involving, *caused])
        return Impact(
            subject=subject,
            restore=restore,
            facts=facts,
            entities=entities,
            supersedes=tuple(await self._canon.supersedes(subject_id)) if is_fact else (),
            superseded_by=tuple(await self._canon.superseded_by(subject_id)) if is_fact else (),
            same_words=_without(subject_id, same),
            involving=_without(subject_id, involving),
            caused=tuple(caused),
            commitments=tuple(f for f in hanging if f.kind is FactKind.COMMITMENT and _is_open(f)),
            memories=await self._memories(subject),
            scenes=await self._later_scenes(hanging, evidence),
            proposals=await self._waiting(subject),
        )

    async def subject(self, subject_id: Id) -> Fact | Entity:
        """Return the fact or entity that a retcon would be of. Raises InputError as `preview` does."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        found = fact or (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if found is None:
            raise InputError("What it would retcon is not in canon.", kept=UNCHANGED)
        if isinstance(found, Entity) and found.status is EntityStatus.MERGED:
            raise InputError(
                f"{found.name} was merged into another.",
                kept=UNCHANGED,
                todo="Split the two: that undoes it.",
            )
        return found

    async def _changes(
        self, subject: Fact | Entity, restore: bool
    ) -> tuple[tuple[tuple[Fact, Fact], ...], tuple[tuple[Entity, Entity], ...]]:
        """Try it on a copy of canon, and return what differs."""
        trial = ProposedChange(
            id=derived("preview", subject.id),
            universe_id=subject.universe_id,
            payload=RetconFact(fact_id=subject.id, restore=restore),
            authority=Authority.GM,
            created_at=self._clock(),
        )
        catalogue = (await self._house(subject.universe_id)).catalogue
        canon = await read_snapshot(self._canon, catalogue, subject.universe_id, [trial])
        world = World(canon, catalogue)
        apply(trial, world)
        facts = ((f, world.facts[f.id]) for f in canon.facts if world.facts[f.id] != f)
        entities = ((e, world.entities[e.id]) for e in canon.entities.values() if world.entities[e.id] != e)
        return tuple(facts), tuple(entities)

    async def _beside(self, subject_id: Id, evidence: Iterable[Evidence]) -> tuple[list[Fact], list[Entity]]:
        """Return facts that rest on the same turns, and entities that came into the world by them."""
        turns = {e.turn_id for e in evidence if e.turn_id and e.kind is not EvidenceKind.SCENE}
        ids = {subject for _, subject in await self._canon.supported_by(turns)} - {subject_id}
        facts, entities = await gather(self._canon.facts_by_id(ids), self._canon.entities_by_id(ids))
        return sorted(facts.values(), key=lambda f: f.recorded_at), list(entities.values())

    async def _about(self, entity_ids: Iterable[Id]) -> list[Fact]:
        found = await gather(*(self._canon.facts_about(i, history=True) for i in sorted(entity_ids)))
        return list({f.id: f for facts in found for f in facts}.values())

    async def _memories(self, subject: Fact | Entity) -> tuple[Memory, ...]:
        if isinstance(subject, Entity):
            return tuple(await self._log.memories(subject.id))
        minds = await gather(*(self._canon.entities(subject.universe_id, kind=kind) for kind in _MINDS))
        kept = await gather(*(self._log.memories(e.id) for found in minds for e in found))
        return tuple(m for memories in kept for m in memories if m.linked_fact_id == subject.id)

    async def _later_scenes(self, facts: Iterable[Fact], evidence: Iterable[Evidence]) -> tuple[Scene, ...]:
        """Return the other scenes that tell of what rests on it, in their order."""
        own = {e.scene_id for e in evidence}
        told = await self._canon.evidence_of_all([f.id for f in facts])
        ids = {e.scene_id for pieces in told.values() for e in pieces if e.scene_id} - own
        scenes = await gather(*(self._log.scene(i) for i in sorted(ids)))
        return tuple(sorted(scenes, key=lambda s: (s.created_at, s.order)))

    async def _waiting(self, subject: Fact | Entity) -> tuple[ProposedChange, ...]:
        """Return open proposals that name it."""
        waiting = await self._log.proposals(universe_id=subject.universe_id, statuses=OPEN)

        def names(p: ProposedChange) -> bool:
            return subject.id in {*named_facts(p.change), *causes(p.change), *named_entities(p.change)}

        return tuple(p for p in waiting if names(p))


def _is_open(fact: Fact) -> bool:
    return fact.status is FactStatus.CANONICAL and fact.valid_to is None and not fact.closed


def _without(subject_id: Id, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return each fact once; what was retconned hangs on nothing."""
    standing = {f.id: f for f in facts if f.id != subject_id and f.status is not FactStatus.RETCONNED}
    return tuple(standing.values())
