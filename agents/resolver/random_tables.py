"""Reads random tables from YAML files, bundled and the user's own, and draws rows from them.

    title: Weather
    licence: MIT
    attribution: Written for MONITOR.
    die: d20                      # may be left out; of 2d6 the sum counts, d66 is read digit by digit
    rows:
      - fog off the water
      - {text: hard frost, weight: 3}
      - {text: is in the way, aim: npc}     # about an NPC of the campaign

A faulty table is rejected as a whole, with the line of the fault.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, ValidationError

from agents import yaml_with_lines as marked_yaml
from agents.proposals.written_tables import WrittenTable, read_written_table
from agents.resolver.dice import roll_dice
from agents.resolver.dice_formula import MAX_SIDES, Dice, DieType, Formula
from agents.resolver.dice_score import DiceRoll
from agents.sanitize import clean
from agents.typed_text import one_line
from stores.errors import InputError
from stores.records.base import Record
from stores.records.play import Die
from stores.small_files import read_small_file

MAX_ROWS: Final = 1_000
MAX_WEIGHT: Final = 1_000
MAX_TABLES: Final = 200
"""Tables that are read from one folder."""
_MAX_BYTES: Final = 4 * marked_yaml.MAX_CHARS
_D66: Final = "d66"
_CALL: Final = re.compile(r"\{([^\W_][\w -]{0,59})\}")
"""The name of a table in a row: `fog, and {omens}`."""
_MAX_CALL_DEPTH: Final = 5
"""How deep tables may call tables: two that call each other end there."""


class RowAim(StrEnum):
    """What a row of an event table is about."""

    THREAD = "thread"
    NPC = "npc"
    PLACE = "place"


def _clean_line(text: str) -> str:
    return one_line(clean(text))


def _as_row(value: object) -> object:
    """Turn plain text into a row of weight 1."""
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, dict | Record):
        return value
    # Bare `no` and `12` are a truth value and a number in YAML.
    raise ValueError(f"a row is words, or text with a weight; put {value!r} in quotes if it is words")


MAX_ROW_CHARACTERS: Final = 500
TableText = Annotated[
    str, Field(max_length=MAX_ROW_CHARACTERS), AfterValidator(_clean_line), Field(min_length=1)
]
TableDie = Annotated[str, StringConstraints(pattern=r"^(?:[1-9]|1[0-9]|20)?d[1-9][0-9]{0,4}$")]


class TableRow(Record):
    text: TableText
    weight: int = Field(default=1, ge=1, le=MAX_WEIGHT, strict=True)
    aim: RowAim | None = None


class RandomTable(Record):
    """A table, named after its file. A row has `weight` faces of the die, or results of several dice."""

    name: str
    title: TableText
    licence: TableText
    attribution: TableText
    about: Annotated[str, Field(max_length=2_000), AfterValidator(_clean_line)] = ""
    die: TableDie | None = None
    rows: tuple[Annotated[TableRow, BeforeValidator(_as_row)], ...]

    @property
    def total(self) -> int:
        """All weights together: the faces that the die needs."""
        return sum(row.weight for row in self.rows)

    @property
    def summed_dice(self) -> tuple[int, int]:
        """How many dice of how many sides are summed; one die has a face for each of all weights."""
        count, _, sides = (self.die or "").partition("d")
        return (int(count), int(sides)) if count not in ("", "1") else (1, self.total)

    @property
    def thrown_dice_count(self) -> int:
        return 2 if self.is_read_by_digits else self.summed_dice[0]

    @property
    def is_read_by_digits(self) -> bool:
        """Whether two six-sided dice are read as tens and ones."""
        return self.die == _D66

    def filter_rows(self, is_wanted: Callable[[TableRow], bool]) -> RandomTable | None:
        """Return the table with the wanted rows and a die to fit; None if there are none."""
        rows = tuple(row for row in self.rows if is_wanted(row))
        return self.model_copy(update={"rows": rows, "die": None}) if rows else None


@dataclass(frozen=True, slots=True)
class TableDraw:
    table: RandomTable
    row: TableRow
    roll: DiceRoll
    called_draws: tuple[TableDraw, ...] = ()
    """The draws from the tables that the row calls, in the order of its words."""

    @property
    def dice(self) -> tuple[Die, ...]:
        return (*self.roll.dice, *(die for draw in self.called_draws for die in draw.dice))

    @property
    def words(self) -> str:
        """The row, with what the tables gave that it calls."""
        draws = iter(self.called_draws)
        return _CALL.sub(
            lambda match: draw.words if (draw := next(draws, None)) is not None else match[0], self.row.text
        )

    @property
    def rule(self) -> str:
        return f"table {self.table.name}"

    @property
    def text(self) -> str:
        return f"{self.table.title} · {self.roll.expression} {self.roll.total} · {self.words}"


def draw_row(
    table: RandomTable,
    rng: random.Random,
    faces: Iterable[int] | None = None,
    tables: Mapping[str, RandomTable] = MappingProxyType({}),
) -> TableDraw:
    """Pick a row with `rng`, or by the physical dice typed as `faces`; `{weather}` in it calls that one of `tables`.

    Faces beyond those of the table are for the tables that it calls, as far as there are any and they fit. Raises
    InputError if the faces do not fit the table's die.
    """
    calls_tables = any(_CALL.search(row.text) for row in table.rows)
    if faces is None or not calls_tables:
        return _with_called_draws(_draw_one(table, rng, faces), rng, [], tables, _MAX_CALL_DEPTH)
    all_faces = list(faces)
    first_faces, other_faces = (
        all_faces[: table.thrown_dice_count],
        all_faces[table.thrown_dice_count :],
    )
    return _with_called_draws(_draw_one(table, rng, first_faces), rng, other_faces, tables, _MAX_CALL_DEPTH)


def list_results(table: RandomTable) -> tuple[str, ...]:
    """Return what the dice show for each row: `1`, `2-4`."""
    if table.is_read_by_digits:
        results = [10 * tens + ones for tens in range(1, 7) for ones in range(1, 7)]
    else:
        count, _ = table.summed_dice
        results = list(range(count, count + table.total))
    texts, place = [], 0
    for row in table.rows:
        lowest, highest = results[place], results[place + row.weight - 1]
        texts.append(str(lowest) if lowest == highest else f"{lowest}-{highest}")
        place += row.weight
    return tuple(texts)


def called_names(table: RandomTable) -> tuple[str, ...]:
    """Return the names of the tables that a table calls."""
    names = (_call_name(match) for row in table.rows for match in _CALL.finditer(row.text))
    return tuple(dict.fromkeys(names))


def _call_name(match: re.Match[str]) -> str:
    return match[1].casefold().replace(" ", "_")


def _with_called_draws(
    draw: TableDraw,
    rng: random.Random,
    faces: list[int],
    tables: Mapping[str, RandomTable],
    depth: int,
) -> TableDraw:
    """Return the draw with those of the tables that its row calls; what there is not, or is too deep, stays a name.

    `faces` are taken from as they are used.
    """
    called_draws: list[TableDraw] = []
    for match in _CALL.finditer(draw.row.text) if depth else ():
        table = tables.get(_call_name(match))
        if table is None:
            break  # the words after it would be filled in its place
        own_faces = faces[: table.thrown_dice_count]
        try:
            called = _draw_one(table, rng, own_faces or None)
            del faces[: table.thrown_dice_count]
        except InputError:  # another row called other dice before: these are thrown now
            called = _draw_one(table, rng)
        called_draws.append(_with_called_draws(called, rng, faces, tables, depth - 1))
    return replace(draw, called_draws=tuple(called_draws))


def _draw_one(table: RandomTable, rng: random.Random, faces: Iterable[int] | None = None) -> TableDraw:
    if not table.is_read_by_digits:
        count, sides = table.summed_dice
        dice_roll = roll_dice(Formula(Dice(count, DieType(str(sides), 1, sides))), rng, faces=faces)
        return TableDraw(table, row_at(table, dice_roll.total - count + 1), dice_roll)
    dice_roll = roll_dice(_D66, rng, faces=faces)
    tens, ones = divmod(dice_roll.total, 10)
    return TableDraw(table, row_at(table, (tens - 1) * 6 + ones), dice_roll)


def row_at(table: RandomTable, place: int) -> TableRow:
    """Return the row that has the `place`-th face, counted from 1."""
    highest_places = accumulate(row.weight for row in table.rows)
    return next(row for row, highest in zip(table.rows, highest_places, strict=True) if place <= highest)


def lowest_faces_of(table: RandomTable, row: TableRow) -> tuple[int, ...]:
    """Return the lowest faces that pick this row of the table."""
    place = 1 + sum(earlier_row.weight for earlier_row in table.rows[: table.rows.index(row)])
    if table.is_read_by_digits:
        tens, ones = divmod(place - 1, 6)
        return tens + 1, ones + 1
    count, sides = table.summed_dice
    faces, left = [], place - 1
    for _ in range(count):
        faces.append(1 + min(left, sides - 1))
        left -= faces[-1] - 1
    return tuple(faces)


def single_die(sides: int) -> Formula:
    """Return one die of so many sides; parsed from text, `d66` and `d666` would be read digit by digit."""
    return Formula(Dice(1, DieType(str(sides), 1, sides)))


def table_from_document(written_table: WrittenTable) -> RandomTable:
    """Return a table that stood in a document as one to draw from."""
    results = written_table.dice.results()
    places = {result: place for place, result in enumerate(results)}
    return RandomTable(
        name=written_table.name,
        title=written_table.title,
        licence="that of its document",
        attribution="its document",
        die=str(written_table.dice),
        rows=tuple(
            TableRow(text=row.text[:MAX_ROW_CHARACTERS], weight=places[row.highest] - places[row.lowest] + 1)
            for row in written_table.rows
        ),
    )


# --- reading ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableLibrary:
    """Tables by name."""

    tables: Mapping[str, RandomTable]
    notes: tuple[str, ...] = ()
    """Which tables were replaced by the user's."""

    errors: tuple[InputError, ...] = ()
    """Which files are faulty, and where."""


