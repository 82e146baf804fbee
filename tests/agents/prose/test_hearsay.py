"""Tests what a text tells only as rumour or as somebody's belief."""

from __future__ import annotations

import pytest

from agents.prose.hearsay import find_beliefs, find_rumours, read_told_words

NAMES = {"emmet": ("Emmet Crane", "Emmet"), "pip": ("Pip",)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Rumour has it that Corrin sleeps at the mill.", "Corrin sleeps at the mill"),
        ("They say Corrin is dead.", "Corrin is dead"),
        ("It is said that Dace is rich.", "Dace is rich"),
        ("Word is that the mill burned.", "the mill burned"),
        ("The story goes that Corrin drowned once.", "Corrin drowned once"),
        ("Legend has it that Corrin drowned once.", "Corrin drowned once"),
        ("In the village, people whisper that Hask takes bribes.", "Hask takes bribes"),
        ("Corrin is said to be dead.", "Corrin is dead"),
    ],
)
def test_rumour_is_found_in_what_nobody_vouches_for(text: str, words: str) -> None:
    assert [rumour.words for rumour in find_rumours(text)] == [words]


@pytest.mark.parametrize(
    "text",
    [
        "They say hello to Corrin.",
        "They say goodbye.",
        "The story goes on, and Corrin drowns.",
        "Talk is cheap.",
        "The word is salt.",
        "Do they say that Corrin is dead?",
        "They say that Corrin would sell his mother.",
        '"They say Corrin is dead," says Pip.',
        "Pip says that Corrin is dead.",
    ],
)
def test_rumour_is_no_greeting_question_or_speech(text: str) -> None:
    assert find_rumours(text) == []


@pytest.mark.parametrize(
    ("text", "beliefs"),
    [
        ("Emmet believes that Corrin will sell the letter.", [("emmet", "Corrin will sell the letter")]),
        ("Pip knows that Captain Hask takes bribes.", [("pip", "Captain Hask takes bribes")]),
        ("Only Pip knows that Captain Hask takes bribes.", []),
        ("Pip does not believe that Hask is here.", []),
        ("Emmet believes in ghosts.", []),
    ],
)
def test_belief_has_a_holder(text: str, beliefs: list[tuple[str, str]]) -> None:
    assert [(belief.holder_id, belief.words) for belief in find_beliefs(text, NAMES)] == beliefs


def test_told_words_leave_out_that_they_are_a_lie() -> None:
    assert (
        read_told_words("the letter is at the Three Pins, which is a lie.")
        == "the letter is at the Three Pins."
    )
    assert read_told_words("I tell her I have never been there.") == "I have never been there."
