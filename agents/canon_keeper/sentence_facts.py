"""Makes a fact of the catalogue out of a plain sentence: `Iselin Quay is in Pier Nine`, `Dob Harrow is dead`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.claims import ALIVE, Claim, ClaimTime, says_death
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.proposals.statements import as_sentence
from stores.records.canon import AssertFact, FactKind, Involvement
from stores.records.world import Entity

_COMMITMENTS: Final = frozenset({"promised", "owes"})
_RELATIONS: Final = frozenset(
    {"located_in", "owned_by", "owns", "ally_of", "enemy_of", "parent_of", "sibling_of", "married_to", "member_of",
     "rules_over", "serves", "knows", "met", "buried_in"}
)  # fmt: skip
"""Claims that become facts of the catalogue; each of the names is a predicate of it."""
_BLOOD_TIES: Final = frozenset({"parent_of", "sibling_of"})
"""What two are to each other for ever, also where it is told in the past: `Emmet was Ansa's father`."""
_BEGUN_TIES: Final = frozenset({"ally_of", "enemy_of", "married_to"})
"""What two are to each other once a sentence tells that it began."""


def read_sentence_fact(
    sentence: str, mentioned: Sequence[Entity], catalogue: Catalogue, tick: int
) -> AssertFact | None:
    """Return the fact of the catalogue that a sentence states, in its own words; None if it states none, or several.

    `mentioned` are the entities that the sentence names.
    """
    reading = read_statement(as_sentence(sentence), build_name_book(mentioned))
    if len(reading.words) != 1:
        return None
    # Whom somebody taught they have met: that is no fact of its own.
    is_meeting = re.search(r"\bmet\b|\bmeet", reading.words[0][1]) is not None
    claim = next(
        (c for c in reading.claims if _is_of_catalogue(c) and (is_meeting or c.relation != "met")), None
    )
    if claim is None or _is_said_of_several(claim, reading.claims):
        return None
    entities_by_id = {entity.id: entity for entity in mentioned}
    subject = entities_by_id.get(claim.subject.entity)
    other = entities_by_id.get(claim.object.entity) if claim.object is not None else None
    predicate = catalogue[claim.relation]
    if subject is None or (predicate.subjects and subject.kind not in predicate.subjects):
        return None
    if claim.relation == ALIVE:
        return _build_fact(claim, sentence, FactKind.STATE, [("subject", subject)], mentioned, tick)
    if claim.relation in _COMMITMENTS:
        ends = [("subject", subject), *([("participant", other)] if other is not None else [])]
        return _build_fact(claim, sentence, FactKind.COMMITMENT, ends, mentioned, tick)
    if other is None or other.id == subject.id or (predicate.objects and other.kind not in predicate.objects):
        return None
    return _build_fact(
        claim, sentence, FactKind.RELATION, [("subject", subject), ("object", other)], mentioned, tick
    )


def read_deaths(
    sentence: str, mentioned: Sequence[Entity], catalogue: Catalogue, tick: int
) -> list[AssertFact]:
    """Return a fact for each of those mentioned who dies or is dead by a sentence that may say other things, too."""
    entities_by_id = {entity.id: entity for entity in mentioned}
    reading = read_statement(as_sentence(sentence), build_name_book(mentioned))
    dead_ids = dict.fromkeys(c.subject.entity for c in reading.claims if says_death(c))
    dead = [entities_by_id[i] for i in dead_ids if i in entities_by_id]
    return [
        build_life(who, catalogue, tick, is_alive=False)
        for who in dead
        if not catalogue[ALIVE].subjects or who.kind in catalogue[ALIVE].subjects
    ]


def build_life(who: Entity, catalogue: Catalogue, tick: int, *, is_alive: bool) -> AssertFact:
    """Return the fact that somebody is alive or dead from a time on."""
    return AssertFact(
        fact_kind=FactKind.STATE,
        predicate=ALIVE,
        statement=catalogue.phrase(ALIVE, who.name, value=is_alive),
        involves=(Involvement(role="subject", entity_id=who.id),),
        value=is_alive,
        valid_from=tick,
    )


def _is_said_of_several(claim: Claim, claims: Sequence[Claim]) -> bool:
    """Say whether a claim is made of others, too: `Tam and Bela are dead` is no fact about one of them."""
    subjects = {c.subject for c in claims if _what_is_said(c) == _what_is_said(claim)}
    return len(subjects) > 1


def _what_is_said(claim: Claim) -> tuple[str, NounPhrase | None, str]:
    return claim.relation, claim.object, claim.value


def _is_of_catalogue(claim: Claim) -> bool:
    """Say whether a claim holds from now on, as facts of the catalogue do."""
    if not claim.is_affirmed or claim.is_ability or claim.when or claim.classes:
        return False
    if claim.relation in _COMMITMENTS or claim.relation == "met":
        return claim.value != "*"
    if claim.relation == ALIVE:
        return claim.time in (ClaimTime.NOW, ClaimTime.PAST)
    # Who became an enemy is one since then.
    is_since_then = claim.is_change and claim.relation in _BEGUN_TIES
    if claim.relation in _BLOOD_TIES and claim.time is ClaimTime.PAST:
        return True
    return claim.relation in _RELATIONS and (claim.time is ClaimTime.NOW or is_since_then)


def _build_fact(
    claim: Claim,
    sentence: str,
    kind: FactKind,
    ends: Sequence[tuple[str, Entity]],
    mentioned: Sequence[Entity],
    tick: int,
) -> AssertFact:
    end_ids = {entity.id for _, entity in ends}
    roles = [*ends, *(("participant", entity) for entity in mentioned if entity.id not in end_ids)]
    return AssertFact(
        fact_kind=kind,
        predicate=claim.relation,
        statement=as_sentence(sentence),
        involves=tuple(Involvement(role=role, entity_id=entity.id) for role, entity in roles),
        value=claim.value == "true" if claim.relation == ALIVE else None,
        valid_from=tick,
    )
