"""Reads cues from the words of a question and of a text: stems, times, tense.

The rules are for English; a question in another language gives no cues and is searched as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.prose.dates import PartialDate, read_dates

MAX_QUESTION_CHARS: Final = 2_000
"""Characters of a question that are read."""

_STOP_WORD_TEXT: Final = """
    a about after again all also am an and any are as at be because been before being but by can could d did
    do does doing done don down for from get got had has have having he her here hers him his how i if in into
    is it its just ll m made make me more most my no nor not now of off on once one only or our out over own
    re s same she should so some such t than that the their them then there these they thing things this those
    through to too under until up ve very was we were what when where which while who whom whose why will with
    would you your yes oh well really like know think say said says tell told ask asked"""
_STOP_WORDS: Final = frozenset(_STOP_WORD_TEXT.split())
"""Words that say nothing about the subject of a question."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:time|date|day|month|year|week)|which (?:day|month|year|week|date)|how long|"
    r"since when|how (?:many|much) (?:time|days|weeks|months|years|hours))\b",
    re.IGNORECASE,
)
_TIME_WORDS = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|coming|every|each|the other) "
    r"(?:night|day|week|weekend|month|year|morning|evening|afternoon|spring|summer|autumn|fall|winter|"
    r"mon|tues|wednes|thurs|fri|satur|sun)(?:day)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|midnight|noon|dawn|dusk|o'clock|"
    r"(?:\d+|a|two|three|four|five|six|seven|eight|nine|ten|few|couple of) "
    r"(?:minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?)|since|recently|just now)\b",
    re.IGNORECASE,
)
_NOW_WORDS = re.compile(
    r"\b(?:now|nowadays|currently|current|still|these days|at (?:the moment|present)|presently|latest|lately|"
    r"today|any ?more|by now|at last|in the end|finally|eventually|most recent(?:ly)?|up to date|newest|"
    r"as it stands|so far|no longer|after all|ended up|end up|"
    r"by (?:the|this) (?:spring|summer|autumn|fall|winter|end))\b",
    re.IGNORECASE,
)
_PAST_WORDS = re.compile(
    r"\b(?:did|was|were|had|used to|before|earlier|originally|first|at first|previously|former(?:ly)?|"
    r"initially|back then|at the time|once)\b",
    re.IGNORECASE,
)
_PRESENT_WORDS = re.compile(
    r"\b(?:is|are|am|does|do|has|have|can|will|whose|what's|who's|where's)\b", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"\?[\s\"'”’]*$|^\s*(?:who|whom|whose|what|which|where|when|why|how|is|are|am|does|do|has|have|can)\b",
    re.IGNORECASE,
)
_PLAYER_WORDS: Final = frozenset(
    [
        "i",
        "i'm",
        "i've",
        "i'd",
        "i'll",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "we've",
        "we'd",
        "we'll",
        "us",
        "our",
        "ours",
        "ourselves",
    ]
)
_WORLD_DAY = re.compile(r"\bday (?P<number>\d{1,6})\b", re.IGNORECASE)
_ENDINGS: Final = (("ingly", 4), ("edly", 4), ("ing", 4), ("ies", 3), ("ied", 3), ("ed", 3), ("ly", 4))


@dataclass(frozen=True, slots=True)
class QuestionCues:
    """The cues of one question."""

    stems: tuple[str, ...] = ()
    """Stems of the words that carry meaning, in order."""
    words: frozenset[str] = frozenset()
    """All words, in lower case."""
    names_player: bool = False
    """The question says `I`, `my` or `we`: whoever asks is the player."""
    asks_when: bool = False
    """The question asks for a time."""
    asks_about_present: bool = False
    """The question asks how something is, and not how it was."""
    asks_about_now: bool = False
    """The question says so itself (now, still, in the end)."""
    is_question: bool = False
    """The text asks something, and is no line of play."""
    dates: tuple[PartialDate, ...] = ()
    """Dates that the question names."""
    world_days: tuple[int, ...] = ()
    """Days of the world that it names, as its calendar counts them: 3 for `Day 3`."""


def read_cues(question: str) -> QuestionCues:
    """Read the cues of a question."""
    text = question[:MAX_QUESTION_CHARS]
    asks_when = _ASKS_WHEN.search(text) is not None
    words = frozenset(split_words(text))
    return QuestionCues(
        stems=content_stems(text),
        words=words,
        names_player=not _PLAYER_WORDS.isdisjoint(words),
        asks_when=asks_when,
        asks_about_present=not asks_when and _asks_about_present(text),
        asks_about_now=not asks_when and _NOW_WORDS.search(text) is not None,
        is_question=_ASKS.search(text) is not None,
        dates=tuple(read_dates(text)),
        world_days=tuple(int(match["number"]) for match in _WORLD_DAY.finditer(text)),
    )


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case, without possessive endings."""
    matched_words: list[str] = _WORD.findall(text.casefold().replace("’", "'"))
    return [word.removesuffix("'s") if "'" in word else word for word in matched_words]


@lru_cache(maxsize=8_192)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning, each once, in order."""
    telling_words = (
        stem_word(word) for word in split_words(text) if word not in _STOP_WORDS and len(word) > 1
    )
    return tuple(dict.fromkeys(telling_words))


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    """Cut an English ending off, so that `moved`, `moves` and `moving` match. Rough, and fast."""
    for suffix, min_stem_length in _ENDINGS:
        if word.endswith(suffix) and len(word) - len(suffix) >= min_stem_length:
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    else:
        if word.endswith("es") and len(word) > 4 and word[-3] in "sxzho":
            word = word[:-2]
        elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
            word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def mentions_time(text: str) -> bool:
    """Say whether a text mentions a time."""
    return _TIME_WORDS.search(text) is not None


def measure_coverage(
    asked_stems: Iterable[str], offered_stems: Iterable[str], stem_weights: dict[str, float]
) -> float:
    """Return the share of the asked stems (0 to 1) that the text offers, by the weight of each."""
    unique_stems = set(asked_stems)
    total_weight = sum(stem_weights.get(word, 1.0) for word in unique_stems)
    return (
        sum(stem_weights.get(word, 1.0) for word in unique_stems.intersection(offered_stems)) / total_weight
        if total_weight
        else 0.0
    )


def _asks_about_present(text: str) -> bool:
    if _NOW_WORDS.search(text):
        return True
    return _PRESENT_WORDS.search(text) is not None and _PAST_WORDS.search(text) is None
