"""Finds facts that cannot be true beside another by what their sentences say. Pure.

A typed fact counts as the sentence that it is. Facts are found by what their claims are about, so that a fact is
compared with few others; what a statement claims is read once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
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
from agents.canon_keeper.propositions.proposition_comparison import OpposedPropositions, PropositionComparison
from agents.canon_keeper.propositions.proposition_reader import read_propositions
from agents.canon_keeper.sentences.claims import Claim, ClaimTime, SentenceReading
from agents.canon_keeper.sentences.comparison import ClaimComparison, ClaimContradiction
from agents.canon_keeper.sentences.interpretation import read_state_words
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book
from agents.canon_keeper.sentences.word_lists import load_word_lists
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id
from stores.records.world import Entity

_ANYBODY: Final = "*"
_SOMEBODY: Final = "*somebody"
_MOVING_RELATIONS: Final = frozenset({LOCATED_IN, "owned_by", "owns", "has", "visited", "lives_in"})
"""Relations that play changes without a word about it: who is elsewhere later has gone there."""

_PASSING_STATES: Final = frozenset(
    f"state:{state}" for state in [
        "openness", "filling", "wakefulness", "drunkenness", "health", "safety", "liberty", "weather", "heat",
        "light", "edge", "cleanness", "armament", "visibility", "mood", "occupancy", "silence", "tide", "hunger",
        "navigability", "readiness", "speed", "strength", "wealth", "debt", "truth", "straightness",
    ]
)  # fmt: skip
"""States that pass without a word about it: who slept is awake later."""
_PASSING_CONCEPTS: Final = frozenset(
    ["alone", "debt", "pay", "leave", "speak", "walk", "ride", "drink", "smoke", "snow", "rain", "guarded", "flooded",
     "empty", "open", "find", "know", "afraid", "rich", "free", "harmless", "help", "wounded", "asleep", "inhabited",
     "reach", "armed", "forget", "fight", "admitted", "burned", "swim", "hear", "see", "own", "believer", "whole",
     "love", "trust", "forgive", "friend", "haunted", "win", "lie", "fallen", "work for", "return", "ever there"]
)  # fmt: skip
"""What passes likewise, unless it is said to be so always or never."""

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


class RivalPace(StrEnum):
    """How play goes from one sentence to another that cannot be true beside it."""

    LASTING = "lasting"
    """Not without a word about it."""
    PASSING = "passing"
    """Without a word: who slept is awake later. What is narrated is no news; what is stated is compared."""
    MOVING = "moving"
    """As play goes on: who is elsewhere later has gone there, also if that is stated."""
    CHANGED = "changed"
    """By the sentence itself (`no longer`, `left`): the other was true until then."""


class SentenceRival(NamedTuple):
    """A fact that cannot be true beside another; `reason` is a sentence."""

    fact: Fact
    reason: str
    pace: RivalPace

    @property
    def passes_in_play(self) -> bool:
        """Whether play may go from one to the other without a word about it."""
        return self.pace is not RivalPace.LASTING


def read_fact_statement(fact: Fact, names: NameBook) -> SentenceReading:
    """Return what the words of a fact claim."""
    return read_statement(fact.statement, _settle_names(fact, names), fact.entity(SUBJECT) or "")


def _settle_names(fact: Fact, names: NameBook) -> NameBook:
    """Return the names by which a fact is read: of two who are called Ivo, it is about the one whom it involves."""
    return names.settled_for(fact.statement, {involvement.entity_id for involvement in fact.involves})


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
        relation, other = reading.predicate, phrase_of(reading.object)
        if relation == LOCATED_IN:
            # A sentence is compared by what kind of a place it is: a tower is in no bridge.
            name = names.full_names.get(reading.object, "")
            other = replace(other, head=name.casefold().rpartition(" ")[2])
        yield Claim(
            relation,
            subject,
            other,
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
    elif relation == "has":
        families |= {LOCATED_IN}  # what somebody has lies nowhere
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
    return read_propositions(fact.statement, _settle_names(fact, names), fact.entity(SUBJECT) or "")


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
            for key, deed in _lookups_of(claims, propositions, comparison)
            for other_deed, other_ids in self._ids_by_key.get(key, {}).items()
            if not deed or deed != other_deed
            for other_id in other_ids
        )
        for other_id in candidate_ids:
            if other_id == fact.id:
                continue
            found = comparison.find_contradiction(self._claims[other_id], claims)
            rival = None
            if found is not None:
                rival = SentenceRival(self._facts[other_id], found.reason, self._pace_of_claims(found))
                if not rival.passes_in_play:
                    yield rival
                    continue
            opposed = proposition_comparison.find_opposed(self._propositions[other_id], propositions)
            if opposed is None and rival is not None:
                yield rival
            if opposed is not None:
                yield SentenceRival(self._facts[other_id], opposed.reason, _pace_of_propositions(opposed))

    def _pace_of_claims(self, found: ClaimContradiction) -> RivalPace:
        if found.is_change:
            return RivalPace.CHANGED
        if self._is_movement(found):
            return RivalPace.MOVING
        is_always = ClaimTime.ALWAYS in (found.earlier.time, found.later.time)
        is_passing = not is_always and found.earlier.relation in _PASSING_STATES
        return RivalPace.PASSING if is_passing else RivalPace.LASTING

    def _is_movement(self, found: ClaimContradiction) -> bool:
        """Say whether play may move from one claim to the other; nobody puts down a daughter or a left hand."""
        lists = load_word_lists()
        if not {found.earlier.relation, found.later.relation} <= _MOVING_RELATIONS:
            return False
        owned = {c.subject.entity for c in (found.earlier, found.later) if c.relation == "owned_by"}
        if owned & self._names.places:
            return False  # an inn is not handed on in passing
        heads = {c.object.head for c in (found.earlier, found.later) if c.relation == "has" and c.object}
        return heads.isdisjoint(lists.kin) and heads.isdisjoint(lists.body_parts)

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


def _pace_of_propositions(opposed: OpposedPropositions) -> RivalPace:
    if opposed.is_moving:
        return RivalPace.MOVING
    is_passing = not opposed.is_always and opposed.earlier.concept in _PASSING_CONCEPTS
    return RivalPace.PASSING if is_passing else RivalPace.LASTING


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
        if claim.relation == "has" and family == LOCATED_IN:
            # Where the thing is matters, not where its holder is.
            yield from ((family, entity) for entity in (claim.object.entities() if claim.object else ()))
        else:
            yield from ((family, end) for end in about)


def _entries_of(
    claims: Iterable[Claim], propositions: Iterable[Proposition], comparison: ClaimComparison
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield what a fact is found by, each with the relation of its claim if that is a plain deed (else nothing)."""
    for claim in claims:
        deed = _plain_deed(claim, comparison)
        yield from ((key, deed) for key in _keys_of(claim))
    for proposition in propositions:
        family, polarity = f"concept {proposition.concept}", _plain_polarity(proposition)
        if proposition.aspect:
            yield (family, _holder_of(proposition)), polarity
            continue
        yield from (((family, entity_id), polarity) for entity_id in sorted(proposition.entities()))
        is_about_nobody = proposition.general or not proposition.entities()
        yield (family, _ANYBODY if is_about_nobody else _SOMEBODY), polarity


