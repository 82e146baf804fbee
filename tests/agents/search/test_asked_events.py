"""When something was, said by an event: on the night of the fire, before the wedding."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.asked_events import AskedEvent, EventRelation, find_event_scene, read_asked_event
from agents.search.question import parse_question
from stores.records.play import Speaker, Turn

NAMES = (("elsbet", "e"), ("odo", "o"))


def read(question: str) -> AskedEvent | None:
    return read_asked_event(parse_question(question, NAMES, Catalogue({})))


def turn(number: int, scene: str, text: str = "") -> Turn:
    return Turn(
        id=f"t{number}",
        scene_id=scene,
        parent_id=None,
        exchange_id="x",
        speaker=Speaker.GM,
        text=text,
        depth=number,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("question", "relation", "event", "other"),
    [
        ("What did Odo say on the night of the fire?", EventRelation.DURING, "the fire", "What did Odo say?"),
        ("Who sang during Elsbet's wedding?", EventRelation.DURING, "Elsbet's wedding", "Who sang?"),
        ("Where did I sleep before the wedding?", EventRelation.BEFORE, "the wedding", "Where did I sleep?"),
        ("After the fire, who left?", EventRelation.AFTER, "the fire", "who left?"),
    ],
)
def test_event_says_when_and_is_no_part_of_what_is_asked(
    question: str, relation: EventRelation, event: str, other: str
) -> None:
    asked_event = read(question)
    assert asked_event is not None
    assert (asked_event.relation, asked_event.text, asked_event.other_question.text) == (
        relation,
        event,
        other,
    )
    assert asked_event.other_question.content_words.isdisjoint(asked_event.forms)


@pytest.mark.parametrize(
    "question", ["Who left the fire?", "What was before the wedding?", "Since when is Odo here?"]
)
def test_question_without_an_event_says_no_time(question: str) -> None:
    assert read(question) is None


def test_event_is_told_in_other_words() -> None:
    asked_event = read("Who left on the night of the fire?")
    assert asked_event is not None
    assert asked_event.is_told_in("The smithy is ablaze.")
    assert not asked_event.is_told_in("The smithy is locked.")


def test_event_was_in_the_scene_that_tells_most_of_it_or_first() -> None:
    planned, told, later = turn(1, "a"), [turn(2, "b"), turn(3, "b")], turn(4, "c")
    assert find_event_scene([later, planned, *told]) == told
    assert find_event_scene([later, planned]) == [planned]
    assert find_event_scene([]) == []


def test_turn_stands_before_during_or_after_an_event() -> None:
    event_turns = [turn(3, "b"), turn(4, "b")]
    for question, times in (
        ("Who left on the night of the fire?", {2, 3}),
        ("Who left before the fire?", {1, 2, 3}),
        ("Who left after the fire?", {5}),
    ):
        asked_event = read(question)
        assert asked_event is not None
        turns = [turn(1, "a"), turn(2, "b"), turn(3, "b"), turn(5, "c")]
        assert {one.depth for one in turns if asked_event.includes(one, event_turns)} == times


def test_event_may_be_right_before_or_long_after() -> None:
    for question, relation in (
        ("Who left right after the fire?", EventRelation.AFTER),
        ("Who left shortly before the fire?", EventRelation.BEFORE),
    ):
        asked_event = read(question)
        assert asked_event is not None
        assert asked_event.relation is relation
        assert asked_event.other_question.text == "Who left?"
    on_the_right = read("Who sat on the right after the fire?")
    assert on_the_right is not None
    assert on_the_right.other_question.text == "Who sat on the right?"
    assert read("Who was right?") is None
