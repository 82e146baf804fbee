"""Parses a typed question into the shape of a statement, to compare it with the sentences of canon.

`Is Mara still in the inn?` and `{subject} is in {object}.` both become `S in O` and *is a state*: names
become mentions; the leading verb, articles and small adverbs go; words lose their endings. No more grammar
than that is read; what fits no pattern is left unanswered.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.resolver.phrasings import word_set
from agents.typed_text import plain_line
from stores.records.ids import Id
from stores.records.world import Entity

MAX_VALUE_WORDS: Final = 4
"""Words that a value may have: `{subject} is {value}.`"""

BE_VERBS: Final = word_set("is are am was were")
DO_VERBS: Final = word_set("do does did")
MODAL_VERBS: Final = word_set("will would can could may might shall should")
PAST_VERBS: Final = word_set("was were did has have had")
OPENINGS: Final = BE_VERBS | DO_VERBS | MODAL_VERBS | word_set("has have had")
NEGATIVE_WORDS: Final = word_set("not no never nobody nothing neither without cannot")
_OPEN_QUESTION_WORDS: Final = word_set("who whom whose what which where when why how")
_AFTER_CLAUSE: Final = re.compile(rf",\s*(?:{'|'.join(sorted(OPENINGS))})\b", re.IGNORECASE)
"""A yes-or-no question behind a clause: `When I come in, is Gil there?`"""
_ALTERNATIVE: Final = re.compile(
    r"\bor\b(?!\s+(?:so|two|three|more|less|later|not|other|another)\b)", re.IGNORECASE
)
_PC_PRONOUNS: Final = word_set("i me us we")
_FILLER_WORDS: Final = word_set("a an the still now currently really actually already ever also just")
_IRREGULAR: Final = {"met": "meet", "knew": "know", "said": "say", "has": "have", "had": "have"}

_CONTRACTIONS: Final = ((re.compile(r"\bcan't\b"), "can not"), (re.compile(r"\bwon't\b"), "will not"))
_WORD: Final = re.compile(r"'s\b|[^\W_]+(?:-[^\W_]+)*")
_PLACEHOLDER_OR_WORD: Final = re.compile(r"\{\w+\}|" + _WORD.pattern)
POSSESSIVE: Final = "'s"


class EntityMention(NamedTuple):
    """The entity that a name in the text means."""

    entity_id: Id


Token = str | EntityMention


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed yes-or-no question."""

    opening: str
    """The verb that it begins with; empty if there is none."""

    words: tuple[Token, ...]
    """The statement that is asked about."""

    is_state: bool
    """Whether it asks if something *is*."""

    all_words: frozenset[str]
    """Every word, unreduced."""

    is_open: bool = False
    """Whether it asks for more than yes or no."""

    has_alternatives: bool = False
    """Whether it asks for one of two."""

    @property
    def is_past(self) -> bool:
        return self.opening in PAST_VERBS

    @property
    def is_negative(self) -> bool:
        return bool(self.all_words & NEGATIVE_WORDS)

    def mentions(self) -> tuple[Id, ...]:
        return tuple(dict.fromkeys(word.entity_id for word in self.words if isinstance(word, EntityMention)))


class Lexicon:
    """The names that a text may use. A name that two entities share means neither."""

    def __init__(
        self, entities: Iterable[Entity], *, pc_id: Id | None = None, place_id: Id | None = None
    ) -> None:
        self._pc_id = pc_id
        self._place_id = place_id
        ids_by_name: defaultdict[tuple[str, ...], set[Id]] = defaultdict(set)
        for entity in entities:
            for name in (entity.name, *entity.aliases):
                ids_by_name[_without_article(_split_words(name))].add(entity.id)
        self._ids_by_name = {
            words: next(iter(ids)) for words, ids in ids_by_name.items() if words and len(ids) == 1
        }
        self._max_name_words = max(map(len, self._ids_by_name), default=0)

    def parse(self, text: str) -> ParsedQuestion:
        """Read a question, or a statement, which has no opening."""
        words = _split_words(text)
        opening = words[0] if words and words[0] in OPENINGS else ""
        tokens = list(self._find_mentions(words[1:] if opening else words))
        is_state = opening in BE_VERBS or any(token in BE_VERBS for token in tokens)
        all_words = frozenset(words)
        return ParsedQuestion(
            opening,
            _reduce_tokens(tokens),
            is_state,
            all_words,
            is_open=not (opening or _OPEN_QUESTION_WORDS.isdisjoint(words) or _AFTER_CLAUSE.search(text)),
            has_alternatives=_ALTERNATIVE.search(text) is not None,
        )

    def _find_mentions(self, words: list[str]) -> Iterable[Token]:
        index = 0
        while index < len(words):
            for length in range(min(self._max_name_words, len(words) - index), 0, -1):
                if entity_id := self._ids_by_name.get(tuple(words[index : index + length])):
                    yield EntityMention(entity_id)
                    index += length
                    break
            else:
                yield from self._read_pronoun(words[index])
                index += 1

    def _read_pronoun(self, word: str) -> Iterable[Token]:
        if self._pc_id is not None and word in _PC_PRONOUNS:
            return (EntityMention(self._pc_id),)
        if self._place_id is not None and word == "here":
            return ("in", EntityMention(self._place_id))
        return (word,)


class SentencePattern:
    """A predicate's sentence with placeholders (`{subject} is {object}'s enemy.`)."""

    def __init__(self, template: str) -> None:
        tokens: list[Token] = _PLACEHOLDER_OR_WORD.findall(template.casefold())
        self.is_state = any(token in BE_VERBS for token in tokens)
        self._words = _reduce_tokens(tokens)

    def match(self, question: ParsedQuestion) -> Mapping[str, str] | None:
        """Return what fills each placeholder (an id, or the words of a value); None if it does not match."""
        if question.is_state is not self.is_state:
            return None
        words: tuple[Token, ...] = question.words
        bindings: dict[str, str] = {}
        if self._words and self._words[-1] == "{value}":
            start = len(self._words) - 1
            value = [word for word in words[start:] if isinstance(word, str)]
            if not 0 < len(value) == len(words) - start <= MAX_VALUE_WORDS:
                return None
            words = (*words[:start], " ".join(value))
        if len(words) != len(self._words):
            return None
        for expected, word in zip(self._words, words, strict=True):
            if expected in ("{subject}", "{object}") and isinstance(word, EntityMention):
                bindings[str(expected).strip("{}")] = word.entity_id
            elif expected == "{value}":
                bindings["value"] = str(word)
            elif expected != word:
                return None
        return bindings


def stem(word: str) -> str:
    """Return the word without its ending: `serves`, `served` and `serve` are one."""
    word = _IRREGULAR.get(word, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("ed"):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:-1] if len(word) > 2 and word.endswith("e") else word


def stem_words(text: str) -> str:
    """Return the words of a value, reduced like those of a question, for comparing the two."""
    return " ".join(str(word) for word in _reduce_tokens(_split_words(text)))


def _split_words(text: str) -> list[str]:
    lower_text = plain_line(text).casefold()
    for contraction, full_form in _CONTRACTIONS:
        lower_text = contraction.sub(full_form, lower_text)
    return _WORD.findall(lower_text.replace("n't", " not"))


def _without_article(words: list[str]) -> tuple[str, ...]:
    return tuple(words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words)


def _reduce_tokens(tokens: Iterable[Token]) -> tuple[Token, ...]:
    content_tokens = (t for t in tokens if t not in _FILLER_WORDS and t not in BE_VERBS)
    return tuple(stem(t) if isinstance(t, str) and t[0] not in "{'" else t for t in content_tokens)
