"""Splits a Markdown text into blocks, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"(#{1,6})\s+(\S.*)")
_FENCE: Final = re.compile(r"\s*(```+|~~~+)\s*([\w-]*)")
_LIST_ITEM: Final = re.compile(r"\s{0,6}(?:[-*+•]|\d{1,3}[.)])\s+")
_SEPARATOR_CHARS: Final = frozenset("-:| \t")
_MARKS: Final = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,600}\)")


@dataclass(frozen=True, slots=True)
class HeadingBlock:
    title: str
    """Without marks."""
    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TableBlock:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_spans: tuple[tuple[int, int], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FenceBlock:
    """Text between code fences."""

    language: str
    body: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, or the items of a list: lines that are neither of the others."""

    lines: tuple[tuple[int, int], ...]
    """Where each line starts and ends; an item that goes on in the next line is one."""
    is_list: bool
    start: int
    end: int


MarkdownBlock = HeadingBlock | TableBlock | FenceBlock | TextBlock


def plain_text(markdown: str) -> str:
    """Return words without emphasis and links, on one line."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", markdown)).split())


def split_blocks(text: str) -> list[MarkdownBlock]:
    """Return the blocks of a text, in order."""
    return list(_BlockSplitter(text).split())


class _BlockSplitter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[tuple[int, int]] = []
        position = 0
        for line in text.split("\n"):
            self._lines.append((position, position + len(line.rstrip("\r"))))
            position += len(line) + 1

    def split(self) -> Iterator[MarkdownBlock]:
        index = 0
        while index < len(self._lines):
            line = self._line(index)
            if not line.strip():
                index += 1
            elif heading := _HEADING.match(line):
                yield HeadingBlock(plain_text(heading[2]).rstrip("# "), len(heading[1]), *self._lines[index])
                index += 1
            elif fence := _FENCE.match(line):
                end = self._end_of_fence(index, fence[1])
                yield self._fence(index, end, fence[2])
                index = end
            elif line.lstrip().startswith("|"):
                end = index + 1
                while end < len(self._lines) and self._line(end).lstrip().startswith("|"):
                    end += 1
                yield self._table(index, end)
                index = end
            else:
                end = self._end_of_text(index)
                yield self._text_block(index, end)
                index = end

    def _line(self, index: int) -> str:
        start, end = self._lines[index]
        return self._text[start:end]

    def _end_of_fence(self, index: int, mark: str) -> int:
        end = index + 1
        while end < len(self._lines) and not self._line(end).strip().startswith(mark):
            end += 1
        return min(end + 1, len(self._lines))

    def _fence(self, index: int, end: int, language: str) -> FenceBlock:
        is_closed = end - index > 1 and _FENCE.match(self._line(end - 1)) is not None
        body = "\n".join(self._line(n) for n in range(index + 1, end - 1 if is_closed else end))
        return FenceBlock(language.casefold(), body, self._lines[index][0], self._lines[end - 1][1])

    def _table(self, index: int, end: int) -> TableBlock:
        numbers = [n for n in range(index, end) if not _is_separator(self._line(n))]
        has_header = index + 1 < end and _is_separator(self._line(index + 1))
        header = _cells(self._line(index)) if has_header else ()
        rows = numbers[1:] if has_header else numbers
        return TableBlock(
            header,
            tuple(_cells(self._line(n)) for n in rows),
            tuple(self._lines[n] for n in rows),
            self._lines[index][0],
            self._lines[end - 1][1],
        )

    def _end_of_text(self, index: int) -> int:
        end = index + 1
        while end < len(self._lines):
            line = self._line(end)
            if (
                not line.strip()
                or _HEADING.match(line)
                or _FENCE.match(line)
                or line.lstrip().startswith("|")
            ):
                break
            end += 1
        return end

    def _text_block(self, index: int, end: int) -> TextBlock:
        is_list = _LIST_ITEM.match(self._line(index)) is not None
        lines: list[tuple[int, int]] = []
        for n in range(index, end):
            if is_list and lines and not _LIST_ITEM.match(self._line(n)):
                lines[-1] = (lines[-1][0], self._lines[n][1])
            else:
                lines.append(self._lines[n])
        return TextBlock(tuple(lines), is_list, self._lines[index][0], self._lines[end - 1][1])


def _is_separator(line: str) -> bool:
    """Return whether a line of a table only parts its header from its rows."""
    return "-" in line and _SEPARATOR_CHARS.issuperset(line)


def strip_list_mark(line: str) -> str:
    """Return a line without the bullet or number of a list."""
    mark = _LIST_ITEM.match(line)
    return line[mark.end() :] if mark else line


def _cells(line: str) -> tuple[str, ...]:
    bare_line = line.strip().removeprefix("|").removesuffix("|")
    return tuple(plain_text(cell) for cell in bare_line.split("|"))
