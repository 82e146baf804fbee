"""Parses a story's lines and veils, and finds where prose crosses one.

`Lines: spiders, harm to children. Veils: torture` bars two topics and keeps a third out of sight; without a
heading, all topics are lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.prose.words import split_sentences, stem

MAX_TOPICS: Final = 60
"""Topics that are read."""

_HEADING = re.compile(
    r"\b(lines?|veils?|never|hard limits?|off[- ]screen|fade to black(?: on| for)?)\s*[:=]", re.I
)
_PARTS = re.compile(r"[,;\n/•]|(?<=\w)\.\s|\band\b|\bor\b")
_VEILED = re.compile(r"\b(?:off[- ]?screen|out of sight|fade to black|behind the curtain|veiled)\b", re.I)
_STOP_WORDS = frozenset(
    {
        *(
            "no",
            "not",
            "never",
            "any",
            "all",
            "of",
            "the",
            "a",
            "an",
            "on",
            "for",
            "to",
            "in",
            "with",
            "without",
        ),
        *(
            "please",
            "graphic",
            "explicit",
            "detailed",
            "described",
            "descriptions",
            "description",
            "depictions",
        ),
        *(
            "depiction",
            "scenes",
            "scene",
            "content",
            "details",
            "detail",
            "is",
            "are",
            "kept",
            "off",
            "screen",
        ),
        *("offscreen", "out", "sight", "fade", "black", "behind", "curtain", "veiled"),
    }
)
_EMPTY_WORDS = frozenset({"none", "nothing", "n", "na", "-"})
_NEGATED = re.compile(r"\b(?:no|not|without|never|free of|nor)\b(?:\W+\w+){0,2}\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BarredTopic:
    """A topic that is barred or veiled."""

    text: str
    """The topic in the GM's words."""

    stems: tuple[str, ...]
    """The stems of its significant words."""

    is_veil: bool = False
    """Whether it may happen, but out of sight."""


@dataclass(frozen=True, slots=True)
class TopicCrossing:
    """A sentence that has a barred topic in it."""

    topic: BarredTopic
    sentence: str
    is_plain: bool
    """False if the sentence denies it, the topic is a veil, or its words stand apart."""


def parse_barred_topics(text: str) -> tuple[BarredTopic, ...]:
    """Return the topics of a story's lines and veils."""
    topics: list[BarredTopic] = []
    headings = list(_HEADING.finditer(text))
    spans = [(0, headings[0].start() if headings else len(text), False)]
    for n, heading in enumerate(headings):
        end = headings[n + 1].start() if n + 1 < len(headings) else len(text)
        spans.append((heading.end(), end, heading[1].casefold().startswith(("veil", "off", "fade"))))
    for start, end, is_veil in spans:
        for part in _PARTS.split(text[start:end]):
            words = " ".join(part.strip(" .!-").split())
            stems = tuple(stem(w) for w in re.findall(r"[^\W\d_]+", words.casefold()) if w not in _STOP_WORDS)
            if stems and words.casefold() not in _EMPTY_WORDS and len(stems) <= 6:
                topics.append(BarredTopic(words, stems, is_veil or _VEILED.search(words) is not None))
    return tuple(topics[:MAX_TOPICS])


def find_crossings(text: str, topics: tuple[BarredTopic, ...]) -> Iterator[TopicCrossing]:
    """Yield the first crossing of each topic."""
    sentence_stems = [
        (s, [(stem(m[0].casefold()), m.start()) for m in re.finditer(r"[^\W\d_]+", s)])
        for s in split_sentences(text)
    ]
    for topic in topics:
        for sentence, stems in sentence_stems:
            stem_positions = dict(reversed(stems))
            if not all(stem in stem_positions for stem in topic.stems):
                continue
            first_position = min(stem_positions[stem] for stem in topic.stems)
            is_denied = _NEGATED.search(sentence[:first_position]) is not None
            is_scattered = len(topic.stems) > 1 and not _are_adjacent(stems, topic.stems)
            yield TopicCrossing(topic, sentence, is_plain=not (is_denied or is_scattered or topic.is_veil))
            break


def _are_adjacent(stems: list[tuple[str, int]], topic_stems: tuple[str, ...]) -> bool:
    words = [stem for stem, _ in stems if stem not in _STOP_WORDS]
    return any(tuple(words[n : n + len(topic_stems)]) == topic_stems for n in range(len(words)))
