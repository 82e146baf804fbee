"""Tables on a page of a PDF: with rules around their cells, as pdf-oxide finds them, and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.documents.child.pdf_columns import is_inside
from agents.ingest.documents.child.pdf_lines import Line, join_runs
from agents.ingest.documents.child.pdf_runs import TextRun

MIN_TABLE_ROWS: Final = 3
MAX_TABLE_COLUMNS: Final = 15


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table with lines around its cells."""

    box: tuple[float, float, float, float]
    """Left, bottom, right, top."""
    rows: Sequence[Sequence[str]]

    def holds(self, run: TextRun) -> bool:
        return is_inside(run, self.box)


def read_table(lines: Sequence[Line], first: int) -> tuple[list[list[str]], int]:
    """Return the rows of a table without rules that begins at a line, and the place after it; or no rows.

    Its lines have two or more cells each, which stand below each other; a line with cells in later columns
    only goes on with the row above.
    """
    columns: list[tuple[float, float]] = []
    rows: list[list[list[TextRun]]] = []
    places: list[bool] = []
    place = first
    while place < len(lines):
        line = lines[place]
        cells = line.cells()
        step = lines[place - 1].y - line.y if place > first else 0.0
        if place > first and not 0 < step <= 2.2 * line.size:
            break
        is_continued = (
            bool(columns) and len(cells) < len(columns) and cells[0][0].x >= columns[1][0] - line.size
        )
        if len(cells) < 2 and not is_continued:
            break
        merged = _merge_columns(columns, [(cell[0].x, cell[-1].end) for cell in cells])
        if len(merged) < 2 or (columns and len(merged) < len(columns)):
            break
        columns = merged
        rows.append(cells)
        places.append(is_continued)
        place += 1
    row_count = places.count(False)
    if row_count < MIN_TABLE_ROWS or not 2 <= len(columns) <= MAX_TABLE_COLUMNS:
        return [], first
    table: list[list[str]] = []
    for cells, is_continued in zip(rows, places, strict=True):
        if not is_continued:
            table.append([""] * len(columns))
        for cell in cells:
            column = next(
                index
                for index, (left, right) in enumerate(columns)
                if left <= cell[0].x + 0.01 and cell[0].x <= right
            )
            table[-1][column] = f"{table[-1][column]} {join_runs(cell)}".strip()
    return table, place


def _merge_columns(
    columns: Sequence[tuple[float, float]], cells: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return columns wide enough for the cells too; what overlaps is one column."""
    merged: list[tuple[float, float]] = []
    for left, right in sorted([*columns, *cells]):
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged
