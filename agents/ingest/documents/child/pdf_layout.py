"""Makes Markdown of the words that stand on a page of a PDF: headings, paragraphs, tables.

pdf-oxide gives words with their places and ruled tables. Its own Markdown loses the order of columns, and the rows
of a table that stands inside one, as in most rulebooks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.documents.child.html_markdown import format_table
from agents.ingest.documents.child.pdf_columns import find_gutter, order_runs
from agents.ingest.documents.child.pdf_lines import LEADER, Line, group_lines, space_runs
from agents.ingest.documents.child.pdf_runs import TextRun
from agents.ingest.documents.child.pdf_tables import RuledTable, read_table

HEADING_RATIOS: Final = ((1.9, "# "), (1.5, "## "), (1.25, "### "))
"""How much larger than the book's text a heading of each level is at least."""

BOLD_HEADING: Final = (1.05, "#### ")
"""The same for the lowest level, whose headings are bold; captions and sidebars may be as large."""

LINE_STEP: Final = 1.5
"""Distance of two lines up to which they are of one paragraph."""

INDENT: Final = 0.8
MAX_HEADING: Final = 150
"""Characters of a heading; more is a paragraph in large letters."""

GUTTER_STEP: Final = 12.0
"""Points within which the gutters of pages count as the same."""

MARGIN: Final = 0.08
"""The part of a page's height, above and below, where running heads and page numbers stand."""

_LIST_ITEM: Final = re.compile(r"(?:[•‣◦▪●■–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)]) ")
_BULLET: Final = re.compile(r"^[•‣◦▪●■] *")
_SENTENCE_END: Final = (".", "!", "?", ":", "”", '"', ")", "…")
_CONTENTS_ENTRY: Final = re.compile(r"… [\divxlc]+$")
_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")


@dataclass(frozen=True, slots=True)
class BookStyle:
    """What the pages of a book have in common."""

    text_size: float
    running_heads: frozenset[str] = frozenset()
    """What stands in the margins of many pages, without numbers."""
    gutter: float | None = None
    """Where most of its pages part their columns."""


def detect_style(pages: Iterable[tuple[Sequence[TextRun], tuple[float, float]]]) -> BookStyle:
    """Return the style of a book by some of its pages: their runs, and their lower and upper edges."""
    sizes: Counter[float] = Counter()
    margin_texts: Counter[str] = Counter()
    gutters: Counter[float] = Counter()
    page_count = 0
    for runs, edges in pages:
        page_count += 1
        if (gutter := find_gutter(runs)) is not None:
            gutters[round(gutter / GUTTER_STEP) * GUTTER_STEP] += 1
        for run in runs:
            sizes[round(run.size * 2) / 2] += len(run.text)
        margin_texts.update(
            {_without_numbers(line) for line in group_lines(runs) if _is_in_margin(line, edges)}
        )
    heads = {text for text, count in margin_texts.items() if count >= max(3, page_count * 0.3)}
    usual, count = gutters.most_common(1)[0] if gutters else (0.0, 0)
    return BookStyle(
        sizes.most_common(1)[0][0] if sizes else 10.0,
        frozenset(heads),
        usual if count >= max(2, page_count * 0.4) else None,
    )


def lay_out_page(
    runs: Sequence[TextRun], tables: Sequence[RuledTable], style: BookStyle, edges: tuple[float, float]
) -> str:
    """Return a page's Markdown."""
    writer = _PageWriter(style)
    pending = [table for table in tables if _is_whole(table, runs)]
    ordered = order_runs(runs, [table.box for table in pending], style.gutter)
    lines = group_lines(ordered, lambda run: next((table for table in pending if table.holds(run)), None))
    written: set[int] = set()
    plain: list[Line] = []
    for line in lines:
        table = next((one for one in pending if one.holds(line.runs[0])), None)
        if table is None:
            if not _is_running_head(line, style, edges):
                plain.append(line)
            continue
        if id(table) not in written:
            written.add(id(table))
            writer.write_lines(plain)
            plain = []
            writer.write_table(table.rows)
    writer.write_lines(plain)
    return "\n\n".join(writer.blocks)


