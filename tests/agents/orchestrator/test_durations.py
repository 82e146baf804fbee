"""Jumps of world time: always later, as the calendar counts, or refused with examples."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.world_time.calendar import format_clock_time, format_tick
from agents.world_time.durations import MAX_TICK, part_start_minutes, read_time_jump
from stores.errors import InputError
from stores.records.world import Calendar, DayPart
from tests.examples import examples

HERE = Calendar()
DAY = 1440
NOW = 2 * DAY + 18 * 60
"""Day 3, 18:00, the first minute of dusk."""

MARS = Calendar(
    minutes_per_hour=100,
    hours_per_day=10,
    day_word="Sol",
    first_day=0,
    parts=(DayPart(from_minute=200, name="Frost Light"), DayPart(from_minute=700, name="glow")),
)


@pytest.mark.parametrize(
    ("typed", "when"),
    [
        ("+2h", "Day 3, 20:00"),
        ("+30m", "Day 3, 18:30"),
        ("+1d", "Day 4, 18:00"),
        ("+1d 2h", "Day 4, 20:00"),
        ("+1d2h30m", "Day 4, 20:30"),
        ("1 day, 2 hours", "Day 4, 20:00"),
        ("+90 min", "Day 3, 19:30"),
        ("+1h +1h", "Day 3, 20:00"),
        ("+26H", "Day 4, 20:00"),
        ("to 18:30", "Day 3, 18:30"),
        ("to 18:00", "Day 4, 18:00"),
        ("18:30", "Day 3, 18:30"),
        ("to 6:05", "Day 4, 06:05"),
        ("to dusk", "Day 4, 18:00"),
        ("to Night", "Day 3, 21:00"),
        ("until dawn", "Day 4, 05:00"),
        ("noon", "Day 4, 12:00"),
        ("to day 5", "Day 5, 00:00"),
        ("to DAY 5", "Day 5, 00:00"),
        ("to day 5 18:30", "Day 5, 18:30"),
        ("to day 5, dusk", "Day 5, 18:00"),
        ("to day 3 19:00", "Day 3, 19:00"),
        ("day 4 night", "Day 4, 21:00"),
    ],
)
def test_duration_what_reads(typed: str, when: str) -> None:
    assert format_clock_time(HERE, read_time_jump(typed, HERE, NOW)) == when


@pytest.mark.parametrize(
    ("typed", "when"),
    [
        ("+1h", "Sol 3, 01:00"),
        ("+1d", "Sol 4, 00:00"),
        ("to 9:99", "Sol 3, 09:99"),
        ("to frost light", "Sol 3, 02:00"),
        ("to sol 5", "Sol 5, 00:00"),
        ("to day 5 glow", "Sol 5, 07:00"),
    ],
)
def test_duration_another_calendar(typed: str, when: str) -> None:
    assert format_clock_time(MARS, read_time_jump(typed, MARS, 3 * 1000)) == when


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("", "Until when"),
        ("to", "Until when"),
        ("-2h", "cannot go back.*undo"),
        ("−2h", "cannot go back"),
        ("+0m", "not later than now: it is Day 3, 18:00"),
        ("to day 3", "not later than now"),
        ("to day 2 dusk", "not later than now"),
        ("to day 3 17:59", "not later than now"),
        ("to 24:00", "no 24:00 here: it goes from 0:00 to 23:59"),
        ("to 9:60", "no 9:60 here"),
        ("to dust", "Did you mean dusk"),
        ("to teatime", "not a time of this calendar. The parts of a day here: night, dawn, morning"),
        ("+2 months", "not a time of this calendar"),
        ("+h", "not a time of this calendar"),
        ("2", "not a time of this calendar"),
        ("+999999999d", "too far away in time"),
        ("to day 999999999", "too far away in time"),
        ("+9999999999d", "not a time of this calendar"),
        ("1h" * 60, "at most 100"),
        ("to day 5 dusk 18:30", "not a time of this calendar"),
    ],
)
def test_complaints(typed: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        read_time_jump(typed, HERE, NOW)
    assert caught.value.kept
    assert caught.value.todo


def test_duration_night_over_midnight_begins_once() -> None:
    assert part_start_minutes(HERE, "night") == [1260]
    assert part_start_minutes(HERE, "gloaming") == []
    assert part_start_minutes(Calendar(parts=(DayPart(from_minute=0, name="dark"),)), "DARK") == [0]


# --- odd calendars ----------------------------------------------------------------------------------

names = st.sampled_from(["dawn", "Noon", "long dark", "night", "day", "dawn"])
calendars = st.builds(
    Calendar,
    minutes_per_hour=st.integers(1, 200),
    hours_per_day=st.integers(1, 60),
    day_word=st.sampled_from(["Day", "Sol", "Night of the Moon", "", "d(.*)", "  Tide  "]),
    first_day=st.integers(-400, 400),
    parts=st.lists(st.builds(DayPart, from_minute=st.integers(0, 3000), name=names), max_size=8).map(tuple),
)
ticks = st.integers(-(10**7), 10**7)


def length_of(calendar: Calendar) -> int:
    return calendar.minutes_per_hour * calendar.hours_per_day


@given(calendars, ticks, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_amounts_add_up(calendar: Calendar, now: int, days: int, hours: int, minutes: int) -> None:
    wanted = days * length_of(calendar) + hours * calendar.minutes_per_hour + minutes
    assume(wanted)
    assert read_time_jump(f"+{days}d {hours}h {minutes}m", calendar, now) == now + wanted


@given(calendars, ticks, st.integers(0, 59), st.integers(0, 199))
def test_duration_clock_time_is_the_next_one(calendar: Calendar, now: int, hour: int, minute: int) -> None:
    assume(hour < calendar.hours_per_day and minute < calendar.minutes_per_hour)
    tick = read_time_jump(f"to {hour}:{minute}", calendar, now)
    assert now < tick <= now + length_of(calendar)
    assert tick % length_of(calendar) == hour * calendar.minutes_per_hour + minute


@given(calendars, st.integers(0, 10**7), names)
def test_duration_part_of_the_day_is_the_next_of_its_name(calendar: Calendar, now: int, name: str) -> None:
    begins = part_start_minutes(calendar, name)
    if not begins:
        reached = {format_tick(calendar, minute).rpartition(", ")[2] for minute in range(length_of(calendar))}
        assert name not in reached
        return
    tick = read_time_jump(f"to {name}", calendar, now)
    assert now < tick <= now + length_of(calendar)
    assert format_tick(calendar, tick).casefold().endswith(f", {name}".casefold())
    assert tick % length_of(calendar) in begins


@given(calendars, ticks, st.integers(1, 500))
def test_duration_day_begins_at_its_first_minute(calendar: Calendar, now: int, on: int) -> None:
    today = now // length_of(calendar)
    number = calendar.first_day + today + on
    for word in ("day", calendar.day_word.strip() or "day"):
        tick = read_time_jump(f"to {word} {number}", calendar, now)
        assert tick == (today + on) * length_of(calendar)
        assert format_clock_time(calendar, tick).endswith(f"{number}, 00:00")


@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="+-0123456789dhm :to,dayusk", max_size=30),
        st.sampled_from(["to ", "+", "to day "]).flatmap(lambda a: st.text(max_size=20).map(a.__add__)),
    ),
    calendars,
    ticks,
)
@settings(max_examples=examples(400))
def test_duration_any_text_leads_on_or_is_refused_in_words(text: str, calendar: Calendar, now: int) -> None:
    try:
        tick = read_time_jump(text, calendar, now)
    except InputError as error:
        refused = error
    else:
        assert now < tick <= MAX_TICK
        return
    assert refused.what
    assert refused.todo
