"""Tests of how what happened is put into words."""

from __future__ import annotations

import pytest

from agents.memory_manager.memory_words import (
    is_bookkeeping,
    name_hero_in_narration,
    strip_bookkeeping,
    word_fact,
)
from stores.records.canon import Fact, FactKind, FactValue
from tests.program import START

KEYS = ("hp", "might", "max_hp")


def fact(statement: str, predicate: str, kind: FactKind, value: FactValue | None = None) -> Fact:
    return Fact(
        id="f",
        universe_id="u",
        kind=kind,
        predicate=predicate,
        statement=statement,
        value=value,
        recorded_at=START,
    )


@pytest.mark.parametrize(
    "text",
    [
        "2d6+9 [2,4]+9 = 15 vs 5 · success",
        "Rat's hp is 0.",
        "Iselin Quay: HP 10 → 4",
        "The thaw ●○○○○○ 1/6",
        "even · tension 5 · d100 75 · yes",
        "/state Mara.hp -3",
        "? likely: Is Tam a traitor?",
        "Mara might 3.",
        "Her max hp is 12.",
        "1+2d6 1+[4,5] = 10 vs 8 · success",
        "Mara rolled 15.",
    ],
)
def test_memory_words_leave_bookkeeping_out(text: str) -> None:
    assert is_bookkeeping(text, KEYS)
    assert strip_bookkeeping(text, KEYS) == ""


@pytest.mark.parametrize(
    ("text", "remembered"),
    [
        ("I attack the rat with my knife 2d6+9 vs 5", "I attack the rat with my knife."),
        ("Vess gives you the bell. (hp 4)", "Vess gives you the bell."),
        ("Vess loses 3 hp and bleeds.", "Vess is hurt and bleeds."),
        ("You take 4 damage.", "You are hurt."),
        ("I look for tar. /check wits vs 8; success: Mara +suspicious", "I look for tar."),
        ("It rains. Mara.hp -3", "It rains."),
        ("He might know 3 of them.", "He might know 3 of them."),
        ("She pays 20 gold; the ship has 12 guns and/or 3 masts.",) * 2,
        ("The clock strikes three.",) * 2,
        ("We met in the year 1284.",) * 2,
    ],
)
def test_memory_words_keep_the_prose(text: str, remembered: str) -> None:
    assert strip_bookkeeping(text, KEYS) == remembered


@pytest.mark.parametrize(
    ("statement", "remembered"),
    [
        ("Vess will bring the bell back.", "Vess promised to bring the bell back."),
        ("Vess will not tell anyone.", "Vess promised not to tell anyone."),
        ("Vess brings the bell back to Mara.", "Vess promised to bring the bell back to Mara."),
        ("Vess carries the bell.", "Vess promised to carry the bell."),
        ("Vess goes home.", "Vess promised to go home."),
        ("Vess is here at dawn.", "Vess promised: Vess is here at dawn."),
        ("The bell comes back.", "Vess promised: The bell comes back."),
        ("Vess swears to mend the gate.", "Vess swears to mend the gate."),
    ],
)
def test_memory_words_tell_a_promise_as_a_deed(statement: str, remembered: str) -> None:
    assert word_fact(fact(statement, "promised", FactKind.COMMITMENT), "Vess") == remembered


def test_memory_words_leave_out_numbers_and_open_questions() -> None:
    assert word_fact(fact("Vess has the luck of nine.", "luck", FactKind.STATE, 9), "Vess") == ""
    assert word_fact(fact("Where is Teodor?", "question", FactKind.COMMITMENT), "Teodor") == ""
    assert word_fact(fact("Vess died.", "alive", FactKind.STATE, False), "Vess") == "Vess died."


@pytest.mark.parametrize(
    ("told", "remembered"),
    [
        ("Wren gives me the Raven Ring.", "Wren gives Mara the Raven Ring."),
        ("Bela and I lead my mule on. He curses.", "Bela and Mara lead Mara's mule on. He curses."),
        ("“I owe you my life,” he tells me.", "“I owe you my life,” he tells Mara."),
        ("Vess says: I never saw him. She hits me.", "Vess says: I never saw him. She hits Mara."),
        ("'I am lost,' says Tam to me.", "'I am lost,' says Tam to me."),
        ("Vess hits the wall...  and laughs.", "Vess hits the wall...  and laughs."),
    ],
)
def test_what_the_player_narrates_is_remembered_by_the_heros_name(told: str, remembered: str) -> None:
    assert name_hero_in_narration(told, "Mara") == remembered
