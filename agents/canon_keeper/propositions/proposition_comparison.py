"""Finds two propositions that cannot both be true. What is not surely about the same is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.aspect_comparison import opposed_sides
from agents.canon_keeper.propositions.aspects import AspectKind, load_aspects
from agents.canon_keeper.propositions.clause_words import OTHER_WORDS, PERSON, PERSON_NOUNS
from agents.canon_keeper.propositions.concepts import load_concepts
from agents.canon_keeper.propositions.events_said import DATE, EVENT_PLACE
from agents.canon_keeper.propositions.hair_said import COLOUR_OF
from agents.canon_keeper.propositions.languages_said import LANGUAGES, is_other_language
from agents.canon_keeper.propositions.people_compared import AGE_ORDER, is_other_age_order
from agents.canon_keeper.propositions.places_of_life import PLACE_OF_LIFE, are_other_places_of_life
from agents.canon_keeper.propositions.proposition import CLAUSE, ClauseTime, Proposition
from agents.canon_keeper.propositions.proposition_times import is_same_time, is_told_change
from agents.canon_keeper.propositions.survivors_said import SURVIVORS, are_other_survivors
from agents.canon_keeper.propositions.things_kept import KEPT_IN, are_other_keepings
from agents.canon_keeper.propositions.ways_said import are_other_ways
from agents.canon_keeper.sentences.comparison import OTHER_DEEDS_WITH_OBJECT

DENIED: Final = "One denies what the other says."
ONE_OF_TWO: Final = "Only one of the two can be true at a time."
_MOVING: Final = frozenset({"asleep", "value:place"})
"""What play moves on without a word."""
_MOVING_VALUES: Final = (
    "hour ", "weekday ", "season ", "owner", "debt", "price", "number there", "switch", "steal by", "sell to",
    "give to", "winner", "hand to", "lend to", "send to", "leave to",
    KEPT_IN,
)  # fmt: skip
"""Values that another day may have otherwise: a thing is sold twice, and a ship sails again."""
_WHEN: Final = ("hour ", "weekday ", "season ", DATE, COLOUR_OF)
"""Values of which the words leave several open."""
_BESIDE: Final = frozenset({"near", "outside", "beside", "beyond", "around"})
_MOVING_KINDS: Final = frozenset({AspectKind.PASSING, AspectKind.EVENT})


class OpposedPropositions(NamedTuple):
    """Two propositions that cannot both be true, and why."""

    earlier: Proposition
    later: Proposition
    reason: str

    @property
    def is_moving(self) -> bool:
        """Whether they are about what play moves on without a word, such as who sleeps."""
        if self.earlier.aspect:
            return load_aspects().aspects[self.earlier.aspect].kind in _MOVING_KINDS
        return self.earlier.concept in _MOVING or self.earlier.value_of.startswith(_MOVING_VALUES)

    @property
    def is_always(self) -> bool:
        """Whether one of them says that it is always or never so."""
        return ClauseTime.ALWAYS in (self.earlier.time, self.later.time)


@dataclass(frozen=True, slots=True)
class PropositionComparison:
    """Compares propositions; `is_nested` says whether one of two places lies within the other."""

    is_nested: Callable[[str, str], bool]

    def find_opposed(
        self, earlier: Iterable[Proposition], later: Iterable[Proposition]
    ) -> OpposedPropositions | None:
        """Return two propositions of which one excludes the other, if any."""
        later = tuple(later)
        for one in earlier:
            for other in later:
                if one.concept != other.concept or not (reason := _opposed(one, other)):
                    continue
                if one.value_of and self._are_nested(one, other):
                    continue
                return OpposedPropositions(one, other, reason)
        return None

    def _are_nested(self, one: Proposition, other: Proposition) -> bool:
        places, other_places = (p.words if p.value_of == EVENT_PLACE else p.others for p in (one, other))
        return any(self.is_nested(a, b) for a in places for b in other_places if a != b)


def _opposed(earlier: Proposition, later: Proposition) -> str:
    if earlier.aspect:
        return opposed_sides(earlier, later)
    if earlier.value_of:
        return ONE_OF_TWO if _is_other_value(earlier, later) else ""
    if _is_beside(earlier, later):
        return ""
    if bool(earlier.words & OTHER_WORDS) is not bool(later.words & OTHER_WORDS):
        return ""  # another one
    if earlier.is_affirmed is later.is_affirmed:
        return ONE_OF_TWO if earlier.is_affirmed and _are_two_doers(earlier, later) else ""
    affirmed, denied = (earlier, later) if earlier.is_affirmed else (later, earlier)
    if denied.is_denial and affirmed.is_denial:
        return ""  # who is neither rich nor poor
    if not is_same_time(denied, affirmed) or is_told_change(earlier, later):
        return ""
    if denied.is_denial:
        return DENIED if _denies(denied, affirmed) else ""
    if affirmed.is_denial:
        return DENIED if _denies(affirmed, denied) else ""
    return ONE_OF_TWO if _is_same_matter(denied, affirmed) else ""


def _is_other_value(one: Proposition, other: Proposition) -> bool:
    if one.doers != other.doers or one.is_change or other.is_change:
        return False
    if one.value_of == SURVIVORS:
        return are_other_survivors(one, other)
    if one.quantity is not None and other.quantity is not None:
        if one.thing != other.thing or not one.quantity.excludes(other.quantity):
            return False
        return one.when == other.when and (one.words <= other.words or other.words <= one.words)
    match one.value_of:
        case attribute if attribute == PLACE_OF_LIFE:
            return are_other_places_of_life(one, other)
        case attribute if attribute == EVENT_PLACE:
            return one.thing == other.thing and one.words != other.words
        case attribute if attribute == AGE_ORDER:
            return is_other_age_order(one, other)
        case attribute if attribute == LANGUAGES:
            return is_other_language(one, other)
        case "origin" | "raised" | "burial":
            if one.words or other.words:  # `far from Hollowmere`
                return one.others == other.others and one.words != other.words
            return one.others != other.others
        case "way":
            return are_other_ways(one, other)
        case attribute if attribute == KEPT_IN:
            return are_other_keepings(one, other)
        case "place":
            is_other_name = bool(one.others and other.others) and one.others != other.others
            is_other_noun = (
                bool(one.words and other.words) and one.words != other.words and not one.others & other.others
            )
            return one.when == other.when and (is_other_name or is_other_noun)
        case attribute if attribute.startswith(_WHEN):
            return one.thing == other.thing and not one.words & other.words
        case _:
            return one.thing == other.thing and one.words != other.words


# --- one denies the other -----------------------------------------------------------------------------


def _denies(denied: Proposition, other: Proposition) -> bool:
    """Say whether what a word such as `not` denies is what the other says, or more general than it."""
    if not _is_definite_denial(denied, other) or not _is_of_kind(denied, other):
        return False
    if other.general and not denied.general:
        return _is_instance(denied, other)
    term_words = {word for term in other.terms for word in term.split()}
    is_about_somebody = bool(other.people & other.others) or not other.words.isdisjoint(PERSON_NOUNS)
    words = load_concepts().with_kinds(other.words | term_words) | ({PERSON} if is_about_somebody else set())
    if denied.owners & ((other.doers | other.others) - other.owners) and denied.words - other.words:
        return False  # what is denied of somebody's brother is not denied of them
    if _is_another_deed(denied, other) or _is_linked_otherwise(denied, other):
        return False
    missing = denied.words - words
    if other.is_any and not denied.general and other.words <= denied.words:
        missing = frozenset()  # `can open any lock`, and not that of the bank
    if denied.general:
        return (
            _denies_in_general(denied, other, words) and missing <= {denied.general, PERSON} | denied.excepted
        )
    entities = denied.entities() - (denied.owners if other.is_any else frozenset())
    if missing or not _are_placed_alike(denied, other) or not entities <= other.entities():
        return False
    return _is_of_same_thing(denied, other)


def _is_another_deed(denied: Proposition, other: Proposition) -> bool:
    """Say whether a verb says something else of its object: who never loses may lose his hat."""
    is_bare = denied.words <= denied.terms and not denied.others
    is_wider = bool(other.words - other.terms or other.others)
    return (
        denied.concept == CLAUSE
        and is_bare
        and is_wider
        and not denied.terms.isdisjoint(OTHER_DEEDS_WITH_OBJECT)
    )


def _is_linked_otherwise(one: Proposition, other: Proposition) -> bool:
    """Say whether the same name stands behind two prepositions that mean two things: `speaks to` and `speaks of`."""
    if one.is_passive or other.is_passive or one.concept not in (CLAUSE, "speak", "language"):
        return False
    for name in one.others & other.others:
        ways, other_ways = ({p for p, linked in q.links if linked == name} for q in (one, other))
        if ways and other_ways and not ways & other_ways:
            return True
    return False


def _is_beside(one: Proposition, other: Proposition) -> bool:
    """Say whether it is said of a place in the one, and of what is near it in the other."""
    for name in one.others & other.entities() | other.others & one.entities():
        ways, other_ways = (
            bool(_BESIDE & {p for p, linked in q.links if linked == name}) for q in (one, other)
        )
        if ways is not other_ways:
            return True
    return False


def _is_named_for_place(one: Proposition, other: Proposition) -> bool:
    """Say whether what is said of a place in the one is said of what lies there in the other."""
    return one.concept == "love" and any(
        direct.target and ("in", direct.target) in placed.links
        for direct, placed in ((one, other), (other, one))
    )


def _is_definite_denial(denied: Proposition, other: Proposition) -> bool:
    """Say whether a denial is about something that is named; who did not sleep once did another night."""
    if denied.general and denied.excepted and denied.words:
        return True
    if denied.general and denied.time is ClauseTime.NOW and denied.words - denied.terms - {denied.general}:
        return True  # `Nobody lives in the mill`
    if denied.general and denied.general == other.general:
        return True  # `None of the prisoners escaped`
    if denied.time is ClauseTime.PAST and not denied.is_perfect and not denied.general:
        return len(denied.entities()) > 1 or bool(denied.words - denied.terms)
    return bool(denied.entities())


def _is_of_kind(denied: Proposition, other: Proposition) -> bool:
    """Say whether the words of the one mean what those of the other do: no sons are no daughters."""
    common_terms = denied.terms & other.terms
    if not common_terms and not denied.terms - denied.special_terms:
        return False
    if common_terms or not denied.is_loose:
        return True
    return (
        len(denied.entities() & other.entities()) > 1
        or bool(denied.words & other.words)
        or bool(denied.general)
    )


def _denies_in_general(denied: Proposition, other: Proposition, words: frozenset[str]) -> bool:
    """Say whether what nobody does is done by somebody of that kind."""
    if not denied.doers <= other.entities() | other.named:
        return False  # `nobody in the Wardens`
    if denied.others & denied.people & other.doers and not denied.is_symmetric:
        return False  # whom nobody trusts may trust them
    excepted_here = (other.entities() | words | other.kinds) & denied.excepted
    if excepted_here and not other.kinds - denied.excepted:
        return False
    if denied.general != "person" and denied.general not in words:
        return False
    if denied.general == "person" and not (other.doers or other.kinds or other.general or other.is_passive):
        return False  # rats are nobody
    if denied.excepted and not other.doers and not other.kinds and not other.general:
        return False
    if denied.is_passive and not denied.doers and not denied.others <= other.others | other.owners:
        return False  # who cannot be killed may kill
    return denied.others | denied.owners <= other.entities()


def _is_instance(denied: Proposition, other: Proposition) -> bool:
    """Say whether one of those of whom it is said is denied it: `everyone in Harrowgate`, and Pim lives there."""
    if not denied.doers or denied.doers & other.excepted or other.general != "person":
        return False
    return other.entities() <= denied.named and denied.words == other.words


def _is_of_same_thing(denied: Proposition, other: Proposition) -> bool:
    """Say whether who is named is meant: what is denied of Tam is not denied of Tam's brother, nor of his hat."""
    people = denied.doers & denied.people
    if not _are_both_meant(denied, other):
        return False
    if people and not denied.is_symmetric and not people <= other.doers | other.others:
        return False
    owned = denied.entities() & (other.owners - other.doers - other.others)
    if owned & (denied.others | people | denied.people) and other.words - denied.words:
        return False
    is_direct = bool(denied.target) and denied.concept == CLAUSE
    return not (is_direct and denied.target != other.target)


