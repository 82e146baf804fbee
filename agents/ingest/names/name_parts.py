"""Takes a name apart: titles, given names, surname, and the sex that they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.names.name_words import NameWords, Sex

GIVEN_NAME_TITLES: Final = frozenset(
    ["sir", "dame", "lady", "lord", "king", "queen", "prince", "princess", "saint", "st", "aunt", "aunty", "auntie",
     "uncle", "brother", "sister", "mother", "father", "master", "miss", "cousin", "nurse", "emperor", "empress",
     "friar", "pope", "don", "donna", "madame"]
)  # fmt: skip
"""Titles that stand before given names too: `Sir Walter`, `Aunt Polly`, `Miss Jane`."""
WIFE_TITLES: Final = frozenset({"mrs", "mme", "madame", "frau", "signora"})
MAIDEN_TITLES: Final = frozenset({"miss", "mlle", "mademoiselle"})


@dataclass(frozen=True, slots=True)
class NameParts:
    """All in lower case."""

    titles: tuple[str, ...]
    given: tuple[str, ...]
    surname: str
    """Empty for a name of one word."""
    single: str
    """The only word of a name beside its titles; empty if there are more."""
    epithet: str
    """What follows `of` or `the`: `york` in `Duke of York`."""
    sex: Sex | None

    @property
    def is_full(self) -> bool:
        return bool(self.given and self.surname)

    @property
    def is_wife(self) -> bool:
        return not WIFE_TITLES.isdisjoint(self.titles)


def split_name(keys: Sequence[str], words: NameWords) -> NameParts:
    """Take a name apart that is given by its words in lower case."""
    rest = list(keys)
    titles: list[str] = []
    while rest and _is_title(rest[0], len(rest) > 1, words):
        titles.append(rest.pop(0))
    while len(rest) > 1 and rest[-1] in words.name_suffixes:
        rest.pop()
    epithet = ""
    for index, key in enumerate(rest):
        if key in ("of", "the"):
            epithet, rest = " ".join(rest[index + 1 :]), rest[:index]
            break
    names = [key for key in rest if key not in words.particles]
    sex = next((sex for title in titles if (sex := words.sex_of_title(title)) is not None), None)
    if len(names) >= 2:
        given = tuple(names[:-1])
        return NameParts(
            tuple(titles), given, names[-1], "", epithet, sex or words.sex_of_first_name(given[0])
        )
    single = names[0] if names else ""
    takes_given = not titles or titles[-1] in GIVEN_NAME_TITLES
    known_sex = sex or (words.sex_of_first_name(single) if takes_given else None)
    return NameParts(tuple(titles), (), "", single, epithet, known_sex)


def _is_title(key: str, is_followed: bool, words: NameWords) -> bool:
    if key in words.titles:
        return True
    return is_followed and (key in words.soft_titles or key.removesuffix("s") in words.titles)


def are_same_given(one: str, other: str, words: NameWords) -> bool:
    """Return whether two given names may be one: the same, an initial, or a short form."""
    if one == other:
        return True
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    families = words.short_name_families
    if not families.get(one, frozenset()).isdisjoint(families.get(other, frozenset())):
        return True
    return other in pet_stems(one) or one in pet_stems(other)


def pet_stems(name: str) -> set[str]:
    """Return what a name may be a form of fondness of: `sid` for `siddy`, `huck` for `hucky`."""
    stems = {name.removesuffix(ending) for ending in ("y", "ie", "ey")} - {name}
    return {
        form
        for stem in stems
        if len(stem) >= 3
        for form in (stem, stem[:-1] if stem[-1] == stem[-2] else stem)
    }
