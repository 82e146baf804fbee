"""Finds what is spoken in a text by its quotation marks, paragraph by paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

_BLANK_LINES: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_NEW_LINE: Final = re.compile(r"\n")
_OPENING_LINE: Final = re.compile(r"\n(?=[ \t]{2,}\S|[ \t]*[\"“«‘—])")
_LINES_PER_BLANK: Final = 60
"""Lines to a blank one, up to which blank lines are what parts paragraphs."""
_DOUBLE_MARK: Final = re.compile(r"[“”\"«»„]")
_SINGLE_OPENING: Final = re.compile(r"(?<!\w)[‘'`](?=[\w“\"—.…]|['’]\w)")
_SINGLE_CLOSING: Final = re.compile(r"(?<=[^\s\w])[’'](?!\w)|(?<=[,.!?;:…—-]) [’'](?!\w)")
_ELISION: Final = re.compile(
    r"(?:tis|twas|twere|twill|twould|em|bout|cause|til|till|neath|gainst|round|ere|un|im|er|e)\b",
    re.IGNORECASE,
)
_DASH_SPEECH: Final = re.compile(r"[ \t]*(?:—|–|--)\s?(?=\w)")
_SPEECH_END: Final = re.compile(r"[,.!?;:…—-][)\]_*]*$|--$")
_MAX_TITLE_WORDS: Final = 5
"""Words of a title or an expression in quotation marks, which nobody speaks."""
_MIN_DASH_PARAGRAPHS: Final = 3


class QuoteStyle(Enum):
    """By which marks a text tells speech."""

    DOUBLE = auto()
    SINGLE = auto()
    DASH = auto()


@dataclass(frozen=True, slots=True)
class SpokenSpan:
    """Speech: words from `start` to `end`, without the marks around them."""

    start: int
    end: int
    outer_start: int
    outer_end: int
    """With the marks."""
    continues: bool
    """Whether the next paragraph goes on with the same speech."""


@dataclass(frozen=True, slots=True)
class SpokenParagraph:
    start: int
    end: int
    quotes: tuple[SpokenSpan, ...]


def read_paragraphs(text: str) -> list[SpokenParagraph]:
    """Return the paragraphs of a text with what is spoken in each."""
    spans = split_paragraph_spans(text)
    style = find_quote_style(text, spans)
    paragraphs: list[SpokenParagraph] = []
    for index, (start, end) in enumerate(spans):
        goes_on = index + 1 < len(spans) and text[spans[index + 1][0]] in "“\"«‘'`"
        quotes = tuple(
            quote
            for quote in _find_quotes(text, start, end, style, goes_on)
            if _is_speech(text, start, quote)
        )
        paragraphs.append(SpokenParagraph(start, end, quotes))
    return paragraphs


def split_paragraph_spans(text: str) -> list[tuple[int, int]]:
    """Return where the paragraphs stand, without the blanks around them."""
    line_count = text.count("\n") + 1
    blank_count = len(_BLANK_LINES.findall(text))
    if blank_count * _LINES_PER_BLANK >= line_count and blank_count:
        separator = _BLANK_LINES
    elif len(re.findall(r"\n[a-z]", text)) * 4 > line_count:
        separator = _OPENING_LINE
    else:
        separator = _NEW_LINE
    spans: list[tuple[int, int]] = []
    position = 0
    for match in (*separator.finditer(text), None):
        end = match.start() if match else len(text)
        part = text[position:end]
        if part.strip():
            spans.append((position + len(part) - len(part.lstrip()), position + len(part.rstrip())))
        position = match.end() if match else end
    return spans


def find_quote_style(text: str, paragraph_spans: Sequence[tuple[int, int]]) -> QuoteStyle:
    """Return by which marks the text tells speech: those at which most paragraphs begin."""
    first_chars = [text[start] for start, _ in paragraph_spans]
    double = sum(char in '“"«„' for char in first_chars) * 4 + len(_DOUBLE_MARK.findall(text))
    single = sum(char in "‘'`" for char in first_chars) * 4 + 2 * sum(
        not _ELISION.match(text, match.end()) for match in _SINGLE_OPENING.finditer(text)
    )
    if not double and not single:
        dashes = sum(_DASH_SPEECH.match(text, start) is not None for start, _ in paragraph_spans)
        return QuoteStyle.DASH if dashes >= _MIN_DASH_PARAGRAPHS else QuoteStyle.DOUBLE
    # Single marks stand inside double ones too, and apostrophes look like them.
    return QuoteStyle.SINGLE if single > 1.5 * double else QuoteStyle.DOUBLE


def _find_quotes(text: str, start: int, end: int, style: QuoteStyle, goes_on: bool) -> Iterator[SpokenSpan]:
    if style is QuoteStyle.DOUBLE:
        yield from _find_double_quotes(text, start, end, goes_on)
    elif style is QuoteStyle.SINGLE:
        yield from _find_single_quotes(text, start, end, goes_on)
    elif match := _DASH_SPEECH.match(text, start, end):
        yield SpokenSpan(match.end(), end, start, end, False)


def _find_double_quotes(text: str, start: int, end: int, goes_on: bool) -> Iterator[SpokenSpan]:
    opened: int | None = None
    for match in _DOUBLE_MARK.finditer(text, start, end):
        mark, position = match[0], match.start()
        if opened is None:
            if mark in "“«„" or (mark == '"' and not _is_closing(text, position, start)):
                opened = position
        elif mark in "”»" or (mark == '"' and not _is_opening(text, position)):
            yield _trimmed(text, opened, position, position + 1, False)
            opened = None
        elif mark == '"':
            opened = position  # the closing mark before it is missing
    if opened is not None and opened + 1 < end:
        yield _trimmed(text, opened, end, end, goes_on)


def _is_opening(text: str, position: int) -> bool:
    """Return whether a straight mark can only open: `said "Well`."""
    before = text[position - 1] if position else " "
    after = text[position + 1 : position + 2]
    return before.isspace() and after.isalnum()


def _is_closing(text: str, position: int, paragraph_start: int) -> bool:
    """Return whether a straight mark can only close: `done." She`."""
    if position == paragraph_start:
        return False
    after = text[position + 1 : position + 2]
    return text[position - 1] in ",.!?" and (not after or after.isspace())


def _find_single_quotes(text: str, start: int, end: int, goes_on: bool) -> Iterator[SpokenSpan]:
    position = start
    while opening := _SINGLE_OPENING.search(text, position, end):
        if _ELISION.match(text, opening.end()) and text[opening.end()].islower():
            position = opening.end()
            continue
        closing = _SINGLE_CLOSING.search(text, opening.end(), end)
        if closing is None:
            if goes_on and opening.start() == start:
                yield _trimmed(text, opening.start(), end, end, True)
            return
        yield _trimmed(text, opening.start(), closing.start(), closing.end(), False)
        position = closing.end()


def _trimmed(text: str, opening: int, end: int, outer_end: int, continues: bool) -> SpokenSpan:
    inner = text[opening + 1 : end]
    start = opening + 1 + len(inner) - len(inner.lstrip())
    return SpokenSpan(start, max(start, opening + 1 + len(inner.rstrip())), opening, outer_end, continues)


def _is_speech(text: str, paragraph_start: int, quote: SpokenSpan) -> bool:
    """Return whether a quote is spoken, and no title or expression in quotation marks."""
    inner = text[quote.start : quote.end]
    if not any(char.isalnum() for char in inner):
        return bool(inner) and quote.outer_start == paragraph_start
    if _SPEECH_END.search(inner) or quote.outer_start == paragraph_start:
        return True
    return len(inner.split()) > _MAX_TITLE_WORDS
