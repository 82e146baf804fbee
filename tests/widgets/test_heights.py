"""Sums of heights agree with adding them up, whatever is changed in whatever order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.transcript.row_heights import RowHeights

STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "set", "shorten"]), st.integers(0, 9), st.integers(0, 99))
)


@given(st.integers(0, 20), st.integers(0, 4), STEPS)
def test_heights_are_what_a_list_says(count: int, height: int, steps: list[tuple[str, int, int]]) -> None:
    heights, known = RowHeights(count, height), [height] * count
    for step, value, place in steps:
        if step == "append":
            heights.append(value)
            known.append(value)
        elif step == "set" and known:
            heights[place % len(known)] = value
            known[place % len(known)] = value
        elif step == "shorten":
            keep = place % (len(known) + 1)
            heights.truncate(keep)
            del known[keep:]
        assert len(heights) == len(known)
        assert heights.total_lines == sum(known)
    for row in range(len(known) + 1):
        assert heights.line_of_row(row) == sum(known[:row])
    for line in range(sum(known)):
        row = heights.row_at(line)
        assert sum(known[:row]) <= line < sum(known[: row + 1])


def test_lines_beyond_the_end_belong_to_the_last_row() -> None:
    assert RowHeights(3, 2).row_at(99) == 2
    assert RowHeights(0).row_at(0) == 0
