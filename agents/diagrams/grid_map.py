"""A grid map as its edits give it, and what can be asked of it: neighbours, ways, steps. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, assert_never

from stores.records.grid_maps import (
    MAX_SIDE,
    GridCell,
    GridMapEdit,
    GridOutline,
    GridShape,
    GridWay,
    Spot,
    WayKind,
)
from stores.records.ids import Id

Ends = tuple[Spot, Spot]
"""The two cells of a way, the upper or left one first."""


class Direction(NamedTuple):
    """Where a step goes: its name, its short form, and the cells across and down."""

    name: str
    short: str
    across: int
    down: int


DIRECTIONS: Final = (
    Direction("north", "n", 0, -1),
    Direction("northeast", "ne", 1, -1),
    Direction("east", "e", 1, 0),
    Direction("southeast", "se", 1, 1),
    Direction("south", "s", 0, 1),
    Direction("southwest", "sw", -1, 1),
    Direction("west", "w", -1, 0),
    Direction("northwest", "nw", -1, -1),
)
_DIRECTIONS_BY_WORD: Final = {word: d for d in DIRECTIONS for word in (d.name, d.short)}
_SPOT_LABEL: Final = re.compile(r"(?P<letters>[A-Za-z]{1,2})(?P<number>[0-9]{1,3})")


@dataclass(frozen=True)
class GridMap:
    """A map as it is after its edits. Cells that hold nothing are not in `cells`."""

    id: Id
    outline: GridOutline
    cells: Mapping[Spot, GridCell] = field(default_factory=dict)
    ways: Mapping[Ends, WayKind] = field(default_factory=dict)
    undoable: tuple[GridMapEdit, ...] = ()
    """The edits that count, oldest first."""
    redoable: tuple[GridMapEdit, ...] = ()
    """The edits that were undone and can be redone, the one undone last at the end."""

    @property
    def is_removed(self) -> bool:
        return bool(self.undoable) and self.undoable[-1].is_removal

    def cell(self, spot: Spot) -> GridCell:
        """Return what a cell holds."""
        return self.cells.get(spot) or GridCell(spot=spot)

    def has(self, spot: Spot) -> bool:
        return 0 <= spot.column < self.outline.columns and 0 <= spot.row < self.outline.rows

    def find_place(self, place_id: Id) -> Spot | None:
        """Return the first cell, from the top, that shows a place."""
        spots = (spot for spot, cell in self.cells.items() if cell.place_id == place_id)
        return min(spots, key=row_order, default=None)

    def neighbour(self, spot: Spot, direction: Direction) -> Spot | None:
        """Return the cell that a step leads to by the shape alone; None: there is none on that side."""
        if not _is_side(self.outline.shape, direction):
            return None
        across, down = direction.across, direction.down
        if self.outline.shape is GridShape.HEXES and down:
            # Each second row stands half a cell to the right.
            is_shifted = spot.row % 2 == 1
            across = (1 if is_shifted else 0) if across > 0 else (0 if is_shifted else -1)
        there = Spot(spot.column + across, spot.row + down)
        return there if self.has(there) else None

    def way_between(self, one: Spot, other: Spot) -> WayKind | None:
        return self.ways.get(ends_of(one, other))

    def ways_from(self, spot: Spot) -> list[tuple[Spot, WayKind]]:
        """Return where ways lead from a cell, in the order of rows."""
        leads = [(b if a == spot else a, kind) for (a, b), kind in self.ways.items() if spot in (a, b)]
        return sorted(leads, key=lambda lead: row_order(lead[0]))


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place that a map may show."""

    id: Id
    name: str
    is_proposed: bool = False


def row_order(spot: Spot) -> tuple[int, int]:
    """Return by what cells are sorted row by row."""
    return spot.row, spot.column


def ends_of(one: Spot, other: Spot) -> Ends:
    """Return the ends of a way in their order."""
    first, second = sorted((one, other), key=row_order)
    return first, second


def read_direction(words: str) -> Direction | None:
    """Return the direction that words name: `north`, `NE`, `south-west`."""
    return _DIRECTIONS_BY_WORD.get(re.sub(r"[\s-]", "", words.casefold()))


# --- names of cells ---------------------------------------------------------------------------------


def spot_label(spot: Spot) -> str:
    """Return a cell as people say it: `C4`, `AB120`."""
    return f"{column_letters(spot.column)}{spot.row + 1}"


def column_letters(column: int) -> str:
    """Return what a column is called: `C`, `AB`."""
    letters = ""
    while column >= 0:
        letters = chr(ord("A") + column % 26) + letters
        column = column // 26 - 1
    return letters


def read_spot(label: str) -> Spot | None:
    """Return the cell that a label names; None for what is none."""
    match = _SPOT_LABEL.fullmatch(label.strip())
    if match is None:
        return None
    column = 0
    for letter in match["letters"].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    spot = Spot(column - 1, int(match["number"]) - 1)
    return spot if 0 <= spot.column < MAX_SIDE and 0 <= spot.row < MAX_SIDE else None


def spots_between(one: Spot, other: Spot) -> Iterator[Spot]:
    """Yield the cells of the rectangle between two of its corners."""
    for row in range(min(one.row, other.row), max(one.row, other.row) + 1):
        for column in range(min(one.column, other.column), max(one.column, other.column) + 1):
            yield Spot(column, row)


# --- edits ------------------------------------------------------------------------------------------


