"""What a plain rule of sixty lines finds, to hold the names of `agents.ingest.names` against.

Names are runs of capitalised words, at the start of a sentence only if they stand elsewhere, too; two that share their
last word are one person's; who stands nearest to a quote, with a verb of speech if there is one, has spoken.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Final

_WORD: Final = r"[A-Z][\w'-]*[a-z]\w*"
_RUN: Final = re.compile(rf"(?:(?:Mr|Mrs|Dr|St)\.\s)?{_WORD}(?:\s(?:of\s|the\s|de\s|von\s)?{_WORD})*")
_QUOTE: Final = re.compile(r"[“\"]([^”\"]+)[”\"]")
_SAID: Final = re.compile(r"\b(?:said|asked|replied|answered|cried|told|called|added|returned|whispered)\b")
_NO_NAMES: Final = frozenset(
    ["The", "A", "An", "I", "It", "He", "She", "They", "We", "You", "In", "On", "At", "But", "And", "So", "If",
     "For", "Of", "To", "When", "What", "Who", "Why", "How", "There", "This", "That", "No", "Yes", "Not",
     "Nobody", "Everybody", "Somebody", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
     "Sunday", "January", "February", "March", "April", "May", "June", "July", "August", "September",
     "October", "November", "December", "His", "Her", "My", "Your"]
)  # fmt: skip


def plain_names(text: str) -> list[tuple[int, int]]:
    """Return where names stand."""
    runs = []
    for match in _RUN.finditer(text):
        start, words = match.start(), match[0].removesuffix("'s")
        first = words.split()[0]
        if first in _NO_NAMES:
            start, words = start + len(first) + 1, words[len(first) + 1 :]
        if words and words.split()[0] not in _NO_NAMES:
            runs.append((start, start + len(words), words))
    inside = {words for start, _, words in runs if not _begins_sentence(text, start)}
    return [(s, e) for s, e, words in runs if words in inside or " " in words]


def plain_alias_pairs(text: str) -> set[frozenset[str]]:
    """Return every two names that share their last word."""
    names = {text[start:end].casefold() for start, end in plain_names(text)}
    return {frozenset(pair) for pair in combinations(names, 2) if len({n.split()[-1] for n in pair}) == 1}


def plain_speakers(text: str) -> dict[int, str]:
    """Return who speaks the quotes that begin at these places."""
    names = plain_names(text)
    speakers: dict[int, str] = {}
    for match in _QUOTE.finditer(text):
        line_start = text.rfind("\n\n", 0, match.start()) + 1
        line_end = text.find("\n\n", match.end())
        near = [n for n in names if line_start <= n[0] < (line_end if line_end > 0 else len(text))]
        near = [n for n in near if not match.start() < n[0] < match.end()]
        said = [n for n in near if _SAID.search(text[max(0, n[0] - 12) : n[1] + 12])]
        before = [n for n in names if n[0] < match.start()]
        ranked = sorted(said or near, key=lambda n: min(abs(n[0] - match.end()), abs(match.start() - n[1])))
        for start, end in (ranked or before[-1:])[:1]:
            speakers[match.start(1)] = text[start:end]
    return speakers


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" “\"‘'")
    return not before or before[-1] in ".!?:\n"
