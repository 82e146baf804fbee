"""Finds what is spoken in prose, and by whom."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.words import split_paragraphs

SPEAKS = (
    r"(?:says?|asks?|answers?|repl(?:y|ies)|whispers?|mutters?|shouts?|calls?|cries|growls?|hisses|murmurs?|"
    r"snaps?|adds?|continues?|begins?|laughs?|sighs?|breathes?|grunts?|insists?|warns?|promises?|agrees?)"
)
SPOKE = (
    r"(?:said|asked|answered|replied|whispered|muttered|shouted|called|cried|growled|hissed|murmured|"
    r"snapped|added|continued|began|laughed|sighed|breathed|grunted|insisted|warned|promised|agreed)"
)
SAYS = rf"(?:{SPEAKS}|{SPOKE})"

_QUOTED = re.compile(r"[“«]([^”»\n]*)(?:[”»]|$)|(?<!\w)\"([^\"\n]*)(?:\"|$)", re.MULTILINE)
_TO_WHOM: Final = r"[^:.;!?\"“«\n]{0,80}"
_WHISPERED_AFTER_COLON: Final = re.compile(
    rf"(?P<says>\b(?:whisper|whispers|whispered)\b{_TO_WHOM}):\s+(?![\"“«]).*", re.DOTALL
)
_SAID_AFTER_COLON: Final = re.compile(
    r"(?P<says>\b(?:says?|said|tells?|told|shouts?|shouted|yells?|yelled|orders?|ordered|answers?|answered|repl(?:y|ies|ied)|"
    r"asks?|asked|murmurs?|murmured|mutters?|muttered|hiss(?:es|ed)?|warns?|warned|calls?\s+(?:out|to))\b"
    rf"{_TO_WHOM}):\s+(?![\"“«])[^.!?\n]*"
)
"""Not every verb of speaking: behind `The rope snaps:` stands what happens."""
SINGLE_QUOTED: Final = re.compile(r"(?<!\w)['‘](?:[^'‘’\n]|['’](?=\w))+[,.!?—…-]['’](?!\w)")
"""Speech in single quotation marks, which an apostrophe is not."""


@dataclass(frozen=True, slots=True)
class Speech:
    """One piece of speech."""

    spoken_text: str
    paragraph: str
    """The whole paragraph that it stands in."""

    surrounding_text: str
    """The paragraph without what is spoken."""

    start: int
    end: int
    """Where the speech ends in the paragraph."""


def strip_speech(text: str) -> str:
    """Return the text with each speech replaced by `¶`."""
    return _QUOTED.sub(lambda match: " ¶ ", text)


def drop_said_after_colon(text: str) -> str:
    """Return the text without what is said behind a colon and stands in no quotation marks: `I tell Dob: run home`.

    A whisper so written ends with the text, all else with its sentence.
    """
    return _SAID_AFTER_COLON.sub(lambda match: match["says"], _WHISPERED_AFTER_COLON.sub(r"\g<says>", text))


def find_speech_spans(text: str) -> list[tuple[int, int]]:
    """Return where each speech starts and ends, its quotation marks included."""
    return [match.span() for match in _QUOTED.finditer(text)]


def find_speeches(text: str) -> list[Speech]:
    """Return all speech, in order."""
    return [
        Speech(match[1] or match[2] or "", part, surrounding_text, match.start(), match.end())
        for part in split_paragraphs(text)
        for surrounding_text in [strip_speech(part)]
        for match in _QUOTED.finditer(part)
    ]


def is_spoken_by(speech: Speech, names: Sequence[str]) -> bool:
    """Return whether the paragraph attributes a speech to one of the names: `“...,” says Tam`, `Tam asks: “...”`."""
    name_pattern = any_name_pattern(names)
    text_after = speech.paragraph[speech.end :][:80]
    text_before = speech.paragraph[: speech.start][-80:]
    attributed_after = re.match(rf"\s*(?:{SAYS}\s+{name_pattern}|{name_pattern}\s+{SAYS})", text_after)
    attributed_before = re.search(rf"{name_pattern}\s+{SAYS}(?:\s+\w+){{0,4}}\s*[,:]\s*$", text_before)
    return attributed_after is not None or attributed_before is not None


def find_speaker(speech: Speech, people: Sequence[Sequence[str]]) -> int | None:
    """Return the index in `people` (each by names) of the speaker, or None if that is unclear.

    The speaker is whom the words are attributed to, or the only one whom the paragraph names.
    """
    attributed_indexes = [n for n, names in enumerate(people) if is_spoken_by(speech, names)]
    if attributed_indexes:
        return attributed_indexes[0] if len(attributed_indexes) == 1 else None
    named_indexes = [
        n for n, names in enumerate(people) if re.search(any_name_pattern(names), speech.surrounding_text)
    ]
    return named_indexes[0] if len(named_indexes) == 1 else None