class _PageWriter:
    def __init__(self, style: BookStyle) -> None:
        self.blocks: list[str] = []
        self._style = style

    def write_table(self, rows: Sequence[Sequence[str]]) -> None:
        self.blocks.append(format_table([[cell.replace("|", r"\|") for cell in row] for row in rows]))

    def write_lines(self, lines: Sequence[Line]) -> None:
        place = 0
        paragraph: list[Line] = []
        while place < len(lines):
            rows, next_place = read_table(lines, place)
            if rows:
                self._write_paragraph(paragraph)
                paragraph = []
                self.write_table(rows)
                place = next_place
                continue
            line = lines[place]
            if paragraph and self._starts_block(paragraph[-1], line):
                self._write_paragraph(paragraph)
                paragraph = []
            paragraph.append(line)
            place += 1
        self._write_paragraph(paragraph)

    def _write_paragraph(self, lines: Sequence[Line]) -> None:
        if not lines:
            return
        prefix = self._heading_prefix(lines[0])
        text = ""
        for line in lines:
            words = line.plain_text() if prefix else _mark_bold(line)
            text = _join_lines(text, words)
        if prefix and len(text) <= MAX_HEADING:
            text = prefix + text
        text = _BULLET.sub("- ", text)
        if not text:
            return
        is_item = text.startswith("- ") and bool(self.blocks) and self.blocks[-1].startswith("- ")
        if is_item:
            self.blocks[-1] += "\n" + text
        else:
            self.blocks.append(text)

    def _heading_prefix(self, line: Line) -> str:
        ratio = line.size / self._style.text_size
        levels = (*HEADING_RATIOS, BOLD_HEADING) if line.is_bold else HEADING_RATIOS
        return next((prefix for least, prefix in levels if ratio >= least), "")

    def _starts_block(self, last: Line, line: Line) -> bool:
        """Return whether a line begins a paragraph, after the last one of another."""
        if self._heading_prefix(line) != self._heading_prefix(last) or abs(line.size - last.size) > 1:
            return True
        if last.is_bold != line.is_bold and (line.runs[0].is_bold or last.is_bold):
            return True
        if line.runs[0].is_bold and not last.runs[-1].is_bold:
            return True  # a term before its explanation, as in stat blocks
        if _CONTENTS_ENTRY.search(last.plain_text()):
            return True
        if _LIST_ITEM.match(line.plain_text() + " "):
            return True
        has_ended = last.plain_text().endswith(_SENTENCE_END)
        step = last.y - line.y
        if step < 0:
            return has_ended or bool(self._heading_prefix(line))  # it goes on in the next column
        return step > LINE_STEP * max(line.size, last.size) or (
            has_ended and line.x > last.x + INDENT * line.size
        )


def _is_whole(table: RuledTable, runs: Sequence[TextRun]) -> bool:
    """Return whether the table is one, and has all the letters that stand where it stands."""
    if len(table.rows) < 2 or max(map(len, table.rows)) < 2:
        return False
    held = sum(_count_letters(run.text) for run in runs if table.holds(run))
    return held > 0 and held == sum(_count_letters(cell) for row in table.rows for cell in row)


def _is_in_margin(line: Line, edges: tuple[float, float]) -> bool:
    bottom, top = edges
    margin = MARGIN * (top - bottom)
    return not bottom + margin < line.y < top - margin


def _is_running_head(line: Line, style: BookStyle, edges: tuple[float, float]) -> bool:
    if not _is_in_margin(line, edges):
        return False
    text = _without_numbers(line)
    return not text or text in style.running_heads


def _without_numbers(line: Line) -> str:
    return _DIGITS.sub("", line.plain_text()).strip(" |-–—•.")


def _mark_bold(line: Line) -> str:
    """Return a line's text with `**` around what is bold."""
    text = ""
    parts: list[tuple[str, bool]] = []
    for words, run in zip(space_runs(line.runs), line.runs, strict=True):
        if parts and parts[-1][1] == run.is_bold:
            parts[-1] = (parts[-1][0] + words, run.is_bold)
        else:
            parts.append((words, run.is_bold))
    for words, is_bold in parts:
        core = words.strip()
        if is_bold and core:
            before, after = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
            words = f"{before}**{core}**{after}"
        text += words
    return LEADER.sub(" … ", " ".join(text.split()))


def _join_lines(text: str, words: str) -> str:
    """Return the text with a line more; a word that was cut at the line's end is whole again."""
    if not text:
        return words
    if text.endswith("-") and text[-2:-1].isalpha() and words[:1].islower():
        return text[:-1] + words
    if text.endswith("**") and words.startswith("**"):
        return f"{text[:-2]} {words[2:]}"
    return f"{text} {words}"


def _count_letters(text: str) -> int:
    return sum(map(str.isalnum, text))
