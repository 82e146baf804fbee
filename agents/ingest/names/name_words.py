"""The words by which names are found and told apart, from `name_words.yaml` and `common_words.txt`.

`common_words.txt` lists English words that are no names: those that nine novels in the public domain (by Jane Austen,
Arthur Conan Doyle, Mark Twain and Lewis Carroll) mostly write in lower case, without their regular inflections.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

from agents import yaml_with_lines

_INFLECTIONS: Final = (
    *(("ies", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("ly", ""), ("es", ""), ("s", "")),
    *(("'s", ""), ("er", ""), ("est", ""), ("ness", "")),
)
"""Endings, and what stands for them in the word that they are made of."""
_MIN_STEM: Final = 3


class Sex(StrEnum):
    MALE = "male"
    FEMALE = "female"


@dataclass(frozen=True, slots=True)
class NameWords:
    """Lists of words in lower case."""

    male_titles: frozenset[str]
    female_titles: frozenset[str]
    titles: frozenset[str]
    """All titles that precede a name."""
    soft_titles: frozenset[str]
    particles: frozenset[str]
    name_suffixes: frozenset[str]
    peoples: frozenset[str]
    break_words: frozenset[str]
    """Neither a name nor a part of one."""
    never_alone: frozenset[str]
    """No name alone, though it may be part of one."""
    speech_verbs: frozenset[str]
    speaking_nouns: frozenset[str]
    person_verbs: frozenset[str]
    place_prepositions: frozenset[str]
    place_words: frozenset[str]
    place_first_words: frozenset[str]
    place_endings: tuple[str, ...]
    faction_words: frozenset[str]
    object_words: frozenset[str]
    ship_cues: frozenset[str]
    concept_words: frozenset[str]
    creature_words: frozenset[str]
    male_nouns: frozenset[str]
    female_nouns: frozenset[str]
    kin_nouns: frozenset[str]
    male_names: frozenset[str]
    female_names: frozenset[str]
    first_names: frozenset[str]
    short_name_families: dict[str, frozenset[int]]
    """For a first name the families of short forms that it belongs to: `bill` and `william` share one."""
    known_places: frozenset[str]
    common_words: frozenset[str]
    person_nouns: frozenset[str]
    """What somebody is: a trade, an office, a man or a woman."""

    def is_common(self, word: str) -> bool:
        """Return whether a word in lower case is a common one, an inflection of one, or put together of such."""
        if word in self.common_words:
            return True
        if "-" in word:
            return all(self.is_common(part) or part in self.particles for part in word.split("-"))
        return any(
            word.endswith(ending)
            and len(word) - len(ending) >= _MIN_STEM
            and word[: -len(ending)] + instead in self.common_words
            for ending, instead in _INFLECTIONS
        )

    def sex_of_title(self, title: str) -> Sex | None:
        if title in self.male_titles:
            return Sex.MALE
        return Sex.FEMALE if title in self.female_titles else None

    def sex_of_noun(self, noun: str) -> Sex | None:
        if noun in self.male_nouns:
            return Sex.MALE
        return Sex.FEMALE if noun in self.female_nouns else None

    def sex_of_first_name(self, name: str) -> Sex | None:
        if (name in self.male_names) == (name in self.female_names):
            return None
        return Sex.MALE if name in self.male_names else Sex.FEMALE


@cache
def load_name_words() -> NameWords:
    """Return the lists, read once."""
    folder = files(__package__)
    lists = yaml_with_lines.load_yaml(folder.joinpath("name_words.yaml").read_text(encoding="utf-8")).data
    assert isinstance(lists, dict)
    common_words = folder.joinpath("common_words.txt").read_text(encoding="utf-8").split()

    def words(key: str) -> frozenset[str]:
        return frozenset(lists[key].split())

    families: dict[str, set[int]] = {}
    for index, line in enumerate(lists["short_names"]):
        for name in line.split():
            families.setdefault(name, set()).add(index)
    return NameWords(
        male_titles=words("male_titles"),
        female_titles=words("female_titles"),
        titles=words("male_titles") | words("female_titles") | words("other_titles"),
        soft_titles=words("soft_titles"),
        particles=words("particles"),
        name_suffixes=words("name_suffixes"),
        peoples=words("peoples"),
        break_words=words("interjections") | words("opening_words"),
        never_alone=words("never_names") | words("months_and_days") | words("peoples"),
        speech_verbs=words("speech_verbs"),
        speaking_nouns=words("speaking_nouns"),
        person_verbs=words("person_verbs") | words("speech_verbs"),
        place_prepositions=words("place_prepositions"),
        place_words=words("place_words"),
        place_first_words=words("place_first_words"),
        place_endings=tuple(lists["place_endings"].split()),
        faction_words=words("faction_words"),
        object_words=words("object_words"),
        ship_cues=words("ship_cues"),
        concept_words=words("concept_words"),
        creature_words=words("creature_words"),
        male_nouns=words("male_nouns"),
        female_nouns=words("female_nouns"),
        kin_nouns=words("kin_nouns"),
        male_names=words("male_names"),
        female_names=words("female_names"),
        first_names=words("male_names") | words("female_names") | families.keys(),
        short_name_families={name: frozenset(indexes) for name, indexes in families.items()},
        known_places=words("known_places"),
        person_nouns=words("role_nouns") | words("male_nouns") | words("female_nouns") | words("kin_nouns"),
        common_words=frozenset(common_words)
        | words("more_common_words")
        | words("interjections")
        | words("opening_words"),
    )
