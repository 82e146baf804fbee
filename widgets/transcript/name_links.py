"""Names in a turn as it is drawn: where they stand on its lines, and how they are marked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agents.prose.entity_name_index import EntityNameIndex
from stores.records.world import EntityNames

LINK_STYLE: Final = Style(underline=True)
CURRENT_STYLE: Final = Style(reverse=True)


@dataclass(frozen=True, slots=True)
class LinkPiece:
    """The cells of one line that show a name, or a part of it that was broken over lines."""

    line: int
    """Number of the line in its turn."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameLink:
    """A name in a turn, and whom it names."""

    entity: EntityNames
    pieces: tuple[LinkPiece, ...]


def find_links(strips: Sequence[Strip], names: EntityNameIndex) -> tuple[NameLink, ...]:
    """Return the names on the lines of a turn, in the order of its words."""
    line_texts = [strip.text for strip in strips]
    line_starts = list(accumulate((len(text) + 1 for text in line_texts), initial=0))
    return tuple(
        NameLink(span.entity, tuple(_split_lines(span.start, span.end, line_texts, line_starts)))
        for span in names.find("\n".join(line_texts))
    )


def _split_lines(start: int, end: int, texts: Sequence[str], starts: Sequence[int]) -> Sequence[LinkPiece]:
    pieces = []
    for line, text in enumerate(texts):
        first, last = max(start - starts[line], 0), max(0, min(end - starts[line], len(text)))
        first += len(text[first:last]) - len(text[first:last].lstrip())  # what indents a line is no name
        last = first + len(text[first:last].rstrip())
        if first < last:
            pieces.append(LinkPiece(line, cell_len(text[:first]), cell_len(text[:last])))
    return pieces


def link_at(links: Sequence[NameLink], line: int, cell: int) -> NameLink | None:
    """Return the name that stands at a cell of a turn's line."""
    return next(
        (
            link
            for link in links
            if any(piece.line == line and piece.start <= cell < piece.end for piece in link.pieces)
        ),
        None,
    )


def mark_link(strip: Strip, link: NameLink, line: int, style: Style) -> Strip:
    """Return a turn's line with a name in it marked."""
    for piece in link.pieces:
        if piece.line == line:
            strip = Strip.join(
                (
                    strip.crop(0, piece.start),
                    strip.crop(piece.start, piece.end).apply_style(style),
                    strip.crop(piece.end),
                )
            )
    return strip


def put_label(strip: Strip, label: str) -> Strip:
    """Return a line with a label over its right end."""
    start = max(0, strip.cell_length - cell_len(label))
    width = strip.cell_length
    return Strip.join((strip.crop(0, start), Strip([Segment(label, CURRENT_STYLE)]))).crop(0, width)
