"""Finds who may be meant by an unknown name that is a letter or two off: `Captian Vess` for Captain Vess. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

from agents.prose.mentions import is_no_first_name
from agents.prose.names import names_of
from agents.typed_text import count_slips
from stores.records.ids import Id
from stores.records.world import Entity, fold_name

MAX_MEANT: Final = 2
"""Those who are asked after for one name."""
_MIN_LETTERS: Final = 5
"""Letters from which one slip leaves a name recognizable: Tom is not Tam misspelt."""
_MIN_LETTERS_OF_TWO_SLIPS: Final = 10


def find_meant(name: str, known: Iterable[Entity]) -> list[Entity]:
    """Return those whose name, or a part of it that they are called by, is misspelt as `name`."""
    return [entity for entity in known if any(is_misspelling(name, other) for other in names_of(entity))]


def is_misspelling(name: str, other: str) -> bool:
    """Say whether `name` may be `other` with one wrong letter, or two in a long name.

    Each word begins with the letter that it should. A plural is no slip, and a title that both have says nothing.
    """
    words, other_words = _split(name), _split(other)
    if len(words) != len(other_words):
        return False
    while len(words) > 1 and words[0] == other_words[0] and is_no_first_name(words[0]):
        words, other_words = words[1:], other_words[1:]
    pairs = list(zip(words, other_words, strict=True))
    if any(one[0] != two[0] or _is_plural(one, two) or _are_titles(one, two) for one, two in pairs):
        return False
    slips = sum(count_slips(one, two) for one, two in pairs)
    letters = min(sum(map(len, words)), sum(map(len, other_words)))
    return (slips == 1 and letters >= _MIN_LETTERS) or (slips == 2 and letters >= _MIN_LETTERS_OF_TWO_SLIPS)


def select_similar_ids(names: Collection[str], folded_names: Iterable[tuple[str, Id]]) -> set[Id]:
    """Return the ids, of many names, of those that have a word like each word of one of `names`.

    Few of them are misspelt so: `find_meant` says who.
    """
    from rapidfuzz import process  # not loaded before the menu is filled
    from rapidfuzz.distance import OSA

    ids_by_word: defaultdict[str, set[Id]] = defaultdict(set)
    for folded_name, entity_id in folded_names:
        for word in folded_name.split():
            ids_by_word[word].add(entity_id)
    known_words, similar_ids = list(ids_by_word), set[Id]()
    for name in names:
        ids_of_words = [
            {
                entity_id
                for other, *_ in process.extract(
                    word, known_words, scorer=OSA.distance, score_cutoff=2, limit=None
                )
                for entity_id in ids_by_word[other]
            }
            for word in _split(name)
        ]
        similar_ids |= set.intersection(*ids_of_words) if ids_of_words else set()
    return similar_ids


def ask_who_is_meant(meant: Iterable[Entity]) -> str:
    """Return the question whether they are meant: `is Captain Vess meant?`; empty if nobody may be."""
    names = list(dict.fromkeys(entity.name for entity in meant))[:MAX_MEANT]
    return f"is {' or '.join(names)} meant?" if names else ""


def _split(name: str) -> list[str]:
    return fold_name(name).removeprefix("the ").split()


def _are_titles(word: str, other: str) -> bool:
    """Say whether both are titles, and not the same: `Mr.` is no slip for `Mrs.`."""
    return word != other and is_no_first_name(word) and is_no_first_name(other)


def _is_plural(word: str, other: str) -> bool:
    return f"{word}s" == other or f"{other}s" == word
