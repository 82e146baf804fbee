"""Brings together the names of one person: title and surname, given name, short form, nickname.

What is in doubt stays apart: a name that two may bear is neither's, and Mr. and Mrs. are never one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agents.ingest.names.name_parts import (
    GIVEN_NAME_TITLES,
    MAIDEN_TITLES,
    WIFE_TITLES,
    NameParts,
    are_same_given,
    pet_stems,
)
from agents.ingest.names.name_words import NameWords, Sex

_CLEARLY_MORE: Final = 3
"""How many times oftener somebody is named, to be meant by a name that others bear too."""
_GENTLEMAN_TITLES: Final = frozenset({"mr", "mister", "monsieur", "m", "signor", "herr", "senor"})
_MIN_YOUNGER: Final = 5
_YOUNGER_SHARE: Final = 20
_STYLES: Final = frozenset({"mr", "sir", "lord", "master", "mister"})
"""Titles that say no more than the sex."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name as the text writes it."""

    text: str
    parts: NameParts
    count: int
    sex: Sex | None


_KIN_TITLES: Final = frozenset(
    ["aunt", "aunty", "auntie", "uncle", "cousin", "mother", "father", "grandmother", "grandfather"]
)
_WOMEN_OF_RANK: Final = frozenset({"lady", "dame", "queen", "duchess", "countess"})
"""Who is not called Miss."""


class _Person:
    """Names that are one person's, as far as is known."""

    def __init__(self, name: KnownName) -> None:
        self.names = [name]

    @property
    def count(self) -> int:
        return sum(name.count for name in self.names)

    def count_with(self, word: str) -> int:
        """Return how often a name with this word comes; with any, if none has it."""
        counts = [
            name.count
            for name in self.names
            if word in (*name.parts.given[:1], name.parts.surname, name.parts.single)
        ]
        return sum(counts) or self.count

    @property
    def sex(self) -> Sex | None:
        return next((name.parts.sex for name in self.names if name.parts.sex), None) or next(
            (name.sex for name in self.names if name.sex), None
        )

    @property
    def titles(self) -> set[str]:
        return {title for name in self.names for title in name.parts.titles}

    def given_names(self, words: NameWords) -> Iterator[str]:
        for name in self.names:
            if name.parts.is_full:
                yield name.parts.given[0]
            elif name.parts.single and (
                (name.parts.titles and name.parts.titles[-1] in GIVEN_NAME_TITLES - {"miss", "lady", "lord"})
                or name.parts.single in words.first_names
            ):
                yield name.parts.single

    @property
    def full_given_names(self) -> list[str]:
        return [name.parts.given[0] for name in self.names if name.parts.is_full]

    @property
    def surnames(self) -> set[str]:
        full = {name.parts.surname for name in self.names if name.parts.surname}
        return (
            full
            | {part for surname in full if "-" in surname for part in surname.split("-")}
            | {
                name.parts.single
                for name in self.names
                if name.parts.single
                and name.parts.titles
                and name.parts.titles[-1] not in GIVEN_NAME_TITLES - {"miss"}
            }
        )


def join_aliases(
    names: Iterable[KnownName], explicit_pairs: Iterable[tuple[str, str]], words: NameWords
) -> list[list[KnownName]]:
    """Return the names in groups of one person each."""
    return _AliasJoiner(list(names), words).join(explicit_pairs)