def read_table(name: str, text: str) -> RandomTable:
    """Read one table. Raises InputError that names the faulty lines."""
    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _table_error(name, str(error)) from None
    if not isinstance(document.data, dict):
        raise _table_error(name, "line 1: fields such as title and rows should stand here")
    if "name" in document.data:
        raise _table_error(name, f"{document.line_of(('name',))}: a table is named by its file")
    try:
        table = RandomTable.model_validate({**document.data, "name": name})
        faults = list(_table_faults(table))
    except ValidationError as error:
        faults = [
            (fault["loc"], _plain_fault(fault["type"], fault["msg"], fault["loc"]))
            for fault in error.errors()
        ]
    if faults:
        raise _table_error(
            name, marked_yaml.describe_faults((document.line_of(loc), words) for loc, words in faults)
        )
    return table


def add_tables(texts: Mapping[str, str], base_library: TableLibrary) -> TableLibrary:
    """Return the library with these tables added; a table of the same name is replaced.

    A faulty table changes nothing, and is reported in `errors`.
    """
    tables, notes, errors = dict(base_library.tables), list(base_library.notes), list(base_library.errors)
    for name, text in texts.items():
        try:
            table = read_table(name, text)
        except InputError as error:
            errors.append(error)
            continue
        if name in tables:
            notes.append(f"Your table {name} ({table.title}) is used in place of {tables[name].title}.")
        tables[name] = table
    return TableLibrary(tables, tuple(notes), tuple(errors))


