"""Lanes are drawn cell by cell: every mark is there, and a row is as wide as its columns."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agents.diagrams.timeline_lanes import AxisUnit, Lane, LaneGroup, Mark, MarkKind, build_axis
from stores.records.world import Calendar, Moon
from widgets.lane_chart import ZOOMS, header_line, lane_cells, mark_positions

CALENDAR = Calendar(moons=(Moon(name="m", cycle_days=3),))
marks = st.builds(
    Mark,
    st.none() | st.integers(-10_000, 50_000),
    st.sampled_from(list(MarkKind)),
    st.text("ab界 ", max_size=20),
)
lanes = st.builds(
    Lane,
    st.just("x"),
    st.just("x"),
    st.sampled_from(list(LaneGroup)),
    st.lists(marks, min_size=1, max_size=12).map(
        lambda found: tuple(sorted(found, key=lambda m: (m.tick is not None, m.tick or 0)))
    ),
    st.booleans(),
)


@given(lanes, st.sampled_from(ZOOMS), st.none() | st.integers(-10_000, 50_000))
@settings(max_examples=30, deadline=None)
def test_lane_fills_its_columns_at_any_zoom(lane: Lane, zoom: tuple[AxisUnit, int], now: int | None) -> None:
    unit, column_cells = zoom
    axis = build_axis([lane], CALENDAR, unit, now)
    width = len(axis.columns) * column_cells
    cells = lane_cells(lane, axis, column_cells)
    assert len(cells) == width
    assert cell_len("".join(text for text, _ in cells)) == width
    assert all(0 <= x < width for x in mark_positions(lane, axis, column_cells))
    for row in range(3):
        assert (
            cell_len("".join(text for text, _ in header_line(axis, column_cells, 0, 10, 10 + width, row)))
            == 10 + width
        )


def test_lane_shows_promise_until_now_and_its_deadline_after() -> None:
    made, deadline = (
        Mark(0, MarkKind.MADE, "promise"),
        Mark(9 * 1440, MarkKind.DEADLINE, "Deadline: by day 10"),
    )
    lane = Lane("p", "p", LaneGroup.THREADS, (made, deadline), is_open=True)
    scenes = Lane("s", "s", LaneGroup.SCENES, (Mark(2 * 1440, MarkKind.SCENE, "Scene 2"),))
    axis = build_axis([scenes, lane], CALENDAR, AxisUnit.DAY, now=2 * 1440)
    text = "".join(text for text, _ in lane_cells(lane, axis, 7))
    assert "◇━━━━" in text
    assert "╌⚑" in text.replace("┊", "")
    kept = Lane("p", "p", LaneGroup.THREADS, (made, Mark(1440 * 2, MarkKind.KEPT, "Kept: promise")))
    axis = build_axis([scenes, kept], CALENDAR, AxisUnit.DAY, now=2 * 1440)
    assert "◇──" in "".join(text for text, _ in lane_cells(kept, axis, 7))