def _lookups_of(
    claims: Iterable[Claim], propositions: Iterable[Proposition], comparison: ClaimComparison
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the entries under which stands what a fact is compared with.

    What is said of somebody is not compared with what is said of everybody else, but with what holds of all.
    """
    propositions = tuple(propositions)
    yield from (entry for entry in _entries_of(claims, propositions, comparison) if entry[0][1] != _SOMEBODY)
    for proposition in propositions:
        if proposition.aspect:
            continue  # an aspect is one of somebody
        family, polarity = f"concept {proposition.concept}", _plain_polarity(proposition)
        yield (family, _ANYBODY), polarity
        if proposition.general or not proposition.entities():
            yield (family, _SOMEBODY), polarity


def _holder_of(proposition: Proposition) -> str:
    """Return of whom an aspect is: somebody named, and the noun of what is theirs."""
    return "/".join((*sorted(proposition.doers), proposition.thing))


def _plain_polarity(proposition: Proposition) -> str:
    """Return whether it is affirmed, if no other that is so, too, can oppose it; else nothing.

    Two that rain on roofs are never opposed, and there may be thousands; two who built a mill, or two values, may be.
    """
    if proposition.aspect:
        return f"{'' if proposition.is_affirmed else 'not '}{min(proposition.terms)}"
    if proposition.value_of or (proposition.is_affirmed and proposition.doers):
        return ""
    return "affirmed" if proposition.is_affirmed else "denied"
