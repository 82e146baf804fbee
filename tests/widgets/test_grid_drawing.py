"""A grid map in cells: what stands where, and that only what is in view is drawn."""

from __future__ import annotations

import time

import pytest
from rich.cells import cell_len

from agents.diagrams.grid_map import add_edit, build_map
from agents.diagrams.grid_map_views import PlaceOnMap, ShownGridMap
from stores.records.grid_maps import (
    MAX_SIDE,
    GridCell,
    GridOutline,
    GridShape,
    GridWay,
    Spot,
    Terrain,
    WayKind,
)
from tests.contract import builders as make
from widgets.grid_map.grid_drawing import (
    ZOOMS,
    GridPicture,
    GridWindow,
    GridZoom,
    draw_grid_line,
    fitting_zoom,
)

MAX_MILLISECONDS = 50
HALL = PlaceOnMap("hall", "The Hall", people=("Mara Venn",), is_visited=True)
SALT_HOUSE = PlaceOnMap("house", "塩の家", is_proposed=True)


def a_map(shape: GridShape) -> ShownGridMap:
    cells = (
        GridCell(spot=Spot(0, 0), place_id="hall"),
        GridCell(spot=Spot(1, 0), place_id="house"),
        GridCell(spot=Spot(0, 1), terrain=Terrain.WATER, text="rats"),
    )
    ways = (
        GridWay(ends=(Spot(0, 0), Spot(1, 0)), kind=WayKind.DOOR),
        GridWay(ends=(Spot(0, 0), Spot(0, 1)), kind=WayKind.LOCKED),
    )
    outline = GridOutline(name="Keep", shape=shape, columns=3, rows=3)
    grid_map = build_map([make.map_edit(outline=outline, cells=cells, ways=ways)])
    assert grid_map is not None
    return ShownGridMap(grid_map, {"hall": HALL, "house": SALT_HOUSE}, "hall", "Mara Venn")


def drawn(shown: ShownGridMap, zoom: GridZoom, width: int = 60, height: int = 14) -> list[str]:
    window = GridWindow(width, height, zoom)
    picture = GridPicture(shown, Spot(2, 2))
    return ["".join(run.text for run in draw_grid_line(picture, window, y)).rstrip() for y in range(height)]


def test_rooms_are_drawn_with_walls_doors_people_and_nothing_around_them() -> None:
    assert drawn(a_map(GridShape.ROOMS), ZOOMS[2])[:10] == [
        "          A           B           C",
        "    ┼───────────┼───────────┼",
        "  1 │♦✓The Hall │◌塩の家    │",
        "    │● Mara Venn□           │",
        "    │           │           │",
        "    ┼─────■─────┼───────────┼",
        "  2 │≈ ≈ ≈ ≈ ≈ ≈│",
        "    │≈ ≈ ≈ ≈ ≈ ≈│",
        "    │✎≈ ≈ ≈ ≈ ≈ │",
        "    ┼───────────┼",
    ]


def test_hexes_are_drawn_as_bricks_that_touch_six() -> None:
    assert drawn(a_map(GridShape.HEXES), ZOOMS[1])[:5] == [
        "        A       B       C",
        "    ┼───────┼───────┼───────┼",
        "  1 │♦The H…□◌塩の家│       │",
        "    ┼───┼─■─┼───┼───┼───┼───┼───┼",
        "  2     │✎≈ ≈ ≈ │       │       │",
    ]


def test_small_map_has_a_sign_for_each_cell() -> None:
    assert drawn(a_map(GridShape.SQUARES), ZOOMS[0])[:4] == ["    A B C", "  1 ♦ ◌", "  2 ≈", "  3"]


def test_window_follows_the_cursor_and_fits_what_it_can() -> None:
    outline = GridOutline(name="Coast", columns=MAX_SIDE, rows=MAX_SIDE)
    window = GridWindow(60, 20, ZOOMS[1])
    for spot in (Spot(199, 199), Spot(100, 3), Spot(0, 0)):
        window = window.following(spot, outline)
        first, last = window.first, Spot(window.first.column + window.columns, window.first.row + window.rows)
        assert first.column <= spot.column < last.column
        assert first.row <= spot.row < last.row
    assert fitting_zoom(outline, 60, 20) == ZOOMS[0]
    assert fitting_zoom(GridOutline(name="Hut", columns=2, rows=2), 60, 20) == ZOOMS[3]
    spot_at = window.spot_at(4 + ZOOMS[1].width + 1, 1 + ZOOMS[1].height, outline)
    assert spot_at == Spot(1, 1)
    assert window.spot_at(1, 5, outline) is None


@pytest.mark.timed
def test_map_of_forty_thousand_cells_takes_an_edit_and_a_window_in_no_time() -> None:
    cells = tuple(
        GridCell(spot=Spot(column, row), terrain=Terrain.WOOD, text="x")
        for column in range(MAX_SIDE)
        for row in range(MAX_SIDE)
    )
    outline = GridOutline(name="Coast", shape=GridShape.HEXES, columns=MAX_SIDE, rows=MAX_SIDE)
    begun = make.map_edit(outline=outline, cells=cells)
    grid_map = build_map([begun])
    assert grid_map is not None
    durations = []
    for turn in range(5):
        started = time.process_time()
        edit = make.map_edit(map_id=begun.map_id, cells=(GridCell(spot=Spot(turn, 9), text=f"{turn}"),))
        edited = add_edit(grid_map, edit)
        assert edited is not None
        grid_map = edited
        window = GridWindow(120, 40, ZOOMS[turn % len(ZOOMS)]).following(Spot(150, 150), outline)
        picture = GridPicture(ShownGridMap(grid_map), Spot(150, 150), (Spot(0, 0), Spot(150, 150)))
        lines = [draw_grid_line(picture, window, y) for y in range(40)]
        durations.append((time.process_time() - started) * 1_000)
        assert all(sum(cell_len(run.text) for run in line) < 160 for line in lines)
    assert sorted(durations)[2] < MAX_MILLISECONDS
