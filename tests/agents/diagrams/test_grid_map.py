"""Grid maps: what edits give, undo and redo, neighbours, and where a step leads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.diagrams.grid_map import (
    GridMap,
    add_edit,
    build_map,
    build_maps,
    find_step,
    read_direction,
    read_spot,
    spot_label,
    spots_between,
    turn_way,
)
from stores.records.grid_maps import (
    MAX_SIDE,
    GridCell,
    GridMapEdit,
    GridOutline,
    GridShape,
    GridWay,
    Spot,
    Terrain,
    WayKind,
)
from tests.contract import builders as make


def outline(shape: GridShape = GridShape.SQUARES, columns: int = 4, rows: int = 4) -> GridOutline:
    return GridOutline(name="Keep", shape=shape, columns=columns, rows=rows)


def a_map(shape: GridShape = GridShape.SQUARES, *edits: GridMapEdit) -> GridMap:
    begun = make.map_edit(outline=outline(shape))
    grid_map = build_map([begun, *(e.model_copy(update={"map_id": begun.map_id}) for e in edits)])
    assert grid_map is not None
    return grid_map


def paint(spot: Spot, terrain: Terrain) -> GridMapEdit:
    return make.map_edit(cells=(GridCell(spot=spot, terrain=terrain),))


def undo_of(edit: GridMapEdit, *, is_undone: bool = True) -> GridMapEdit:
    return make.map_edit(map_id=edit.map_id, undoes=edit.id, is_undone=is_undone)


def test_grid_map_that_was_removed_is_back_as_it_was_once_that_is_undone() -> None:
    wood, removal = paint(Spot(1, 1), Terrain.WOOD), make.map_edit(is_removal=True)
    removed = a_map(GridShape.SQUARES, wood, removal)
    assert removed.is_removed
    restored = add_edit(removed, undo_of(removed.undoable[-1]))
    assert restored is not None
    assert not restored.is_removed
    assert restored.cells == removed.cells


def test_grid_map_is_what_its_edits_give_and_undo_and_redo_walk_them() -> None:
    wood, water = paint(Spot(1, 1), Terrain.WOOD), paint(Spot(1, 1), Terrain.WATER)
    grid_map = a_map(GridShape.SQUARES, wood, water)
    assert grid_map.cell(Spot(1, 1)).terrain is Terrain.WATER
    undone = add_edit(grid_map, undo_of(grid_map.undoable[-1]))
    assert undone is not None
    assert undone.cell(Spot(1, 1)).terrain is Terrain.WOOD
    redone = add_edit(undone, undo_of(undone.redoable[-1], is_undone=False))
    assert redone is not None
    assert redone.cells == grid_map.cells
    # What is drawn after an undo leaves nothing to redo.
    other = add_edit(undone, paint(Spot(0, 0), Terrain.ROAD).model_copy(update={"map_id": undone.id}))
    assert other is not None
    assert (other.redoable, len(other.undoable)) == ((), 3)


def test_map_whose_beginning_is_undone_is_gone_and_comes_back() -> None:
    begun = make.map_edit(outline=outline())
    gone = [begun, undo_of(begun)]
    assert build_maps(gone) == []
    (back,) = build_maps([*gone, undo_of(begun, is_undone=False)])
    assert back.outline.name == "Keep"


@given(st.lists(st.sampled_from(["wood", "water", "clear", "undo", "redo", "rename"]), max_size=25))
def test_map_edited_step_by_step_is_the_map_read_again(steps: list[str]) -> None:
    begun = make.map_edit(outline=outline())
    edits, grid_map = [begun], build_map([begun])
    assert grid_map is not None
    for number, step in enumerate(steps):
        spot = Spot(number % 3, 0)
        match step:
            case "undo" if len(grid_map.undoable) > 1:
                edit = undo_of(grid_map.undoable[-1])
            case "redo" if grid_map.redoable:
                edit = undo_of(grid_map.redoable[-1], is_undone=False)
            case "rename":
                edit = make.map_edit(outline=outline(columns=number + 1))
            case "clear":
                edit = make.map_edit(cells=(GridCell(spot=spot),))
            case _:
                edit = paint(spot, Terrain.WATER if step == "water" else Terrain.WOOD)
        edit = edit.model_copy(update={"map_id": begun.map_id})
        edits.append(edit)
        after = add_edit(grid_map, edit)
        assert after is not None
        grid_map = after
    assert build_map(edits) == grid_map


@pytest.mark.parametrize(
    ("shape", "start", "reached"),
    [
        (
            GridShape.SQUARES, Spot(1, 1),
            {"n": "B1", "ne": "C1", "e": "C2", "se": "C3", "s": "B3", "sw": "A3", "w": "A2", "nw": "A1"},
        ),
        (GridShape.HEXES, Spot(1, 1), {"ne": "C1", "e": "C2", "se": "C3", "sw": "B3", "w": "A2", "nw": "B1"}),
        (GridShape.HEXES, Spot(1, 2), {"ne": "B2", "e": "C3", "se": "B4", "sw": "A4", "w": "A3", "nw": "A2"}),
        (GridShape.ROOMS, Spot(0, 0), {}),
    ],
)  # fmt: skip
def test_step_leads_to_the_neighbours_of_the_shape(
    shape: GridShape, start: Spot, reached: dict[str, str]
) -> None:
    grid_map = a_map(shape)
    for word in ("n", "ne", "e", "se", "s", "sw", "w", "nw"):
        direction = read_direction(word)
        assert direction is not None
        step = find_step(grid_map, start, direction)
        assert (spot_label(step.spot) if step.spot else None) == reached.get(word)
        assert bool(step.problem) is (step.spot is None)


def test_step_between_rooms_needs_a_way_that_is_open() -> None:
    east = read_direction("east")
    assert east is not None
    grid_map = a_map(GridShape.ROOMS)
    problems = []
    for _ in range(5):
        step = find_step(grid_map, Spot(0, 0), east)
        problems.append(step.problem if step.spot is None else "open")
        way = turn_way(grid_map, Spot(1, 0), Spot(0, 0))
        after = add_edit(grid_map, make.map_edit(map_id=grid_map.id, ways=(way,)))
        assert after is not None
        grid_map = after
    nothing = "Nothing on the map leads east from here."
    assert problems == [nothing, "open", "open", "The door to the east is locked.", nothing]
    assert grid_map.ways == {}


def test_step_off_the_map_says_so() -> None:
    north, west = read_direction("north"), read_direction("West")
    assert north is not None
    assert west is not None
    assert find_step(a_map(), Spot(0, 0), west).problem == "The map ends there: nothing lies west."
    assert find_step(a_map(GridShape.HEXES), Spot(1, 1), north).problem.startswith(
        "A step on this map goes northeast"
    )


@given(st.integers(0, MAX_SIDE - 1), st.integers(0, MAX_SIDE - 1))
def test_cell_label_is_read_as_its_cell(column: int, row: int) -> None:
    assert read_spot(spot_label(Spot(column, row)).lower()) == Spot(column, row)


def test_words_that_are_no_cell_or_direction_are_none() -> None:
    assert [read_spot(words) for words in ("", "4", "ZZ1", "A0", "A201", "Hall")] == [None] * 6
    assert [read_direction(words) for words in ("", "up", "northern", "the north")] == [None] * 4
    assert read_direction("south-west") == read_direction("SW")


def test_area_is_every_cell_between_two_corners_and_ways_have_no_direction() -> None:
    assert len(list(spots_between(Spot(3, 1), Spot(1, 2)))) == 6
    drawn = make.map_edit(ways=(GridWay(ends=(Spot(2, 2), Spot(0, 1)), kind=WayKind.SECRET),))
    grid_map = a_map(GridShape.SQUARES, drawn)
    assert grid_map.way_between(Spot(0, 1), Spot(2, 2)) is WayKind.SECRET
    assert grid_map.ways_from(Spot(2, 2)) == [(Spot(0, 1), WayKind.SECRET)]
