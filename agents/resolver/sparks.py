"""Draws spark words, which prompt the GM, from random tables.

The words are our own, in `tables/`; a user's table of the same name replaces them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from agents.resolver.random_tables import RandomTable, TableDraw, TableLibrary, draw_row
from agents.typed_text import did_you_mean, fold_name, one_line
from stores.errors import InputError
from stores.records.play import Die

ACTIONS: Final = "actions"
THEMES: Final = "themes"
DESCRIPTORS: Final = "descriptors"

SPARK_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (ACTIONS, THEMES),
    "action": (ACTIONS,),
    "theme": (THEMES,),
    "descriptor": (DESCRIPTORS,),
    "descriptors": (DESCRIPTORS, DESCRIPTORS),
}
"""What may be typed besides the name of a table, and the tables that are drawn from."""


@dataclass(frozen=True, slots=True)
class Spark:
    """The draws of one spark, in the order of the tables."""

    draws: tuple[TableDraw, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(table_draw.words for table_draw in self.draws)

    @property
    def dice(self) -> tuple[Die, ...]:
        return tuple(die for table_draw in self.draws for die in table_draw.dice)

    @property
    def rule(self) -> str:
        return f"spark, {' and '.join(table_draw.table.name for table_draw in self.draws)}"

    @property
    def text(self) -> str:
        faces = ", ".join(
            f"{table_draw.roll.expression} {table_draw.roll.total}" for table_draw in self.draws
        )
        return f"spark · {faces} · {' / '.join(self.words)}"


def draw_spark(
    table_library: TableLibrary, rng: random.Random, faces: Sequence[int] | None = None, *, kind: str = ""
) -> Spark:
    """Draw an action and a theme, or what `kind` asks for, with `rng` or by the dice typed as `faces`.

    `kind` is one of SPARK_KINDS or the name of a table. Raises InputError with near names if it is neither, or
    if the faces do not fit.
    """
    tables = [find_table(table_library, name) for name in SPARK_KINDS.get(fold_name(kind), (kind,))]
    if faces is None:
        return Spark(tuple(draw_row(table, rng, tables=table_library.tables) for table in tables))
    inner_ends = list(accumulate(table.thrown_dice_count for table in tables))[:-1]
    faces_by_table = (
        faces[start:end] for start, end in zip((0, *inner_ends), (*inner_ends, None), strict=True)
    )
    return Spark(
        tuple(
            draw_row(table, rng, table_faces, table_library.tables)
            for table, table_faces in zip(tables, faces_by_table, strict=True)
        )
    )


def find_table(table_library: TableLibrary, name: str) -> RandomTable:
    """Return the table of that name. Raises InputError with near names."""
    table = table_library.tables.get(fold_name(name).replace(" ", "_")) or table_library.tables.get(
        fold_name(name)
    )
    if table is None:
        raise InputError(
            f"There is no table called {one_line(name)!r}.",
            kept="Nothing was drawn.",
            todo=did_you_mean(name, table_library.tables) or f"There is: {', '.join(table_library.tables)}.",
        )
    return table
