"""Reads tables to roll on: pipe tables and lists whose rows begin with the results of dice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from agents.ingest.findings import FoundTable, FoundTableRow, Observation
from agents.ingest.structure.markdown_blocks import TableBlock, TextBlock, plain_text

_DICE: Final = re.compile(r"(?<![\w])(\d{0,2}d(?:\d{1,3}|%))(?!\w)", re.IGNORECASE)
_RESULT: Final = re.compile(r"(\d{1,3})(?:\s*(?:[-–—−]|to)\s*(\d{1,3}))?(\+?)")
_LIST_ROW: Final = re.compile(
    r"\s*(?:[-*+•]\s+)?\**(\d{1,3}(?:\s*[-–—−]\s*\d{1,3})?)\**(?:[:.)–—]\**\s*|\s+[-–—]\s+|\s+(?=[A-Z]))(\S.*)",
    re.DOTALL,
)
_ROLL_HEADERS: Final = frozenset({"roll", "result", "die", "dice", "die roll", "dice roll", "d"})
_TITLE_PREFIX: Final = re.compile(r"^(?:table\s*(?:[\d.-]+)?\s*[:–—-]\s*|roll\s+(?:a\s+)?)", re.IGNORECASE)
_MIN_ROWS: Final = 2
_DIE_SIZES: Final = (4, 6, 8, 10, 12, 20, 100)
_MAX_TITLE: Final = 80


def read_table_block(block: TableBlock, text: str, title: str) -> list[FoundTable | Observation]:
    """Return the table to roll on that a pipe table is, with a note on what it lacks; nothing if it is none."""
    if not block.header or len(block.header) < 2 or len(block.rows) < _MIN_ROWS:
        return []
    dice = _dice_in(block.header[0])
    rows = [_read_row(row) for row in block.rows]
    if any(row is None for row in rows):
        return []
    table_rows = [row for row in rows if row is not None]
    if not dice and block.header[0].casefold().strip(" .") not in _ROLL_HEADERS:
        return []
    return _build(title, dice, table_rows, text[block.start : block.end])


def read_list_block(block: TextBlock, text: str, title: str, lead: str) -> list[FoundTable | Observation]:
    """Return the table that a list of results is: `1-2: fog`; `lead` is the heading and paragraph before it."""
    lines = [text[start:end] for start, end in block.lines]
    matches = [_LIST_ROW.match(line) for line in lines]
    first = next((n for n, match in enumerate(matches) if match is not None), None)
    if first is None or first > 1 or any(match is None for match in matches[first:]):
        return []
    before = plain_text(lines[0]) if first else ""
    dice = _dice_in(before) or _dice_in(lead)
    rows = [_read_row((plain_text(match[1]), plain_text(match[2]))) for match in matches[first:] if match]
    table_rows = [row for row in rows if row is not None]
    has_range = any(row.lowest != row.highest for row in table_rows)
    if len(table_rows) < _MIN_ROWS or not (dice or (has_range and len(table_rows) > _MIN_ROWS)):
        return []
    if any(one.lowest > other.lowest for one, other in pairwise(table_rows)):
        return []
    return _build(before or title, dice, table_rows, text[block.start : block.end])


def _dice_in(text: str) -> str:
    match = _DICE.search(text)
    if match is None:
        return ""
    dice = match[1].casefold().replace("%", "100")
    return dice.removeprefix("1") if dice.startswith("1d") else dice


def _read_row(cells: Sequence[str]) -> FoundTableRow | None:
    match = _RESULT.fullmatch(cells[0].strip().rstrip(".:"))
    if match is None:
        return None
    lowest = _face(match[1])
    highest = _face(match[2]) if match[2] else lowest
    words = " · ".join(cell.strip() for cell in cells[1:] if cell.strip() and cell.strip() != "-")
    return FoundTableRow(lowest, highest, words) if lowest <= highest and words else None


def _face(digits: str) -> int:
    """Return a result of dice; `00` is the highest of two ten-sided dice."""
    return 100 if digits in ("00", "000") else int(digits)


def _build(title: str, dice: str, rows: list[FoundTableRow], quote: str) -> list[FoundTable | Observation]:
    rows = sorted(rows, key=lambda row: row.lowest)
    dice = dice or _guess_dice(rows)
    if not dice:
        return []
    name = _TITLE_PREFIX.sub("", _DICE.sub("", title)).strip(" :.-–—()") or dice
    table = FoundTable(name[:_MAX_TITLE], dice, tuple(rows), quote)
    return [table, *(Observation(table.title, note) for note in _faults_of(table))]


def _guess_dice(rows: Sequence[FoundTableRow]) -> str:
    """Return the dice that a table without any is for, by its lowest and highest result."""
    lowest, highest = rows[0].lowest, rows[-1].highest
    if (lowest, highest) in ((11, 66), (2, 12), (3, 18)):
        return {66: "d66", 12: "2d6", 18: "3d6"}[highest]
    return f"d{highest}" if lowest == 1 and highest in _DIE_SIZES else ""


def _faults_of(table: FoundTable) -> Iterator[str]:
    """Say which results the rows lack, and which they have twice."""
    counts = dict.fromkeys(_faces_of(table.dice), 0)
    unknown: list[int] = []
    for row in table.rows:
        for face in range(row.lowest, row.highest + 1):
            if face in counts:
                counts[face] += 1
            elif table.dice != "d66":
                unknown.append(face)
    if missing := [face for face, count in counts.items() if not count]:
        yield f"The table has no row for {_ranges(missing)} of {table.dice}."
    if doubled := [face for face, count in counts.items() if count > 1]:
        yield f"The table has more than one row for {_ranges(doubled)} of {table.dice}."
    if unknown:
        yield f"The table has rows for {_ranges(unknown)}, which {table.dice} does not give."


def _faces_of(dice: str) -> list[int]:
    if dice == "d66":
        return [10 * tens + ones for tens in range(1, 7) for ones in range(1, 7)]
    count, _, sides = dice.partition("d")
    number = int(count or 1)
    return list(range(number, number * int(sides) + 1))


def _ranges(numbers: Sequence[int]) -> str:
    """Return `1, 3-5` for 1, 3, 4 and 5."""
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
