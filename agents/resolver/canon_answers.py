"""Finds what canon says of a claim in a question: that it is so, that it cannot be, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import (
    IS,
    IS_NOT,
    OCCURRENCE_KINDS,
    FactKey,
    FactReading,
    fact_key_of,
    is_in_force,
    is_true,
    read_fact,
)
from agents.canon_keeper.predicates import Catalogue, value_in_words
from agents.canon_keeper.sheet_values import sheet_value_of
from agents.resolver.bonds import holds_now, is_current
from agents.resolver.oracle import Likelihood
from agents.resolver.oracle_question import ParsedQuestion, SentencePattern, stem_words
from agents.resolver.phrasings import iter_phrasings
from stores.records.canon import Fact, FactKind, Standing
from stores.records.ids import Id
from stores.records.world import Entity

ALIVE: Final = "alive"
LOCATED_IN: Final = "located_in"
PART_OF: Final = "part_of"

LIKELIHOOD_BY_STANDING: Final[Mapping[Standing, tuple[Likelihood, str]]] = {
    Standing.TRUE: (Likelihood.CERTAIN, "canon says"),
    Standing.RUMOUR: (Likelihood.LIKELY, "it is rumoured"),
    Standing.DISPUTED: (Likelihood.EVEN, "it is disputed"),
    Standing.LIE: (Likelihood.UNLIKELY, "it is a known lie"),
}

_PAST_KINDS: Final = OCCURRENCE_KINDS | {FactKind.COMMITMENT}
"""Kinds of fact that a question about the past asks for: did they meet, has he promised."""


class LikelihoodReason(NamedTuple):
    """Why a yes is more or less likely."""

    text: str
    likelihood: Likelihood
    facts: tuple[Fact, ...] = ()
    """The facts of canon that say so; none if a sheet says it, or if canon is silent."""


class QuestionClaim(NamedTuple):
    """What a question asks, in canon's terms."""

    predicate: str
    subject: Id | None
    object: Id | None
    value: str
    """In stems; empty if there is none."""


@dataclass(frozen=True, slots=True)
class CanonKnowledge:
    """What canon has of those whom a question is about."""

    entities: Mapping[Id, Entity]
    facts: Sequence[Fact]
    catalogue: Catalogue
    tick: int | None = None
    """Now, in world time (minutes)."""

    def current_facts(self) -> Iterator[tuple[Fact, FactReading]]:
        """Yield the facts that are true now, with their readings."""
        return ((fact, read_fact(fact, self.catalogue)) for fact in self.facts if holds_now(fact, self.tick))

    def facts_of_time(self, question: ParsedQuestion) -> Iterator[tuple[Fact, FactReading]]:
        """Yield the facts of the time that is asked about: now, or the past with what is final."""
        return (
            (fact, read_fact(fact, self.catalogue))
            for fact in self.facts
            if self._is_relevant(fact, question)
        )

    def _is_relevant(self, fact: Fact, question: ParsedQuestion) -> bool:
        is_now = is_current(fact, self.tick)
        if not question.is_past:
            return is_now and fact.kind not in OCCURRENCE_KINDS
        if fact.kind not in _PAST_KINDS:
            return is_now and self.catalogue[fact.predicate].is_final(fact.value)
        return self.has_begun(fact) and is_in_force(fact)

    def has_begun(self, fact: Fact) -> bool:
        """Return whether the fact holds now or held earlier."""
        return self.tick is None or fact.valid_from is None or fact.valid_from <= self.tick


def question_claims(question: ParsedQuestion, knowledge: CanonKnowledge) -> list[QuestionClaim]:
    """Return every claim that the question may be read as, each once."""
    claims = dict.fromkeys(
        _build_claim(predicate, bindings, value, knowledge.catalogue)
        for predicate, sentence, value in iter_phrasings(knowledge.catalogue)
        if (bindings := _sentence_pattern(sentence).match(question)) is not None
    )
    return [claim for claim in claims if _fits_predicate(claim, knowledge)]


