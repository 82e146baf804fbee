"""Says what gives a thing to somebody as their getting it: `Pip hands me the pistol` tells where I got it. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.search.asked_deeds import find_asked_deed
from agents.search.normal_words import inflected_forms, normalize_word
from agents.search.question import RecordQuestion

_GETS: Final = inflected_forms(normalize_word("get"))
_RID: Final = re.compile(r"\b(?:get|got|getting) rid\b", re.IGNORECASE)
_DETERMINER: Final = r"(?:the|an?|my|our|your|his|her|their|its|this|that|(?-i:[A-ZÀ-Þ])[^\W_]+['’]s)"
_GIVES: Final = (
    r"\b(?:gives?|gave|hands?|handed|passe[sd]|lends?|lent|sells?|sold|slips|slipped|brings?|brought)"
)
_RECEIVER: Final = r"(?P<who>me|us|you|him|her|them|(?-i:(?:the )?[A-ZÀ-Þ][^\W_]+(?: [A-ZÀ-Þ][^\W_]+)?))"
_GIVES_SOMEBODY: Final = re.compile(rf"{_GIVES} {_RECEIVER} (?={_DETERMINER} [^\W_])", re.IGNORECASE)
_GIVES_TO: Final = re.compile(
    rf"{_GIVES} (?P<thing>{_DETERMINER}(?: [\w'’-]+){{1,4}}?) (?:over )?to {_RECEIVER}\b(?!['’])",
    re.IGNORECASE,
)
_TAKES: Final = re.compile(
    rf"\b(?:finds?|found|steals?|stole|wins?|won|(?:picks?|picked|digs?|dug) up) (?={_DETERMINER} [^\W_])"
    rf"|\b(?:takes?|took) (?={_DETERMINER} [^.!?;,]{{1,40}} (?:from|off|out of)\b)",
    re.IGNORECASE,
)
_SUBJECTS: Final = {"me": "I", "us": "we", "him": "he", "her": "she", "them": "they"}


def say_receipt_plainly(question: RecordQuestion, text: str) -> str:
    """Return a text with `I get the pistol` beside what gives it to me, if it is asked where or how somebody got it."""
    deed = find_asked_deed(question)
    if deed is None or deed.verb not in _GETS or _RID.search(question.text):
        return text
    text = _GIVES_SOMEBODY.sub(lambda m: f"{m[0].rstrip()}, {_say_subject(m['who'])} get ", text)
    text = _GIVES_TO.sub(lambda m: f"{m[0]}, {_say_subject(m['who'])} get {m['thing']}", text)
    return _TAKES.sub("get ", text)


def _say_subject(receiver: str) -> str:
    return _SUBJECTS.get(receiver.casefold(), receiver)
