"""Finds two claims that cannot both be true. What is not surely about the same at the same time is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.claim_identity import (
    are_different,
    are_two_deaths,
    covers_adjuncts,
    is_instance,
    is_other_adjunct,
    is_same_individual,
    same_or_none,
)
from agents.canon_keeper.sentences.claim_times import (
    covers_when,
    is_change,
    is_other_time,
    same_moment,
    shares_time,
)
from agents.canon_keeper.sentences.claims import AFTER_THAT, ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.noun_phrases import NounPhrase, includes, same_thing
from agents.canon_keeper.sentences.word_lists import WordLists

DENIED: Final = "One denies what the other says."
ONE_OF_TWO: Final = "Only one of the two can be true at a time."
ONLY_ONE: Final = "One says that nobody and nothing else fits."
DEAD: Final = "The dead do not act."

OTHER_DEEDS_WITH_OBJECT: Final = frozenset(
    ["run", "lose", "pay", "work", "walk", "grow", "stand", "hold", "keep", "draw", "pass", "turn", "move", "call",
     "fly", "drive", "break", "play", "leave", "fall", "strike"]
)  # fmt: skip
"""Verbs that say something else of an object: who never runs may run an inn."""
_ONE_OBJECT: Final = frozenset({"owned_by", "buried_in"})
"""Relations of which a subject has one object at a time."""
_SHARED_RELATIONS: Final = frozenset({"owned_by", "owns", "has"})
"""Relations that two may stand in to one thing, if one sentence says so."""
_ONE_VALUE: Final = frozenset({"named", "made_of", "group:colour"})
_ADJECTIVE_ENDINGS: Final = ("ed", "ous", "ful", "less", "able", "ible", "ing", "ly", "ish", "ive", "like")
_ONE_SUBJECT: Final = frozenset({"kin:mother", "kin:father", "has"})
"""Relations of which an object has one subject at a time."""
_SYMMETRIC: Final = frozenset({"ally_of", "enemy_of", "sibling_of", "married_to", "met", "is_same"})
_ONE_WAY: Final = frozenset({"parent_of", LOCATED_IN, "rules_over", "owned_by"})
"""Relations that do not hold in both directions."""
_FURTHER_KIN: Final = frozenset(
    f"kin:{kin}"
    for kin in (
        "uncle",
        "aunt",
        "nephew",
        "niece",
        "cousin",
        "grandfather",
        "grandmother",
        "grandson",
        "granddaughter",
    )
)
"""Relatives who are, whichever way round, no parents, children, brothers or sisters of one another."""
_HELD_OR_PUT: Final = frozenset({"has", LOCATED_IN})
_EXCLUSIVE_RELATIONS: Final = (
    *(frozenset({kin, near}) for kin in _FURTHER_KIN for near in ("parent_of", "sibling_of")),
    frozenset({"parent_of", "sibling_of"}), frozenset({"ally_of", "enemy_of"}), frozenset({"parent_of", "married_to"}),
    frozenset({"sibling_of", "married_to"}),
)  # fmt: skip


class ClaimContradiction(NamedTuple):
    """Two claims that cannot both be true, and why."""

    earlier: Claim
    later: Claim
    reason: str
    is_change: bool = False
    """Whether the later one tells that it changed: then the earlier one was true until then."""


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """Compares claims by one universe's catalogue; `is_nested` says whether one of two places lies within the other."""

    catalogue: Catalogue
    lists: WordLists
    is_nested: Callable[[str, str], bool]
    places: frozenset[str] = frozenset()

    def find_contradiction(
        self, earlier: Iterable[Claim], later: Iterable[Claim]
    ) -> ClaimContradiction | None:
        """Return two of the claims that cannot both be true, if any. The later ones may tell of a change."""
        change: ClaimContradiction | None = None
        earlier = [self._canonical(claim) for claim in earlier]
        later = [self._canonical(claim) for claim in later]
        # What belongs to two belongs to each: of what both say, neither denies what the other adds.
        only_earlier = [claim for claim in earlier if not _is_said_by(later, claim)]
        only_later = [claim for claim in later if not _is_said_by(earlier, claim)]
        for one in only_earlier:
            for other in only_later:
                if reason := self._contradiction(one, other):
                    contradiction = ClaimContradiction(one, other, reason, is_change(one, other))
                    if not contradiction.is_change:
                        return contradiction
                    change = change or contradiction
        return change

    def is_plain_deed(self, claim: Claim) -> bool:
        """Say whether a claim never contradicts another plain deed of the same relation.

        It rains on one roof and on another: most of what is told is of this kind, and comparing it all would take long.
        """
        verb = claim.relation.removeprefix("verb:")
        predicate = self.catalogue[claim.relation]
        return (
            claim.relation.startswith("verb:")
            and claim.is_affirmed
            and not claim.is_only_subject
            and not claim.is_only_object
            and verb != "die"
            and verb not in self.lists.single_deeds
            and verb not in self.lists.verb_opposites.get(verb, ())
            and predicate.cardinality != "one"
            and predicate.inverse_of is None
        )

    def _contradiction(self, earlier: Claim, later: Claim) -> str:
        if later.when == AFTER_THAT and later.is_change:
            later = replace(later, when="", time=ClaimTime.NOW)
        if self._is_denial(earlier, later) or self._is_denial(later, earlier):
            return DENIED
        if not (earlier.is_affirmed and later.is_affirmed):
            return self._negative_pair(earlier, later)
        if self._excludes_others(earlier, later) or self._excludes_others(later, earlier):
            return ONLY_ONE
        if self._is_other_value(earlier, later):
            return ONE_OF_TWO
        if self._is_order_reversed(earlier, later) or self._is_order_reversed(later, earlier):
            return ONE_OF_TWO
        if self._acts_while_dead(earlier, later):  # whoever dies later did act before
            return DEAD
        if self._is_in_what_is_empty(earlier, later) or self._is_in_what_is_empty(later, earlier):
            return ONE_OF_TWO
        return ""

    def _canonical(self, claim: Claim) -> Claim:
        """Return the claim from the end that its relation is checked from: `owns` as `owned_by`."""
        inverse = self.catalogue[claim.relation].inverse_of
        is_definite = claim.object is not None and (
            claim.object.entity or claim.object.determiner in ("the", "own")
        )
        if inverse is None or claim.object is None or not is_definite:
            return claim
        return replace(claim, relation=inverse, subject=claim.object, object=claim.subject)

    # --- denied and affirmed ----------------------------------------------------------------------------

    def _is_denial(self, denied: Claim, affirmed: Claim) -> bool:
        """Say whether the first claim denies the second."""
        if denied.is_affirmed or not affirmed.is_affirmed:
            return False
        if denied.relation != affirmed.relation:
            return self._denies_what_follows(denied, affirmed)
        if denied.value != affirmed.value and denied.relation != LOCATED_IN and denied.value != "*":
            return False
        if denied.relation in ("verb:know", "knows") and denied.object is None:
            return False  # `Nobody knows where the crown is`
        if affirmed.is_ability and not denied.is_ability:
            return False
        is_after = denied.when == AFTER_THAT and affirmed.is_lasting
        if not shares_time(denied, affirmed) and not denied.is_ability and not is_after:
            return False
        is_some_deed = (
            denied.relation.startswith("verb:") and denied.object is None and denied.time is ClaimTime.PAST
        )
        if is_some_deed and denied.adjuncts != affirmed.adjuncts:
            return False  # who did not sleep one night slept in the barn another
        is_another_deed = denied.object is None and (affirmed.object is not None or bool(affirmed.adjuncts))
        if is_another_deed and denied.relation.removeprefix("verb:") in OTHER_DEEDS_WITH_OBJECT:
            return False
        is_narrower = denied.time is ClaimTime.NOW and bool(affirmed.adjuncts) and not denied.adjuncts
        if is_narrower and not denied.subject.is_general and denied.relation.startswith("verb:"):
            return False  # what is not so in general may be so in one respect
        if not self._covers_ends(denied, affirmed):
            return False
        return covers_adjuncts(denied, affirmed) and covers_when(denied, affirmed)

    def _covers_ends(self, denied: Claim, affirmed: Claim) -> bool:
        if self._covers_subject(denied, affirmed) and self._covers_object(denied, affirmed):
            return True
        if self._is_symmetric(denied.relation) and denied.object is not None and affirmed.object is not None:
            return includes(denied.subject, affirmed.object) and includes(denied.object, affirmed.subject)
        return False

    def _covers_subject(self, denied: Claim, affirmed: Claim) -> bool:
        general, special = denied.subject, affirmed.subject
        if special.determiner == "some" and not general.is_general:
            return False
        if special.is_everybody:
            return self._is_of_class(denied, special)
        if general.within is not None and general.is_general:
            if general.within.head == "outside":
                return False
            member_of = frozenset(e for c in affirmed.classes for e in c.entities()) | special.entities()
            return (
                bool(general.within.entities())
                and general.within.entities() <= member_of
                and bool(special.entity)
            )
        if not general.entity and not general.is_general and general.determiner in ("a", "some"):
            return False
        if (
            not general.entity
            and not special.entity
            and general.determiner == "the"
            and special.determiner not in ("the", "own")
        ):
            return False
        return includes(general, special)

    def _is_of_class(self, claim: Claim, everybody: NounPhrase) -> bool:
        """Say whether what is said of everybody of a class is said of this subject."""
        if claim.subject.is_general or claim.subject.determiner == "some":
            return False
        if everybody.is_person_word and everybody.within is None:
            return bool(claim.subject.entity)
        if everybody.is_person_word and everybody.within is not None:
            known = frozenset(e for c in claim.classes for e in c.entities()) | claim.subject.entities()
            return (
                bool(everybody.within.entities())
                and everybody.within.entities() <= known
                and bool(claim.subject.entity)
            )
        return any(
            everybody.head == c.head and everybody.entities() <= (c.entities() | claim.subject.entities())
            for c in claim.classes
        ) or (
            claim.subject.head == everybody.head
            and everybody.modifiers <= claim.subject.modifiers
            and not claim.subject.entity
            and everybody.entities() <= claim.subject.entities()
        )

    def _covers_object(self, denied: Claim, affirmed: Claim) -> bool:
        if denied.object is None:
            return True
        if affirmed.object is None:
            return False
        if denied.relation == LOCATED_IN:
            return same_thing(denied.object, affirmed.object)
        if affirmed.object.is_everybody and denied.object.entity:
            return affirmed.object.head in ("person", "thing")
        return includes(denied.object, affirmed.object)

    def _denies_what_follows(self, denied: Claim, affirmed: Claim) -> bool:
        """Say whether the first denies what the second implies: who is in a place has been there."""
        implied = {
            "visited": (LOCATED_IN,), "met": ("married_to",),
            "owns": ("owned_by",), "owned_by": ("owns",), "knows": ("married_to",),
        }  # fmt: skip
        if affirmed.relation not in implied.get(denied.relation, ()):
            return False
        if (
            not shares_time(denied, affirmed)
            or denied.when
            or (denied.is_change and denied.relation != "owned_by")
        ):
            return False
        ends = (
            (affirmed.object, affirmed.subject)
            if {denied.relation, affirmed.relation} & {"owned_by"}
            else (affirmed.subject, affirmed.object)
        )
        if ends[0] is None or denied.object is None:
            return False
        swapped = (
            self._is_symmetric(affirmed.relation)
            and includes(denied.subject, ends[1])
            and includes(denied.object, ends[0])
        )
        return swapped or (includes(denied.subject, ends[0]) and includes(denied.object, ends[1]))

    def _negative_pair(self, earlier: Claim, later: Claim) -> str:
        """Compare a denied claim with an affirmed one of another relation."""
        denied, affirmed = (earlier, later) if not earlier.is_affirmed else (later, earlier)
        if denied.is_affirmed or not affirmed.is_affirmed:
            return ""
        is_counted = affirmed.relation.startswith("count:") and denied.relation == "has"
        if not is_counted or affirmed.number == 0 or not is_same_individual(denied.subject, affirmed.subject):
            return ""
        if denied.adjuncts and not covers_adjuncts(denied, affirmed):
            return ""  # who has no family in Saltmere may have a brother elsewhere
        return DENIED if includes(denied.object, affirmed.object) and shares_time(denied, affirmed) else ""

    def _is_symmetric(self, relation: str) -> bool:
        return relation in _SYMMETRIC or self.catalogue[relation].symmetric

    # --- two values where there is one ------------------------------------------------------------------

    def _is_other_value(self, one: Claim, other: Claim) -> bool:
        if one.is_ability or other.is_ability:
            return False
        if one.relation.startswith("count:") and other.relation.startswith(("count:", "has")):
            return self._is_other_count(one, other)
        if other.relation.startswith("count:") and one.relation == "has":
            return self._is_other_count(other, one)
        if self._are_lasting_opposites(one, other):
            return True
        if one.relation == other.relation and (one.relation == "death" or self._is_single_deed(one.relation)):
            if one.when and other.when and one.when != other.when:
                return False
            if one.relation == "death":
                return is_same_individual(one.subject, other.subject) and are_two_deaths(
                    one.value, other.value
                )
            different = are_different(one.subject, other.subject)
            return (
                different
                and is_same_individual(one.object, other.object)
                and bool(one.object and one.object.entity)
            )
        if one.relation.startswith("side of ") and one.relation == other.relation:
            return is_same_individual(one.subject, other.subject) and one.value != other.value
        if not same_moment(one, other):
            return one.relation == other.relation == "born" and self._is_other_birth(one, other)
        if one.relation != other.relation:
            return self._are_opposites(one, other)
        relation = one.relation
        same_subject = is_same_individual(one.subject, other.subject) or is_instance(
            one.subject, other.subject
        )
        if relation == "born":
            return self._is_other_birth(one, other)
        if relation == "verb:die":
            return same_subject and is_other_adjunct(one, other, ("in", "on", "at"))
        if relation == ALIVE or relation.startswith("state:"):
            return same_subject and one.value.split(":")[0] != other.value.split(":")[0]
        if relation in _ONE_VALUE:
            return same_subject and one.value != other.value and bool(one.value) and bool(other.value)
        if relation == "is":
            return (same_subject and self._is_other_word(one, other)) or self._is_other_holder(one, other)
        if relation == "measure":
            return same_subject and one.value == other.value and one.number != other.number
        if relation == LOCATED_IN:
            return same_subject and self._is_elsewhere(one.object, other.object, one.value, other.value)
        if relation in ("lives_in", "comes_from"):
            return (
                same_subject
                and self._is_elsewhere(one.object, other.object, "", "")
                and are_different(one.object, other.object)
            )
        if relation in _ONE_OBJECT or (
            self.catalogue[relation].cardinality == "one" and one.object and other.object
        ):
            return same_subject and are_different(one.object, other.object)
        if relation in _ONE_SUBJECT or self._is_single_deed(relation):
            return (
                is_same_individual(one.object, other.object)
                and are_different(one.subject, other.subject)
                and self._is_unique_thing(one, other)
            )
        if relation.startswith("role:"):
            is_only = one.number == 1 or other.number == 1
            return (
                (is_only or (one.is_only_subject and other.is_only_subject))
                and same_or_none(one.object, other.object)
                and one.adjuncts == other.adjuncts
                and are_different(one.subject, other.subject)
            )
        return False

    def _is_other_word(self, one: Claim, other: Claim) -> bool:
        """Say whether two words are given for what is one word, such as a password."""
        return (
            one.subject.head in self.lists.one_valued
            and one.value != other.value
            and self._is_word_itself(one.value)
            and self._is_word_itself(other.value)
        )

    def _is_word_itself(self, value: str) -> bool:
        """Say whether a word is what a password or name is, and not how it is."""
        return (
            bool(value)
            and " " not in value
            and value not in self.lists.qualities
            and value not in self.lists.states
            and not value.endswith(_ADJECTIVE_ENDINGS)
        )

    def _is_other_holder(self, one: Claim, other: Claim) -> bool:
        """Say whether two are said to be the one king, or the one capital."""
        return (
            one.object is not None
            and one.object.head in self.lists.sole_holders
            and one.object.determiner == "the"
            and is_same_individual(one.object, other.object)
            and are_different(one.subject, other.subject)
        )

    def _is_single_deed(self, relation: str) -> bool:
        return relation.startswith("verb:") and relation.removeprefix("verb:") in self.lists.single_deeds

    def _is_unique_thing(self, one: Claim, other: Claim) -> bool:
        thing = one.object
        if one.relation != "has" or thing is None:
            return True
        return bool(thing.entity)

    def _is_elsewhere(
        self, one: NounPhrase | None, other: NounPhrase | None, how: str, other_how: str
    ) -> bool:
        """Say whether two places are surely two: neither is a part of the other, as far as is known."""
        if one is None or other is None or same_thing(one, other):
            return False
        if one.entity and other.entity:
            both_are_places = one.entity in self.places and other.entity in self.places
            are_alike = (one.entity in self.places) is (other.entity in self.places)
            if both_are_places and (one.head in self.lists.buildings) is not (
                other.head in self.lists.buildings
            ):
                return False  # the inn may stand in the town
            return are_alike and not self.is_nested(one.entity, other.entity)
        for phrase in (one, other):
            if not phrase.entity and (
                phrase.head in self.lists.inner_places
                or phrase.of
                or phrase.owner
                or phrase.determiner not in ("the", "own")
            ):
                return False
        if one.entity or other.entity:
            named = one.entity or other.entity
            return named not in self.places or not (how or other_how)
        return True

    def _is_other_count(self, count: Claim, other: Claim) -> bool:
        if (
            not is_same_individual(count.subject, other.subject)
            or not same_moment(count, other)
            or count.object is None
            or other.object is None
        ):
            return False
        # `no scars on his hands` says nothing of his face.
        if count.adjuncts != other.adjuncts and (count.number != 0 or count.adjuncts):
            return False
        heads = self._are_same_kind(count.object.head, other.object.head)
        if (
            not heads
            or (count.object.modifiers != other.object.modifiers and count.number != 0)
            or not count.is_only_object
        ):
            return False
        if other.relation == "has":
            return (
                count.number == 0
                and (count.object.head == other.object.head or count.object.head == "child")
                and not other.is_ability
                and includes(count.object, other.object)
            )
        if other.number is None:
            return count.number == 0
        return (
            count.number is not None
            and count.number != other.number
            and (count.object.head == other.object.head or 0 in (count.number, other.number))
        )

    def _are_same_kind(self, one: str, other: str) -> bool:
        """Say whether one of two words covers the other: `child` covers `son`, and `daughter` does not."""
        return one == other or one == self.lists.kin.get(other) or other == self.lists.kin.get(one)

    def _is_other_birth(self, one: Claim, other: Claim) -> bool:
        if not is_same_individual(one.subject, other.subject):
            return False
        if is_other_adjunct(one, other, ("in", "on")):
            return True
        return is_other_time(one.when, other.when)

    def _are_lasting_opposites(self, one: Claim, other: Claim) -> bool:
        verbs = [c.relation.removeprefix("verb:") for c in (one, other)]
        if not all(v in self.lists.lasting_opposites for v in verbs) or verbs[
            1
        ] not in self.lists.verb_opposites.get(verbs[0], ()):
            return False
        return (
            is_same_individual(one.subject, other.subject)
            and is_same_individual(one.object, other.object)
            and one.when == other.when
            and not is_other_adjunct(one, other, ("against", "with", "to", "from", "for", "over"))
        )

    def _are_opposites(self, one: Claim, other: Claim) -> bool:
        """Say whether two relations of the same two exclude each other."""
        pair = frozenset({one.relation, other.relation})
        if pair == _HELD_OR_PUT:
            holding, stay = (one, other) if one.relation == "has" else (other, one)
            return self._is_held_and_put(holding, stay)
        excluded = pair in _EXCLUSIVE_RELATIONS or other.relation in self.catalogue.excluded_by(one.relation)
        if excluded and one.object is not None and other.object is not None:
            straight = is_same_individual(one.subject, other.subject) and is_same_individual(
                one.object, other.object
            )
            crossed = is_same_individual(one.subject, other.object) and is_same_individual(
                one.object, other.subject
            )
            return straight or (
                crossed
                and (
                    self._is_symmetric(one.relation)
                    or self._is_symmetric(other.relation)
                    or not pair.isdisjoint(_FURTHER_KIN)
                )
            )
        if one.relation.startswith("verb:") and other.relation.startswith("verb:"):
            verbs = one.relation.removeprefix("verb:"), other.relation.removeprefix("verb:")
            if verbs[1] in self.lists.verb_opposites.get(verbs[0], ()):
                same = is_same_individual(one.subject, other.subject) and is_same_individual(
                    one.object, other.object
                )
                return same and one.object is not None and covers_adjuncts(one, other)
        return False

    def _is_held_and_put(self, holding: Claim, stay: Claim) -> bool:
        """Say whether somebody has a thing that lies somewhere: it is in one place or with one holder at a time.

        What is in somebody's own bag is with them.
        """
        thing, place = holding.object, stay.object
        return (
            thing is not None
            and place is not None
            and bool(thing.entity)
            and bool(holding.subject.entity)
            and holding.subject.entity not in self.places
            and is_same_individual(thing, stay.subject)
            and not place.owner
            and place.head not in self.lists.body_parts  # what is in a hand is with whose it is
            and place.determiner != "own"
            and (place.entity in self.places if place.entity else place.determiner in ("the", "a"))
        )

    # --- only, more and most, before and after ------------------------------------------------------------

    def _excludes_others(self, exclusive: Claim, other: Claim) -> bool:
        if exclusive.relation != other.relation or exclusive.value != other.value:
            return False
        if (other.is_ability and not exclusive.is_ability) or not (
            shares_time(exclusive, other) or exclusive.is_ability
        ):
            return False
        if exclusive.when and exclusive.when != other.when:
            return False
        if exclusive.is_only_subject and not exclusive.relation.startswith(("role:", "count:")):
            if not same_or_none(exclusive.object, other.object) and not (
                exclusive.object
                and exclusive.object.determiner in ("a", "any")
                and includes(exclusive.object, other.object)
            ):
                return False
            return are_different(exclusive.subject, other.subject, is_any_kind=True) and covers_adjuncts(
                exclusive, other
            )
        if exclusive.is_only_object and not exclusive.relation.startswith("count:"):
            return (
                is_same_individual(exclusive.subject, other.subject)
                and are_different(exclusive.object, other.object)
                and exclusive.adjuncts == other.adjuncts
            )
        return False

    def _is_order_reversed(self, one: Claim, other: Claim) -> bool:
        """Say whether one is more of something than the other, and the other than it; or most of all, and surpassed."""
        if one.relation == other.relation and (one.relation.startswith("more:") or one.relation in _ONE_WAY):
            if one.relation == "owned_by" or one.object is None or other.object is None:
                return False
            return (
                same_moment(one, other)
                and is_same_individual(one.subject, other.object)
                and is_same_individual(one.object, other.subject)
            )
        if one.relation.startswith("most:"):
            quality = one.relation.removeprefix("most:")
            if other.relation == f"more:{quality}" and is_same_individual(one.subject, other.object):
                others_entities = (
                    frozenset(e for c in other.classes for e in c.entities()) | other.subject.entities()
                )
                heads = {c.head for c in other.classes} | {c.of.head for c in other.classes if c.of}
                return one.object is not None and (
                    bool(one.object.entities() & others_entities) or one.object.head in heads - {""}
                )
            if other.relation == one.relation:
                return (
                    are_different(one.subject, other.subject)
                    and one.object is not None
                    and same_thing(one.object, other.object)
                )
        return False

    def _acts_while_dead(self, death: Claim, deed: Claim) -> bool:
        if not death.subject.entity and death.subject.head in self.lists.roles:
            return False  # the king is dead, and the next one rules
        if death.relation != ALIVE or death.value != "false" or death.time is not ClaimTime.NOW or death.when:
            return False
        if not deed.relation.startswith("verb:") or deed.time is not ClaimTime.NOW or deed.is_ability:
            return (
                deed.relation in ("lives_in", "rules_over", "serves")
                and deed.time is ClaimTime.NOW
                and is_same_individual(death.subject, deed.subject)
            )
        return deed.relation.removeprefix("verb:").split()[
            0
        ] in self.lists.deeds_of_living and is_same_individual(death.subject, deed.subject)

    def _is_in_what_is_empty(self, empty: Claim, inside: Claim) -> bool:
        if (
            empty.relation != "state:filling"
            or not empty.value.endswith(":empty")
            or not same_moment(empty, inside)
        ):
            return False
        if inside.relation == "has":
            return is_same_individual(empty.subject, inside.subject) and not inside.subject.entity
        return (
            inside.relation in (LOCATED_IN, "lives_in")
            and inside.value in ("in", "inside", "within", "")
            and is_same_individual(empty.subject, inside.object)
        )


def _is_said_by(claims: Sequence[Claim], claim: Claim) -> bool:
    """Say whether a claim of who has a thing is among others, too."""
    return claim.relation in _SHARED_RELATIONS and any(
        c.relation == claim.relation
        and c.is_affirmed is claim.is_affirmed
        and c.subject.entity == claim.subject.entity != ""
        and c.object is not None
        and claim.object is not None
        and c.object.entity == claim.object.entity != ""
        for c in claims
    )
