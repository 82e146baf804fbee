"""Parses a story's lines and veils, and finds where prose crosses one.

`Lines: spiders, harm to children. Veils: torture` bars two topics and keeps a third out of sight; without a
heading, all topics are lines. Words on how a topic may be told (`known and never shown`, `only off-screen`,
`nothing graphic`) are no topics: they veil what stands before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.narrator.barred_words import TopicPatterns, build_act_patterns, find_family, find_victim
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences, stem

MAX_TOPICS: Final = 60
"""Topics that are read."""
MAX_TOPIC_WORDS: Final = 6
MAX_APART: Final = 4
"""Words that may stand between those of a topic without making it another matter."""

_HEADING = re.compile(
    r"\b(lines?|veils?|never|hard limits?|off[- ](?:screen|stage)|fade to black(?: on| for)?)\s*[:=]", re.I
)
_CLAUSE_END = re.compile(r"[;\n•]|(?<=\w)\.(?=\s|$)")
_JOINT = re.compile(r"(,|/|\bbut\b|\bexcept(?:\s+for)?\b|\band\b|\bor\b|\bnor\b)", re.I)
_VEILED = re.compile(
    r"\b(?:off[- ]?(?:screen|stage|page|camera)|out of sight|fades?[- ]to[- ]black|behind the curtain|veiled|implied|"
    r"hinted|alluded|in passing|known|(?:never|not|no|nothing|without)\b.{0,20}\b(?:on[- ]?(?:screen|stage|page)|"
    r"shown|described|seen))\b",
    re.I,
)
_SOFTENED = re.compile(r"\b(?:graphic|explicit|detailed|on[- ]?screen|on[- ]?stage)\b", re.I)
"""Graphic violence is barred: violence may happen, out of sight."""
_ALLOWED = re.compile(
    r"\b(?:is|are|'s|’s)?\s*(?<!not )(?<!never )(?:fine|ok|okay|allowed|welcome|all right|alright|acceptable)\b",
    re.I,
)
_FUNCTION_WORDS: Final = frozenset(
    ["no", "not", "never", "none", "nothing", "nobody", "nor", "any", "anything", "all", "of", "the", "a", "an",
     "on", "for", "to", "in", "with", "without", "against", "toward", "towards", "involving", "about", "by",
     "at", "as", "it", "its", "itself", "themselves", "is", "are", "be", "been", "do", "does", "don", "dont",
     "t", "s", "i", "we", "you", "me", "us", "want", "wants", "like", "see", "avoid", "keep", "kept", "skip",
     "please", "also", "there", "should", "must", "may", "can", "have", "has", "only", "just", "ever", "if",
     "when", "too", "very", "really", "so", "that", "this", "these", "those", "limits", "limit", "off", "table",
     "goes", "particular", "special", "more", "most", "much", "kind", "sort", "form", "forms"]
)  # fmt: skip
_MANNER_WORDS: Final = frozenset(
    ["known", "shown", "show", "seen", "screen", "stage", "page", "camera", "offscreen", "onscreen", "offstage",
     "off-screen", "on-screen", "off-stage", "sight", "out", "fade", "fades", "black", "behind", "curtain",
     "veiled", "implied", "hinted", "hint", "alluded", "mentioned", "mention", "mentions", "passing", "graphic",
     "graphically", "explicit", "explicitly", "detailed", "detail", "details", "described", "describe",
     "description", "descriptions", "depicted", "depiction", "depictions", "scene", "scenes", "content",
     "happen", "happens", "happening", "left", "lightly", "tastefully", "gratuitous", "fine", "ok", "okay",
     "allowed", "welcome", "right", "alright", "acceptable"]
)  # fmt: skip
"""Words on how a topic may be told; they are part of no topic."""
_PREPOSITION = re.compile(r"\b(?:to|of|against|towards?|on|by|involving)\b", re.I)
_DENIED = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|no one|without|nor|neither|free of|instead of|rather than)\b|n['’]t\b",
    re.I,
)
_DENIED_AFTER = re.compile(r"\s+(?:nobody|nothing|no one|none|no)\b", re.I)
_NOT_NOW = re.compile(
    r"\b(?:ago|once|had|years|remember\w*|recall\w*|memory|memories|dream\w*|story|stories|tale|song|ballad|says?|said|"
    r"tells?|told|heard|if|would|could|might|threaten\w*|afraid|fears?)\b",
    re.I,
)
"""What stands in such a clause does not happen before the player's eyes."""
_CLAUSE_BREAK = re.compile(r"[,;:—–]|\b(?:and|but|while|as|so|because)\b", re.I)


