"""A document as it was read: its pages as Markdown, whatever format it came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """One page, or one chapter of a format that has no pages."""

    number: int
    """From 1, in the order of the document."""
    text: str
    """Markdown: headings begin with `#`, tables are pipe tables, paragraphs stand between blank lines."""
    label: str = ""
    """What the document itself calls it (`xii`, `Chapter 3`); empty for its number."""


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    media_type: str
    pages: tuple[Page, ...]
    notes: tuple[str, ...] = ()
    """What was left out and why, in sentences for the reader: images, pages without text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of one page that is read, indexed and quoted as a whole."""

    ordinal: int
    """From 0, in the order of the document."""
    page: int
    span: tuple[int, int]
    """Where it stands in its page's text, in characters: first, and one past the last."""
    text: str


def describe_pages(numbers: Sequence[int]) -> str:
    """Return `Page 3`, or `Pages 3, 5-7`, of ascending page numbers."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    listed = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return f"{'Page' if len(numbers) == 1 else 'Pages'} {listed}"
