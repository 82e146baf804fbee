"""When two statements of a conflict are true, in words; also before the first day of the world."""

from __future__ import annotations

import pytest

from agents.services.commit_preview import format_moment, format_typed_moment
from agents.world_time.moments import read_moment
from stores.records.world import Calendar

DAY = 24 * 60


@pytest.mark.parametrize("tick", [0, 2 * DAY + 18 * 60 + 4, -DAY, -30 * 365 * DAY, -90])
def test_suggested_moment_is_read_as_the_same_moment(tick: int) -> None:
    assert read_moment(format_typed_moment(Calendar(), tick), Calendar(), None) == tick


def test_moment_before_the_first_day_is_told_in_years_and_not_in_minutes() -> None:
    """In the words of a player: "the two have been enemies for thirty years, not from -15768000"."""
    assert format_moment(Calendar(), -30 * 365 * DAY) == "30 years before Day 1"
    assert format_typed_moment(Calendar(), -30 * 365 * DAY) == "10,950 days before Day 1"
    assert format_moment(Calendar(), 2 * DAY + 18 * 60 + 4) == "Day 3, 18:04"
