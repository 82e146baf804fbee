"""Tests of the turns that a search is about: by whom, and when."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from agents.search.question import RecordQuestion, counts_as_about_speaker
from agents.search.turn_filter import TurnFilter
from agents.services.turn_recall import find_quotations
from agents.views.query_views import Quotation
from stores.records.play import Scene, Speaker, Turn
from tests.contract import builders as make

SCENE = make.scene(make.story(universe_id=make.new_id()))


def _turn(text: str = "Go on.", **fields: object) -> Turn:
    return make.turn(SCENE, None, text, **fields)


@pytest.mark.parametrize(
    ("wanted", "speaker", "name", "is_included"),
    [
        ("", Speaker.GM, "", True),
        ("player", Speaker.PLAYER, "Mara Venn", True),
        ("player", Speaker.GM, "", False),
        ("gm", Speaker.NPC, "Osk", True),
        ("GM", Speaker.PLAYER, "Mara Venn", False),
        ("mara", Speaker.PLAYER, "Mara Venn", True),
        ("Osk", Speaker.PLAYER, "Mara Venn", False),
    ],
)
def test_turn_filter_by_speaker(wanted: str, speaker: Speaker, name: str, is_included: bool) -> None:
    assert TurnFilter(wanted).includes(_turn(speaker=speaker), name, SCENE) is is_included


@pytest.mark.parametrize(
    ("since", "until", "is_included"),
    [
        (date(2026, 3, 1), None, True),
        (date(2026, 3, 2), None, False),
        (None, date(2026, 3, 1), True),
        (None, date(2026, 2, 28), False),
    ],
)
def test_turn_filter_by_day_of_play(since: date | None, until: date | None, is_included: bool) -> None:
    turn = _turn(created_at=datetime(2026, 3, 1, 20, tzinfo=UTC))
    assert TurnFilter(since=since, until=until).includes(turn, "", SCENE) is is_included


def test_turn_filter_goes_by_the_day_that_an_imported_log_says() -> None:
    turn = _turn(ref="t1", time_text="2023-05-08T13:56", created_at=datetime(2026, 3, 1, tzinfo=UTC))
    assert TurnFilter(since=date(2023, 5, 8), until=date(2023, 5, 8)).includes(turn, "", SCENE)
    undated_scene: Scene = SCENE.model_copy(update={"title": "The mill"})
    undated = turn.model_copy(update={"time_text": ""})
    assert not TurnFilter(since=date(2020, 1, 1)).includes(undated, "", undated_scene)


def test_quotation_has_its_speaker() -> None:
    turn = _turn(
        'Stint sets the silver down. "One stroke," Stint says.\n\n"Two," somebody says.', speaker=Speaker.GM
    )
    assert find_quotations(turn) == (Quotation("Stint", "One stroke,"), Quotation("", "Two,"))


@pytest.mark.parametrize(
    ("question", "statement", "counts"),
    [
        ("What's wrong with Osk's sight?", "None of those would be wrong.", False),
        ("What's wrong with Osk's sight?", "My left eye went wrong at the mill.", True),
        ("What did Osk say about the mill?", "The mill is shut.", True),
    ],
)
def test_turn_is_about_its_speaker_if_they_speak_of_themselves(
    question: str, statement: str, counts: bool
) -> None:
    parsed = RecordQuestion(question, (), frozenset(), {})
    assert counts_as_about_speaker(parsed, statement) is counts
