"""Cleans the texts of cards, replaces their macros by names, and splits them into statements."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any, Final

from agents.proposals.statements import MAX_STATEMENT_LENGTH
from agents.prose.words import NO_TITLE_BEFORE
from agents.sanitize import MAX_TITLE_LENGTH, clean

MAX_TEXT_LENGTH: Final = 200_000
"""Characters of one text of a card that are read."""

_TAG: Final = re.compile(
    r"</?(?:a|b|i|u|s|p|q|em|strong|small|big|sub|sup|br|hr|div|span|img|font|center|details|summary|blockquote|code|pre"
    r"|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th|video|audio|iframe|link|meta|svg|button|input|form)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_LINE_TAG: Final = re.compile(r"<(?:br|/p|/div|/li|/h[1-6]|/tr)\s*/?>", re.IGNORECASE)
_HIDDEN: Final = (("<!--", "-->"), ("<style", "</style>"), ("<script", "</script>"))
_MACRO: Final = re.compile(r"\{\{\s*(?P<who>char|user)\s*\}\}|<(?P<old>char|bot|user)>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\{\{\s*(?://|comment\s*:|hidden_key\s*:)[^{}]*\}\}", re.IGNORECASE)
_BULLET: Final = re.compile(r"^(?:[-*•–]\s+|#{1,6}\s+|\d{1,3}[.)]\s+)+")
_SENTENCE_END: Final = re.compile(rf"[.!?…]{NO_TITLE_BEFORE}[\"”’»)\]*]*\s+(?=[\"“‘«(\[{{*]*[^\W\d_])")
MAX_ABBREVIATION: Final = 6
"""Characters before a full stop in which an abbreviation is looked for."""
_ABBREVIATIONS: Final = frozenset({"mr", "mrs", "ms", "dr", "st", "sr", "jr", "prof", "capt", "lt", "vs"})


def clean_text(value: object) -> str:
    """Return a text without HTML, control characters and comments; empty for what is no text."""
    if not isinstance(value, str):
        return ""
    text = value[:MAX_TEXT_LENGTH]
    for begin, end in _HIDDEN:
        text = _without_hidden(text, begin, end)
    text = _TAG.sub("", _LINE_TAG.sub("\n", text))
    return clean(_COMMENT.sub("", html.unescape(text)))


def clean_title(value: Any) -> str:
    """Return a text as one short line."""
    return " ".join(clean_text(value).split())[:MAX_TITLE_LENGTH].strip()


def replace_macros(text: str, char: str, user: str) -> str:
    """Return the text with `{{char}}` and `{{user}}` replaced; a name that is empty leaves its macro."""

    def name_of(match: re.Match[str]) -> str:
        is_user = (match["who"] or match["old"]).casefold() == "user"
        return (user if is_user else char) or match[0]

    return _MACRO.sub(name_of, text)


def split_statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text as they stand, each at most as long as a statement; a line ends a sentence."""
    for line in text.split("\n"):
        for sentence in _split_sentences(_BULLET.sub("", line.strip())):
            if any(map(str.isalnum, sentence)):  # not a rule of dashes or stars
                yield from split_long(sentence, MAX_STATEMENT_LENGTH)


def split_long(text: str, limit: int) -> Iterator[str]:
    """Yield the text in parts of at most `limit` characters, split after a line, a sentence or a word."""
    rest = text.strip()
    while len(rest) > limit:
        cut = max(rest.rfind(end, limit // 2, limit) for end in ("\n", ". ", " ")) + 1 or limit
        yield rest[:cut].strip()
        rest = rest[cut:].strip()
    if rest:
        yield rest


def _split_sentences(line: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(line):
        before = line[max(start, match.start() - MAX_ABBREVIATION) : match.start()]
        word = before.rpartition(" ")[2].strip("\"“”'‘’(").casefold()
        next_character = line[match.end()]
        # `e.g.`, `Dr. Vane` and `J. Vane` end no sentence, nor does what a small letter goes on from.
        is_short = (
            word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i") or "." in word
        )
        if not is_short and not next_character.islower():
            yield line[start : match.end()].strip()
            start = match.end()
    if rest := line[start:].strip():
        yield rest


def _without_hidden(text: str, begin: str, end: str) -> str:
    """Return the text without the parts from `begin` to `end`; one that does not end stays."""
    lowered, parts, position = text.lower(), [], 0
    if len(lowered) != len(text):  # a few letters grow in lower case
        lowered = text
    while (start := lowered.find(begin, position)) >= 0 and (stop := lowered.find(end, start)) >= 0:
        parts.append(text[position:start])
        position = stop + len(end)
    return "".join((*parts, text[position:]))
