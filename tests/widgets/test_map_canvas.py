"""A map is drawn into rows of exactly the window's cells; what has the focus is in view, what waits is dashed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agents.diagrams.relation_graph import Point
from widgets.relation_map.map_canvas import (
    DrawnEdge,
    DrawnNode,
    LineLayer,
    MapInk,
    MapPicture,
    MapWindow,
    Zoom,
    draw_map,
    fitting_window,
    nearest_in_direction,
)

POINTS = {"a": Point(0, 0), "b": Point(30, 0), "c": Point(0, 10)}


def picture(*, is_dashed: bool = False, label: str = "● Mara") -> MapPicture:
    nodes = tuple(DrawnNode(i, label, MapInk.PERSON, point) for i, point in POINTS.items())
    edge = DrawnEdge(POINTS["a"], POINTS["b"], "knows", LineLayer.NEAR, is_dashed=is_dashed)
    return MapPicture(nodes, (edge,))


def drawn_text(*args: object, **kwargs: object) -> str:
    rows = draw_map(picture(**kwargs), MapWindow(60, 20, Point(15, 5), Zoom(1, 1)), "a").rows  # type: ignore[arg-type]
    return "\n".join("".join(run.text for run in row) for row in rows)


def test_map_draws_names_a_line_and_its_words() -> None:
    text = drawn_text()
    assert text.count("● Mara") == 3
    line = next(line for line in text.splitlines() if "knows" in line)
    before, after = line.split("knows")
    assert before.count("⠤") + before.count("⠒") + before.count("⠉") + before.count("⣀") > 3
    assert after.strip()


def test_map_draws_what_waits_with_gaps() -> None:
    def dots(text: str) -> int:
        return sum("\u2800" < c <= "\u28ff" for c in text)

    assert 0 < dots(drawn_text(is_dashed=True)) < dots(drawn_text())


@given(
    st.integers(1, 60),
    st.integers(1, 20),
    st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    st.floats(0.06, 4),
    st.text(alphabet="aé界● ", min_size=1, max_size=12),
)
@settings(max_examples=60, deadline=None)
def test_map_rows_fill_the_window_at_any_place_and_size(
    width: int, height: int, centre: tuple[float, float], zoom: float, label: str
) -> None:
    drawn = draw_map(picture(label=label), MapWindow(width, height, Point(*centre), Zoom(zoom, zoom)), "a")
    assert [sum(cell_len(run.text) for run in row) for row in drawn.rows] == [width] * height
    assert all(0 <= line < height and 0 <= start <= end <= width for line, start, end in drawn.spans.values())


def test_fitted_window_has_every_name_in_view() -> None:
    widths = dict.fromkeys(POINTS, 8)
    for width, height in ((80, 24), (30, 8), (20, 5)):
        window = fitting_window(POINTS, widths, width, height)
        spans = draw_map(picture(), window, "a").spans
        assert set(spans) == set(POINTS)


def test_arrow_leads_to_the_next_one_on_that_side() -> None:
    assert nearest_in_direction(POINTS, Point(0, 0), 1, 0) == "b"
    assert nearest_in_direction(POINTS, Point(0, 0), 0, 1) == "c"
    assert nearest_in_direction(POINTS, Point(0, 0), -1, 0) is None
