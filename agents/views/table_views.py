"""Values that the Tables screen draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TableOrigin(StrEnum):
    """Whose table it is; of one name, the first of these is rolled on."""

    WORLD = "this world's"
    OWN = "yours"
    BUNDLED = "the program's"


@dataclass(frozen=True, slots=True)
class TableView:
    """A table to roll on."""

    name: str
    title: str
    origin: TableOrigin
    die: str
    rows: tuple[tuple[str, str], ...]
    """What the dice show, and the words for it."""
    missing_names: tuple[str, ...]
    """Tables that its rows call, and that there are not."""


@dataclass(frozen=True, slots=True)
class TablesView:
    tables: tuple[TableView, ...]
    problems: tuple[str, ...]
    """Which tables cannot be used, with the line that is wrong."""