class _AliasJoiner:
    def __init__(self, names: list[KnownName], words: NameWords) -> None:
        self._words = words
        self._person_of: dict[str, _Person] = {}
        self._names_by_word: dict[str, list[str]] = defaultdict(list)
        """Names that have been given to a person, by each of their words and its forms."""
        self._names = sorted(names, key=lambda name: (-name.count, name.text))

    def join(self, explicit_pairs: Iterable[tuple[str, str]]) -> list[list[KnownName]]:
        for name in self._names:
            if name.parts.is_full:
                self._place(name, self._bearers_of_full(name))
        titled = [name for name in self._names if name.parts.single and name.parts.titles]
        plain = [name for name in self._names if name.parts.single and not name.parts.titles]
        for name in titled:
            self._place(name, self._bearers_of_titled(name))
        for name in plain:
            self._place(name, self._bearers_of_plain(name))
        for name in plain:
            self._join_short_form(name)
        for name in self._names:
            if name.text not in self._person_of:
                self._place(name, self._bearers_of_title(name))
        for one, other in explicit_pairs:
            self._join_explicit(one, other)
        return [
            person.names for person in {id(person): person for person in self._person_of.values()}.values()
        ]

    def _people_named(self, *name_words: str) -> list[_Person]:
        """Return who has a name with one of the words, or a form of it."""
        keys = {key for word in name_words for key in _index_keys(word, self._words)}
        people = [self._person_of[text] for key in sorted(keys) for text in self._names_by_word[key]]
        return list({id(person): person for person in people}.values())

    def _place(self, name: KnownName, bearers: list[_Person]) -> None:
        """Give a name to its only bearer, or to a person of its own."""
        if len(bearers) == 1:
            bearers[0].names.append(name)
            self._person_of[name.text] = bearers[0]
        else:
            self._person_of[name.text] = _Person(name)
        parts = name.parts
        for word in {
            *parts.given,
            parts.surname,
            *parts.surname.split("-"),
            parts.single,
            *(f"title {t}" for t in parts.titles),
        } - {""}:
            for key in _index_keys(word, self._words):
                self._names_by_word[key].append(name.text)

    # --- who may bear a name --------------------------------------------------------------------

    def _bearers_of_full(self, name: KnownName) -> list[_Person]:
        parts = name.parts
        bearers = [
            person
            for person in self._people_named(parts.surname, *parts.given[1:])
            if any(
                _are_same_surname(other.parts, parts)
                and are_same_given(other.parts.given[0], parts.given[0], self._words)
                and other.parts.is_wife == parts.is_wife
                for other in person.names
                if other.parts.is_full
            )
            and self._fits(person, name)
        ]
        exact = [p for p in bearers if parts.given[0] in p.full_given_names]
        return exact[:1] or bearers

    def _bearers_of_titled(self, name: KnownName) -> list[_Person]:
        parts = name.parts
        title = parts.titles[-1]
        people = [person for person in self._people_named(parts.single) if self._fits(person, name)]
        by_given = [
            person for person in people if any(g == parts.single for g in person.given_names(self._words))
        ]
        by_surname = [
            person
            for person in people
            if any(other.parts.surname == parts.single and other.parts.is_full for other in person.names)
        ]
        if title in WIFE_TITLES:
            wives = [person for person in by_surname if not WIFE_TITLES.isdisjoint(person.titles)]
            # Mrs. Charles Musgrove is called after her husband, and Mrs. Musgrove may be his mother.
            male_names = self._words.male_names
            if parts.single in male_names:
                return [person for person in by_given if not WIFE_TITLES.isdisjoint(person.titles)]
            return [person for person in wives if male_names.isdisjoint(person.full_given_names)]
        if title in GIVEN_NAME_TITLES and by_given and parts.single in self._words.first_names:
            return [person for person in by_given if title in person.titles] or by_given
        if title in _KIN_TITLES:
            return by_given or [person for person in by_surname if title in person.titles]
        if title in MAIDEN_TITLES:
            by_surname = [person for person in by_surname if person.titles.isdisjoint(_WOMEN_OF_RANK)]
        if title in _GENTLEMAN_TITLES:
            by_surname = self._clearest(
                [person for person in by_surname if not self._is_younger(person, name)], parts.single
            )
        if len(by_surname) > 1 and title not in _STYLES:
            # Of two Calloways, Dr. Calloway is the one whom the text calls Doctor.
            by_surname = [person for person in by_surname if title in person.titles] or by_surname
        return by_surname or (by_given if title in GIVEN_NAME_TITLES else [])

    def _is_younger(self, person: _Person, name: KnownName) -> bool:
        """Return whether somebody is told from `Mr. Knightley` by his given name: `Mr. John Knightley`."""
        titled = sum(other.count for other in person.names if other.parts.is_full and other.parts.titles)
        untitled = sum(
            other.count for other in person.names if other.parts.is_full and not other.parts.titles
        )
        return titled > untitled and titled >= _MIN_YOUNGER and titled * _YOUNGER_SHARE >= name.count

    def _bearers_of_plain(self, name: KnownName) -> list[_Person]:
        single = name.parts.single
        people = [person for person in self._people_named(single) if self._fits(person, name)]
        by_given = [person for person in people if single in person.given_names(self._words)]
        by_surname = [person for person in people if single in person.surnames and person not in by_given]
        if single in self._words.first_names and by_given:
            return self._clearest(by_given, single)
        if by_surname:
            men = [person for person in by_surname if person.sex is not Sex.FEMALE]
            return self._clearest(men or by_surname, single)
        return self._clearest(by_given, single)

    def _bearers_of_title(self, name: KnownName) -> list[_Person]:
        """Return whom `the Colonel` means: the only colonel."""
        if name.parts.single or name.parts.is_full or len(name.parts.titles) != 1 or name.parts.epithet:
            return []
        return self._people_named(f"title {name.parts.titles[0]}")

    def _clearest(self, people: list[_Person], word: str) -> list[_Person]:
        """Return who is clearly meant by a word: whose longer names have it far oftener than the others'."""
        if len(people) < 2:
            return people
        ordered = sorted(people, key=lambda person: -person.count_with(word))
        first, second = (person.count_with(word) for person in ordered[:2])
        return ordered[:1] if first >= _CLEARLY_MORE * max(second, 1) else people

    def _join_short_form(self, name: KnownName) -> None:
        """Join `Lizzy` with the Elizabeth of the text, if there is one."""
        person = self._person_of[name.text]
        if any(other.parts.is_full for other in person.names):
            return
        bearers = [
            other
            for other in self._people_named(name.parts.single)
            if other is not person
            and other.titles.isdisjoint({"lady", "sir", "lord", "king", "queen", "saint", "st"})
            and any(
                given != name.parts.single and are_same_given(given, name.parts.single, self._words)
                for given in other.given_names(self._words)
            )
            and self._fits(other, name)
        ]
        bearers = self._clearest(bearers, "")
        if len(bearers) == 1:
            self._merge(bearers[0], person)

    def _join_explicit(self, one: str, other: str) -> None:
        first, second = self._person_of.get(one), self._person_of.get(other)
        if first is None or second is None or first is second:
            return
        if first.sex and second.sex and first.sex is not second.sex:
            return
        self._merge(first, second)

    def _merge(self, person: _Person, other: _Person) -> None:
        person.names += other.names
        for name in other.names:
            self._person_of[name.text] = person

    def _fits(self, person: _Person, name: KnownName) -> bool:
        """Return whether nothing speaks against it that a name is this person's."""
        parts = name.parts
        sex = parts.sex or name.sex
        if sex and person.sex and sex is not person.sex:
            return False
        titles = person.titles
        is_lady = not titles.isdisjoint(WIFE_TITLES | MAIDEN_TITLES | _WOMEN_OF_RANK)
        if (
            is_lady
            and not parts.is_full
            and not titles.issuperset(set(parts.titles) - MAIDEN_TITLES - WIFE_TITLES)
        ):
            return False  # Colonel Wray is not Miss Honor Wray
        if parts.is_wife and not MAIDEN_TITLES.isdisjoint(titles):
            return False
        if not MAIDEN_TITLES.isdisjoint(parts.titles) and not WIFE_TITLES.isdisjoint(titles):
            return False
        if parts.titles and not parts.is_full and not any(other.parts.is_full for other in person.names):
            # Two titles before one surname may be two men: Captain and Mr. Wentworth.
            ranks, person_ranks = set(parts.titles) - _STYLES, titles - _STYLES
            return ranks == person_ranks or not titles
        return not parts.is_full or all(
            are_same_given(given, parts.given[0], self._words) for given in person.full_given_names
        )


def _are_same_surname(one: NameParts, other: NameParts) -> bool:
    """Return whether two full names end alike, or one leaves the surname off: `Pyotr Ilyich`."""
    return one.surname == other.surname or one.surname in other.given[1:] or other.surname in one.given[1:]


def _index_keys(word: str, words: NameWords) -> set[str]:
    """Return what finds a word and its short forms."""
    return {word, *pet_stems(word), *(f"family {index}" for index in words.short_name_families.get(word, ()))}


def choose_main_name(names: Iterable[KnownName], words: NameWords) -> KnownName:
    """Return the name that stands for the others: a full one, and the most frequent of these."""

    def rank(name: KnownName) -> tuple[int, int, int, str]:
        parts = name.parts
        if parts.is_full:
            form = 3 if len(parts.given[0]) > 1 else 1
        else:
            # `Alice` rather than `Miss Alice`, and `Dr. Watson` rather than `Watson`.
            is_whole = bool(parts.titles) or parts.single in words.first_names
            form = 2 if parts.single and is_whole else 1 if parts.single else 0
        plainness = 0 if parts.is_full and parts.titles else 1
        return (-form, -plainness, -name.count, name.text)

    return min(names, key=rank)