@dataclass(frozen=True, slots=True)
class BarredTopic:
    """A topic that is barred or veiled."""

    text: str
    """The topic in the GM's words."""

    stems: tuple[str, ...]
    """The stems of its significant words."""

    is_veil: bool = False
    """Whether it may happen, but out of sight."""

    patterns: TopicPatterns | None = None
    """How prose has it in other words; None if only its own words are known."""


@dataclass(frozen=True, slots=True)
class TopicCrossing:
    """A sentence that has a barred topic in it."""

    topic: BarredTopic
    sentence: str
    is_plain: bool
    """False if the topic is a veil, or its words stand apart."""


def parse_barred_topics(text: str) -> tuple[BarredTopic, ...]:
    """Return the topics of a story's lines and veils."""
    topics: list[BarredTopic] = []
    headings = list(_HEADING.finditer(text))
    spans = [(0, headings[0].start() if headings else len(text), False)]
    for n, heading in enumerate(headings):
        end = headings[n + 1].start() if n + 1 < len(headings) else len(text)
        spans.append((heading.end(), end, heading[1].casefold().startswith(("veil", "off", "fade"))))
    for start, end, is_veil in spans:
        for clause in _CLAUSE_END.split(text[start:end]):
            topics += _parse_clause(clause, is_veil)
    return tuple(topics[:MAX_TOPICS])


def _parse_clause(clause: str, is_veil: bool) -> list[BarredTopic]:
    """Return the topics of one clause; what is said of how they may be told holds for all before it."""
    finished: list[BarredTopic] = []
    topics: list[BarredTopic] = []
    previous_text = ""
    for n, part in enumerate(_JOINT.split(clause)):
        if n % 2:
            if part.casefold().startswith(("but", "except")):
                finished += topics
                topics = []
            continue
        topic_words = _find_topic_words(part)
        if _ALLOWED.search(part):
            topics = []
        elif not topic_words:
            if _VEILED.search(part):
                topics = [_as_veil(topic) for topic in topics]
        elif len(topic_words) <= MAX_TOPIC_WORDS:
            text = _complete_topic(part, topic_words, previous_text)
            is_softened = is_veil or any(p.search(part) for p in (_VEILED, _SOFTENED))
            topics.append(_build_topic(text, is_softened))
        if topic_words:
            previous_text = _trim_topic(part, topic_words)
    return [*finished, *topics]


