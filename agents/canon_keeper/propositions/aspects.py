"""The aspects of `aspects.yaml`, of which one side holds at a time, and the words that entail a side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from agents import yaml_with_lines
from agents.canon_keeper.propositions.clause_words import DENYING_VERBS

NEGATING: Final = frozenset({"no", "not", "never", "nothing", "nobody", "none", "without"})
"""Words by which a wording denies something itself: `owe nothing`."""


class AspectKind(StrEnum):
    """How the sides of an aspect follow one another in time."""

    LASTING = "lasting"
    PASSING = "passing"
    FINAL = "final"
    HABIT = "habit"
    EVENT = "event"


class Matter(StrEnum):
    """Whether two must be about the same besides, such as whom somebody betrayed."""

    ANY = "any"
    OPEN = "open"
    SHARED = "shared"
    ELSEWHERE = "elsewhere"


class ClausePart(StrEnum):
    """The part of a clause that a wording is in."""

    IS = "is"
    DOES = "does"
    DONE = "done"
    HAS = "has"
    AT = "at"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something of which one side holds at a time, such as sight."""

    name: str
    kind: AspectKind
    of: str
    """Of what it is an aspect: `person`, `thing` or `any`."""
    matter: Matter
    figures: frozenset[str]
    has_by_possessive: bool
    last_side: str
    """Of a final one, the side that ends the other for good."""
    is_once: bool = False
    """Whether one side or the other comes about once in a life: who was hanged did not escape the noose."""
    is_once_of_same: bool = False
    """Whether that is so of the same other: who kept his word to Nora did not break it to her."""
    is_abstinence: bool = False
    """Whether whoever is on the last side does not do what is on the other: a vegetarian ate no steak."""


class Wording(NamedTuple):
    """Words in one part of a clause that entail a side of an aspect."""

    aspect: Aspect
    side: str
    words: tuple[str, ...]
    is_negative: bool
    """Whether it denies something itself."""
    stands_for_side: bool
    """Whether who is denied it is denied the side."""
    affirmed_words: tuple[str, ...]
    """The words that deny nothing."""


@dataclass(frozen=True, slots=True)
class AspectBook:
    """Finds the wordings by the part of the clause and by a word that they have."""

    aspects: Mapping[str, Aspect]
    _wordings: Mapping[tuple[ClausePart, str], tuple[Wording, ...]] = field(repr=False)

    def wordings(self, clause_part: ClausePart, word: str) -> tuple[Wording, ...]:
        """Return the wordings in a part of the clause whose first word that denies nothing is this one."""
        return self._wordings.get((clause_part, word), ())


@lru_cache(maxsize=1)
def load_aspects() -> AspectBook:
    text = files(__package__).joinpath("aspects.yaml").read_text(encoding="utf-8")
    data = yaml_with_lines.load_yaml(text).data
    assert isinstance(data, dict)
    aspects: dict[str, Aspect] = {}
    wordings: defaultdict[tuple[ClausePart, str], list[Wording]] = defaultdict(list)
    for name, row in data["aspects"].items():
        aspect = Aspect(
            str(name),
            AspectKind(row["kind"]),
            str(row["of"]),
            Matter(row.get("matter", Matter.ANY)),
            frozenset(str(row.get("figures", "")).split()),
            bool(row.get("possessive")),
            list(row["sides"])[-1],
            row.get("once") is not None,
            row.get("once") == "same",
            bool(row.get("abstinence")),
        )
        aspects[aspect.name] = aspect
        for side, text in row["sides"].items():
            for clause_part, wording in _wordings_of(aspect, str(side), str(text)):
                wordings[clause_part, _key_word(wording.words)].append(wording)
    return AspectBook(aspects, {key: tuple(found) for key, found in wordings.items()})


def _wordings_of(aspect: Aspect, side: str, text: str) -> Iterator[tuple[ClausePart, Wording]]:
    for part in text.split(";"):
        part_name, _, phrases = part.strip().partition(" ")
        clause_part = ClausePart(part_name)
        for index, phrase in enumerate(phrases.split(",")):
            words = tuple(word for word in phrase.split() if word not in ("a", "an", "the"))
            affirmed = tuple(word for word in words if word not in NEGATING)
            yield clause_part, Wording(aspect, side, words, _is_negative(words), not index, affirmed)


def _is_negative(words: tuple[str, ...]) -> bool:
    return not NEGATING.isdisjoint(words) or words[0] in DENYING_VERBS


def _key_word(words: tuple[str, ...]) -> str:
    return next((word for word in words if word not in NEGATING), words[0])
