"""Recaps: short, from the record alone, and the same each time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.services.recap import (
    MAX_LINE_WIDTH,
    RecapInput,
    RecapScene,
    build_previously_lines,
    describe_open_matters,
    last_sentences,
    shorten_line,
)
from stores.records.canon import FactKind, FactStatus
from stores.records.ids import derive_id
from stores.records.play import Speaker
from stores.records.story_journal import Thread
from stores.records.world import Calendar
from tests.agents.orchestrator.recorded_story import STORY, a_fact, a_scene, a_turn
from tests.examples import examples

DAY = 1440
HERE = Calendar()
INN = a_scene(1, "The Slack Tide", summary="Mara promised Hester to find the bell.")
FLATS = a_scene(2, "Over the Ribs")
CHAPEL = a_scene(3, "Under the chapel", goal="Find who moved the bell")
SAID = a_turn(CHAPEL, 0, Speaker.PLAYER, "I force the iron door.")
ROLLED = a_turn(CHAPEL, 1, Speaker.ORACLE, "2d6+1 [5,4]+1 = 10 vs 9 · success")
TOLD = a_turn(
    CHAPEL, 2, Speaker.GM, "It is cold, as it always was. The hinges give with a shriek. Below, water moves."
)
BELL = a_fact("Mara promised to find the bell.", FactKind.COMMITMENT, valid_from=2 * DAY + 60)
DEBT = a_fact("Gil owes Wenna four marks.", FactKind.COMMITMENT, valid_from=DAY)
PAID = a_fact("Mara owes Gil a drink.", FactKind.COMMITMENT, valid_from=0, closed=True)
TIDE = Thread(id=derive_id("thread"), story_id=STORY, name="Why does the tide hurry?", since=0)
CROSSED = (
    a_fact("Mara's HP is 7.", FactKind.STATE),
    a_fact("Mara crossed the Ribs.", FactKind.EVENT),
    a_fact("Mara met Gil.", FactKind.ENCOUNTER),
)


def so_far() -> RecapInput:
    return RecapInput(
        calendar=HERE,
        scenes=(
            RecapScene(INN),
            RecapScene(FLATS, CROSSED),
            RecapScene(CHAPEL, place_name="The Tally Chapel"),
        ),
        current_tick=2 * DAY + 1100,
        commitments=(BELL, PAID, DEBT),
        threads=(TIDE,),
        last_turns=(SAID, ROLLED, TOLD),
        hero_name="Mara",
    )


# --- previously on ----------------------------------------------------------------------------------


def test_previously_on() -> None:
    assert build_previously_lines(so_far()) == (
        "Scene 1 “The Slack Tide”: Mara promised Hester to find the bell.",
        "Scene 2 “Over the Ribs”: Mara crossed the Ribs. Mara met Gil.",
        "Now: Day 3, dusk, The Tally Chapel. Scene 3 “Under the chapel”: Find who moved the bell.",
        "Last: Mara: I force the iron door. — The hinges give with a shriek. Below, water moves.",
        "Open: Gil owes Wenna four marks (since Day 2, night)",
        "Open: Mara promised to find the bell (since Day 3, night) (and 1 more)",
    )


def test_recap_only_the_last_scenes_that_came_to_something_are_said() -> None:
    scenes = tuple(
        RecapScene(a_scene(n, f"S{n}", summary=f"It was {n}." if n % 2 else "")) for n in range(1, 9)
    )
    lines = build_previously_lines(replace(so_far(), scenes=scenes))
    assert lines[:3] == (
        "Scene 5 “S5”: It was 5.",
        "Scene 7 “S7”: It was 7.",
        "Now: Day 3, dusk. Scene 8 “S8”.",
    )


def test_recap_story_that_has_hardly_begun() -> None:
    assert build_previously_lines(RecapInput(HERE, (), 0)) == ()
    assert build_previously_lines(RecapInput(HERE, (RecapScene(a_scene(1, "Scene 1")),), 480)) == (
        "Now: Day 1, morning. Scene 1.",
    )
    assert build_previously_lines(RecapInput(HERE, (), 0, last_turns=(TOLD,)))[0].startswith(
        "Last: It is cold, as it"
    )
    assert build_previously_lines(RecapInput(HERE, (), 0, last_turns=(SAID,))) == (
        "Last: You: I force the iron door.",
    )
    assert build_previously_lines(RecapInput(HERE, (), 0, last_turns=(SAID, ROLLED)))[0].endswith(
        "= 10 vs 9 · success"
    )


def test_recap_answer_is_to_the_last_words() -> None:
    (line,) = build_previously_lines(RecapInput(HERE, (), 0, last_turns=(TOLD, SAID)))
    assert line == "Last: You: I force the iron door."


def test_recap_what_is_open_is_named_oldest_first_and_once() -> None:
    shown = TIDE.model_copy(update={"id": "t2", "name": "The bell", "fact_id": BELL.id})
    closed = TIDE.model_copy(update={"id": "t3", "closed_at": 5})
    ever = a_fact("The Company owes the sea.", FactKind.COMMITMENT)
    facts = (
        BELL,
        ever,
        BELL.model_copy(update={"id": "x", "status": FactStatus.RETCONNED}),
        BELL.model_copy(update={"id": "y", "valid_to": 3 * DAY}),
        a_fact("Not one."),
        PAID,
    )
    assert describe_open_matters(facts, (shown, closed, TIDE), HERE) == (
        "The Company owes the sea.",
        "Mara promised to find the bell (since Day 3, night)",
        "Why does the tide hurry? (since Day 1, night)",
    )


# --- a session --------------------------------------------------------------------------------------


# --- short lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("one two three", "one two…"),
        ("one two, three", "one two…"),
        ("onetwothreefour", "onetwothr…"),
        ("one two", "one two"),
        ("one\n\ntwo", "one two"),
        ("\x1b[31mone\x1b[0m", "one"),
    ],
)
def test_lines_are_cut_behind_a_word(text: str, cut: str) -> None:
    assert shorten_line(text, 10) == cut


def test_recap_ending_is_whole_sentences() -> None:
    told = 'He turns. "Go home," he says. "Now!" The door shuts.'
    assert last_sentences(told, 22) == '"Now!" The door shuts.'
    assert last_sentences(told, 200) == told
    assert last_sentences("A door that is very far away shuts", 20) == "A door that is very…"
    assert last_sentences("", 20) == ""


words = st.one_of(st.text(max_size=400), st.text(alphabet="ab .!?\n\x1b[", max_size=400))


@given(words, words, st.integers(0, 12), st.integers(0, 5), st.integers(-(10**6), 10**6))
@settings(max_examples=examples(200), deadline=None)
def test_recaps_are_short_lines_whatever_was_written(
    said: str, told: str, scenes: int, promises: int, now: int
) -> None:
    turns = (SAID.model_copy(update={"text": said}), TOLD.model_copy(update={"text": told}))
    story = RecapInput(
        calendar=HERE,
        scenes=tuple(
            RecapScene(a_scene(n + 1, told, summary=said, goal=told), CROSSED, said) for n in range(scenes)
        ),
        current_tick=now,
        commitments=tuple(a_fact(f"{told} {n}", FactKind.COMMITMENT, valid_from=n) for n in range(promises)),
        last_turns=turns,
        hero_name=told,
    )
    lines = build_previously_lines(story)
    assert len(lines) <= 6
    assert len(lines) >= 3 or scenes < 2
    for line in lines:
        assert len(line) <= MAX_LINE_WIDTH
        assert "\n" not in line
        assert line.strip() == line
    assert build_previously_lines(story) == lines
