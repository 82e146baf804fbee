"""The groups of a document's review by keyboard: a key that decides one goes on to the next undecided one."""

from __future__ import annotations

import pytest

from agents.views.ingest_views import ReviewGroup
from tests.widgets.stage import Stage
from widgets.review_group_list import ReviewGroupList

GROUPS = (
    ReviewGroup("ash", "Ash", 2),
    ReviewGroup("bram", "Bram", 2, accepted_count=2),
    ReviewGroup("cole", "Cole", 3, accepted_count=1, rejected_count=1, later_count=1),
    ReviewGroup("dorn", "Dorn", 3, accepted_count=2),
    ReviewGroup("esk", "Esk", 1, later_count=1),
)


def stage() -> tuple[Stage, ReviewGroupList]:
    groups = ReviewGroupList()
    groups.show_groups(GROUPS)
    return Stage(groups), groups


@pytest.mark.parametrize("verdict", ["a", "r", "c", "d"])
async def test_review_cursor_goes_on_to_the_next_group_with_something_undecided(verdict: str) -> None:
    app, groups = stage()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press(verdict)
        assert groups.current is not None
        assert groups.current.key == "dorn"


async def test_review_cursor_stays_without_an_undecided_group_below_and_after_an_undo() -> None:
    app, groups = stage()
    async with app.run_test(size=(60, 20)) as pilot:
        groups.go_to("dorn")
        await pilot.press("a")
        assert groups.current is not None
        assert groups.current.key == "dorn"
        groups.go_to("bram")
        await pilot.press("u")
        assert groups.current.key == "bram"
        assert len(app.of(ReviewGroupList.Decided)) == 2
