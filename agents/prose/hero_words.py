"""Finds what a player's own line says in the first person: the prose, and what the hero speaks in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.prose.speech import SAYS, Speech, find_speeches, strip_speech
from agents.prose.unsaid_hero import add_hero
from agents.prose.words import split_paragraphs, split_sentences

MAX_SENTENCE_CHARS: Final = 600
"""Characters of a sentence that is read; a longer one is no plain word."""

_SAYS: Final = rf"(?:{SAYS}|tells?|told|swears?|swore|vows?|vowed|assures?|assured)"
_SAID_BY_OTHER: Final = re.compile(
    rf"^\s*{_SAYS}\s+(?!I\b|to\b|in\b|with\b|under\b|through\b)\w"
    rf"|^\s*(?!I\b|we\b|and\b|but\b|then\b)(?:the\s+|my\s+|old\s+)?[\w'’-]+(?:\s+[\w'’-]+){{0,2}}?\s+(?:\w+ly\s+)?{_SAYS}\b",
    re.IGNORECASE,
)
"""Behind a speech: somebody else says it."""
_INTRODUCED: Final = re.compile(r"(?:^|[.!?\"”»])\s*(?P<clause>[^.!?\"”»]+)[,:]\s*$")
"""Before a speech: a clause that it belongs to (`Harl snarls:`)."""
MAX_INTRODUCTION_CHARS: Final = 200
"""Characters before a speech that are read."""
_OF_HERO: Final = re.compile(r"(?:(?:and|then|so|but|now)\s+)*(?:I|we|my)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FirstPersonSentence:
    """One sentence in which `I` is the hero or, of a speech of somebody else's, that speaker."""

    text: str
    written: str = ""
    """How it stands in the line, if that leaves out the `I` that begins the text."""
    is_spoken: bool = False
    attribution: str = ""
    """The paragraph around the speech, as in `I tell Iselin.`"""


def find_hero_sentences(text: str) -> list[FirstPersonSentence]:
    """Return the sentences of a player's line in which `I` is the hero, in no order."""
    narrated = [
        FirstPersonSentence(text, sentence if text != sentence else "")
        for paragraph in split_paragraphs(text)
        for sentence in split_plain_sentences(strip_speech(paragraph))
        for text in [add_hero(sentence)]
    ]
    return [*narrated, *split_speeches([s for s in find_speeches(text) if not is_said_by_other(s)])]


def split_speeches(speeches: list[Speech]) -> list[FirstPersonSentence]:
    """Return what is spoken in sentences; a speech that is interrupted after a comma is one."""
    spoken: list[tuple[str, str]] = []
    for speech in speeches:
        words, attribution = speech.spoken_text.strip(), speech.surrounding_text
        if spoken and spoken[-1][1] == attribution and spoken[-1][0].endswith(",") and words[:1].islower():
            spoken[-1] = (f"{spoken[-1][0]} {words}", attribution)
        else:
            spoken.append((words, attribution))
    return [
        FirstPersonSentence(sentence, is_spoken=True, attribution=attribution)
        for words, attribution in spoken
        for sentence in split_plain_sentences(words)
    ]


def split_plain_sentences(text: str) -> list[str]:
    """Return the sentences of a text that are short enough to say something plainly."""
    return [sentence for sentence in split_sentences(text) if len(sentence) <= MAX_SENTENCE_CHARS]


def is_said_by_other(speech: Speech) -> bool:
    """Say whether a player's line has somebody else say it, as in `"Never again," says Dagna`."""
    text_after = speech.paragraph[speech.end :][:80]
    introduced = _INTRODUCED.search(
        speech.paragraph[max(0, speech.start - MAX_INTRODUCTION_CHARS) : speech.start]
    )
    return bool(_SAID_BY_OTHER.search(text_after)) or (
        introduced is not None and _OF_HERO.match(introduced["clause"]) is None
    )