def find_reasons(
    claim: QuestionClaim, question: ParsedQuestion, knowledge: CanonKnowledge
) -> list[LikelihoodReason]:
    """Return what canon says of the claim at the time asked about.

    Facts that have ended, and then the sheet, only count if no fact of that time says anything.
    """
    reasons = [
        reason
        for fact, reading in knowledge.facts_of_time(question)
        if (reason := _reason_if_stated(claim, fact, reading, knowledge))
    ]
    if not question.is_past and claim.predicate == LOCATED_IN:
        reasons = reasons or list(_reasons_from_place(claim, knowledge))
    elif not question.is_past:
        reasons += [
            reason
            for fact, reading in knowledge.current_facts()
            if (reason := _reason_if_ruled_out(claim, fact, reading, knowledge))
        ]
    if not reasons and not question.is_past:
        reasons = [reason for fact in knowledge.facts if (reason := _reason_if_ended(claim, fact, knowledge))]
    return reasons or list(_reasons_from_sheet(claim, question, knowledge))


# --- reasons from facts and sheets --------------------------------------------------------------------


def _reason_if_stated(
    claim: QuestionClaim, fact: Fact, reading: FactReading, knowledge: CanonKnowledge
) -> LikelihoodReason | None:
    if (
        reading.predicate == claim.predicate
        and _has_same_ends(claim, reading, knowledge)
        and _has_same_value(claim, reading)
    ):
        likelihood, attribution = LIKELIHOOD_BY_STANDING[fact.standing]
        return LikelihoodReason(f"{attribution}: “{fact.statement}”", likelihood, (fact,))
    return None


def _reason_if_ruled_out(
    claim: QuestionClaim, fact: Fact, reading: FactReading, knowledge: CanonKnowledge
) -> LikelihoodReason | None:
    """Return a reason if the contrary holds, or another value of a predicate that has one at a time."""
    has_same_ends, has_same_value = _has_same_ends(claim, reading, knowledge), _has_same_value(claim, reading)
    is_negated = (claim.predicate, reading.predicate) == (IS, IS_NOT) and has_same_value
    is_excluded = reading.predicate in knowledge.catalogue.excluded_by(claim.predicate)
    is_same_key = fact_key_of(fact, knowledge.catalogue) == FactKey(claim.predicate, claim.subject)
    if has_same_ends and (is_negated or is_excluded):
        likelihood = Likelihood.IMPOSSIBLE
    elif is_same_key and not (has_same_ends and has_same_value):
        likelihood = Likelihood.IMPOSSIBLE if isinstance(reading.value, bool) else Likelihood.VERY_UNLIKELY
    else:
        return None
    return LikelihoodReason(f"canon says otherwise: “{fact.statement}”", likelihood, (fact,))


def _reason_if_ended(claim: QuestionClaim, fact: Fact, knowledge: CanonKnowledge) -> LikelihoodReason | None:
    """Return a reason if the fact states the claim and has ended."""
    if (
        fact.valid_to is None
        or not is_true(fact)
        or fact.kind in OCCURRENCE_KINDS
        or is_current(fact, knowledge.tick)
    ):
        return None
    if (
        not knowledge.has_begun(fact)
        or _reason_if_stated(claim, fact, read_fact(fact, knowledge.catalogue), knowledge) is None
    ):
        return None
    return LikelihoodReason(f"it is no longer true: “{fact.statement}”", Likelihood.VERY_UNLIKELY, (fact,))


