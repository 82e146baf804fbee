"""Emphasis in a telling: `*italics*`, `_italics_` and `**bold**` are drawn as such, without their signs.

Nothing else of a text is markup, and a sign that emphasises nothing stays as it was written: `2 * 3`, `snake_case`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from widgets.ink import Ink, Line, Piece
from widgets.safe_text import plain_text, wrap

_EMPHASIS = re.compile(
    r"(?<![\w*])(?P<stars>\*{1,3})(?=[^\s*])(?P<starred>[^*\n]+?)(?<=[^\s*])(?P=stars)(?![\w*])"
    r"|(?<![\w_])(?P<lines>_{1,2})(?=[^\s_])(?P<lined>[^_\n]+?)(?<=[^\s_])(?P=lines)(?![\w_])"
)


@dataclass(frozen=True, slots=True)
class EmphasisedSpan:
    """Characters `start` to `end` of a text, and the ink that they are drawn in."""

    start: int
    end: int
    ink: Ink


def find_emphasis(text: str) -> tuple[str, tuple[EmphasisedSpan, ...]]:
    """Return a plain text without the signs of its emphasis, and what they emphasised."""
    if "*" not in text and "_" not in text:
        return text, ()
    parts: list[str] = []
    spans: list[EmphasisedSpan] = []
    length = position = 0
    for match in _EMPHASIS.finditer(text):
        words = match["starred"] or match["lined"]
        signs = match["stars"] or match["lines"]
        before = text[position : match.start()]
        length += len(before)
        parts += (before, words)
        spans.append(
            EmphasisedSpan(length, length + len(words), Ink.EMPHASIS if len(signs) == 1 else Ink.STRONG)
        )
        length += len(words)
        position = match.end()
    return "".join((*parts, text[position:])), tuple(spans)


def wrap_emphasised(text: str, width: int, ink: Ink) -> Iterator[Line]:
    """Break a text into lines of at most `width` cells, its emphasis in inks of its own and the rest in `ink`."""
    shown_text, spans = find_emphasis(plain_text(text))
    start = 0
    for line in wrap(shown_text, width):
        # Every line is a part of the text: only what stands between two lines is left out.
        start = shown_text.find(line, start)
        yield list(_split_pieces(line, start, spans, ink)) if spans else [(line, ink)]
        start += len(line)


def _split_pieces(line: str, start: int, spans: tuple[EmphasisedSpan, ...], ink: Ink) -> Iterator[Piece]:
    position, end = start, start + len(line)
    for span in spans:
        if span.end <= position or span.start >= end:
            continue
        first, last = max(span.start, position), min(span.end, end)
        if first > position:
            yield line[position - start : first - start], ink
        yield line[first - start : last - start], span.ink
        position = last
    if position < end or not line:
        yield line[position - start :], ink
