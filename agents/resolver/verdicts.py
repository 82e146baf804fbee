"""What canon says of a claim that a question makes: that it is so, that it cannot be, or nothing.

Pure. Source: design/authority.md, "Contradictions"; the readings are those of the canon gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.predicates import Catalogue, words_of
from agents.canon_keeper.readings import (
    IS,
    IS_NOT,
    OCCURRENCES,
    Reading,
    Slot,
    is_in_force,
    read,
    slot_of,
    stands,
)
from agents.resolver.bonds import holds_now, is_current
from agents.resolver.oracle import Likelihood
from agents.resolver.phrasings import phrasings
from agents.resolver.question import Pattern, Question, stems
from stores.records.canon import Fact, FactKind, Standing
from stores.records.ids import Id
from stores.records.world import Entity

ALIVE: Final = "alive"
LOCATED_IN: Final = "located_in"
PART_OF: Final = "part_of"

BY_STANDING: Final[Mapping[Standing, tuple[Likelihood, str]]] = {
    Standing.TRUE: (Likelihood.CERTAIN, "canon says"),
    Standing.RUMOUR: (Likelihood.LIKELY, "it is rumoured"),
    Standing.DISPUTED: (Likelihood.EVEN, "it is disputed"),
    Standing.LIE: (Likelihood.UNLIKELY, "it is told as a lie"),
}

_HAPPENED: Final = OCCURRENCES | {FactKind.COMMITMENT}
"""What has been so, once it was: did they meet, has he promised."""


class Reason(NamedTuple):
    """Why; `facts` are canon's, none if it stands on a sheet or if canon is silent."""

    text: str
    likelihood: Likelihood
    facts: tuple[Fact, ...] = ()


class Claim(NamedTuple):
    """What a question asks to be so, in canon's terms; `value` in stems, empty if there is none."""

    predicate: str
    subject: Id | None
    object: Id | None
    value: str


@dataclass(frozen=True, slots=True)
class Known:
    """What canon has of those a question is about. `tick` is now, in world time (minutes)."""

    entities: Mapping[Id, Entity]
    facts: Sequence[Fact]
    catalogue: Catalogue
    tick: int | None = None

    def now(self) -> Iterator[tuple[Fact, Reading]]:
        """Yield what stands as true now."""
        return ((fact, read(fact, self.catalogue)) for fact in self.facts if holds_now(fact, self.tick))

    def of_the_time(self, asked: Question) -> Iterator[tuple[Fact, Reading]]:
        """Yield what is said of the time asked about: of now, or what has happened (and what is final)."""
        return ((fact, read(fact, self.catalogue)) for fact in self.facts if self._counts(fact, asked))

    def _counts(self, fact: Fact, asked: Question) -> bool:
        current = is_current(fact, self.tick)
        if not asked.is_past:
            return current and fact.kind not in OCCURRENCES
        if fact.kind not in _HAPPENED:
            return current and self.catalogue[fact.predicate].is_final(fact.value)
        return self.has_begun(fact) and is_in_force(fact)

    def has_begun(self, fact: Fact) -> bool:
        """Say whether the fact is of now or earlier."""
        return self.tick is None or fact.valid_from is None or fact.valid_from <= self.tick


def claims_of(asked: Question, known: Known) -> list[Claim]:
    """Return every claim that the question may be read as, each once."""
    found = dict.fromkeys(
        _claim(predicate, bound, value, known.catalogue)
        for predicate, sentence, value in phrasings(known.catalogue)
        if (bound := _pattern(sentence).match(asked)) is not None
    )
    return [claim for claim in found if _is_fit(claim, known)]


def verdicts(claim: Claim, asked: Question, known: Known) -> list[Reason]:
    """Return what canon says of the claim at the time asked about.

    What has ended, and then the sheet, speak only where no fact of that time does.
    """
    said = [reason for fact, one in known.of_the_time(asked) if (reason := _said(claim, fact, one, known))]
    if not asked.is_past and claim.predicate == LOCATED_IN:
        said = said or list(_placed(claim, known))
    elif not asked.is_past:
        said += [reason for fact, one in known.now() if (reason := _ruled_out(claim, fact, one, known))]
    if not said and not asked.is_past:
        said = [reason for fact in known.facts if (reason := _no_longer(claim, fact, known))]
    return said or list(_on_the_sheet(claim, asked, known))


# --- by a fact --------------------------------------------------------------------------------------


def _said(claim: Claim, fact: Fact, said: Reading, known: Known) -> Reason | None:
    if said.predicate == claim.predicate and _same_ends(claim, said, known) and _same_value(claim, said):
        likelihood, who_says = BY_STANDING[fact.standing]
        return Reason(f"{who_says}: “{fact.statement}”", likelihood, (fact,))
    return None


