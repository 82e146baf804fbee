"""Reads decisions in what a player says in the first person (`I decide never to walk the weir after dark`).

The patterns are precise and few. A plan, a question, a condition and the words of somebody else are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.prose.hero_words import FirstPersonSentence, find_hero_sentences

MAX_DECISION_WORDS: Final = 400
"""Characters of a decision; what is longer is left to the player to shorten."""


@dataclass(frozen=True, slots=True)
class PlainDecision:
    """What was decided, in the player's words without `I decide`."""

    words: str
    is_lasting: bool
    """Whether it plainly holds from then on; else it may be what is done just now (`I decide to go left`)."""


_FROM_NOW_ON = (
    r"(?:from (?:now|this (?:day|night|moment|hour)|today|tonight|here) on(?:wards?)?"
    r"|from this (?:day|night|moment|hour) forth|henceforth)"
)
_WILL = r"(?:will|shall|['’]ll|won['’]t)"
_DECIDE: Final = re.compile(
    r"\b(?P<who>I|we)(?:\s+(?:hereby|now|then|therefore|also|finally|firmly|here and now))?"
    r"(?:\s+(?:decided?|resolved?)|(?:\s+have|['’]ve)\s+(?:now\s+|just\s+)?(?:decided|resolved)|\s+am\s+(?:resolved|determined))"
    r"\s*[,:]?\s+(?:here and now\s+)?(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_UNDECIDED = (
    r"(?:can|could|be|am|are|see|hear|have|know|understand|forget|find|get|feel|remember|learn|manage|notice|had|"
    r"want|plan|hope|wish|mean|intend|would|might|may|should|think|try|ask|tell|say|wonder|suppose|guess|like)\b"
)
"""Verbs of what is not decided but happens, is wished or is said."""
_NEVER_AGAIN: Final = re.compile(
    rf"\b(?:I|we)\s*{_WILL}\s+never(?:\s+ever)?\s+(?!{_UNDECIDED}).*?\bagain\b.*"
    rf"|\bnever(?:\s+ever)?\s+again\s+(?:will|shall|do)\s+(?:I|we)\s+(?!{_UNDECIDED}).+",
    re.IGNORECASE | re.DOTALL,
)
_FROM_NOW_ON_I: Final = re.compile(
    rf"\b{_FROM_NOW_ON},?\s+(?:I|we)(?:\s+|(?=['’]))(?!{_UNDECIDED}).+", re.IGNORECASE | re.DOTALL
)
_I_FROM_NOW_ON: Final = re.compile(
    rf"\b(?:I|we)(?:\s+|(?=['’]))(?!{_UNDECIDED})[^;,]*?\b{_FROM_NOW_ON}\b.*", re.IGNORECASE | re.DOTALL
)
_LASTING: Final = re.compile(
    rf"\bnever\b|\balways\b|\bno longer\b|\b{_FROM_NOW_ON}\b|\bas long as\b|\bfor (?:the rest of|as long)\b|"
    r"\b(?:every|each) (?:single )?"
    r"(?:night|day|dawn|dusk|morning|evening|week|month|year|winter|spring|summer|autumn|time)\b|"
    r"\b(?:not|no|nothing|nobody|none|won['’]t)\b.*"
    r"\b(?:again|ever|any ?more|anyone|anybody|anything|any|while|until|as long as)\b",
    re.IGNORECASE | re.DOTALL,
)
_UNREAL: Final = re.compile(
    r"\b(?:if|unless|whether|perhaps|maybe|would|could|might|may|should|dream\w*|imagin\w*|wonder\w*|pretend\w*|"
    r"wish\w*|hop(?:e|es|ing)|suppose\w*|remember\w*|recall\w*|jok(?:e|es|ing)|used to|ago|yesterday|"
    r"almost|nearly)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Before the words of a decision or promise, anywhere in its sentence: it is not made now."""
_SUBORDINATE: Final = re.compile(
    r"\b(?:when|whenever|once|until|till|before|after|while|as|what|why|how|where|which|who|whom|than|think|"
    r"thought|not|never|or|whatever|do|did)\s*$",
    re.IGNORECASE,
)
"""Directly before `I decide` or `I promise`: it is part of another clause."""
_REPORTED: Final = re.compile(
    r"(?<!\bI )(?<!\bwe )\b(?:says?|said|tells?|told|asks?|asked|insists?|demands?|claims?|believes?|thinks?|"
    r"wants?|orders?|swears?|swore|promises|promised|writes?|wrote|reads?|answers?|whispers?|mutters?|shouts?)\b[^,;.¶]*\bthat\s*,?\s*$",
    re.IGNORECASE,
)
_TIME_CLAUSE: Final = re.compile(
    r"\b(?:when|whenever|once|until|till|as soon as|after|before)\b", re.IGNORECASE
)


def find_decisions(text: str) -> tuple[PlainDecision, ...]:
    """Return the decisions in a line of the player's, at most one of each sentence."""
    return tuple(decision for s in find_hero_sentences(text) for decision in _read_sentence(s))


def is_made_now(sentence: str, start: int) -> bool:
    """Say whether what begins at `start` is asserted by the speaker: no question, condition, dream or report."""
    before = sentence[:start]
    return not (
        sentence.rstrip("\"”' ").endswith("?")
        or _UNREAL.search(before)
        or _SUBORDINATE.search(before)
        or _REPORTED.search(before)
    )


def _read_sentence(sentence: FirstPersonSentence) -> Iterator[PlainDecision]:
    text = sentence.text
    if match := _DECIDE.search(text):
        words, is_decided = _read_decided(match["who"], match["rest"]), True
    elif match := _NEVER_AGAIN.search(text) or _FROM_NOW_ON_I.search(text) or _I_FROM_NOW_ON.search(text):
        words, is_decided = match[0], not _TIME_CLAUSE.search(text[: match.start()])
    else:
        return
    words = _tidy(words)
    if not words or not is_decided or len(words) > MAX_DECISION_WORDS or not is_made_now(text, match.start()):
        return
    is_open = re.search(r"\bif\b", words, re.IGNORECASE) or (
        sentence.is_spoken and re.search(r"\byou(?:r|rs)?\b", words, re.IGNORECASE)
    )
    yield PlainDecision(words, is_lasting=not is_open and _LASTING.search(match[0]) is not None)


def _read_decided(subject: str, rest: str) -> str:
    """Return what was decided in the first person; empty if it is no clause (`I decide on the red one`)."""
    who = "We" if subject.casefold() == "we" else "I"
    if match := re.match(r"(?:never to|to never)\s+(.+)", rest, re.IGNORECASE | re.DOTALL):
        return f"{who} never {match[1]}"
    if match := re.match(r"not to\s+(.+)", rest, re.IGNORECASE | re.DOTALL):
        return f"{who} do not {match[1]}"
    if match := re.match(r"to\s+(.+)", rest, re.IGNORECASE | re.DOTALL):
        return f"{who} {match[1]}"
    clause = re.match(
        rf"(?:that\s+|(?=(?:I|we)\b|{_FROM_NOW_ON}))(?P<clause>.*?(?:\b|(?=['’])){_WILL}\b.+"
        r"|(?:I|we)\s+(?:never|always|no longer|do not|don['’]t)\s.+)",
        rest,
        re.IGNORECASE | re.DOTALL,
    )
    return clause["clause"] if clause else ""


def _tidy(words: str) -> str:
    """Return the words without what follows a semicolon, and with a capital."""
    words = " ".join(re.split(r"[;¶]", words)[0].split()).strip(" ,.!:-–—")
    words = re.sub(r"^i\b", "I", words)
    return words[:1].upper() + words[1:]