# --- contrary words -----------------------------------------------------------------------------------


def _are_placed_alike(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody who does it in the one does it in the other as well."""
    if one.is_symmetric:
        return True
    people = one.people & other.people
    doers, other_doers = one.doers & one.people, other.doers & other.people
    if doers and other_doers and not doers & other_doers:
        return False
    return not ((one.doers & people & other.others) or (one.others & people & other.doers))


def _is_same_matter(one: Proposition, other: Proposition) -> bool:
    """Say whether two contrary words are said of the same."""
    if one.general or other.general or not _are_placed_alike(one, other) or _is_one_of_several(one, other):
        return False
    if _is_named_for_place(one, other):
        return False
    core, other_core = one.doers | one.others, other.doers | other.others
    if not _are_both_meant(one, other):
        return False
    if not (core & other_core or (one.owners & other.owners and one.words & other.words)):
        return False
    for named, owned in ((one, other), (other, one)):
        is_owner = named.doers & owned.owners and not owned.doers
        is_target = named.target in owned.owners - owned.others - owned.doers
        if (is_owner or is_target) and not one.words & other.words:
            return False  # what is said of somebody's brother is not said of them
    if not (one.entities() <= other.entities() or other.entities() <= one.entities()):
        return False
    if not (one.words <= other.words or other.words <= one.words):
        return False
    return _is_one_event(one, other)


def _is_one_of_several(one: Proposition, other: Proposition) -> bool:
    """Say whether one is said of one of several only: who broke one of her vows may keep another."""
    parts = {one.part, other.part}
    return "one" in parts and "both" not in parts


def _are_both_meant(one: Proposition, other: Proposition) -> bool:
    """Say whether what is said of two is said of both themselves: whose brother is a friend may be none."""
    if not one.is_symmetric or len(one.entities() & other.entities()) < 2:
        return True
    return len((one.doers | one.others) & (other.doers | other.others)) > 1


def _is_one_event(one: Proposition, other: Proposition) -> bool:
    """Say whether what happened can be told of only once: with the same words, or about the same named thing."""
    if ClauseTime.PAST not in (one.time, other.time) or ClauseTime.ALWAYS in (one.time, other.time):
        return True
    is_of_states = one.time is other.time and not (one.is_event and other.is_event)
    if is_of_states and not (one.words & other.words or one.is_ability or other.is_ability):
        return False  # who was single at thirty may have married later
    if one.is_final or one.is_lasting or one.is_ability or other.is_ability or one.is_still or other.is_still:
        return True
    shared = one.entities() & other.entities()
    is_about_thing = len(shared) > 1 and bool(shared - one.people)
    return is_about_thing or bool(one.words & other.words)


def _are_two_doers(one: Proposition, other: Proposition) -> bool:
    """Say whether two did what only one can have done."""
    if not one.is_single or one.general or other.general or one.is_denial or other.is_denial:
        return False
    shared = one.others & other.others
    if one.concept != "killer":
        shared -= one.people
    is_other_time = bool(one.when and other.when) and one.when != other.when
    is_direct = one.target == other.target and one.target in shared
    if not is_direct or is_other_time or not (one.is_event and other.is_event):
        return False
    if one.owners != other.owners and not (one.owners | other.owners) <= one.others & other.others:
        return False
    if one.doers and other.doers:
        return not one.doers & other.doers and not one.doers & other.named and not other.doers & one.named
    named, unnamed = (one, other) if one.doers else (other, one)
    is_one_of_people = bool(named.doers & named.people) and not named.is_plural
    return is_one_of_people and unnamed.is_plural and not unnamed.doers
