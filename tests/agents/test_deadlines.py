"""Until when a promise is to be kept, from its words and the calendar; and what a calendar says of a day."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.world_time.almanac import (
    MoonPhase,
    find_moon_phase,
    find_year_day,
    names_on_day,
    next_full_moon,
    next_named_day,
    next_new_moon,
)
from agents.world_time.deadlines import find_deadline
from stores.records.world import Calendar, Month, Moon, NamedDay

DAY = 1440
MADE = 3 * DAY + 600
MONTHS = (Month(name="Frostmonth", days=30), Month(name="Thawmonth", days=20), Month(name="Hay", days=40))
CALENDAR = Calendar(
    months=MONTHS,
    moons=(Moon(name="the moon", cycle_days=28, full_on=14),),
    named_days=(NamedDay(name="the thaw", day=31), NamedDay(name="the Salt Fair", day=40)),
)


@pytest.mark.parametrize(
    ("statement", "words", "day"),
    [
        ("Mara promised Ruk to bring back the bell by the thaw.", "by the thaw", 30),
        ("The Company pays before the Salt Fair.", "before the Salt Fair", 39),
        ("She will return by day 9, with the boat.", "by day 9", 8),
        ("Dob promised to be back before dawn", "before dawn", 4),
        ("Mara will be home by nightfall.", "by nightfall", 3),
        ("The debt is due no later than Thawmonth.", "no later than Thawmonth", 30),
        ("Stint waits until the next full moon.", "until the next full moon", 13),
        ("I swear by the moon that I come back until tomorrow", "until tomorrow", 4),
        ("Stint pays sixty silver before the spring tide.", "before the spring tide", None),
        ("Mara owes Tam a song before the wedding", "before the wedding", None),
        ("He promised to mend the gate by the end of winter.", "by the end of winter", None),
    ],
)
def test_deadline_is_read_from_the_words_of_a_promise(statement: str, words: str, day: int | None) -> None:
    deadline = find_deadline(statement, CALENDAR, MADE)
    assert deadline is not None
    assert deadline.words == words
    assert (None if deadline.tick is None else deadline.tick // DAY) == day


@pytest.mark.parametrize(
    "statement",
    [
        "Tam waits by the river.",
        "Mara swore by the moon to come.",
        "Wenna stands before the altar.",
        "They count them one by one.",
        "He sails by night.",
        "The bell was cast by Old Tam.",
        "Mara promised Ruk a boat.",
    ],
)
def test_deadline_is_no_place_person_or_oath(statement: str) -> None:
    assert find_deadline(statement, CALENDAR, MADE) is None


@given(st.text(max_size=80), st.integers(-(10**9), 10**9) | st.none())
def test_deadline_of_any_text_is_none_or_not_before_the_day_it_was_made(
    text: str, made_at: int | None
) -> None:
    deadline = find_deadline(f"{text} by the thaw", CALENDAR, made_at)
    assert deadline is not None
    assert deadline.tick is None or made_at is None or deadline.tick >= made_at - DAY


@given(st.integers(-10_000, 10_000))
def test_almanac_days_follow_one_another(day: int) -> None:
    today, tomorrow = find_year_day(CALENDAR, day), find_year_day(CALENDAR, day + 1)
    assert (today.month == tomorrow.month and tomorrow.day == today.day + 1) or tomorrow.day == 1
    assert today.year == day // 90 + 1
    moon = CALENDAR.moons[0]
    assert find_moon_phase(moon, next_full_moon(moon, day)) is MoonPhase.FULL
    assert find_moon_phase(moon, next_new_moon(moon, day)) is MoonPhase.NEW
    assert sum(find_moon_phase(moon, day + n) is MoonPhase.FULL for n in range(28)) == 1
    thaw = next_named_day(CALENDAR, CALENDAR.named_days[0], day)
    assert day <= thaw < day + 90
    assert "the thaw" in names_on_day(CALENDAR, thaw)
