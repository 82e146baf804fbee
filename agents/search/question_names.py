"""The names in a question, and whether a text has them: whole, or by a part that is nobody else's. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.prose.names import HONORIFICS, NON_NAME_WORDS, find_name_spans
from agents.search.normal_words import STOP_WORDS, normalize_word, word_forms
from agents.typed_text import plain_line
from stores.records.ids import Id

_WORD: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")
_CAPITALISED_RUN: Final = re.compile(r"[^\W\d_a-z][^\W_]*(?: [^\W\d_a-z][^\W_]*)*")


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A name in the question: its words, and the entities that it may mean (none if canon has no such name)."""

    normalized_words: frozenset[str]
    entity_ids: frozenset[Id]
    head_word: str = ""
    """The last word of a name with an article, as a text may have it alone: `the key` for the Sluice Key."""
    lone_words: frozenset[str] = frozenset()
    """Words of it that no other name in canon has, as a text may have them alone: `Ames` for Tolliver Ames."""

    def is_in(self, text: str, text_forms: frozenset[str]) -> bool:
        """Say whether a text, whose words in normal form are given, has the name."""
        if self.normalized_words <= text_forms:
            return True
        if self.head_word and re.search(
            rf"\b(?:the|that|this) {re.escape(self.head_word)}\b(?!-)", text, re.IGNORECASE
        ):
            return True
        return bool(self.lone_words & text_forms) and any(
            run <= self.lone_words for run in _find_capitalised_runs(text)
        )


def split_folded(text: str) -> list[str]:
    """Return the words of a text in lower case, without possessive endings."""
    return [fold_word(word) for word in _WORD.findall(_POSSESSIVE.sub(" ", text))]


def fold_word(word: str) -> str:
    return word.casefold()


def find_names(
    text: str, folded_words: Sequence[str], entity_names: Iterable[tuple[str, Id]]
) -> tuple[tuple[QuestionName, ...], frozenset[int], frozenset[str]]:
    """Return the names in the question, the positions of their words, and the words of all names.

    Whole names are matched before parts of names. Where it is asked who has a thing or where it is, the last word of
    one name alone is that name behind an article: `the ring` of the silver ring. Words written like a name count even
    if nobody in canon has it, and are one name where they stand beside each other.
    """
    ids_by_full_name: dict[tuple[str, ...], set[Id]] = {}
    ids_by_name_part: dict[str, set[Id]] = {}
    ids_by_last_word: dict[str, set[Id]] = {}
    for name, entity_id in entity_names:
        name_words = tuple(split_folded(plain_line(name)))
        words_without_article = (
            name_words[1:] if len(name_words) > 1 and name_words[0] in ("the", "a", "an") else name_words
        )
        if not words_without_article:
            continue
        ids_by_full_name.setdefault(words_without_article, set()).add(entity_id)
        ids_by_last_word.setdefault(words_without_article[-1], set()).add(entity_id)
        for word in words_without_article:
            if len(word) > 2 and word not in STOP_WORDS and word not in HONORIFICS:
                ids_by_name_part.setdefault(word, set()).add(entity_id)
    question_names: list[QuestionName] = []
    used_positions: set[int] = set()
    longest_name = max(map(len, ids_by_full_name), default=0)
    for length in range(min(longest_name, len(folded_words)), 0, -1):
        for position in range(len(folded_words) - length + 1):
            positions = range(position, position + length)
            words = folded_words[position : position + length]
            ids = ids_by_full_name.get(tuple(words))
            if (
                ids
                and not used_positions.intersection(positions)
                and (length > 1 or folded_words[position] not in STOP_WORDS)
            ):
                has_article = length > 1 and position > 0 and folded_words[position - 1] == "the"
                own_words = [word for word in words if ids_by_name_part.get(word) == ids]
                question_names.append(
                    QuestionName(
                        _normalize_words(words),
                        frozenset(ids),
                        words[-1] if has_article else "",
                        _normalize_words(own_words) if length > 1 else frozenset(),
                    )
                )
                used_positions.update(positions)
    name_like_words = {
        fold_word(w) for span in find_name_spans(text) for w in _WORD.findall(span.name)
    } - HONORIFICS
    capitalised_words = {fold_word(w) for w in _WORD.findall(text) if w[:1].isupper()}
    asks_for_thing = _ASKS_FOR_THING.match(text) is not None
    unknown_run: list[str] = []
    for position, word in enumerate((*folded_words, "")):
        ids = ids_by_name_part.get(word, set())
        is_free = word and position not in used_positions and word not in STOP_WORDS
        if is_free and not ids and word in name_like_words:
            unknown_run.append(word)
            used_positions.add(position)
            continue
        if unknown_run:
            words_of_run = _normalize_words(unknown_run)
            question_names.append(QuestionName(words_of_run, frozenset(), "", words_of_run))
            unknown_run = []
        is_called_by_last_word = (
            asks_for_thing
            and len(ids) == 1
            and ids == ids_by_last_word.get(word)
            and position > 0
            and folded_words[position - 1] in _DETERMINERS
        )
        if is_free and ids and (word in capitalised_words or not capitalised_words or is_called_by_last_word):
            question_names.append(QuestionName(_normalize_words([word]), frozenset(ids)))
            used_positions.add(position)
    titles = {n - 1 for n in used_positions if n and folded_words[n - 1] in HONORIFICS}
    return (
        tuple(dict.fromkeys(question_names)),
        frozenset(used_positions | titles),
        frozenset(ids_by_name_part),
    )


def _normalize_words(raw_words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(normalize_word, raw_words))


@lru_cache(maxsize=1_024)
def _find_capitalised_runs(text: str) -> tuple[frozenset[str], ...]:
    """Return the words, in normal form, of each run of capitalised words, without titles and what begins sentences."""
    runs = (word_forms(run) - _RUN_OPENERS for run in _CAPITALISED_RUN.findall(_POSSESSIVE.sub("", text)))
    return tuple(run for run in runs if run)


_ASKS_FOR_THING: Final = re.compile(
    r"^\W*(?:who(?:['’]s)?\s+(?:still\s+|now\s+)?(?:has|have|had|holds?|held|owns?|owned|got|keeps?|kept|carries|carried)\b"
    r"|where(?:['’]s|\s+(?:is|are|was|did))\b)",
    re.IGNORECASE,
)
"""The beginning of a question for who has a thing, or where it is."""
_DETERMINERS: Final = frozenset({"the", "that", "this", "my", "our"})
_RUN_OPENERS: Final = frozenset(map(normalize_word, HONORIFICS | NON_NAME_WORDS))
