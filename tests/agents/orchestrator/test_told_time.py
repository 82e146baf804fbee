"""Plain words by which much time passes offer `/time` as the calendar of the world has it."""

from __future__ import annotations

import pytest

from agents.solo.told_time import notice_time
from stores.records.world import Calendar, Month, NamedDay

PLAIN = Calendar()
NAMED = Calendar(
    months=(
        Month(name="Frostmonth", days=20),
        Month(name="Thawmonth", days=40),
        Month(name="Sunmonth", days=60),
    ),
    named_days=(NamedDay(name="the spring tide", day=3), NamedDay(name="First day of spring", day=31)),
)


def offer(text: str, calendar: Calendar, day: int = 0) -> str:
    notices = notice_time(text, calendar, day * 24 * 60 + 600)
    return notices[0].command if notices else ""


@pytest.mark.parametrize(
    ("text", "plain", "named"),
    [
        ("A month passes.", "/time +30 days", "/time +20 days"),
        ("A month goes by.", "/time +30 days", "/time +20 days"),
        ("Three months later I return.", "/time +90 days", "/time +120 days"),
        ("A year passes.", "/time +365 days", "/time +120 days"),
        ("Two years pass.", "/time +730 days", "/time +240 days"),
        ("A season passes.", "/time +91 days", "/time +30 days"),
        ("Winter passes.", "/time +91 days", "/time to day 31"),
        ("The winter passes quietly.", "/time +91 days", "/time to day 31"),
        ("The summer ends.", "/time +91 days", "/time +30 days"),
        ("Spring comes at last.", "", "/time to day 31"),
        ("Autumn comes.", "", ""),
        ("Two days pass quietly.", "/time +2 days", "/time +2 days"),
    ],
)
def test_long_time_is_offered_as_the_calendar_has_it(text: str, plain: str, named: str) -> None:
    assert offer(text, PLAIN) == plain
    assert offer(text, NAMED) == named


def test_month_is_as_long_as_the_present_one() -> None:
    assert offer("A month passes.", NAMED, day=25) == "/time +40 days"
    assert offer("Two months pass.", NAMED, day=70) == "/time +80 days"


def test_winter_that_passes_in_spring_lasts_into_the_next_year() -> None:
    assert offer("Winter passes.", NAMED, day=30) == "/time to day 151"
