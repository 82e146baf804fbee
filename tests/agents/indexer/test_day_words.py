"""The days of a turn, as words of the index."""

from __future__ import annotations

from datetime import UTC, datetime

from agents.indexer.day_words import list_day_words, world_day_word
from stores.records.world import Calendar
from tests.contract import builders as make

SCENE = make.scene(make.story(universe_id=make.new_id()))


def test_day_words_of_an_imported_turn_are_those_of_its_log() -> None:
    turn = make.turn(SCENE, None, "He left yesterday.", ref="7", time_text="2025-02-08T20:00")
    assert list_day_words(turn, SCENE, Calendar()) == (
        "onday20250208",
        "onday0208",
        "onday20250207",
        "onday0207",
    )


def test_day_words_of_a_played_turn_are_its_own_and_those_of_the_world() -> None:
    turn = make.turn(
        SCENE,
        None,
        "> She came two days ago, on Monday.",
        tick=2 * 24 * 60,
        created_at=datetime(2026, 3, 1, 20, tzinfo=UTC),
    )
    assert list_day_words(turn, SCENE, Calendar()) == ("onday20260301", "onday0301", "worldday3", "worldday1")


def test_day_words_of_dates_that_a_text_names() -> None:
    turn = make.turn(SCENE, None, "Bring the bag by the first of February, not in March.", ref="7")
    assert list_day_words(turn, SCENE, Calendar()) == ("onday0201",)


def test_day_words_before_the_first_day_are_words_too() -> None:
    assert world_day_word(-3) == "worlddaybefore3"
