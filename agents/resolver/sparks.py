"""Spark words: a few words drawn by chance that ask the GM what they mean here.

Source: design/product.md, "Solo procedures" (action + theme, descriptors). The words are our own, in
`tables/`; a user's table of the same name takes their place.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from agents.resolver.random_tables import Draw, RandomTable, Shelf, draw
from agents.resolver.words import did_you_mean, folded, one_line
from stores.errors import InputError
from stores.records.play import Die

ACTIONS: Final = "actions"
THEMES: Final = "themes"
DESCRIPTORS: Final = "descriptors"

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "": (ACTIONS, THEMES),
    "action": (ACTIONS,),
    "theme": (THEMES,),
    "descriptor": (DESCRIPTORS,),
    "descriptors": (DESCRIPTORS, DESCRIPTORS),
}
"""What may be asked for besides the name of any table, and what is drawn for it."""


@dataclass(frozen=True, slots=True)
class Spark:
    """The words that came, in the order of the tables they came from."""

    draws: tuple[Draw, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(drawn.row.text for drawn in self.draws)

    @property
    def dice(self) -> tuple[Die, ...]:
        return tuple(die for drawn in self.draws for die in drawn.dice)

    @property
    def rule(self) -> str:
        return f"spark, {' and '.join(drawn.table.name for drawn in self.draws)}"

    @property
    def text(self) -> str:
        faces = ", ".join(f"{drawn.roll.expression} {drawn.roll.total}" for drawn in self.draws)
        return f"spark · {faces} · {' / '.join(self.words)}"


def spark(shelf: Shelf, rng: random.Random, faces: Sequence[int] | None = None, *, kind: str = "") -> Spark:
    """Draw an action and a theme, or what `kind` asks for, with `rng` or by the dice typed as `faces`.

    `kind` is one of KINDS or the name of a table. Raises InputError with near names if it is neither, or
    if the faces do not fit.
    """
    tables = [table_of(shelf, name) for name in KINDS.get(folded(kind), (kind,))]
    if faces is None:
        return Spark(tuple(draw(table, rng) for table in tables))
    inner_ends = list(accumulate(2 if table.is_read_by_digits else 1 for table in tables))[:-1]
    parts = (faces[start:end] for start, end in zip((0, *inner_ends), (*inner_ends, None), strict=True))
    return Spark(tuple(draw(table, rng, part) for table, part in zip(tables, parts, strict=True)))


def table_of(shelf: Shelf, name: str) -> RandomTable:
    """Return the table called so. Raises InputError with near names."""
    found = shelf.tables.get(folded(name).replace(" ", "_")) or shelf.tables.get(folded(name))
    if found is None:
        raise InputError(
            f"There is no table called {one_line(name)!r}.",
            kept="Nothing was drawn.",
            todo=did_you_mean(name, shelf.tables) or f"There is: {', '.join(shelf.tables)}.",
        )
    return found
