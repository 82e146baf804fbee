"""A question to the record, read for what it is about: whom it names, which words carry it, what it asks for.

Pure. The rule by which a text bears on a question is stated in `bearing`. It is one of words, so it can be
wrong in both ways; what it turns down is still shown, apart, as what came nearest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.prose.names import HONORIFICS, find_name_spans
from agents.prose.words import split_sentences, stem
from agents.search.question_words import (
    FIGURES_BY_WORD,
    FORMS_BY_STEM,
    LOCATION_WORDS,
    PREDICATES_BY_WORD,
    STOP_WORDS,
)
from agents.typed_text import plain_line
from stores.records.ids import Id

MAX_QUESTION_LENGTH: Final = 500
"""Characters of a question."""

MIN_WORD_SHARE: Final = 0.5
"""Share of the words of a question, beside names, that a text has to have to bear on it."""

_LOCATION_PREDICATE: Final = "located_in"

_WORD: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A name in the question: its words, and whom it may mean (none: nobody in canon bears it)."""

    normalized_words: frozenset[str]
    entity_ids: frozenset[Id]


@dataclass(frozen=True, slots=True)
class RecordQuestion:
    """`words` carry the question beside names (as they are compared); `wants` are the predicates it asks
    for, with the words that do. `where` and the like carry nothing in a text, but say what is wanted."""

    text: str
    names: tuple[QuestionName, ...]
    content_words: frozenset[str]
    wanted_predicates: Mapping[str, frozenset[str]]

    @property
    def entity_ids(self) -> tuple[Id, ...]:
        """Those in canon whom it may be about."""
        return tuple(
            dict.fromkeys(i for question_name in self.names for i in sorted(question_name.entity_ids))
        )

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.content_words)


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """How much of a question a text has: of its names, and of its other words (0 ... 1 each)."""

    name_share: float
    word_share: float
    is_match: bool

    @property
    def average_share(self) -> float:
        return (self.name_share + self.word_share) / 2


def parse_question(text: str, entity_names: Iterable[tuple[str, Id]], catalogue: Catalogue) -> RecordQuestion:
    """Read a question. `known` are the names of canon, without case, with whose they are."""
    text = plain_line(text)[:MAX_QUESTION_LENGTH]
    folded_words = [_fold_word(word) for word in _WORD.findall(_POSSESSIVE.sub(" ", text))]
    names, name_positions = _find_names(text, folded_words, entity_names)
    content_words = [word for n, word in enumerate(folded_words) if n not in name_positions]
    normalized_words = frozenset(
        normalize_word(word) for word in content_words if word not in STOP_WORDS and len(word) > 1
    )
    return RecordQuestion(text, names, normalized_words, _find_wanted_predicates(content_words, catalogue))


def match_question(
    question: RecordQuestion, text: str, involved_ids: Collection[Id] = (), *, predicate: str = ""
) -> QuestionMatch:
    """Say how far a text bears on a question.

    Enough is: every name of the question, by word or by involvement, and at least half of its other words,
    in whatever form (more than half, where no name is asked about). A fact whose predicate is asked for has
    the words that ask for it; a text that is to say where somebody is needs a word like `in`.
    """
    text_forms = word_forms(text)
    matched_names = sum(
        bool(n.entity_ids.intersection(involved_ids)) or n.normalized_words <= text_forms
        for n in question.names
    )
    name_share = matched_names / len(question.names) if question.names else 1.0
    is_wanted_predicate = predicate in question.wanted_predicates
    sought_words = question.content_words - question.wanted_predicates.get(predicate, frozenset())
    matched_words = sum(
        any(word_form in text_forms for word_form in _equivalent_forms(word)) for word in sought_words
    )
    word_share = matched_words / len(sought_words) if sought_words else 1.0
    if _LOCATION_PREDICATE in question.wanted_predicates and not (
        is_wanted_predicate or question.content_words or text_forms & LOCATION_WORDS
    ):
        word_share = 0.0
    has_any_match = is_wanted_predicate or matched_names + matched_words > 0
    has_enough_words = word_share > MIN_WORD_SHARE or (word_share == MIN_WORD_SHARE and bool(question.names))
    return QuestionMatch(name_share, word_share, has_any_match and name_share == 1.0 and has_enough_words)


def remove_questions(text: str) -> str:
    """Return a text without what it only asks: to repeat a question is not to answer it."""
    return " ".join(
        sentence
        for sentence in split_sentences(text)
        if not sentence.rstrip().rstrip("\"'”’»)").endswith("?")
    )


