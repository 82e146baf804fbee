"""What follows from a claim: whose child somebody is has that parent, and the blind see nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.claims import ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.possession import ANYBODY, GONE_STATES, has_no_more
from agents.canon_keeper.sentences.word_lists import WordLists

_DONE_FACE_TO_FACE: Final = frozenset(
    ["raise", "rear", "teach", "train", "kiss", "hug", "marry", "wed", "adopt", "nurse", "hire", "fight", "rescue",
     "wound", "bury", "heal"]
)  # fmt: skip
"""What nobody does to somebody whom they never met."""
_DEEDS_OF_ROLES: Final = {"role:murderer": "verb:kill", "role:killer": "verb:kill"}
_LEADERS: Final = frozenset({"role:leader", "role:head", "role:chief"})
_KINSHIP: Final = frozenset({"parent_of", "sibling_of"})
_MET_BY_VERBS: Final = frozenset(
    ["speak", "dine", "drink", "dance", "fight", "walk", "live", "dwell", "work", "eat"]
)


def implied_claims(claims: Iterable[Claim], lists: WordLists) -> Iterator[Claim]:
    """Yield what follows from claims that are affirmed, and from some that are denied."""
    for claim in claims:
        if claim.is_affirmed:
            yield from _implied_by(claim, lists)
            yield from _states_of_noun(claim, lists)
        elif claim.relation == "is":
            yield from _states_of_noun(claim, lists)
        elif claim.relation.startswith("count:") or claim.relation in ("has", "verb:marry"):
            yield from _implied_by_denial(claim, lists)


def _implied_by(claim: Claim, lists: WordLists) -> Iterator[Claim]:
    relation, subject, other = claim.relation, claim.subject, claim.object
    if relation.startswith(("kin:", "noun:")) and other is not None:
        owned = NounPhrase(head=relation.partition(":")[2], determiner="a")
        yield replace(_plain(claim), relation="has", subject=other, object=owned)
    if relation == "parent_of" and other is not None:
        yield replace(_plain(claim), relation="more:old")
    if (relation in _KINSHIP or relation.startswith("kin:")) and other is not None:
        for one, another in ((subject, other), (other, subject)):
            yield replace(_plain(claim), relation="verb:relate", subject=one, object=another, value="")
    if relation == "noun:friend" and other is not None:
        for one, another in ((subject, other), (other, subject)):
            yield replace(_plain(claim), relation="knows", subject=one, object=another)
    if relation == "comes_from" and other is not None:
        yield replace(_plain(claim), relation="visited", time=ClaimTime.PAST)
    if relation in _DEEDS_OF_ROLES and subject.entity:
        victim = NounPhrase(head="person" if other is None else other.head, determiner="some")
        yield replace(
            _plain(claim), relation=_DEEDS_OF_ROLES[relation], time=ClaimTime.PAST, value="", adjuncts=(),
            object=victim if other is None else other,
        )  # fmt: skip
    if relation in _LEADERS and other is not None and claim.is_only_subject and not claim.adjuncts:
        yield replace(_plain(claim), relation="verb:lead", value="", is_only_subject=True)
    if relation == "married_to" and other is not None:
        for spouse in (subject, other):
            yield replace(
                _plain(claim), relation="state:marriage", subject=spouse, object=None, value="0:married"
            )
    if relation == "married_to" and other is not None:
        yield replace(_plain(claim), relation="met", time=ClaimTime.PAST)
    if relation.startswith("state:") or relation in ("is", "made_of"):
        yield from _implied_by_state(claim, lists)
    if relation.startswith("verb:"):
        yield from _implied_by_deed(claim, lists)
    if relation == "is" and other is not None and not other.owner and (verb := lists.doers.get(other.head)):
        yield replace(_plain(claim), relation=f"verb:{verb}", object=None, value="")
    if relation in (LOCATED_IN, "lives_in") and other is not None and not subject.entity and subject.head:
        place = other.of if other.of is not None and other.of.entity else other
        yield replace(_plain(claim), relation="verb:exist", object=None, value="", adjuncts=(("in", place),))


def _states_of_noun(claim: Claim, lists: WordLists) -> Iterator[Claim]:
    """Yield the state that a noun says: who is no coward is not in the state of one."""
    if claim.relation != "is" or claim.object is None or claim.object.owner or claim.object.of:
        return
    noun = f"a {claim.object.head}"
    if claim.object.modifiers or claim.is_affirmed:
        return
    for dimension, side in lists.states.get(noun, ()):
        yield replace(
            _plain(claim),
            relation=f"state:{dimension}",
            object=None,
            value=f"{side}:{noun}",
            is_affirmed=False,
        )


def _implied_by_state(claim: Claim, lists: WordLists) -> Iterator[Claim]:
    state = claim.value.partition(":")[2] if claim.relation.startswith("state:") else claim.value
    if claim.when or claim.time is not ClaimTime.NOW:
        return
    if state in GONE_STATES and claim.subject.entity and not claim.subject.is_person:
        yield from has_no_more(ANYBODY, claim.subject)
    for verb in sorted(lists.states_deny.get(state, ())):
        is_forever = verb == "die"
        yield replace(
            _plain(claim), relation=f"verb:{verb}", value="", is_affirmed=False, is_ability=is_forever,
            time=ClaimTime.ALWAYS if is_forever else ClaimTime.NOW,
        )  # fmt: skip
        if is_forever:
            yield replace(_plain(claim), relation=ALIVE, value="false", is_affirmed=False)
    for thing in sorted(lists.states_lack.get(state, ())):
        yield replace(
            _plain(claim),
            relation="has",
            value="",
            object=NounPhrase(head=thing, determiner="any"),
            is_affirmed=False,
        )


def _implied_by_deed(claim: Claim, lists: WordLists) -> Iterator[Claim]:
    verb = claim.relation.removeprefix("verb:")
    if claim.is_ability:
        return
    for implied in sorted(lists.verb_implications.get(verb, ())):
        yield replace(_plain(claim), relation=f"verb:{implied}")
    if verb in _DONE_FACE_TO_FACE and claim.object is not None and claim.object.entity:
        yield replace(_plain(claim), relation="met", adjuncts=(), time=ClaimTime.PAST)
    for preposition, phrase in claim.adjuncts:
        if preposition in ("with", "to") and phrase.entity and verb in _MET_BY_VERBS:
            yield replace(_plain(claim), relation="met", object=phrase, adjuncts=(), time=ClaimTime.PAST)
    if verb == "lead" and claim.object is not None and claim.object.entity:
        leader = NounPhrase(head="leader", determiner="a")
        yield replace(_plain(claim), relation="has", subject=claim.object, object=leader, adjuncts=())
    if verb == "exist" and claim.subject.number is not None:
        for preposition, place in claim.adjuncts:
            if preposition == "in" and place.entity:
                counted = replace(claim.subject, determiner="")
                yield replace(
                    _plain(claim), relation=f"count:{claim.subject.head}", subject=place, object=counted,
                    number=claim.subject.number, is_only_object=True, adjuncts=(),
                )  # fmt: skip


def _implied_by_denial(claim: Claim, lists: WordLists) -> Iterator[Claim]:
    thing = claim.object
    if claim.relation == "has" and thing is not None and not thing.modifiers and thing.determiner == "any":
        for head in sorted(lists.kinds_of_things.get(thing.head, ())):
            yield replace(_plain(claim), object=replace(thing, head=head))
    if claim.relation == "verb:marry" and claim.object is None:
        yield replace(_plain(claim), relation="state:marriage", value="0:married", is_affirmed=False)
    if (
        claim.relation == "has"
        and claim.object is not None
        and claim.object.head in ("husband", "wife", "spouse")
    ) and not claim.object.modifiers:
        yield replace(
            _plain(claim), relation="state:marriage", object=None, value="0:married", is_affirmed=False
        )


def _plain(claim: Claim) -> Claim:
    """Return the claim without what was said of it alone."""
    return replace(claim, is_only_subject=False, is_only_object=False, number=None)
