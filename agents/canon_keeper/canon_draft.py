"""A working copy of canon in memory, to which proposals are applied.

An assessment applies every open proposal to one copy. A commit applies the accepted ones to a fresh copy and
writes the differences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.fact_readings import (
    LOCATED_IN,
    OBJECT,
    OCCURRENCE_KINDS,
    PART_OF,
    SUBJECT,
    ClaimKey,
    FactKey,
    FactReading,
    claim_key_of,
    fact_key_of,
    gives_same_value,
    is_open,
    is_true,
    read_fact,
    starts_later,
)
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import current_entity
from agents.canon_keeper.sentence_index import SentenceIndex, SentenceRival
from agents.canon_keeper.sentences.claims import SentenceReading
from agents.canon_keeper.sheet_values import update_sheet_value
from agents.canon_keeper.supersessions import SupersessionGraph
from stores.records.canon import Fact, FactKind, FactStatus, Secrecy, Supersession
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus


class CanonDraft:
    """A working copy of the entities and facts that were read from canon, to which changes are applied."""

    def __init__(self, canon: CanonSnapshot, catalogue: Catalogue) -> None:
        self.canon = canon
        self.catalogue = catalogue
        self.entities: dict[Id, Entity] = {**{e.id: e for e in canon.everyone}, **canon.entities}
        self.facts: dict[Id, Fact] = {}
        self._facts_before: dict[Id, Fact | None] = {}
        """What facts that were added or changed were before."""
        self.supersessions: list[Supersession] = []
        self._supersession_graph = SupersessionGraph(canon.supersessions)
        self._facts_by_predicate: defaultdict[tuple[str, Id | None], list[Id]] = defaultdict(list)
        self._facts_by_key: defaultdict[FactKey, list[Id]] = defaultdict(list)
        self._facts_by_statement: defaultdict[str, list[Id]] = defaultdict(list)
        self._facts_by_claim: defaultdict[ClaimKey, list[Id]] = defaultdict(list)
        self._deeds_by_entity: defaultdict[Id, list[Id]] = defaultdict(list)
        self._axiom_ids: list[Id] = []
        self._changed_keys: dict[FactKey, Fact | None] = {}
        self._sentences = SentenceIndex(catalogue, self.is_nested)
        self._named_entity_count = 0
        self._last_rivals: tuple[Fact, tuple[SentenceRival, ...]] | None = None
        self._last_rival_facts: tuple[Fact, tuple[Fact, ...]] | None = None
        """Of the fact that was asked about last, while nothing changed: each check asks several times."""
        for fact in canon.facts:
            self._index_fact(fact)

    def add_canon(self, canon: CanonSnapshot, added: CanonSnapshot) -> None:
        """Take in what was read of canon since; what is here already, changed or not, stays. `canon` has all of it."""
        self.canon = canon
        self.entities = {**{e.id: e for e in added.everyone}, **added.entities, **self.entities}
        for fact in added.facts:
            if fact.id not in self.facts:
                self._index_fact(fact)

    # --- reading ------------------------------------------------------------------------------------

    def entity(self, entity_id: Id) -> Entity | None:
        """Return the entity that this id means now: what was merged away is what it was merged into."""
        entity = current_entity(entity_id, self.entities)
        return entity if entity is not None and entity.status is EntityStatus.CANONICAL else None

    def facts_under(self, predicate: str, who: Id | None) -> list[Fact]:
        """Return facts under a (canonical) predicate in which `who` is subject or object."""
        return [self.facts[i] for i in self._facts_by_predicate[predicate, who]]

    def current_fact(self, fact_key: FactKey) -> Fact | None:
        """Return the fact that gives the fact key its value now."""
        facts = (self.facts[i] for i in self._facts_by_key[fact_key])
        return next((f for f in facts if is_open(f) and is_true(f)), None)

    def deeds_of(self, who: Id) -> list[Fact]:
        """Return what happened, and what was said or done, with somebody in it."""
        return [self.facts[i] for i in self._deeds_by_entity[who]]

    def axioms(self) -> list[Fact]:
        """Return the rules of the world, of any status."""
        return [self.facts[i] for i in self._axiom_ids]

    def origin_facts(self, who: Id) -> list[Fact]:
        """Return the facts that tell since when somebody or something is there."""
        origin_facts = (
            fact for name in self.catalogue.origin_predicates() for fact in self.facts_under(name, who)
        )
        return [fact for fact in origin_facts if fact.entity(SUBJECT) == who and is_true(fact)]

    def is_nested(self, one: Id | None, other: Id | None) -> bool:
        """Say whether one of two places is the other, or lies within it."""
        return one in self._containing_places(other) or other in self._containing_places(one)

    def _containing_places(self, place: Id | None) -> set[Id | None]:
        """Return the place and all that it lies in."""
        visited_places, pending_places = set[Id | None](), [place]
        while pending_places:
            current_place = pending_places.pop()
            if current_place is not None and current_place not in visited_places:
                location_facts = (
                    f
                    for name in (LOCATED_IN, PART_OF)
                    for f in self.facts_under(name, current_place)
                    if is_open(f)
                )
                pending_places += [
                    s.object for s in map(self._read_fact, location_facts) if s.subject == current_place
                ]
            visited_places.add(current_place)
        return visited_places

    def _read_fact(self, fact: Fact) -> FactReading:
        return read_fact(fact, self.catalogue)

    def similar_facts(self, fact: Fact) -> Iterator[Fact]:
        """Yield facts that may say the same.

        In the same words or, if it is no occurrence, with the same predicate, ends and value.
        """
        claim_key = claim_key_of(fact, self.catalogue)
        claim_ids = self._facts_by_claim[claim_key] if claim_key else ()
        ids = (*self._facts_by_statement[fact.statement_key], *claim_ids)
        yield from (self.facts[i] for i in dict.fromkeys(ids) if i != fact.id)

    def rival_facts(self, fact: Fact) -> Sequence[Fact]:
        """Return the facts that cannot be true at the same time as this one, whatever their times."""
        if self._last_rival_facts is None or self._last_rival_facts[0] is not fact:
            self._last_rival_facts = (fact, tuple(self._find_rival_facts(fact)))
        return self._last_rival_facts[1]

    def _find_rival_facts(self, fact: Fact) -> Iterator[Fact]:
        fact_key = fact_key_of(fact, self.catalogue)
        for other_id in self._facts_by_key[fact_key] if fact_key else ():
            other = self.facts[other_id]
            if other.id != fact.id and not gives_same_value(other, fact, self.catalogue):
                yield other
        reading = read_fact(fact, self.catalogue)
        for predicate in sorted(self.catalogue.excluded_by(reading.predicate)):
            is_symmetric = self.catalogue[reading.predicate].symmetric or self.catalogue[predicate].symmetric
            for other in self.facts_under(predicate, reading.subject):
                other_reading = read_fact(other, self.catalogue)
                if (other_reading.subject, other_reading.object) == (reading.subject, reading.object) or (
                    is_symmetric
                    and (other_reading.object, other_reading.subject) == (reading.subject, reading.object)
                ):
                    yield other

    def sentence_rivals(self, fact: Fact) -> Iterator[SentenceRival]:
        """Yield the facts that cannot be true beside this one by what their sentences say, whatever their times."""
        self._name_entities()
        if self._last_rivals is None or self._last_rivals[0] is not fact:
            rivals = self._sentences.find_rivals(fact)
            self._last_rivals = (
                fact,
                tuple(rival._replace(fact=self.facts[rival.fact.id]) for rival in rivals),
            )
        yield from self._last_rivals[1]

    def read_words(self, fact: Fact) -> SentenceReading:
        """Return how the words of a fact are read."""
        self._name_entities()
        return self._sentences.read_words(fact)

    def is_in_catalogue_words(self, fact: Fact) -> bool:
        """Say whether a fact has the very sentence that the catalogue makes of it."""
        subject, other = (self.entities.get(fact.entity(role) or "") for role in (SUBJECT, OBJECT))
        subject_name, other_name = subject.name if subject else "", other.name if other else ""
        return fact.statement == self.catalogue.phrase(fact.predicate, subject_name, other_name, fact.value)

    def _name_entities(self) -> None:
        if len(self.entities) != self._named_entity_count:
            self._sentences.add_entities(self.entities.values())
            self._named_entity_count = len(self.entities)
            self._last_rivals = None

    def changed_facts(self) -> Iterator[tuple[Fact, Fact]]:
        """Yield the facts of canon that are not as they were: as canon has them, and as they are now."""
        for fact_id, before in self._facts_before.items():
            if before is not None and self.facts[fact_id] != before:
                yield before, self.facts[fact_id]

    # --- changing -----------------------------------------------------------------------------------

    def add_fact(self, fact: Fact, ended_facts: Iterable[Fact] = ()) -> None:
        """Add a fact, and end others by it.

        One that was made before and taken back is so again: what ended it, and what it ended, counts again.
        """
        is_made_again = fact.id in self.facts
        self._put_fact(fact)
        if is_made_again:
            self._update_status(fact)
            self._update_facts_ended_by(fact)
        for older in ended_facts:
            self._supersede(older, fact)
        self._update_sheets()

    def retcon_fact(self, fact: Fact) -> None:
        """Make a fact never true, and let what it had ended hold again, unless something else ended that, too.

        A later fact that excludes what it had ended takes the place of that: a thing has one owner.
        """
        ended_before = [
            f for f in self._supersession_graph.facts_ended_by(fact.id, self.facts) if not is_open(f)
        ]
        self._put_fact(fact.model_copy(update={"status": FactStatus.RETCONNED}))
        self._update_facts_ended_by(fact)
        for older in [self.facts[f.id] for f in ended_before]:
            for later in self._find_later_rivals(older, fact) if is_open(older) else ():
                self._supersede(older, later)
        self._update_sheets()

    def _find_later_rivals(self, older: Fact, ending: Fact) -> list[Fact]:
        """Return what holds now, begins after `older`, was recorded no earlier than what ended it, and excludes it."""
        rivals = [*self._find_rival_facts(older), *(rival.fact for rival in self.sentence_rivals(older))]
        return [
            self.facts[later.id]
            for later in {f.id: f for f in rivals}.values()
            if later.id != ending.id
            and is_open(self.facts[later.id])
            and is_true(self.facts[later.id])
            and starts_later(later, older)
            and later.recorded_at >= ending.recorded_at
        ]

    def restore_fact(self, fact: Fact) -> None:
        """Make a retconned fact so again: `retcon` backwards. What took its place since then ends it."""
        self._put_fact(fact.model_copy(update={"status": FactStatus.CANONICAL}))
        self._update_status(fact)
        self._update_facts_ended_by(fact)
        fact_key = fact_key_of(fact, self.catalogue)
        for other in [self.facts[i] for i in self._facts_by_key[fact_key]] if fact_key else ():
            # Two that give the same value stand side by side, as they did before.
            is_other_value = other.id != fact.id and not gives_same_value(other, fact, self.catalogue)
            if is_other_value and is_open(other) and is_open(self.facts[fact.id]):
                self._supersede(self.facts[fact.id], other)
        self._update_sheets()

    def change_secrecy(self, fact: Fact, secrecy: Secrecy) -> None:
        """Say who may know a fact."""
        self._last_rival_facts = None
        self._facts_before.setdefault(fact.id, fact)
        self.facts[fact.id] = fact.model_copy(update={"secrecy": secrecy})

    def _supersede(self, older: Fact, newer: Fact) -> None:
        self.supersessions.append(Supersession(newer_id=newer.id, older_id=older.id))
        self._supersession_graph.add(newer.id, older.id)
        self._update_status(older)

    def _update_facts_ended_by(self, fact: Fact) -> None:
        for older in list(self._supersession_graph.facts_ended_by(fact.id, self.facts)):
            self._update_status(older)

    def _update_status(self, fact: Fact) -> None:
        self._put_fact(self._supersession_graph.with_derived_status(self.facts[fact.id], self.facts))

    def _put_fact(self, fact: Fact) -> None:
        """Add a fact, or replace it by itself with another status or end."""
        fact_key = fact_key_of(fact, self.catalogue)
        if fact_key is not None and fact.kind is FactKind.STATE:
            self._changed_keys.setdefault(fact_key, self.current_fact(fact_key))
        self._facts_before.setdefault(fact.id, self.facts.get(fact.id))
        self._index_fact(fact)

    def _index_fact(self, fact: Fact) -> None:
        self._last_rivals = self._last_rival_facts = None
        if fact.id not in self.facts:
            self._sentences.add_fact(fact)
            reading, fact_key = read_fact(fact, self.catalogue), fact_key_of(fact, self.catalogue)
            for who in {reading.subject, reading.object}:
                self._facts_by_predicate[reading.predicate, who].append(fact.id)
            self._facts_by_statement[fact.statement_key].append(fact.id)
            if (claim_key := claim_key_of(fact, self.catalogue)) is not None:
                self._facts_by_claim[claim_key].append(fact.id)
            if fact_key is not None:
                self._facts_by_key[fact_key].append(fact.id)
            if fact.kind is FactKind.AXIOM:
                self._axiom_ids.append(fact.id)
            elif fact.kind in OCCURRENCE_KINDS or self.catalogue[fact.predicate].deed:
                for who in {i.entity_id for i in fact.involves}:
                    self._deeds_by_entity[who].append(fact.id)
        self.facts[fact.id] = fact

    def _update_sheets(self) -> None:
        """Let entities bear what their facts say now, wherever another fact holds than did before."""
        for fact_key, previous_fact in self._changed_keys.items():
            current_fact = self.current_fact(fact_key)
            entity = self.entities.get(fact_key.subject) if fact_key.subject else None
            if entity is not None and (current_fact and current_fact.id) != (
                previous_fact and previous_fact.id
            ):
                self.entities[entity.id] = update_sheet_value(entity, fact_key, current_fact, self.catalogue)
        self._changed_keys.clear()