def add_written_tables(texts: Iterable[str], base_library: TableLibrary) -> TableLibrary:
    """Return the library with tables as documents have them; of one name, the latest. Faults are in `errors`."""
    tables, errors = dict(base_library.tables), list(base_library.errors)
    for text in texts:
        try:
            table = table_from_document(read_written_table(text))
        except InputError as error:
            errors.append(error)
        else:
            tables[table.name] = table
    return TableLibrary(tables, base_library.notes, tuple(errors))


@cache
def bundled_tables() -> TableLibrary:
    """Return the tables that come with the program. Raises InputError if one is faulty."""
    folder = files("agents.resolver").joinpath("tables")
    table_paths = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda f: f.name
    )
    table_library = add_tables(
        {f.name.removesuffix(".yaml"): f.read_text(encoding="utf-8") for f in table_paths}, TableLibrary({})
    )
    for error in table_library.errors:
        raise error
    return table_library


def read_tables(paths: Iterable[Path], base_library: TableLibrary) -> TableLibrary:
    """Return the library with the user's tables added; each is named after its file, in lower case.

    A file that is faulty or cannot be read is reported in `errors`.
    """
    texts: dict[str, str] = {}
    read_errors: list[InputError] = []
    for path in sorted(paths):
        name = path.stem.casefold()
        if len(texts) == MAX_TABLES:
            read_errors.append(_table_error(name, f"more than {MAX_TABLES} tables are not read"))
            break
        try:
            texts[name] = read_small_file(path, _MAX_BYTES).decode("utf-8-sig")
        except (OSError, ValueError) as error:
            read_errors.append(_table_error(name, str(error)))
    table_library = add_tables(texts, base_library)
    return TableLibrary(table_library.tables, table_library.notes, (*table_library.errors, *read_errors))


def _table_faults(table: RandomTable) -> Iterator[tuple[marked_yaml.ValuePath, str]]:
    """Yield the faults that concern the whole table."""
    if not 0 < len(table.rows) <= MAX_ROWS:
        yield ("rows",), f"a table has 1 to {MAX_ROWS:,} rows; this has {len(table.rows):,}"
    faces = _count_results(table.die) if table.die else table.total
    if faces != table.total:
        yield ("die",), f"{table.die} has {faces:,} faces, and the rows come to {table.total:,}"
    if table.total > MAX_SIDES:
        yield ("rows",), f"the weights come to {table.total:,}, and {MAX_SIDES:,} is the most"


def _count_results(die: str) -> int:
    """Return how many results a die, or the sum of several, can show."""
    count, sides = (int(part or 1) for part in die.split("d"))
    return 36 if die == _D66 else count * (sides - 1) + 1


def _table_error(name: str, reason: str) -> InputError:
    """Return the error about a table that is not used."""
    return InputError(
        f"The table {one_line(name)!r} cannot be used: {reason}.",
        kept="The other tables are not touched.",
        todo="Correct the file and open the campaign again.",
    )


def _plain_fault(kind: str, message: str, loc: marked_yaml.ValuePath) -> str:
    """Describe a pydantic fault in plain words."""
    match kind:
        case "missing":
            return f"{loc[-1]!r} is missing"
        case "extra_forbidden":
            return f"{loc[-1]!r} is not a field of a table"
        case "string_pattern_mismatch":
            return "a die is written d20, d100, 2d6 or d66"
        case "string_type":
            return "words should stand here; put them in quotes"
        case _:
            plain_message = message.removeprefix("Value error, ")
            return plain_message[:1].lower() + plain_message[1:]