def _ruled_out(claim: Claim, fact: Fact, said: Reading, known: Known) -> Reason | None:
    """Return why it cannot be: the contrary holds, or another value where there is only one at a time."""
    same_ends, same_value = _same_ends(claim, said, known), _same_value(claim, said)
    taken_away = (claim.predicate, said.predicate) == (IS, IS_NOT) and same_value
    excluded = said.predicate in known.catalogue.excluded_by(claim.predicate)
    one_value = slot_of(fact, known.catalogue) == Slot(claim.predicate, claim.subject)
    if same_ends and (taken_away or excluded):
        likelihood = Likelihood.IMPOSSIBLE
    elif one_value and not (same_ends and same_value):
        likelihood = Likelihood.IMPOSSIBLE if isinstance(said.value, bool) else Likelihood.VERY_UNLIKELY
    else:
        return None
    return Reason(f"canon says otherwise: “{fact.statement}”", likelihood, (fact,))


def _no_longer(claim: Claim, fact: Fact, known: Known) -> Reason | None:
    """Return that it was so once, if the fact says that and has ended."""
    if fact.valid_to is None or not stands(fact) or fact.kind in OCCURRENCES or is_current(fact, known.tick):
        return None
    if not known.has_begun(fact) or _said(claim, fact, read(fact, known.catalogue), known) is None:
        return None
    return Reason(f"it is no longer so: “{fact.statement}”", Likelihood.VERY_UNLIKELY, (fact,))


def _on_the_sheet(claim: Claim, asked: Question, known: Known) -> Iterator[Reason]:
    entity = known.entities.get(claim.subject or "")
    if entity is None or claim.object is not None or not claim.value:
        return
    predicate = known.catalogue[claim.predicate]
    if claim.predicate == IS:
        tag = next((tag for tag in entity.tags if stems(tag) == claim.value), None)
        is_so, is_final = True, False
    else:
        held = borne(entity, Slot(claim.predicate, entity.id), known.catalogue)
        tag = None if held is None else predicate.tag(held) or f"{claim.predicate} {words_of(held)}"
        is_so, is_final = stems(words_of(held)) == claim.value, predicate.is_final(held)
    if tag is not None and (is_final or not asked.is_past):
        likelihood = Likelihood.CERTAIN if is_so else Likelihood.IMPOSSIBLE
        yield Reason(f"the sheet of {entity.name} says: {tag}", likelihood)


# --- by where things are ----------------------------------------------------------------------------


def _placed(claim: Claim, known: Known) -> Iterator[Reason]:
    """Yield what follows from where it is: inside of that place, or elsewhere.

    Who is known to be in a village may well be in its inn: of that canon says nothing.
    """
    around = _around(claim.subject, known)
    if not around:
        return
    if facts := around.get(claim.object):
        said = " ".join(fact.statement for fact in facts)
        yield Reason(f"canon says: “{said}”", Likelihood.CERTAIN, facts)
    elif (nearest := next(iter(around))) not in _around(claim.object, known):
        (fact,) = around[nearest]
        yield Reason(f"canon says otherwise: “{fact.statement}”", Likelihood.VERY_UNLIKELY, (fact,))


def _around(who: Id | None, known: Known) -> dict[Id | None, tuple[Fact, ...]]:
    """Return the places that it is in, the nearest first, each with the facts on the way there."""
    step = {
        said.subject: (fact, said.object)
        for predicate in (PART_OF, LOCATED_IN)
        for fact, said in known.now()
        if said.predicate == predicate and said.object
    }
    found: dict[Id | None, tuple[Fact, ...]] = {}
    way: tuple[Fact, ...] = ()
    while who in step and step[who][1] not in found:
        fact, who = step[who]
        way = (*way, fact)
        found[who] = way
    return found


# --- reading ----------------------------------------------------------------------------------------


@cache
def _pattern(sentence: str) -> Pattern:
    return Pattern(sentence)


def _claim(predicate: str, bound: Mapping[str, str], value: str, catalogue: Catalogue) -> Claim:
    subject, object_ = bound.get("subject"), bound.get("object")
    value = bound.get("value", stems(value))
    inverse_of = catalogue[predicate].inverse_of
    if inverse_of is not None:
        return Claim(inverse_of, object_, subject, value)
    return Claim(predicate, subject, object_, value)


def _is_fit(claim: Claim, known: Known) -> bool:
    """Say whether such things stand in that relation: to be *in* a faction is not to be in a place."""
    predicate = known.catalogue[claim.predicate]
    ends = ((claim.subject, predicate.subjects), (claim.object, predicate.objects))
    return all(not who or not kinds or known.entities[who].kind in kinds for who, kinds in ends)


def _same_ends(claim: Claim, said: Reading, known: Known) -> bool:
    if claim.object is None:
        return said.subject == claim.subject
    turned = known.catalogue[claim.predicate].symmetric and (said.object, said.subject) == claim[1:3]
    return turned or (said.subject, said.object) == claim[1:3]


def _same_value(claim: Claim, said: Reading) -> bool:
    return not claim.value or stems(words_of(said.value)) == claim.value
