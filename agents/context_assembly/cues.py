"""What a question asks for, and what a text offers, read from its words alone.

The stems, times and tenses here are English; of a question in another language nothing is read, and it is
searched for as it stands. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

MOST_TEXT: Final = 2_000
"""Characters of a question that are read."""

_COMMON_WORDS: Final = """
    a about after again all also am an and any are as at be because been before being but by can could d did
    do does doing done don down for from get got had has have having he her here hers him his how i if in into
    is it its just ll m made make me more most my no nor not now of off on once one only or our out over own
    re s same she should so some such t than that the their them then there these they thing things this those
    through to too under until up ve very was we were what when where which while who whom whose why will with
    would you your yes oh well really like know think say said says tell told ask asked"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
"""Words that say nothing of what is asked after."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_WHEN = re.compile(
    r"\b(?:when|what (?:time|date|day|month|year|week)|which (?:day|month|year|week|date)|how long|"
    r"since when|how (?:many|much) (?:time|days|weeks|months|years|hours))\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|coming|every|each|the other) "
    r"(?:night|day|week|weekend|month|year|morning|evening|afternoon|spring|summer|autumn|fall|winter|"
    r"mon|tues|wednes|thurs|fri|satur|sun)(?:day)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"january|february|march|april|june|july|august|september|october|november|december|"
    r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|midnight|noon|dawn|dusk|o'clock|"
    r"(?:\d+|a|two|three|four|five|six|seven|eight|nine|ten|few|couple of) "
    r"(?:minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?)|since|recently|just now)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|current|still|these days|at (?:the moment|present)|presently|latest|lately|"
    r"today|any ?more|by now|at last|in the end|finally|eventually|most recent(?:ly)?|up to date|newest|"
    r"as it stands|so far|no longer|after all|ended up|end up|"
    r"by (?:the|this) (?:spring|summer|autumn|fall|winter|end))\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|used to|before|earlier|originally|first|at first|previously|former(?:ly)?|"
    r"initially|back then|at the time|once)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|am|does|do|has|have|can|will|whose|what's|who's|where's)\b", re.IGNORECASE
)
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = re.compile(
    rf"\b(?:(?P<day1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{'|'.join(_MONTHS)})"
    r"(?: (?P<day2>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (?P<year>(?:19|20)\d\d))?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MAY: Final = 5
_ENDINGS: Final = (("ingly", 4), ("edly", 4), ("ing", 4), ("ies", 3), ("ied", 3), ("ed", 3), ("ly", 4))


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as it was said: a year, a month of any year, a day."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def meets(self, at: datetime) -> bool:
        """Say whether the time is on it."""
        own = (self.year, self.month, self.day)
        return all(a is None or a == b for a, b in zip(own, (at.year, at.month, at.day), strict=True))


@dataclass(frozen=True, slots=True)
class Cues:
    """`stems` of the telling words, in order; `spoken` all words, without case, as they stand. `when`: a time
    is asked for; `present`: how it is, and not how it was; `now`: it says so itself (now, still, in the end);
    `days`: dates that it names."""

    stems: tuple[str, ...] = ()
    spoken: frozenset[str] = frozenset()
    when: bool = False
    present: bool = False
    now: bool = False
    days: tuple[Day, ...] = ()


def cues_of(question: str) -> Cues:
    """Read a question."""
    text = question[:MOST_TEXT]
    when = _WHEN.search(text) is not None
    return Cues(
        stems=stems(text),
        spoken=frozenset(words(text)),
        when=when,
        present=not when and _is_present(text),
        now=not when and _NOW.search(text) is not None,
        days=tuple(_days(text)),
    )


def words(text: str) -> list[str]:
    """Return the words of a text without case, and without what a possessive adds."""
    found: list[str] = _WORD.findall(text.casefold().replace("’", "'"))
    return [word.removesuffix("'s") if "'" in word else word for word in found]


@lru_cache(maxsize=8_192)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that tell something, each once, in their order."""
    told = (stem(word) for word in words(text) if word not in _COMMON and len(word) > 1)
    return tuple(dict.fromkeys(told))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut an English ending off, so that `moved`, `moves` and `moving` meet. Rough, and quick."""
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            break
    else:
        if word.endswith("es") and len(word) > 4 and word[-3] in "sxzho":
            word = word[:-2]
        elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
            word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def tells_time(text: str) -> bool:
    """Say whether a text says when something is."""
    return _TIME.search(text) is not None


def covered(asked: Iterable[str], offered: Iterable[str], weight: dict[str, float]) -> float:
    """Return how much of what is asked (0 ... 1) the text offers, by the weight of each word."""
    wanted = set(asked)
    total = sum(weight.get(word, 1.0) for word in wanted)
    return sum(weight.get(word, 1.0) for word in wanted.intersection(offered)) / total if total else 0.0


def _is_present(text: str) -> bool:
    if _NOW.search(text):
        return True
    return _PRESENT.search(text) is not None and _PAST.search(text) is None


def _days(text: str) -> Iterable[Day]:
    with_month = False
    for found in _MONTH.finditer(text):
        day, year = found["day1"] or found["day2"], found["year"]
        number = _MONTHS.index(found["month"].casefold()) + 1
        if number == _MAY and not (day or year or found["month"] == "May"):
            continue  # it may be a verb
        with_month = True
        yield Day(int(year) if year else None, number, int(day) if day else None)
    if not with_month:
        yield from (Day(year=int(found[0])) for found in _YEAR.finditer(text))
