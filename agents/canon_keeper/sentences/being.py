"""Reads what a clause with `is` says: a state, a place, a relative, a role, more or less of something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.claims import ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.clause_parts import PLACE_PREPOSITIONS
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.comparatives import read_comparison
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.word_lists import WordLists, number_of, singular

_BARE_PLACES: Final = frozenset({"sea", "home", "prison", "jail", "court", "school", "church", "town", "bed"})
"""Places that are named without an article: `at sea`."""
_KEEPING: Final = frozenset({"hand", "keeping", "possession", "custody"})
"""Who has something in their keeping, or in whose hands it is, has it."""
_DEAD_PHRASES: Final = frozenset(
    {"dead", "deceased", "long dead", "dead and buried", "in the grave", "in his grave", "in her grave", "no more",
     "slain", "in their grave", "dead and gone", "a corpse", "among the dead", "stone dead", "long gone and buried"}
)  # fmt: skip
_ALIVE_PHRASES: Final = frozenset(
    {
        "alive",
        "living",
        "alive and well",
        "among the living",
        "in the land of the living",
        "alive and kicking",
    }
)


_NO_BELONGINGS: Final = frozenset(
    ["gift", "work", "idea", "home", "prison", "grave", "tomb", "birthplace", "favourite", "favorite", "doing",
     "undoing", "choice", "find", "discovery", "invention", "handiwork", "refuge", "fault", "rival", "goal", "pride"]
)  # fmt: skip
"""What a thing is to somebody without being theirs: Tam's gift may be Bela's."""
_SHADES: Final = frozenset({"bright", "dark", "pale", "light", "deep", "pure", "jet", "dull"})
_NO_CONTENTS: Final = frozenset({"hole", "crack", "dent", "rot", "woodworm", "flaw"})
"""What something is full of that may be empty."""


class BeingReader:
    """Reads what somebody or something is."""

    def __init__(self, lists: WordLists, names: NameBook) -> None:
        self._lists = lists
        self._names = names

    def claims(self, clause: Clause) -> Iterator[Claim]:
        subject, tail = clause.subject, list(clause.tail)
        words = [t.word for t in tail]
        if not tail:
            if "alive" in clause.adverbs:
                yield Claim(ALIVE, subject, value="true")
            return
        is_only = False
        while words and words[0] in (
            "only",
            "just",
            "merely",
            "both",
            "all",
            "quite",
            "still",
            "now",
            "very",
            "already",
            "indeed",
            "one",
        ):
            if words[0] == "one":
                break
            is_only = is_only or words[0] == "only"
            tail, words = tail[1:], words[1:]
        if not tail:
            return
        if "*pair" in clause.adverbs:
            yield from self._pair(clause, words)
            return
        if words[:2] == ["at", "least"] or (is_only and words[0] in PREPOSITIONS):
            return
        phrase = " ".join(words)
        own_phrase = re.sub(r"\b(?:his|her|their|its)\b", "his", phrase)
        if phrase in _ALIVE_PHRASES or own_phrase in _ALIVE_PHRASES:
            yield Claim(ALIVE, subject, value="true")
            return
        if (
            phrase in _DEAD_PHRASES
            or own_phrase.replace("his", "the") in _DEAD_PHRASES
            or (words[0] == "dead" and len(words) > 1 and words[1] in ("these", "for", "since", "now"))
        ):
            yield Claim(ALIVE, subject, value="false")
            return
        if words[0] in ("nowhere", "far") and len(words) > 2 and words[1] in ("near", "from"):
            yield from self.location_claims(subject, tail[2:], is_affirmed=False)
            return
        if related := self.adjective_relation(subject, tail, words):
            yield related
            return
        if words[0] in ("far", "away") and "from" in words:
            yield from self.location_claims(subject, tail[words.index("from") + 1 :], is_affirmed=False)
            return
        if (
            len(words) > 2
            and words[1] == "as"
            and words[0] in {*self._lists.states, *self._lists.exclusive_groups["colour"]}
        ):
            tail, words = tail[:1], words[:1]
        if len(words) > 2 and words[0] == "as" and words[2] == "as":
            tail, words = tail[1:2], words[1:2]
        if (
            len(words) == 3
            and words[0] in ("a", "an", "the")
            and words[2] in ("man", "woman", "one", "person")
        ) and words[1] in self._lists.states:
            tail, words = tail[1:2], words[1:2]
        if words[1:2] == ["of"] and words[0] in ("north", "south", "east", "west") and len(words) > 2:
            landmark = read_noun_phrase(tail[2:], subject)
            if landmark is not None:
                yield Claim(f"side of {landmark.words()}", subject, landmark, value=words[0])
            return
        if "and" in words and len(words) == 3 and words[1] == "and":
            if {words[0], words[2]} <= self._lists.exclusive_groups["colour"]:
                return  # `blue and white` is neither
            for part in (tail[:1], tail[2:]):
                yield from self.claims(replace(clause, tail=tuple(part)))
            return
        if len(words) == 1 and subject.entity in self._names.people and (age := number_of(words[0])):
            yield Claim("measure", subject, value="year old", number=age)
            return
        if state_claims := list(self._states(subject, tail, words)):
            yield from state_claims
            return
        if comparison := read_comparison(subject, tail, words):
            yield comparison
            yield from self._tie_of_superlative(comparison)
            return
        if words[0] in PREPOSITIONS:
            yield from self._being_somewhere(subject, tail, words)
            return
        yield from self._being_something(clause, subject, tail, words)

    def _tie_of_superlative(self, comparison: Claim) -> Iterator[Claim]:
        """Yield that somebody's dearest friend is their friend, and their bitterest enemy their enemy."""
        tied = comparison.object
        if tied is None or not comparison.relation.startswith("most:"):
            return
        other = tied.owner or tied.of
        if other is not None and tied.head in self._lists.allies | self._lists.enemies:
            relation = "ally_of" if tied.head in self._lists.allies else "enemy_of"
            yield Claim(relation, comparison.subject, other)

    def _pair(self, clause: Clause, words: list[str]) -> Iterator[Claim]:
        """Read `A and B are enemies`."""
        other = clause.classes[0]
        noun = singular(words[-1])
        if noun == "stranger":
            yield Claim("met", clause.subject, other, is_affirmed=False, time=ClaimTime.ALWAYS)
            return
        if words[-1] in ("related", "unrelated"):
            yield Claim("verb:relate", clause.subject, other, is_affirmed=words[-1] == "related")
            return
        if len(words) > 2:
            return
        relation = (
            "ally_of" if noun in self._lists.allies
            else "enemy_of" if noun in self._lists.enemies
            else "married_to" if words[-1] == "married" or self._lists.kin.get(noun) == "spouse"
            else "sibling_of" if self._lists.kin.get(noun) == "sibling"
            else ""
        )  # fmt: skip
        if relation:
            yield Claim(relation, clause.subject, other)

    def adjective_relation(
        self, subject: NounPhrase, tail: Sequence[Token], words: list[str]
    ) -> Claim | None:
        """Read `afraid of fire`, `allied with the guild`: an adjective that means a relation."""
        for size in (4, 3, 2):
            relation = self._lists.adjective_relations.get(" ".join(words[:size]))
            if relation is not None and len(words) > size:
                other = read_noun_phrase(tail[size:], subject)
                if other is None:
                    return None
                is_affirmed = not relation.startswith("not ")
                time = ClaimTime.NOW if relation != "not verb:betray" else ClaimTime.ALWAYS
                return Claim(
                    relation.removeprefix("not "), subject, other, is_affirmed=is_affirmed, time=time
                )
        return None

    def _states(self, subject: NounPhrase, tail: Sequence[Token], words: list[str]) -> Iterator[Claim]:
        """Read words of the table of states, such as `wide open` or `in one piece`, and what `un-` denies."""
        state = " ".join(words)
        is_known = state in self._lists.states_deny or state in self._lists.states_lack
        if is_known and state not in self._lists.states:
            yield Claim("is", subject, value=state)
            return
        phrase = " ".join(
            w
            for w in words
            if w not in ("very", "quite", "completely", "entirely", "perfectly", "utterly", "too")
        )
        if words[:2] == ["full", "of"] and len(words) > 2 and singular(words[2]) in _NO_CONTENTS:
            return
        if words[:2] == ["full", "of"] and len(words) > 2:
            content = read_noun_phrase(tail[2:], subject)
            if content is not None and content.head:
                yield Claim("state:filling", subject, value="1:full")
                yield Claim("has", subject, content)
                return
        candidates = [
            phrase,
            words[0]
            if len(words) > 1 and words[1] in (*PREPOSITIONS, "and") and words[0] not in PREPOSITIONS
            else "",
        ]
        if len(words) == 2 and words[0].endswith("ly"):
            candidates.append(words[1])
        if words[0] in ("a", "an") and len(words) == 2 and f"a {words[1]}" in self._lists.states:
            candidates.append(f"a {words[1]}")
        for candidate in candidates:
            places = self._lists.states.get(candidate, ())
            rest = "" if candidate in (phrase, f"a {words[-1]}") or len(words) == 2 else " ".join(words[1:])
            for dimension, side in places:
                yield Claim(f"state:{dimension}", subject, value=f"{side}:{candidate}", when=rest)
            if places:
                return
        if " ".join(words) in self._lists.states_lack or (
            words[0] in self._lists.states_lack and len(words) == 1
        ):
            yield Claim("is", subject, value=phrase)
            return
        if len(words) == 2 and words[0] in _SHADES:
            words = words[1:]
        if len(words) == 1:
            for group, members in self._lists.exclusive_groups.items():
                if words[0] in members and group == "colour" and subject.entity not in self._names.people:
                    yield Claim(f"group:{group}", subject, value=words[0])
                    return
            materials = self._lists.exclusive_groups["material"]
            if words[0] in materials and subject.entity not in self._names.people:
                yield Claim("made_of", subject, value=words[0])
                return
            if words[0].startswith(("un", "non-")) and len(words[0]) > 5:
                yield Claim(
                    "is", subject, value=words[0].removeprefix("un").removeprefix("non-"), is_affirmed=False
                )

    def _being_somewhere(
        self, subject: NounPhrase, tail: Sequence[Token], words: list[str]
    ) -> Iterator[Claim]:
        prepositions = ("up", "down", "out", "over", "back", "off")
        while len(words) > 2 and words[0] in prepositions and words[1] in PREPOSITIONS:
            tail, words = tail[1:], words[1:]
        phrase = read_noun_phrase(tail[1:], subject)
        if words[0] == "in" and phrase is not None and phrase.head in _KEEPING:
            holder = phrase.of or phrase.owner
            # What is written in somebody's hand is not theirs.
            if holder is not None and (phrase.head != "hand" or (phrase.of is not None and "hands" in words)):
                yield Claim("has", holder, subject)
            return
        if words[:2] == ["in", "league"] and words[2:3] == ["with"]:
            other = read_noun_phrase(tail[3:], subject)
            if other is not None:
                yield Claim("ally_of", subject, other)
            return
        if words[:3] == ["at", "war", "with"]:
            other = read_noun_phrase(tail[3:], subject)
            if other is not None:
                yield Claim("enemy_of", subject, other)
            return
        if words[0] == "of" and phrase is not None and phrase.entity in self._names.factions:
            yield Claim("member_of", subject, phrase)
            return
        if words[0] in PLACE_PREPOSITIONS and phrase is not None and self.is_place(phrase):
            yield from self.location_claims(subject, tail[1:], preposition=words[0])
            return
        if words[0] == "to" and phrase is not None and phrase.entity in self._names.places:
            yield Claim("visited", subject, phrase)
            return
        if words[0] == "from" and phrase is not None and phrase.entity:
            yield Claim("comes_from", subject, phrase)
            return
        if {"here", "there"}.isdisjoint(words) and len(words) <= 4 and all(not t.entity for t in tail):
            yield Claim("is", subject, value=" ".join(words))
        elif phrase is not None and phrase.entity and len(tail) == 2:
            yield Claim(f"is {words[0]}", subject, phrase)

    def is_place(self, phrase: NounPhrase) -> bool:
        """Say whether somebody can be in it: a place that is named, or something with an article."""
        if phrase.entity:
            return phrase.entity not in self._names.people and phrase.entity not in self._names.factions
        if not phrase.determiner and not phrase.modifiers and phrase.head in _BARE_PLACES:
            return True
        return phrase.determiner in ("the", "own", "a") and phrase.head not in (
            "way", "position", "mood", "hurry", "debt", "love", "service", "pay", "verge", "brink", "habit", "wrong",
            "right", "run", "lookout", "mend", "end", "middle", "lead", "matter", "mind", "employ", "company", "arm",
            "hand", "power", "care", "charge", "side", "name", "state", "condition", "shape", "spell", "curse", "heart",
        )  # fmt: skip

    def location_claims(
        self,
        subject: NounPhrase,
        place_tokens: Sequence[Token],
        *,
        is_affirmed: bool = True,
        preposition: str = "in",
    ) -> Iterator[Claim]:
        words = [t.word for t in place_tokens]
        place = read_noun_phrase(place_tokens, subject)
        if place is None:
            return
        yield Claim(LOCATED_IN, subject, place, value=preposition, is_affirmed=is_affirmed)
        if "of" in words and is_affirmed and place.of is not None and place.of.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.of, value=preposition)
        if is_affirmed and place.owner is not None and place.owner.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.owner, value=preposition)
        if is_affirmed and place.within is not None and place.within.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.within, value=preposition)

    def _being_something(
        self, clause: Clause, subject: NounPhrase, tail: Sequence[Token], words: list[str]
    ) -> Iterator[Claim]:
        is_about_places = subject.entity in self._names.places and tail[-1].entity in self._names.places
        if is_about_places and not {"in", "of", "within"}.isdisjoint(words[-3:-1]):
            # `The Owl is an inn in Belmory.`
            yield Claim(LOCATED_IN, subject, NounPhrase(entity=tail[-1].entity), value="in")
            return
        stop = next((n for n, w in enumerate(words) if n and w in PREPOSITIONS and w != "of"), len(words))
        main, rest = tail[:stop], tail[stop:]
        if rest and rest[0].word == "to":
            linked = read_noun_phrase(rest[1:], subject)
            noun = read_noun_phrase(main, subject)
            if linked is not None and noun is not None and noun.head and noun.head not in self._lists.kin:
                yield from self._noun_relation(
                    subject,
                    replace(noun, of=linked),
                    is_denied=bool(clause.negation) or subject.is_general,
                    words=words,
                )
                return
        if (
            len(main) == 1
            and not main[0].entity
            and words[0] not in ("here", "there", "gone", "away", "back", "out")
        ):
            adjective = words[0]
            if rest:
                linked = read_noun_phrase(rest[1:], subject)
                if adjective == "married" and rest[0].word == "to" and linked is not None:
                    yield Claim("married_to", subject, linked)
                elif linked is not None:
                    yield Claim(f"is {adjective} {rest[0].word}", subject, linked)
                return
            yield Claim("is", subject, value=adjective)
            return
        if words[:2] == ["one", "of"] and tail[-1].entity in self._names.factions:
            yield Claim("member_of", subject, NounPhrase(entity=tail[-1].entity))
            return
        if len(tail) == 2 and tail[0].is_person and words[1] == "'s":
            yield Claim("owned_by", subject, NounPhrase(entity=tail[0].entity, is_person=True))
            return
        noun = read_noun_phrase(main if rest and rest[0].word != "in" else tail, subject)
        if noun is None:
            return
        if noun.entity:
            if noun.entity in self._names.factions and noun.determiner in ("a", "no"):
                yield Claim(
                    "member_of", subject, NounPhrase(entity=noun.entity), is_affirmed=noun.determiner == "a"
                )
            elif subject.head and not subject.entity:
                # `The captain of the Heron is Vess.`
                yield from self._noun_relation(
                    noun, subject, is_denied=bool(clause.negation) or subject.is_general, words=[subject.head]
                )
            else:
                yield Claim("is_same", subject, noun)
            return
        is_of_thing = bool(subject.entity) and subject.entity not in self._names.people | self._names.factions
        owner = noun.owner
        is_owned = owner is not None and owner.is_person and noun.head not in _NO_BELONGINGS
        if is_of_thing and is_owned and owner is not None and not clause.negation:
            # `The Three Herons is Perrin Lisk's own house`: somebody's thing is whose it is.
            yield Claim("owned_by", subject, owner)
        if number_of(words[0]) is not None and len(words) > 1:
            if (
                words[-1] in ("old",)
                or singular(words[1])
                in (
                    "year",
                    "foot",
                    "mile",
                    "pace",
                    "fathom",
                    "yard",
                )
                or (subject.head in self._lists.one_valued and len(words) == 2)
            ):
                unit = " ".join(singular(w) for w in words[1:])
                yield Claim("measure", subject, value=unit, number=number_of(words[0]))
            return
        yield from self._noun_relation(
            subject, noun, is_denied=bool(clause.negation) or subject.is_general, words=words
        )

    def _noun_relation(
        self, subject: NounPhrase, noun: NounPhrase, *, is_denied: bool, words: list[str]
    ) -> Iterator[Claim]:
        """Read `the mother of Tam`, `Dob's enemy`, `the captain of the Heron`, `a smith`."""
        lists, head = self._lists, noun.head
        other = noun.of or noun.owner
        modifiers = noun.modifiers
        step = bool(
            modifiers & {"step", "foster", "adoptive", "former", "late", "ex", "would-be", "godmother"}
        )
        if other is not None and not step:
            if kin := lists.kin.get(head):
                yield from self._kin_claims(subject, head, kin, other, noun, is_denied=is_denied)
                if is_denied:
                    return
                for word in modifiers:
                    if word in ("elder", "older", "big"):
                        yield Claim("more:old", subject, other)
                    elif word in ("younger", "little"):
                        yield Claim("more:old", other, subject)
                return
            if head in ("elder", "senior", "junior") and other.entity:
                older, younger = (other, subject) if head == "junior" else (subject, other)
                yield Claim("more:old", older, younger)
                return
            if head in ("relation", "relative", "kin", "kinsman", "kinswoman"):
                yield Claim("verb:relate", subject, other, is_affirmed=noun.determiner != "no")
                return
            yield Claim(f"noun:{head}", subject, other)
            if head in lists.allies or head in lists.enemies:
                yield Claim("ally_of" if head in lists.allies else "enemy_of", subject, other)
                return
            if head == "owner":
                yield Claim("owned_by", other, subject)
                return
            if head == "member" or (words[0] == "one" and other.entity in self._names.factions):
                yield Claim("member_of", subject, other)
                return
            if head in ("ruler", "king", "queen", "lord", "lady") and not is_denied:
                yield Claim(
                    "rules_over",
                    subject,
                    other,
                    is_only_subject=noun.is_only or noun.determiner in ("the", ""),
                )
            if head == "servant" and noun.owner is not None:
                yield Claim("serves", subject, other)
            if head in lists.roles:
                is_unique = noun.determiner in ("the", "own", "") or noun.is_only
                yield Claim(
                    f"role:{head}",
                    subject,
                    other,
                    is_only_subject=is_unique,
                    number=1 if noun.is_only else None,
                    adjuncts=_modifier_adjuncts(noun),
                )
                return
        elif head in ("killer", "murderer", "thief", "heir") and noun.determiner == "the" and not step:
            yield Claim(
                f"role:{head}", subject, None, is_only_subject=True, adjuncts=_modifier_adjuncts(noun)
            )
            return
        is_sole = noun.determiner == "the" and noun.is_only
        sole = replace(noun, determiner="a", is_only=False) if is_sole else noun
        yield Claim("is", subject, sole, is_only_subject=is_sole)

    def _kin_claims(
        self,
        subject: NounPhrase,
        head: str,
        kin: str,
        other: NounPhrase,
        noun: NounPhrase,
        *,
        is_denied: bool,
    ) -> Iterator[Claim]:
        """Read a word for a relative; who is denied to be a brother may be a sister, and an elder one a younger one."""
        if is_denied:
            if not noun.modifiers:
                yield Claim(f"kin:{head}", subject, other)
            return
        if kin == "parent":
            yield Claim("parent_of", subject, other)
        elif kin == "child":
            yield Claim("parent_of", other, subject)
        elif kin == "sibling":
            yield Claim("sibling_of", subject, other)
        elif kin == "spouse":
            yield Claim("married_to", subject, other)
        yield Claim(f"kin:{head}", subject, other)
        if noun.is_only and kin in ("child", "sibling"):
            yield Claim(f"count:{head}", other, number=1, is_only_object=True)
        sex = "man" if head in self._lists.men else "woman" if head in self._lists.women else ""
        if sex:
            yield Claim("state:sex", subject, value="0:man" if sex == "man" else "1:woman")


def _modifier_adjuncts(noun: NounPhrase) -> tuple[tuple[str, NounPhrase], ...]:
    return tuple(("*which", NounPhrase(head=word)) for word in sorted(noun.modifiers))
