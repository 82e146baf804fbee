"""The days that a text tells of."""

from __future__ import annotations

from datetime import date

import pytest

from agents.prose.day_mentions import find_day_offsets, find_earlier_time, find_mentioned_days

SATURDAY = date(2025, 2, 8)


@pytest.mark.parametrize(
    ("text", "offsets"),
    [
        ("Corvin left the valley yesterday, on the Orrel road.", (-1,)),
        ("The day before yesterday it snowed; last night it froze.", (-2, -1)),
        ("She came two days ago, and goes in three weeks.", (-2, 21)),
        ("It happened a fortnight ago.", (-14,)),
        ("We walked for two days.", ()),
        ("Tomorrow and tomorrow.", (1,)),
    ],
)
def test_day_mentions_are_counted_from_the_day_they_are_said(text: str, offsets: tuple[int, ...]) -> None:
    assert find_day_offsets(text) == offsets


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("He sold the mill on Thursday.", (date(2025, 2, 6),)),
        ("On Saturday night she heard three blasts.", (date(2025, 2, 1),)),
        ("Be there by Monday.", (date(2025, 2, 10),)),
        ("She left yesterday.", (date(2025, 2, 7),)),
        ("The mill stands on the ridge.", ()),
    ],
)
def test_day_mentions_name_days_of_the_calendar(text: str, days: tuple[date, ...]) -> None:
    assert find_mentioned_days(text, SATURDAY) == days


def test_day_mentions_outside_the_calendar_are_left_out() -> None:
    assert find_mentioned_days("It was 999 weeks ago.", date(1, 1, 2)) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Emmet Crane died at Michaelmas.", "at Michaelmas"),
        ("Dace married Hask two years ago.", "two years ago"),
        ("The mill burned down last winter.", "last winter"),
        ("Dace owes Hask four coins.", ""),
        ("Dace lives at Thomas's.", ""),
    ],
)
def test_earlier_time_is_found_in_a_statement(text: str, words: str) -> None:
    assert find_earlier_time(text) == words
