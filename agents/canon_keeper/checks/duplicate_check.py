"""Finds what canon already has: the same statement, the same value or the same name. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_snapshot import SIMILAR_NAME_LIKENESS
from agents.canon_keeper.fact_claims import FactClaim, facts_ended_by
from agents.canon_keeper.fact_readings import (
    ALIVE,
    IS_NOT,
    fact_key_of,
    gives_same_value,
    is_in_force,
    is_later,
    is_same_statement,
    is_same_time,
)
from agents.canon_keeper.predicates import same_value
from agents.canon_keeper.proposal_subjects import look_of_name, normalize_name
from agents.canon_keeper.sentences.killings import tells_other_killer
from agents.canon_keeper.sheet_values import sheet_value_of
from stores.records.canon import CreateEntity, EndFact, Fact
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind, EntityStatus


def find_duplicate(proposal: ProposedChange, claim: FactClaim | None, draft: CanonDraft) -> Id | None:
    """Return the fact or entity that says already what the proposal would make true."""
    change = proposal.change
    if isinstance(change, CreateEntity):
        known_entity = draft.entities.get(change.entity_id)
        is_known = known_entity is not None and known_entity.status is not EntityStatus.RETCONNED
        return change.entity_id if is_known else None
    if claim is None or isinstance(change, EndFact):
        return None
    if claim.is_movement:
        known_id = _fact_with_same_value(claim, draft)
        return None if known_id is not None and _tells_otherwise(claim, known_id, draft) else known_id
    for other in draft.similar_facts(claim.fact):
        if other.id in claim.ended_ids:
            continue  # a correction of it
        is_stated_already = is_same_statement(claim.fact, other, draft.catalogue)
        if is_stated_already and is_in_force(other) and is_same_time(claim.fact, other):
            if _tells_otherwise(claim, other.id, draft) or _tells_killer(claim.fact, other, draft):
                continue
            return None if _happens_again(claim, other, draft) else other.id
    return None


def _tells_otherwise(claim: FactClaim, known_id: Id, draft: CanonDraft) -> bool:
    """Say whether the words of a claim contradict the fact of its value: one death in the fire, and one in bed."""
    known = draft.facts.get(known_id)
    if known is None or known.statement_key == claim.fact.statement_key:
        return False
    return any(
        rival.fact.id == known_id and not rival.passes_in_play for rival in draft.sentence_rivals(claim.fact)
    )


def _tells_killer(fact: Fact, known: Fact, draft: CanonDraft) -> bool:
    """Say whether a fact says who killed somebody of whose death canon knows alone."""
    if fact.predicate != ALIVE or fact.value is not False:
        return False
    entities = (draft.entities.get(i.entity_id) for one in (fact, known) for i in one.involves)
    return tells_other_killer(fact, known, filter(None, entities))


def _happens_again(claim: FactClaim, other: Fact, draft: CanonDraft) -> bool:
    """Say whether the same words tell of a second time: the bell that Dob stole came back, and he stole it again."""
    return any(is_later(ended, other) for ended in facts_ended_by(claim, draft))


def _fact_with_same_value(claim: FactClaim, draft: CanonDraft) -> Id | None:
    """Return the fact that gives the very value that the claim gives, if there is one."""
    fact_key = fact_key_of(claim.fact, draft.catalogue)
    if fact_key is None:
        return None
    current_fact = draft.current_fact(fact_key)
    if current_fact is not None:
        is_same_clock = current_fact.clock is None or current_fact.clock == claim.fact.clock
        return (
            current_fact.id
            if is_same_clock and gives_same_value(current_fact, claim.fact, draft.catalogue)
            else None
        )
    entity = draft.entities.get(fact_key.subject) if fact_key.subject else None
    if entity is None:
        return None
    value = sheet_value_of(entity, fact_key, draft.catalogue)
    if claim.fact.predicate == IS_NOT:
        return entity.id if value is None else None
    return entity.id if value is not None and (fact_key.tag or same_value(value, claim.fact.value)) else None


class NameIndex:
    """Names and aliases in use, compared without case."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._entities_by_name: defaultdict[str, list[Entity]] = defaultdict(list)
        self._entities_by_look: defaultdict[str, list[Entity]] = defaultdict(list)
        self._ids: set[Id] = set()
        self.add_new(entities)

    def add_new(self, entities: Iterable[Entity]) -> None:
        """Add the entities that are not in the index yet."""
        for entity in entities:
            if entity.id not in self._ids:
                self.add(entity)

    def add(self, entity: Entity) -> None:
        self._ids.add(entity.id)
        if entity.status is EntityStatus.CANONICAL:
            for name in _bare_names(entity):
                self._entities_by_name[name].append(entity)
                self._entities_by_look[look_of_name(name)].append(entity)

    def same_named(self, entity: Entity) -> list[Entity]:
        """Return other entities that bear one of its names."""
        namesakes = (e for name in _bare_names(entity) for e in self._entities_by_name.get(name, ()))
        return list({e.id: e for e in namesakes if e.id != entity.id}.values())

    def looking_alike(self, entity: Entity) -> list[Entity]:
        """Return other entities with a name that looks like its own and is written with other letters."""
        namesake_ids = {namesake.id for namesake in self.same_named(entity)}
        lookalikes = (e for name in _bare_names(entity) for e in self._entities_by_look[look_of_name(name)])
        return list({e.id: e for e in lookalikes if e.id not in (*namesake_ids, entity.id)}.values())

    def called_so_for_short(self, entity: Entity) -> list[Entity]:
        """Return others of its kind whose name has all words of its own name, and more: `Lady Maude Arrel` for `Maude`.

        Where several have, its name means none of them.
        """
        own_words = frozenset(normalize_name(entity.name).split())
        fuller_named = {
            e.id: e
            for name, entities in self._entities_by_name.items()
            if own_words < frozenset(name.split())
            for e in entities
            if e.id != entity.id and is_like_kind(e.kind, entity.kind)
        }
        return list(fuller_named.values()) if len(fuller_named) == 1 else []

    def similarly_named(self, entity: Entity) -> list[Entity]:
        """Return other entities with a name that is nearly its own."""
        from rapidfuzz import fuzz, process  # loaded when it is needed: three megabytes

        own_names, lookalikes = _bare_names(entity), dict[Id, Entity]()
        for name in own_names:
            near_names = process.extract(
                name,
                self._entities_by_name.keys(),
                scorer=fuzz.ratio,
                score_cutoff=SIMILAR_NAME_LIKENESS,
                limit=3,
            )
            lookalikes |= {
                e.id: e
                for other_name, *_ in near_names
                if other_name not in own_names
                for e in self._entities_by_name[other_name]
            }
        return [e for e in lookalikes.values() if e.id != entity.id]


def is_like_kind(kind: EntityKind, other: EntityKind) -> bool:
    """Say whether one may be taken for the other: people and creatures may."""
    return kind is other or (kind in ACTORS and other in ACTORS)


def _bare_names(entity: Entity) -> dict[str, None]:
    return dict.fromkeys(normalize_name(name) for name in (entity.name, *entity.aliases))
