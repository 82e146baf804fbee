"""Reads what a text only tells of as rumour, or as what somebody believes: it states nothing that is so. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from agents.prose.names import any_name_pattern
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences

MAX_SENTENCES: Final = 40
"""Sentences of one text that are read."""

_SPEECH: Final = "¶"
_CLAUSE: Final = r"(?:(?:,?\s+that|[,:])\s+|\s+(?=(?:the|an?|(?-i:[A-Z])\S*)\s+\S))(?P<words>\S+\s.+)"
"""What is told: behind `that`, or beginning as a clause does, unlike `they say hello`."""
_RUMOUR: Final = re.compile(
    r"(?:(?:And|But|Yet|Still|Here|In\s+[^,]{2,40}),?\s+)?"
    r"(?:(?:the\s+)?(?:rumou?r|word|gossip|talk|story|tale|legend)\s+(?:has\s+it|goes(?!\s+on\b)|says)"
    r"|(?:the\s+)?(?:rumou?r|word)\s+is"
    r"|(?:rumou?rs|tongues)\s+(?:say|claim)"
    r"|there\s+(?:is|are|goes)\s+(?:a\s+|some\s+)?(?:rumou?rs?|talk|gossip|word)"
    r"|it\s+is\s+(?:rumou?red|whispered|said)"
    r"|(?:they|people|folks?|some|many|(?:the\s+)?(?:villagers|townsfolk|townspeople|locals|old\s+women))\s+"
    r"(?:say|whisper|claim))"
    rf"{_CLAUSE}",
    re.IGNORECASE | re.DOTALL,
)
_SAID_TO: Final = re.compile(
    r"(?P<who>[^,;:]{2,60}?)\s+is\s+(?:said|rumou?red|whispered|supposed)\s+to\s+(?P<verb>be|have)\s+(?P<rest>\S.+)"
)
_THIRD_PERSON: Final = {"be": "is", "have": "has"}
_BELIEVES: Final = (
    r"(?:believes?|believed|thinks|thought|knows|knew|suspects?|suspected|assumes?|assumed"
    r"|(?:is|was)\s+(?:sure|certain|convinced|persuaded))"
)
_NO_CLAUSE: Final = re.compile(
    r"(?:too|so|as)\b|\b(?:if|whether|perhaps|maybe|would|could|might)\b", re.IGNORECASE
)
_CALLED_A_LIE: Final = re.compile(
    r",?\s+(?:which|and\s+(?:that|this|it))\s+(?:is|was)\s+(?:a\s+(?:plain\s+|bare\s+)?lie|not\s+true|untrue|false)(?=\W*$)"
)

_TELLS_ONCE_MORE: Final = re.compile(r"^(?:I|[Yy]ou)\s+(?:tell|told)\s+(?:him|her|them)\s+(?:that\s+)?")


class Rumour(NamedTuple):
    """What is told and nobody vouches for, as a sentence, and the words of the text that tell it."""

    words: str
    quote: str


class Belief(NamedTuple):
    """What a text says that somebody believes, and its sentence of the text."""

    holder_id: str
    words: str
    quote: str


def find_rumours(text: str) -> list[Rumour]:
    """Return what a text tells as rumour: `Rumour has it that Corrin sleeps at the mill`."""
    return [
        Rumour(words, sentence) for sentence in _list_sentences(text) if (words := _read_rumour(sentence))
    ]


def find_beliefs(text: str, names_by_id: Mapping[str, Sequence[str]]) -> list[Belief]:
    """Return what a text says that somebody of these believes: `Emmet believes that Corrin will sell it`."""
    beliefs = []
    for sentence in _list_sentences(text):
        for holder_id, names in names_by_id.items():
            match = re.match(
                rf"(?:(?:And|But|So|Now)\s+)?{any_name_pattern(names)}\s+(?:\w+ly\s+|now\s+|still\s+)?{_BELIEVES}"
                r"(?:\s+that)\s+(?P<words>\S.+)",
                sentence,
                re.DOTALL,
            )
            if match and not _NO_CLAUSE.search(match["words"]):
                beliefs.append(Belief(holder_id, match["words"], sentence))
                break
    return beliefs


def read_told_words(words: str) -> str:
    """Return what somebody is told, without the narrator's `I tell her` before and `which is a lie` behind it."""
    return _CALLED_A_LIE.sub("", _TELLS_ONCE_MORE.sub("", words))


def _read_rumour(sentence: str) -> str:
    if match := _RUMOUR.fullmatch(sentence):
        return "" if _NO_CLAUSE.search(match["words"]) else match["words"]
    if match := _SAID_TO.fullmatch(sentence):
        return f"{match['who']} {_THIRD_PERSON[match['verb']]} {match['rest']}"
    return ""


def _list_sentences(text: str) -> Iterator[str]:
    """Yield the sentences in which the text itself speaks, without their full stops."""
    if SINGLE_QUOTED.search(text):
        return
    for sentence in split_sentences(strip_speech(text))[:MAX_SENTENCES]:
        if _SPEECH not in sentence and "?" not in sentence:
            yield sentence.strip(" .!…")