def word_forms(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared."""
    return frozenset(
        normalize_word(_fold_word(word)) for word in _WORD.findall(_POSSESSIVE.sub(" ", plain_line(text)))
    )


def normalize_word(word: str) -> str:
    """Return a word as it is compared: without its ending, numbers in figures."""
    return FIGURES_BY_WORD.get(word) or stem(word)


def _fold_word(word: str) -> str:
    return word.casefold()


def _equivalent_forms(word: str) -> frozenset[str]:
    """Return the forms that stand for a word, itself among them."""
    return FORMS_BY_STEM.get(word, frozenset({word}))


def _find_wanted_predicates(question_words: Iterable[str], catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Return the predicates that these words ask for, each with its other readings, and the words that do."""
    forms_by_word = {
        word: frozenset({word, stem(word), *_equivalent_forms(stem(word))}) for word in question_words
    }
    words_by_predicate: dict[str, frozenset[str]] = {}
    for word, equivalent_forms in forms_by_word.items():
        for asking_word, names in PREDICATES_BY_WORD.items():
            if {asking_word, stem(asking_word)} & equivalent_forms:
                words_by_predicate.update(
                    {
                        name: words_by_predicate.get(name, frozenset()) | {normalize_word(word)}
                        for name in names
                    }
                )
    for name in catalogue.predicates:
        predicate_words = {stem(part) for part in name.split("_") if part not in STOP_WORDS and len(part) > 3}
        if predicate_words and predicate_words <= frozenset().union(*forms_by_word.values()):
            matching_words = frozenset(
                normalize_word(word) for word, meant in forms_by_word.items() if meant & predicate_words
            )
            related_predicates = (
                name,
                *catalogue.inverse_predicates(name),
                *filter(None, [catalogue[name].inverse_of]),
            )
            words_by_predicate.update(
                {
                    related_predicate: words_by_predicate.get(related_predicate, frozenset()) | matching_words
                    for related_predicate in related_predicates
                }
            )
    return words_by_predicate


def _find_names(
    text: str, folded_words: list[str], entity_names: Iterable[tuple[str, Id]]
) -> tuple[tuple[QuestionName, ...], frozenset[int]]:
    """Return whom the question names and which of its words are names: whole names before their parts, and
    what is written like a name but borne by nobody."""
    ids_by_full_name: dict[tuple[str, ...], set[Id]] = {}
    ids_by_name_part: dict[str, set[Id]] = {}
    for name, entity_id in entity_names:
        name_words = tuple(map(_fold_word, _WORD.findall(_POSSESSIVE.sub(" ", plain_line(name)))))
        words_without_article = (
            name_words[1:] if len(name_words) > 1 and name_words[0] in ("the", "a", "an") else name_words
        )
        if not words_without_article:
            continue
        ids_by_full_name.setdefault(words_without_article, set()).add(entity_id)
        for word in words_without_article:
            if len(word) > 2 and word not in STOP_WORDS and word not in HONORIFICS:
                ids_by_name_part.setdefault(word, set()).add(entity_id)
    question_names: list[QuestionName] = []
    used_positions: set[int] = set()
    longest_name = max(map(len, ids_by_full_name), default=0)
    for length in range(min(longest_name, len(folded_words)), 0, -1):
        for position in range(len(folded_words) - length + 1):
            positions = range(position, position + length)
            ids = ids_by_full_name.get(tuple(folded_words[position : position + length]))
            if (
                ids
                and not used_positions.intersection(positions)
                and (length > 1 or folded_words[position] not in STOP_WORDS)
            ):
                question_names.append(
                    QuestionName(_normalize_words(folded_words[position : position + length]), frozenset(ids))
                )
                used_positions.update(positions)
    name_like_words = {
        _fold_word(w) for span in find_name_spans(text) for w in _WORD.findall(span.name)
    } - HONORIFICS
    capitalised_words = {_fold_word(w) for w in _WORD.findall(text) if w[:1].isupper()}
    for position, word in enumerate(folded_words):
        if position in used_positions or word in STOP_WORDS:
            continue
        ids = ids_by_name_part.get(word, set())
        if (word in capitalised_words or not capitalised_words) if ids else word in name_like_words:
            question_names.append(QuestionName(_normalize_words([word]), frozenset(ids)))
            used_positions.add(position)
    return tuple(dict.fromkeys(question_names)), frozenset(used_positions)


def _normalize_words(raw_words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(normalize_word, raw_words))
