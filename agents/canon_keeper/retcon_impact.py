"""Finds what depends on a fact, to be shown before it is retconned or restored."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable
from dataclasses import dataclass

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_snapshot import read_snapshot
from agents.canon_keeper.change_application import apply_change
from agents.canon_keeper.proposal_subjects import causes_of, named_entities, named_facts
from agents.canon_keeper.supported_canon import read_supported_canon
from agents.canon_keeper.universe_policy import ReadPolicy
from agents.proposals.decisions import NOTHING_DECIDED
from agents.proposals.proposals import ProposalSite, build_proposal
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery, MemoryQuery, ProposalQuery
from stores.records.canon import Authority, Evidence, EvidenceKind, Fact, FactKind, FactStatus, RetconFact
from stores.records.ids import Clock, Id, derive_id
from stores.records.memory import Memory
from stores.records.play import Scene
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import Entity, EntityKind, EntityStatus

_REMEMBERING_KINDS = (EntityKind.CHARACTER, EntityKind.CREATURE, EntityKind.FACTION)
"""Kinds that remember."""


@dataclass(frozen=True, slots=True)
class RetconImpact:
    """What a retcon (or its reverse) would change, and what would be left without support."""

    subject: Fact | Entity
    restore: bool
    """Whether a retconned record is restored."""
    facts: tuple[tuple[Fact, Fact], ...] = ()
    """Each changed fact, before and after."""
    entities: tuple[tuple[Entity, Entity], ...] = ()
    """Each changed entity, before and after."""
    supersedes: tuple[Fact, ...] = ()
    superseded_by: tuple[Fact, ...] = ()
    same_turn_facts: tuple[Fact, ...] = ()
    """Facts that rest on the same turn; they do not change by themselves."""
    involving_facts: tuple[Fact, ...] = ()
    """Facts that involve the entity; they do not change by themselves."""
    caused_facts: tuple[Fact, ...] = ()
    """Facts that followed from it; they do not change by themselves."""
    commitments: tuple[Fact, ...] = ()
    """Those of all these that are still open."""
    memories: tuple[Memory, ...] = ()
    scenes: tuple[Scene, ...] = ()
    proposals: tuple[ProposedChange, ...] = ()


class RetconPreviewer:
    """Previews retcons. Writes nothing."""

    def __init__(self, canon: CanonReader, log: LogReader, read_policy: ReadPolicy, clock: Clock) -> None:
        self._canon = canon
        self._log = log
        self._read_policy = read_policy
        self._clock = clock

    async def preview(self, subject_id: Id) -> RetconImpact:
        """Preview the retcon of a fact or an entity; of one that was retconned, its restoration.

        Raises InputError if canon has neither, or if it was merged into another: that is split.
        """
        subject = await self.read_subject(subject_id)
        restore = subject.status == FactStatus.RETCONNED.value
        is_fact = isinstance(subject, Fact)
        evidence = await self._canon.evidence_of(subject_id)
        facts, entities = await self._read_changes(subject, restore)
        same_turn_facts, created_entities = await self._read_same_turn(subject_id, evidence)
        nearby_facts = await self._read_facts_about(
            {i.entity_id for i in subject.involves} if isinstance(subject, Fact) else {subject_id}
        )
        involving_facts = (
            await self._read_facts_about({e.id for e in created_entities}) if is_fact else nearby_facts
        )
        caused_facts = [f for f in nearby_facts if subject_id in f.because]
        dependent_facts = _standing_facts(subject_id, [*same_turn_facts, *involving_facts, *caused_facts])
        return RetconImpact(
            subject=subject,
            restore=restore,
            facts=facts,
            entities=entities,
            supersedes=tuple(await self._canon.supersedes(subject_id)) if is_fact else (),
            superseded_by=tuple(await self._canon.superseded_by(subject_id)) if is_fact else (),
            same_turn_facts=_standing_facts(subject_id, same_turn_facts),
            involving_facts=_standing_facts(subject_id, involving_facts),
            caused_facts=tuple(caused_facts),
            commitments=tuple(f for f in dependent_facts if f.kind is FactKind.COMMITMENT and _is_open(f)),
            memories=await self._read_memories(subject),
            scenes=await self._read_later_scenes(dependent_facts, evidence),
            proposals=await self._read_open_proposals(subject),
        )

    async def read_subject(self, subject_id: Id) -> Fact | Entity:
        """Return the fact or entity that a retcon would be of. Raises InputError as `preview` does."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        subject = fact or (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if subject is None:
            raise InputError("What it would retcon is not in canon.", kept=NOTHING_DECIDED)
        if isinstance(subject, Entity) and subject.status is EntityStatus.MERGED:
            raise InputError(
                f"{subject.name} was merged into another.",
                kept=NOTHING_DECIDED,
                todo="Split the two: that undoes it.",
            )
        return subject

    async def _read_changes(
        self, subject: Fact | Entity, restore: bool
    ) -> tuple[tuple[tuple[Fact, Fact], ...], tuple[tuple[Entity, Entity], ...]]:
        """Apply the retcon to a copy of canon, and return what differs."""
        trial_proposal = build_proposal(
            derive_id("preview", subject.id),
            RetconFact(fact_id=subject.id, restore=restore),
            (),
            Authority.GM,
            ProposalSite(subject.universe_id),
            self._clock(),
        )
        catalogue = (await self._read_policy(subject.universe_id)).catalogue
        canon = await read_snapshot(self._canon, catalogue, subject.universe_id, [trial_proposal])
        draft = CanonDraft(canon, catalogue)
        apply_change(trial_proposal, draft)
        facts = ((f, draft.facts[f.id]) for f in canon.facts if draft.facts[f.id] != f)
        entities = ((e, draft.entities[e.id]) for e in canon.entities.values() if draft.entities[e.id] != e)
        return tuple(facts), tuple(entities)

    async def _read_same_turn(
        self, subject_id: Id, evidence: Iterable[Evidence]
    ) -> tuple[list[Fact], list[Entity]]:
        """Return facts that rest on words of the same turns, and entities that came into the world by them."""
        turns = {e.turn_id for e in evidence if e.turn_id and e.kind is not EvidenceKind.SCENE}
        supported_pairs = await read_supported_canon(self._canon, turns)
        own_turns = {turn_id for turn_id, supported_id in supported_pairs if supported_id == subject_id}
        ids = {i for turn_id, i in supported_pairs if turn_id in own_turns} - {subject_id}
        facts, entities = await gather(self._canon.facts_by_id(ids), self._canon.entities_by_id(ids))
        return sorted(facts.values(), key=lambda f: f.recorded_at), list(entities.values())

    async def _read_facts_about(self, entity_ids: Iterable[Id]) -> list[Fact]:
        fact_lists = await gather(
            *(self._canon.facts_about(i, FactsAboutQuery(history=True)) for i in sorted(entity_ids))
        )
        return list({f.id: f for facts in fact_lists for f in facts}.values())

    async def _read_memories(self, subject: Fact | Entity) -> tuple[Memory, ...]:
        if isinstance(subject, Entity):
            return tuple(await self._log.memories(MemoryQuery(entity_id=subject.id)))
        entity_lists = await gather(
            *(self._canon.entities(subject.universe_id, kind=kind) for kind in _REMEMBERING_KINDS)
        )
        memory_lists = await gather(
            *(self._log.memories(MemoryQuery(entity_id=e.id)) for entities in entity_lists for e in entities)
        )
        return tuple(m for memories in memory_lists for m in memories if m.linked_fact_id == subject.id)

    async def _read_later_scenes(
        self, facts: Iterable[Fact], evidence: Iterable[Evidence]
    ) -> tuple[Scene, ...]:
        """Return the other scenes that tell of what rests on it, in their order."""
        own_scene_ids = {e.scene_id for e in evidence}
        evidence_by_fact = await self._canon.evidence_of_all([f.id for f in facts])
        ids = {
            e.scene_id for pieces in evidence_by_fact.values() for e in pieces if e.scene_id
        } - own_scene_ids
        scenes = await gather(*(self._log.scene(i) for i in sorted(ids)))
        return tuple(sorted(scenes, key=lambda s: (s.created_at, s.order)))

    async def _read_open_proposals(self, subject: Fact | Entity) -> tuple[ProposedChange, ...]:
        """Return open proposals that name it."""
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=subject.universe_id, statuses=OPEN_STATUSES)
        )

        def names_subject(p: ProposedChange) -> bool:
            return subject.id in {*named_facts(p.change), *causes_of(p.change), *named_entities(p.change)}

        return tuple(p for p in open_proposals if names_subject(p))


def _is_open(fact: Fact) -> bool:
    return fact.status is FactStatus.CANONICAL and fact.valid_to is None and not fact.closed


def _standing_facts(subject_id: Id, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return each fact once, without those that were retconned."""
    standing = {f.id: f for f in facts if f.id != subject_id and f.status is not FactStatus.RETCONNED}
    return tuple(standing.values())