def build_maps(edits: Iterable[GridMapEdit]) -> list[GridMap]:
    """Return the maps that edits give, removed ones too, in the order they were begun.

    One whose beginning was undone is left out.
    """
    by_map: dict[Id, list[GridMapEdit]] = {}
    for edit in edits:
        by_map.setdefault(edit.map_id, []).append(edit)
    maps = (build_map(map_edits) for map_edits in by_map.values())
    return [grid_map for grid_map in maps if grid_map is not None]


def build_map(edits: Sequence[GridMapEdit]) -> GridMap | None:
    """Return the map that its edits give; None if none of them that counts begins it."""
    undoable: list[GridMapEdit] = []
    redoable: list[GridMapEdit] = []
    for edit in edits:
        _take_in(edit, undoable, redoable)
    return _build(undoable, redoable)


def add_edit(grid_map: GridMap, edit: GridMapEdit) -> GridMap | None:
    """Return the map after one more edit; None if that took back its beginning."""
    undoable, redoable = list(grid_map.undoable), list(grid_map.redoable)
    _take_in(edit, undoable, redoable)
    if edit.undoes is not None:
        return _build(undoable, redoable)
    cells, ways = dict(grid_map.cells), dict(grid_map.ways)
    _apply(edit, cells, ways)
    return GridMap(
        grid_map.id, edit.outline or grid_map.outline, cells, ways, tuple(undoable), tuple(redoable)
    )


def _take_in(edit: GridMapEdit, undoable: list[GridMapEdit], redoable: list[GridMapEdit]) -> None:
    """Add an edit to those that count, or move the one that it undoes or redoes."""
    if edit.undoes is None:
        undoable.append(edit)
        redoable.clear()
    elif edit.is_undone and undoable and undoable[-1].id == edit.undoes:
        redoable.append(undoable.pop())
    elif not edit.is_undone and redoable and redoable[-1].id == edit.undoes:
        undoable.append(redoable.pop())


def _build(undoable: Sequence[GridMapEdit], redoable: Sequence[GridMapEdit]) -> GridMap | None:
    outline = next((e.outline for e in reversed(undoable) if e.outline is not None), None)
    if outline is None:
        return None
    cells: dict[Spot, GridCell] = {}
    ways: dict[Ends, WayKind] = {}
    for edit in undoable:
        _apply(edit, cells, ways)
    return GridMap(undoable[0].map_id, outline, cells, ways, tuple(undoable), tuple(redoable))


def _apply(edit: GridMapEdit, cells: dict[Spot, GridCell], ways: dict[Ends, WayKind]) -> None:
    for cell in edit.cells:
        if cell.is_blank:
            cells.pop(cell.spot, None)
        else:
            cells[cell.spot] = cell
    for way in edit.ways:
        ends = ends_of(*way.ends)
        if way.kind is None:
            ways.pop(ends, None)
        else:
            ways[ends] = way.kind


NEXT_WAY: Final[Mapping[WayKind | None, WayKind | None]] = {
    None: WayKind.WAY,
    WayKind.WAY: WayKind.DOOR,
    WayKind.DOOR: WayKind.LOCKED,
    WayKind.LOCKED: WayKind.SECRET,
    WayKind.SECRET: None,
}
"""What a way becomes when it is drawn once more."""


def turn_way(grid_map: GridMap, one: Spot, other: Spot) -> GridWay:
    """Return the way between two cells as it is when it is drawn once more."""
    return GridWay(ends=ends_of(one, other), kind=NEXT_WAY[grid_map.way_between(one, other)])


def with_connections(grid_map: GridMap, connections: Collection[frozenset[Id]]) -> GridMap:
    """Return the map with a way where canon says that one place leads to the other, and none is drawn."""
    spots = {cell.place_id: spot for spot, cell in grid_map.cells.items() if cell.place_id}
    ways = dict(grid_map.ways)
    for one_id, other_id in map(sorted, connections):
        if one_id in spots and other_id in spots:
            ways.setdefault(ends_of(spots[one_id], spots[other_id]), WayKind.WAY)
    return replace(grid_map, ways=ways)


# --- steps ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A step from a cell: where it leads, or why it does not."""

    spot: Spot | None
    problem: str = ""


def find_step(grid_map: GridMap, start: Spot, direction: Direction) -> Step:
    """Return where a step in a direction leads. In rooms, only a way or a door that is not locked lets through."""
    there = grid_map.neighbour(start, direction)
    shape = grid_map.outline.shape
    if there is None:
        return Step(None, _describe_no_neighbour(grid_map, direction))
    match shape:
        case GridShape.SQUARES | GridShape.HEXES:
            return Step(there)
        case GridShape.ROOMS:
            match grid_map.way_between(start, there):
                case WayKind.WAY | WayKind.DOOR:
                    return Step(there)
                case WayKind.LOCKED:
                    return Step(None, f"The door to the {direction.name} is locked.")
                case WayKind.SECRET | None:
                    return Step(None, f"Nothing on the map leads {direction.name} from here.")
        case _:
            assert_never(shape)


def _describe_no_neighbour(grid_map: GridMap, direction: Direction) -> str:
    if not _is_side(grid_map.outline.shape, direction):
        sides = [d.name for d in DIRECTIONS if _is_side(grid_map.outline.shape, d)]
        return f"A step on this map goes {', '.join(sides[:-1])} or {sides[-1]}."
    return f"The map ends there: nothing lies {direction.name}."


def _is_side(shape: GridShape, direction: Direction) -> bool:
    """Return whether cells of a shape have a neighbour on that side."""
    match shape:
        case GridShape.SQUARES:
            return True
        case GridShape.HEXES:
            return direction.across != 0
        case GridShape.ROOMS:
            return not (direction.across and direction.down)
        case _:
            assert_never(shape)
