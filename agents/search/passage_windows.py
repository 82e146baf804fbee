"""Cuts from a passage of a book the sentences that answer a question, without its Markdown marks. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from agents.prose.words import split_sentences
from agents.search.normal_words import STOP_WORDS, has_word_like, word_forms
from agents.search.question import RecordQuestion

_LINE_MARKS: Final = re.compile(r"^(?:\s*>)*\s*(#{1,6}\s+)?")
_TABLE_RULE: Final = re.compile(r"[\s|:+-]*-{3,}[\s|:+-]*")
_EMPHASIS: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|\|")
_BULLET: Final = re.compile(r"^[-+]\s+")
HEADING_END: Final = " —"
"""Stands between a heading and the text under it."""


@dataclass(frozen=True, slots=True)
class PassageWindow:
    """Neighbouring sentences of a passage, as plain text."""

    text: str
    matched_count: int
    """Words that were sought and stand in it."""
    sentence_count: int
    span: int
    """Words from the first to the last of the shortest run that has all of these: 4 in `leads the Lantern Guild`."""


def find_sought_words(question: RecordQuestion) -> frozenset[str]:
    """Return the words that an answering passage has, in normal form: those of names and those that carry it."""
    return question.content_words.union(*(name.normalized_words for name in question.names))


def find_typed_words(text: str) -> frozenset[str]:
    """Return the words of what was typed to be looked for, in normal form."""
    return word_forms(text) - STOP_WORDS


def find_best_window(text: str, sought_words: Collection[str], max_length: int) -> PassageWindow:
    """Return the shortest run of whole sentences that has most of the sought words; the first of equals.

    Without any of them it is how the passage begins. A sentence that is too long is cut.
    """
    sentences = _plain_sentences(text)
    matched = [{w for w in sought_words if has_word_like(w, forms)} for forms in map(word_forms, sentences)]
    best = (0, 0, 0, 0)
    for start in range(len(sentences)):
        found: set[str] = set()
        length = -1
        for end in range(start, len(sentences)):
            length += 1 + len(sentences[end])
            if length > max_length and end > start:
                break
            found |= matched[end]
            best = max(best, (len(found), start - end, -start, end + 1))
    matched_count, _, negative_start, end = best
    if not matched_count:
        return PassageWindow(" ".join(sentences)[:max_length], 0, len(sentences), 0)
    window = _BULLET.sub("", " ".join(sentences[-negative_start:end])).removesuffix(HEADING_END)[:max_length]
    return PassageWindow(
        window, matched_count, end + negative_start, _shortest_span(window, sought_words, matched_count)
    )


def _shortest_span(text: str, sought_words: Collection[str], matched_count: int) -> int:
    """Return how many words the shortest run has that has `matched_count` of the sought words; 0 if none has."""
    last_positions: dict[str, int] = {}
    spans = []
    for position, word in enumerate(text.split()):
        forms = word_forms(word)
        last_positions |= {w: position for w in sought_words if has_word_like(w, forms)}
        if len(last_positions) == matched_count:
            spans.append(position - min(last_positions.values()) + 1)
    return min(spans, default=0)


def _plain_sentences(text: str) -> list[str]:
    """Return the sentences of a text in Markdown without its marks."""
    sentences = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:#|[-*+]\s|\|))|(?<=\n)(?=#)", text):
        lines = [line for line in block.split("\n") if not _TABLE_RULE.fullmatch(line)]
        if lines and (opening := _LINE_MARKS.match(lines[0])) and opening[1]:
            sentences.append(_plain(lines.pop(0)) + HEADING_END)
        # A line that is wrapped ends no sentence.
        sentences += split_sentences(" ".join(map(_plain, lines)))
    return sentences


def _plain(line: str) -> str:
    return " ".join(_EMPHASIS.sub(" " if "|" in line else "", _LINE_MARKS.sub("", line)).split())