def _find_topic_words(text: str) -> list[str]:
    words = re.findall(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*", text.casefold())
    return [w for w in words if w not in _FUNCTION_WORDS and w not in _MANNER_WORDS]


def _trim_topic(part: str, topic_words: list[str]) -> str:
    """Return the part from its first word of substance to its last: `no harm to animals` is about harm to animals."""
    line = " ".join(part.split())
    start = line.casefold().index(topic_words[0])
    return line[start : line.casefold().rindex(topic_words[-1]) + len(topic_words[-1])]


def _complete_topic(part: str, topic_words: list[str], previous_text: str) -> str:
    """Return the topic in full: `cruelty to animals or children` is about cruelty to children, too."""
    text = _trim_topic(part, topic_words)
    preposition = _PREPOSITION.search(previous_text)
    head = previous_text[: preposition.start()].strip() if preposition else previous_text
    if head and (own_preposition := _PREPOSITION.match(part.strip())):
        return f"{head} {own_preposition[0]} {text}"
    if head and preposition and len(topic_words) == 1 and find_victim(topic_words[0]):
        return f"{head} {preposition[0]} {text}"
    return text


def _as_veil(topic: BarredTopic) -> BarredTopic:
    return _build_topic(topic.text, is_veil=True)


def _build_topic(text: str, is_veil: bool) -> BarredTopic:
    topic_words = _find_topic_words(text)
    patterns = build_act_patterns(topic_words) or find_family(topic_words)
    if patterns is None and is_veil and len(topic_words) == 1 and topic_words[0].endswith("ing"):
        patterns = _build_gerund_patterns(topic_words[0])
    return BarredTopic(text, tuple(map(stem, topic_words)), is_veil, patterns)


def _build_gerund_patterns(gerund: str) -> TopicPatterns:
    """Return where prose shows somebody do what a word like `drowning` says; its other forms only mention it."""
    root = re.escape(gerund.removesuffix("ing"))
    shown = re.compile(
        rf"\b{root}e?s\b|\b(?:am|is|are|keeps?|begins?\s+to|starts?)\s+{root}(?:e|ing)?\b", re.I
    )
    return TopicPatterns(shown, re.compile(rf"\b{root}\w*", re.I))


def find_crossings(text: str, topics: tuple[BarredTopic, ...]) -> Iterator[TopicCrossing]:
    """Yield the first crossing of each topic."""
    sentences = split_sentences(text)
    # What somebody says of a veiled matter is not shown.
    narrated_sentences = split_sentences(strip_speech(text))
    for topic in topics:
        crossings = (
            crossing
            for sentence in (narrated_sentences if topic.is_veil else sentences)
            if (crossing := _find_crossing(sentence, topic))
        )
        if crossing := next(crossings, None):
            yield crossing


def _find_crossing(sentence: str, topic: BarredTopic) -> TopicCrossing | None:
    if topic.patterns is not None:
        pattern = topic.patterns.shown if topic.is_veil else topic.patterns.mentioned
        match = next(
            (m for m in pattern.finditer(sentence) if not _is_denied(sentence, m.start(), m.end())), None
        )
        if match is None or (topic.is_veil and _NOT_NOW.search(_clause_around(sentence, match.start()))):
            return None
        return TopicCrossing(topic, sentence, is_plain=not topic.is_veil)
    stem_spans = [(stem(m[0].casefold()), m.start(), m.end()) for m in re.finditer(r"[^\W\d_]+", sentence)]
    window = _find_window([s for s, _, _ in stem_spans], topic.stems)
    if window is None:
        return None
    first, last, are_adjacent = window
    if _is_denied(sentence, stem_spans[first][1], stem_spans[last][2]):
        return None
    if topic.is_veil and _NOT_NOW.search(_clause_around(sentence, stem_spans[first][1])):
        return None
    return TopicCrossing(topic, sentence, is_plain=are_adjacent and not topic.is_veil)


def _find_window(stems: list[str], topic_stems: tuple[str, ...]) -> tuple[int, int, bool] | None:
    """Return from where to where the topic's words stand together, and whether only small words are between."""
    length = len(topic_stems) + MAX_APART
    best: tuple[int, int, bool] | None = None
    for start, word in enumerate(stems):
        if word not in topic_stems:
            continue
        span = stems[start : start + length]
        if not set(topic_stems) <= set(span):
            continue
        end = start + max(span.index(s) for s in topic_stems)
        significant = [s for s in stems[start : end + 1] if s not in _FUNCTION_WORDS]
        if tuple(significant) == topic_stems:
            return start, end, True
        best = best or (start, end, False)
    return best


def _is_denied(sentence: str, start: int, end: int) -> bool:
    """Return whether the clause denies what stands there: before it, in it, or right after it."""
    clause_start = max((m.end() for m in _CLAUSE_BREAK.finditer(sentence, 0, start)), default=0)
    return (
        _DENIED.search(sentence[clause_start:end]) is not None
        or _DENIED_AFTER.match(sentence[end:]) is not None
    )


def _clause_around(sentence: str, position: int) -> str:
    clause_start = max((m.end() for m in re.finditer(r"[;:—–]", sentence[:position])), default=0)
    return sentence[clause_start:]
