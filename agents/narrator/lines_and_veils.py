"""What lines and veils bar, read from the GM's own words, and where prose crosses one. Pure.

`Lines: spiders, harm to children. Veils: torture` bars two things and puts a third out of sight; without a
word before them, all are lines. Source: design/product.md (tone, lines and veils are respected).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.prose.words import split_sentences, stem

MAX_TOPICS: Final = 60
"""Lines and veils that are read."""

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
    """`words` as the GM has them; `stems` of those that count; `veil`: only out of sight, not never."""

    text: str
    stems: tuple[str, ...]
    is_veil: bool = False


@dataclass(frozen=True, slots=True)
class TopicCrossing:
    """Where prose does it: `plain` unless it only denies it, veils it, or has the words apart."""

    topic: BarredTopic
    sentence: str
    is_plain: bool


def parse_barred_topics(text: str) -> tuple[BarredTopic, ...]:
    """Return what is barred."""
    topics: list[BarredTopic] = []
    heads = list(_HEADING.finditer(text))
    spans = [(0, heads[0].start() if heads else len(text), False)]
    for n, head in enumerate(heads):
        end = heads[n + 1].start() if n + 1 < len(heads) else len(text)
        spans.append((head.end(), end, head[1].casefold().startswith(("veil", "off", "fade"))))
    for start, end, veil in spans:
        for part in _PARTS.split(text[start:end]):
            words = " ".join(part.strip(" .!-").split())
            stems = tuple(stem(w) for w in re.findall(r"[^\W\d_]+", words.casefold()) if w not in _STOP_WORDS)
            if stems and words.casefold() not in _EMPTY_WORDS and len(stems) <= 6:
                topics.append(BarredTopic(words, stems, veil or _VEILED.search(words) is not None))
    return tuple(topics[:MAX_TOPICS])


def find_crossings(text: str, topics: tuple[BarredTopic, ...]) -> Iterator[TopicCrossing]:
    """Yield each thing barred that the prose has, once."""
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