def _reasons_from_sheet(
    claim: QuestionClaim, question: ParsedQuestion, knowledge: CanonKnowledge
) -> Iterator[LikelihoodReason]:
    entity = knowledge.entities.get(claim.subject or "")
    if entity is None or claim.object is not None or not claim.value:
        return
    predicate = knowledge.catalogue[claim.predicate]
    if claim.predicate == IS:
        tag = next((tag for tag in entity.tags if stem_words(tag) == claim.value), None)
        is_so, is_final = True, False
    else:
        sheet_value = sheet_value_of(entity, FactKey(claim.predicate, entity.id), knowledge.catalogue)
        tag = (
            None
            if sheet_value is None
            else predicate.tag(sheet_value) or f"{claim.predicate} {value_in_words(sheet_value)}"
        )
        is_so, is_final = (
            stem_words(value_in_words(sheet_value)) == claim.value,
            predicate.is_final(sheet_value),
        )
    if tag is not None and (is_final or not question.is_past):
        likelihood = Likelihood.CERTAIN if is_so else Likelihood.IMPOSSIBLE
        yield LikelihoodReason(f"the sheet of {entity.name} says: {tag}", likelihood)


# --- reasons from places -----------------------------------------------------------------------------


def _reasons_from_place(claim: QuestionClaim, knowledge: CanonKnowledge) -> Iterator[LikelihoodReason]:
    """Yield what follows from where the subject is: inside of that place, or elsewhere.

    Somebody in a village may be in its inn: that alone is no reason.
    """
    facts_by_place = _containing_places(claim.subject, knowledge)
    if not facts_by_place:
        return
    if facts := facts_by_place.get(claim.object):
        statements = " ".join(fact.statement for fact in facts)
        yield LikelihoodReason(f"canon says: “{statements}”", Likelihood.CERTAIN, facts)
    elif (nearest_place := next(iter(facts_by_place))) not in _containing_places(claim.object, knowledge):
        (fact,) = facts_by_place[nearest_place]
        yield LikelihoodReason(f"canon says otherwise: “{fact.statement}”", Likelihood.VERY_UNLIKELY, (fact,))


def _containing_places(who: Id | None, knowledge: CanonKnowledge) -> dict[Id | None, tuple[Fact, ...]]:
    """Return the places that `who` is in, the nearest first, each with the facts that lead there."""
    location_by_entity = {
        reading.subject: (fact, reading.object)
        for predicate in (PART_OF, LOCATED_IN)
        for fact, reading in knowledge.current_facts()
        if reading.predicate == predicate and reading.object
    }
    facts_by_place: dict[Id | None, tuple[Fact, ...]] = {}
    path_facts: tuple[Fact, ...] = ()
    while who in location_by_entity and location_by_entity[who][1] not in facts_by_place:
        fact, who = location_by_entity[who]
        path_facts = (*path_facts, fact)
        facts_by_place[who] = path_facts
    return facts_by_place


# --- reading ----------------------------------------------------------------------------------------


@cache
def _sentence_pattern(sentence: str) -> SentencePattern:
    return SentencePattern(sentence)


def _build_claim(
    predicate: str, bindings: Mapping[str, str], value: str, catalogue: Catalogue
) -> QuestionClaim:
    subject, object_ = bindings.get("subject"), bindings.get("object")
    value = bindings.get("value", stem_words(value))
    inverse_of = catalogue[predicate].inverse_of
    if inverse_of is not None:
        return QuestionClaim(inverse_of, object_, subject, value)
    return QuestionClaim(predicate, subject, object_, value)


def _fits_predicate(claim: QuestionClaim, knowledge: CanonKnowledge) -> bool:
    """Return whether the predicate takes such entities: being *in* a faction is not being in a place."""
    predicate = knowledge.catalogue[claim.predicate]
    end_kinds = ((claim.subject, predicate.subjects), (claim.object, predicate.objects))
    return all(not who or not kinds or knowledge.entities[who].kind in kinds for who, kinds in end_kinds)


def _has_same_ends(claim: QuestionClaim, reading: FactReading, knowledge: CanonKnowledge) -> bool:
    if claim.object is None:
        return reading.subject == claim.subject
    is_reversed = (
        knowledge.catalogue[claim.predicate].symmetric and (reading.object, reading.subject) == claim[1:3]
    )
    return is_reversed or (reading.subject, reading.object) == claim[1:3]


def _has_same_value(claim: QuestionClaim, reading: FactReading) -> bool:
    return not claim.value or stem_words(value_in_words(reading.value)) == claim.value
