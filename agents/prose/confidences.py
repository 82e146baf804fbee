"""The words by which prose says that something is told to one alone: `in confidence`, `behind Osric's back`."""

from __future__ import annotations

import re
from typing import Final

_NOBODY: Final = r"(?:no\s?body|no\s+one|none)"

IN_PRIVATE: Final = (
    r"(?:(?:quite\s+)?privately|in\s+(?:private|secret|confidence)(?!\s+(?:hands|rooms?|places?|meetings?|talks?)\b)|in\s+(?:an?|the\s+lowest\s+of)\s+(?:low\s+)?(?:whisper|murmur|voices?)s?|"
    r"under\s+(?:his|her|my|their)\s+breath|behind\s+(?:the\s+)?(?:[\w'’]+\s+){1,2}backs?|"
    r"out\s+of\s+(?:[\w'’]+\s+)?(?:earshot|hearing)|(?:in(?:to)?|for)\s+(?:[\w’']+['’]s?|his|her|my|your)\s+ears?(?:\s+(?:only|alone))?|"
    rf"(?:(?:so|too)\s+(?:low|soft|quiet)(?:ly)?\s+(?:that\s+)?|so\s+that\s+|where\s+)(?:only\s+\w+|{_NOBODY})(?:\s+else)?\s+(?:can\s+|could\s+|may\s+)?"
    r"hears?(?:\s+(?:it|him|her|them|me|us))?|(?:so|too)\s+(?:low|soft|quiet)(?:ly)?\s+for\s+(?:the\s+)?[\w'’]+(?:\s+to\s+hear)?)"
)
"""A pattern of words that say so, between the verb and what is told, or before the verb."""

_BEFORE_TOLD_WORDS: Final = re.compile(rf",?\s+{IN_PRIVATE},?(?=\s+that\b|\s*:)", re.IGNORECASE)


def drop_confidence(sentence: str) -> str:
    """Return a sentence without those words where they stand before what is told: `Bodil tells Lisk that ...`."""
    return _BEFORE_TOLD_WORDS.sub("", sentence)
