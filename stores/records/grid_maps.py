"""Grid maps: squares, hexes or rooms that the GM fills by hand.

A map is a drawing beside the world, as notes are, and no canon: what it says is true only where canon says so. Its
edits are appended and never changed; the map is what they give, without those that were undone.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id

MAX_SIDE: Final = 200
"""Columns, and rows, of a map at most."""
MAX_NOTE_LENGTH: Final = 500

Side = Annotated[int, Field(ge=0, lt=MAX_SIDE)]


class GridShape(StrEnum):
    """What a map's cells are."""

    SQUARES = "squares"
    """Open ground: a step goes to any of eight neighbours."""
    HEXES = "hexes"
    """Open ground in hexes, each second row half a cell to the right: six neighbours."""
    ROOMS = "rooms"
    """Rooms with walls: a step goes where a way is drawn."""


class Terrain(StrEnum):
    PLAIN = "plain"
    WOOD = "wood"
    HILLS = "hills"
    MOUNTAINS = "mountains"
    WATER = "water"
    MARSH = "marsh"
    WASTE = "waste"
    ROAD = "road"
    BUILT = "built up"


class WayKind(StrEnum):
    """What leads from one cell to another."""

    WAY = "way"
    DOOR = "door"
    LOCKED = "locked door"
    SECRET = "secret door"


class Spot(NamedTuple):
    """The position of a cell, both counted from 0: column from the left, row from the top."""

    column: Side
    row: Side


class GridCell(Record):
    """What a cell holds after an edit: all of it."""

    spot: Spot
    place_id: Id | None = None
    """The place that it shows, in canon or proposed."""
    terrain: Terrain | None = None
    text: str = Field(default="", max_length=MAX_NOTE_LENGTH)
    """The GM's note."""
    is_discovered: bool = False

    @property
    def is_blank(self) -> bool:
        return not (self.place_id or self.terrain or self.text or self.is_discovered)


class GridWay(Record):
    """What leads from one cell to another after an edit, in both directions; None: nothing."""

    ends: tuple[Spot, Spot]
    kind: WayKind | None = WayKind.WAY


class GridOutline(Record):
    """A map's name, form and size."""

    name: str = Field(min_length=1)
    shape: GridShape = GridShape.SQUARES
    columns: int = Field(ge=1, le=MAX_SIDE)
    rows: int = Field(ge=1, le=MAX_SIDE)


class GridMapEdit(Record):
    """One edit of a map. The first one of a map has its outline; with `undoes` it takes an earlier one back, or not."""

    id: Id
    map_id: Id
    universe_id: Id
    description: str = ""
    """The edit in words: `C4: wood`."""
    outline: GridOutline | None = None
    cells: tuple[GridCell, ...] = ()
    ways: tuple[GridWay, ...] = ()
    is_removal: bool = False
    """Whether the map is there no more after it, until it is undone."""
    undoes: Id | None = None
    is_undone: bool = True
    """Whether the edit that `undoes` names counts no longer; False: it was redone."""
    at: datetime
