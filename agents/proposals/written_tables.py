"""Reads and writes a table to roll on as it stands in a document and in canon: title and dice, then its rows. Pure.

    Weather on the coast (d6)
    1-3: fog off the water
    4: hard frost
    5-6: clear

In canon it is a lore fact with the predicate `table`, whose statement is this text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agents.proposals.statements import MAX_LORE_LENGTH, MAX_NAME_LENGTH
from agents.sanitize import clean
from stores.errors import InputError
from stores.records.canon import AssertFact, Fact, FactKind

TABLE_PREDICATE: Final = "table"
MAX_TABLE_DICE: Final = 20
MAX_TABLE_SIDES: Final = 1_000
MAX_FAULTS: Final = 3
"""Faults of a table that are named at once."""

_TITLE = re.compile(r"(?P<title>.*\S)\s*\((?P<dice>[^()]*)\)", re.DOTALL)
_DICE = re.compile(r"(?P<count>\d{0,2})[dD](?P<sides>\d{1,4}|%)")
_ROW = re.compile(r"(?P<low>\d{1,4})(?:\s*[-–—−]\s*(?P<high>\d{1,4}))?\s*[:.)|]?\s+(?P<text>\S.*)")
_ROW_EXAMPLE: Final = "A row is a number or a range and what it gives, as in: 4-6: rain."


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """What a roll from `lowest` to `highest` gives."""

    lowest: int
    highest: int
    text: str


@dataclass(frozen=True, slots=True)
class TableDice:
    """The dice of a table: their sum counts, or with `reads_digits` (d66) the first is tens and the second ones."""

    count: int
    sides: int
    reads_digits: bool = False

    def __str__(self) -> str:
        return "d66" if self.reads_digits else f"{self.count if self.count > 1 else ''}d{self.sides}"

    def results(self) -> tuple[int, ...]:
        """Return everything that the dice can show, in order."""
        if self.reads_digits:
            return tuple(10 * tens + ones for tens in range(1, 7) for ones in range(1, 7))
        return tuple(range(self.count, self.count * self.sides + 1))


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table whose rows have every result of its dice once, in order."""

    title: str
    dice: TableDice
    rows: tuple[WrittenRow, ...]

    @property
    def name(self) -> str:
        """Return what `/table` calls it: its title in small letters, with `_` between the words."""
        return "_".join(re.findall(r"\w+", self.title.casefold()))


def read_written_table(text: str) -> WrittenTable:
    """Read a table. Raises InputError that names the line at fault and says how it should be."""
    if len(text) > MAX_LORE_LENGTH:
        raise _table_error(
            "", f"it has {len(text):,} characters, and {MAX_LORE_LENGTH:,} is the most", "Split it."
        )
    numbered_lines = [
        (number, " ".join(line.split()))
        for number, line in enumerate(clean(text).splitlines(), 1)
        if line.strip()
    ]
    _, first_line = numbered_lines[0] if numbered_lines else (1, "")
    heading = _TITLE.fullmatch(first_line)
    dice = read_table_dice(heading["dice"]) if heading else None
    if heading is None or dice is None or len(heading["title"]) > MAX_NAME_LENGTH:
        raise _table_error(
            first_line[:MAX_NAME_LENGTH],
            "line 1: a title and the dice in brackets should stand here",
            "As in: Weather (d6). The dice are one kind: d6, d20, d100, 2d6 or d66.",
        )
    rows: list[tuple[int, WrittenRow]] = []
    for number, line in numbered_lines[1:]:
        match = _ROW.fullmatch(line)
        if match is None:
            raise _table_error(heading["title"], f"line {number}: this is no row", _ROW_EXAMPLE)
        lowest = _read_result(match["low"], dice)
        highest = _read_result(match["high"], dice) if match["high"] else lowest
        rows.append((number, WrittenRow(lowest, highest, match["text"])))
    faults = list(_find_faults(dice, rows))[:MAX_FAULTS]
    if faults:
        raise _table_error(
            heading["title"],
            "; ".join(faults),
            f"Each result from {dice.results()[0]} to {dice.results()[-1]} stands in one row, in order.",
        )
    return WrittenTable(heading["title"], dice, tuple(row for _, row in rows))


def is_table(change: AssertFact | Fact) -> bool:
    """Return whether a fact, or what would become one, is a table to roll on."""
    kind = change.fact_kind if isinstance(change, AssertFact) else change.kind
    return kind is FactKind.LORE and change.predicate == TABLE_PREDICATE


def normalize_table_text(text: str) -> str:
    """Return the text of a table as canon has it. Raises InputError that names the line at fault."""
    table = read_written_table(text)
    return format_written_table(table.title, str(table.dice), table.rows)


def format_written_table(title: str, dice: str, rows: Iterable[WrittenRow]) -> str:
    """Return the text of a table, which `read_written_table` reads if nothing is wrong with it."""
    lines = [f"{_one_line(title)} ({_one_line(dice)})"]
    for row in rows:
        results = str(row.lowest) if row.lowest == row.highest else f"{row.lowest}-{row.highest}"
        lines.append(f"{results}: {_one_line(row.text)}")
    return "\n".join(lines)


def read_table_dice(text: str) -> TableDice | None:
    """Return the dice that are meant; None for what no table is rolled with."""
    match = _DICE.fullmatch(text.strip())
    if match is None:
        return None
    count = int(match["count"] or 1)
    sides = 100 if match["sides"] == "%" else int(match["sides"])
    if count == 1 and sides == 66:
        return TableDice(2, 6, reads_digits=True)
    is_usable = 1 <= count <= MAX_TABLE_DICE and 2 <= sides <= MAX_TABLE_SIDES
    return TableDice(count, sides) if is_usable else None


def _read_result(digits: str, dice: TableDice) -> int:
    """Return a result as it is printed: `00` is the 100 of percentile dice."""
    return 100 if digits == "00" and dice == TableDice(1, 100) else int(digits)


def _find_faults(dice: TableDice, rows: list[tuple[int, WrittenRow]]) -> Iterator[str]:
    """Yield what is wrong with the rows, with their lines."""
    results = dice.results()
    if not rows:
        yield "line 2: the rows should stand here"
        return
    place = 0
    for number, row in rows:
        if row.lowest not in results or row.highest not in results or row.lowest > row.highest:
            yield f"line {number}: {dice} does not show {row.lowest}-{row.highest}"
            return
        first, last = results.index(row.lowest), results.index(row.highest)
        if first < place:
            yield f"line {number}: {row.lowest} stands in an earlier row too"
        elif first > place:
            yield f"line {number}: {results[place]} is missing before it"
        place = last + 1
    if place < len(results):
        yield f"line {rows[-1][0]}: {results[place]} is missing after it"


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _table_error(title: str, reason: str, todo: str) -> InputError:
    name = f"The table {title!r}" if title else "The table"
    return InputError(f"{name} cannot be used: {reason}.", kept="No table was changed.", todo=todo)
