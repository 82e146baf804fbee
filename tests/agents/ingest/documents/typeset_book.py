"""Typesets Markdown as a PDF in two columns, as rulebooks are printed: headings, tables, running heads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.agents.ingest.documents.pdf_files import PdfPage, wrap, write_pdf

COLUMNS = (50.0, 320.0)
TOP, BOTTOM = 720.0, 70.0
LINE_CHARACTERS = 54
CELL_HEIGHT = 16
COLUMN_WIDTH = 245.0


@dataclass
class Book:
    pdf: bytes
    page_words: list[list[str]]
    """The blocks of text that stand on each page, in order, as they were typeset."""


@dataclass
class _Typesetter:
    title: str
    pages: list[PdfPage] = field(default_factory=list)
    page_words: list[list[str]] = field(default_factory=list)
    column: int = 1
    y: float = BOTTOM

    def make_room(self, height: float) -> None:
        if self.y - height >= BOTTOM:
            return
        self.column += 1
        if self.column >= len(COLUMNS):
            self.pages.append(PdfPage())
            self.page_words.append([])
            self.pages[-1].write(50, 760, self.title, size=8)
            self.pages[-1].write(300, 30, str(len(self.pages)), size=8)
            self.column = 0
        self.y = TOP

    def write_block(self, text: str, *, size: int, bold: bool = False) -> None:
        lines = wrap(text, int(LINE_CHARACTERS * 9 / size))
        step = size * 1.2
        self.make_room(step * min(len(lines), 2))
        for line in lines:
            self.make_room(step)
            self.pages[-1].write(COLUMNS[self.column], self.y - size, line, size=size, bold=bold)
            self.page_words[-1].append(line)
            self.y -= step
        self.y -= 7

    def write_table(self, rows: list[list[str]]) -> None:
        width = COLUMN_WIDTH / len(rows[0])
        most = max(4, int(width / 6.5))
        rows = [[cell[:most] for cell in row] for row in rows]
        for start in range(1, len(rows), 20):
            part = [rows[0], *rows[start : start + 20]]
            self.make_room(CELL_HEIGHT * len(part) + 8)
            self.y = self.pages[-1].write_table(COLUMNS[self.column], self.y, part, width=width) - 10
            self.page_words[-1] += ["\n".join(" | ".join(row) for row in part)]


def typeset(markdown: str, title: str) -> Book:
    setter = _Typesetter(title)
    for block in re.split(r"\n\s*\n", markdown):
        text = block.encode("cp1252", "replace").decode("cp1252").strip()
        rows = [line.strip().strip("|").split("|") for line in text.split("\n")]
        if text.startswith("|") and len(rows) > 2 and len({len(row) for row in rows}) == 1:
            setter.write_table([[cell.strip() for cell in row] for row in (rows[0], *rows[2:])])
        elif match := re.match(r"(#{1,4}) (.+)", text):
            setter.write_block(
                match.group(2), size={1: 20, 2: 15, 3: 12, 4: 11}[len(match.group(1))], bold=True
            )
            if rest := text[match.end() :].strip():
                setter.write_block(_plain(rest), size=9)
        elif text:
            setter.write_block(_plain(text), size=9)
    return Book(write_pdf(setter.pages, title=title), setter.page_words)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_]{1,2}", "", text).split())
