"""Finds facts that cannot be true beside another by what their sentences say. Pure.

A typed fact counts as the sentence that it is. Facts are found by what their claims are about, so that a fact is
compared with few others; what a statement claims is read once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import (
    ALIVE,
    CANON_EVENTS,
    IS,
    IS_NOT,
    LOCATED_IN,
    OBJECT,
    SUBJECT,
    read_fact,
)
from agents.canon_keeper.predicates import Catalogue, value_in_words
from agents.canon_keeper.propositions.proposition import Proposition
from agents.canon_keeper.propositions.proposition_comparison import PropositionComparison
from agents.canon_keeper.propositions.proposition_reader import read_propositions
from agents.canon_keeper.sentences.claims import Claim, ClaimTime, SentenceReading
from agents.canon_keeper.sentences.comparison import ClaimComparison
from agents.canon_keeper.sentences.interpretation import read_state_words
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book
from agents.canon_keeper.sentences.word_lists import load_word_lists
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id
from stores.records.world import Entity

_ANYBODY: Final = "*"
_MOVING_RELATIONS: Final = frozenset({LOCATED_IN, "owned_by", "owns", "has", "visited", "lives_in"})
"""Relations that play changes without a word about it: who is elsewhere later has gone there."""

_FAMILIES: Final = {
    **dict.fromkeys(("has", "owns", "owned_by"), "having"),
    **dict.fromkeys(
        ("ally_of", "enemy_of", "knows", "met", "married_to", "sibling_of", "parent_of", "verb:speak"), "ties"
    ),
    **dict.fromkeys(("rules_over", "serves", "lives_in"), "life"),
    "visited": LOCATED_IN,
}
"""Relations that are compared with each other, and the name of their family; others are a family of their own."""

_PREDICATES_OF_FAMILY: Final = {
    "having": ("owns", "owned_by"),
    "ties": ("ally_of", "enemy_of", "knows", "met", "married_to", "sibling_of", "parent_of", "child_of"),
    "life": (ALIVE, "rules_over", "serves"),
    LOCATED_IN: (LOCATED_IN, "contains"),
}


class SentenceRival(NamedTuple):
    """A fact that cannot be true beside another; `reason` is a sentence."""

    fact: Fact
    reason: str
    is_movement: bool
    """Whether both tell of something that play moves on, such as where somebody is."""
    is_change: bool
    """Whether the sentence says itself that it changed (`no longer`, `left`): the other was true until then."""


def read_fact_statement(fact: Fact, names: NameBook) -> SentenceReading:
    """Return what the words of a fact claim."""
    return read_statement(fact.statement, names, fact.entity(SUBJECT) or "")


def claims_of_fact(fact: Fact, names: NameBook, catalogue: Catalogue) -> tuple[Claim, ...]:
    """Return what a fact claims, by its predicate and by its words."""
    # A lore entry is a text of many sentences: one of them must not end it, nor it a fact.
    if fact.kind in (FactKind.AXIOM, FactKind.LORE) or fact.predicate in CANON_EVENTS:
        return ()
    typed_claims = tuple(_typed_claims(fact, names, catalogue))
    if typed_claims and fact.statement == _phrase_of(fact, names, catalogue):
        return typed_claims
    read_claims = read_fact_statement(fact, names).claims
    if any(c.relation == typed.relation for c in read_claims for typed in typed_claims):
        typed_claims = ()
    return (*typed_claims, *read_claims)


def _typed_claims(fact: Fact, names: NameBook, catalogue: Catalogue) -> Iterator[Claim]:
    reading = read_fact(fact, catalogue)
    if reading.subject is None or (reading.object is None and reading.value is None):
        return

    def phrase_of(entity_id: Id) -> NounPhrase:
        return NounPhrase(entity=entity_id, is_person=entity_id in names.people | names.factions)

    subject = phrase_of(reading.subject)
    if reading.object is not None:
        time = ClaimTime.PAST if catalogue[reading.predicate].deed else ClaimTime.NOW
        relation = reading.predicate
        yield Claim(
            relation,
            subject,
            phrase_of(reading.object),
            value="in" if relation == LOCATED_IN else "",
            time=time,
        )
    elif reading.predicate == ALIVE:
        yield Claim(ALIVE, subject, value=value_in_words(reading.value))
    elif reading.predicate in (IS, IS_NOT) and isinstance(reading.value, str):
        is_affirmed = reading.predicate == IS
        for relation, value in read_state_words(reading.value, load_word_lists()):
            yield Claim(relation, subject, value=value, is_affirmed=is_affirmed)


def _phrase_of(fact: Fact, names: NameBook, catalogue: Catalogue) -> str:
    subject, other = (names.full_names.get(fact.entity(role) or "", "") for role in (SUBJECT, OBJECT))
    return catalogue.phrase(fact.predicate, subject, other, fact.value)


def claim_families(claim: Claim) -> frozenset[str]:
    """Return the families of relations with which a claim is compared."""
    lists, relation = load_word_lists(), claim.relation
    families = {_FAMILIES.get(relation, relation)}
    if relation.startswith("verb:"):
        verb = relation.removeprefix("verb:")
        families |= {"/".join(sorted((verb, other))) for other in lists.verb_opposites.get(verb, ())}
        if verb.split()[0] in lists.deeds_of_living:
            families.add("life")
    elif relation == ALIVE:
        families = {"life"}
    elif relation.startswith("count:"):
        families = {"having"}
    elif relation.startswith(("more:", "most:")):
        families = {relation.partition(":")[2]}
    elif relation.startswith("kin:"):
        families = {"ties", relation}
    elif relation == "state:filling":
        families |= {"having", LOCATED_IN}
    return frozenset(families)


def predicates_to_compare(claims: Iterable[Claim]) -> frozenset[str]:
    """Return the predicates of the catalogue under which facts stand that the claims are compared with."""
    families = {family for claim in claims for family in claim_families(claim)}
    predicates = {name for family in families for name in _PREDICATES_OF_FAMILY.get(family, ())}
    return frozenset(
        predicates | ({IS, IS_NOT} if any(f.startswith(("state:", "is")) for f in families) else set())
    )


def propositions_of_fact(fact: Fact, names: NameBook) -> tuple[Proposition, ...]:
    """Return what the words of a fact say in terms of concepts."""
    if fact.kind in (FactKind.AXIOM, FactKind.LORE) or fact.predicate in CANON_EVENTS:
        return ()
    return read_propositions(fact.statement, names, fact.entity(SUBJECT) or "")


class SentenceIndex:
    """The claims of some facts, found by what they are about."""

    def __init__(self, catalogue: Catalogue, is_nested: Callable[[Id, Id], bool]) -> None:
        self._catalogue = catalogue
        self._is_nested = is_nested
        self._names = build_name_book([])
        self._entities: dict[Id, Entity] = {}
        self._are_names_old = False
        self._facts_by_entity: defaultdict[Id, set[Id]] = defaultdict(set)
        self._claims: dict[Id, tuple[Claim, ...]] = {}
        self._propositions: dict[Id, tuple[Proposition, ...]] = {}
        self._ids_by_key: defaultdict[tuple[str, str], defaultdict[str, dict[Id, None]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        """By what a claim is found by, and then by its relation if it is a plain deed (else by nothing)."""
        self._facts: dict[Id, Fact] = {}
        self._pending_ids: dict[Id, None] = {}

    def add_entities(self, entities: Iterable[Entity]) -> None:
        """Take in names; the facts that involve somebody new are read again."""
        for entity in entities:
            known = self._entities.get(entity.id)
            if known is None or (known.name, known.aliases) != (entity.name, entity.aliases):
                self._entities[entity.id] = entity
                self._are_names_old = True
                self._pending_ids |= dict.fromkeys(self._facts_by_entity[entity.id])

    def add_fact(self, fact: Fact) -> None:
        """Take in a fact; its claims are read when they are asked for."""
        self._facts[fact.id] = fact
        self._pending_ids[fact.id] = None
        for involvement in fact.involves:
            self._facts_by_entity[involvement.entity_id].add(fact.id)

    def claims_of(self, fact: Fact) -> tuple[Claim, ...]:
        self._read_pending()
        if self._facts.get(fact.id) == fact:
            return self._claims[fact.id]
        return claims_of_fact(fact, self._names, self._catalogue)

    def propositions_of(self, fact: Fact) -> tuple[Proposition, ...]:
        self._read_pending()
        if self._facts.get(fact.id) == fact:
            return self._propositions[fact.id]
        return propositions_of_fact(fact, self._names)

    def read_words(self, fact: Fact) -> SentenceReading:
        """Return how the words of a fact are read."""
        self._read_pending()
        reading = read_fact_statement(fact, self._names)
        if reading.words or not propositions_of_fact(fact, self._names):
            return reading
        # It is compared by what its words are about, and stands for itself.
        return replace(reading, words=((fact.statement.rstrip(".!"), "", ""),))

    def find_rivals(self, fact: Fact) -> Iterator[SentenceRival]:
        """Yield the facts that the claims of this one cannot be true beside."""
        claims, propositions = self.claims_of(fact), self.propositions_of(fact)
        if not claims and not propositions:
            return
        comparison = self._comparison()
        proposition_comparison = PropositionComparison(self._is_nested)
        candidate_ids = dict.fromkeys(
            other_id
            for key, deed in _entries_of(claims, propositions, comparison)
            for other_deed, other_ids in self._ids_by_key.get(key, {}).items()
            if not deed or deed != other_deed
            for other_id in other_ids
        )
        for other_id in candidate_ids:
            if other_id == fact.id:
                continue
            found = comparison.find_contradiction(self._claims[other_id], claims)
            if found is not None:
                is_movement = {found.earlier.relation, found.later.relation} <= _MOVING_RELATIONS
                yield SentenceRival(self._facts[other_id], found.reason, is_movement, found.is_change)
                continue
            opposed = proposition_comparison.find_opposed(self._propositions[other_id], propositions)
            if opposed is not None:
                yield SentenceRival(
                    self._facts[other_id], opposed.reason, opposed.is_passing, is_change=False
                )

    def _comparison(self) -> ClaimComparison:
        return ClaimComparison(self._catalogue, load_word_lists(), self._is_nested, self._names.places)

    def _entries_of_fact(
        self, fact_id: Id, comparison: ClaimComparison
    ) -> Iterator[tuple[tuple[str, str], str]]:
        return _entries_of(self._claims.get(fact_id, ()), self._propositions.get(fact_id, ()), comparison)

    def _read_pending(self) -> None:
        comparison = self._comparison()
        if self._are_names_old:
            self._names = build_name_book(self._entities.values())
            self._are_names_old = False
        for fact_id in self._pending_ids:
            fact = self._facts[fact_id]
            for key, deed in self._entries_of_fact(fact_id, comparison):
                self._ids_by_key[key][deed].pop(fact_id, None)
            self._claims[fact_id] = claims_of_fact(fact, self._names, self._catalogue)
            self._propositions[fact_id] = propositions_of_fact(fact, self._names)
            for key, deed in self._entries_of_fact(fact_id, comparison):
                self._ids_by_key[key][deed][fact_id] = None
        self._pending_ids.clear()


def _plain_deed(claim: Claim, comparison: ClaimComparison) -> str:
    """Return the relation of a plain deed, which need not be compared with others of it; else nothing."""
    return claim.relation if comparison.is_plain_deed(claim) else ""


def _keys_of(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield what a claim is found by: a family of relations, with somebody or something that it is about."""
    ends = [end for end in (claim.subject, claim.object) if end is not None]
    about = {end for phrase in ends for end in (phrase.entities() or {f"~{phrase.head}"})}
    if claim.subject.is_general or claim.object is None:
        about.add(_ANYBODY)
    for family in claim_families(claim):
        yield from ((family, end) for end in about)


def _entries_of(
    claims: Iterable[Claim], propositions: Iterable[Proposition], comparison: ClaimComparison
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what a fact is found by, each with the relation of its claim if that is a plain deed (else nothing)."""
    for claim in claims:
        deed = _plain_deed(claim, comparison)
        yield from ((key, deed) for key in _keys_of(claim))
    for proposition in propositions:
        family = f"concept {proposition.concept}"
        yield from (((family, entity_id), "") for entity_id in sorted(proposition.entities()))
        if proposition.general:
            yield (family, _ANYBODY), ""
