"""Tests of what prose tells in a dream, a picture, a memory or a tale, and what only stands beside speech."""

from __future__ import annotations

import pytest

from agents.prose.actions import find_spoken_words
from agents.prose.frames import find_framed_sentences


@pytest.mark.parametrize(
    "text",
    [
        "The pictures hang crooked. “Come in,” says Gil.",
        "A picture hangs over the hearth. “Come in,” says Gil.",
        "The portrait of the king is dusty. “Come in,” says Gil.",
        "A letter lies on the desk. “Sit,” says Gil.",
        "The body lies where it fell. “Who did this?” asks Gil.",
        "Dob sleeps by the fire. “Let him,” says Gil.",
        "The story is old. “You know it,” says Gil.",
        "Nobody sings the old songs here. “Too sad,” says Gil.",
        "Gil remembers you. “You came back,” says Gil.",
        "You remember the way. “Left,” says Gil.",
        "Long ago this was a mill. “Mind the stairs,” says Gil.",
        "You dream of the sea. Then you wake. “Up,” says Gil.",
        "Gil tells a tale of the flood. “It took the bridge,” Gil says.",
        "“Come,” says Gil, not looking up.",
        "“Come,” says Gil, and opens the letter.",
        "“Come,” says Gil, turning the picture to the wall.",
    ],
)
def test_words_beside_a_picture_or_a_sleeper_are_spoken_now(text: str) -> None:
    assert find_spoken_words(text, ["Gil"]), text


@pytest.mark.parametrize(
    "text",
    [
        "You dream. Gil stands at the window. “Come,” says Gil.",
        "It is an old photograph. “Hold still,” says Gil in it.",
        "You remember Gil at the door. “Never,” Gil said.",
        "That was the winter the bridge went. “Keep still,” Gil said.",
        "Bela tells the tale of the flood. “It took the bridge,” says Gil in it.",
        "“Come,” says the ghost of Gil.",
        "“Come,” says Gil, in your dream.",
        "You read the letter. “Come at once,” says Gil.",
    ],
)
def test_words_in_a_dream_a_picture_or_a_memory_are_not_spoken_now(text: str) -> None:
    assert not find_spoken_words(text, ["Gil"]), text


@pytest.mark.parametrize(
    ("text", "framed"),
    [
        ("You dream. Gil comes in. Dob is dead.", {1, 2}),
        ("I dream of the mill. Dob dies. I wake. Gil comes in.", {1}),
        ("You sing a ballad of the flood. Dob drowns.", {1}),
        ("In the painting the mill burns. Dob lies dead. You look up. Gil comes in.", {1}),
        ("You dream.\nGil comes in.", set()),
        ("Years ago Dob stole the bell. Gil comes in.", set()),
        ("You remember the day it burned. Dob stole the bell then. Gil comes in.", {1}),
        ("The pictures hang crooked. Gil comes in.", set()),
        ("You look at the painting on the wall. Gil comes in behind you.", set()),
        ("Dob sings the old song. Greta laughs, and Gil leaves.", set()),
        ("Dob sleeps. Gil comes in.", set()),
    ],
)
def test_sentences_behind_the_opening_of_a_frame_are_in_it(text: str, framed: set[int]) -> None:
    assert find_framed_sentences(text) == framed
