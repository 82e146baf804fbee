"""Sentences retold in other forms contradict each other as the plain ones do, and their look-alikes do not."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike"), "character"),
    **dict.fromkeys(("Hollowmere", "Black Stag"), "place"),
    **dict.fromkeys(("Swift Return", "jade cup"), "object"),
    **dict.fromkeys(("Red Hand", "Grey Lodge"), "faction"),
}


async def _contradict(before: str, after: str) -> bool:
    return await is_held(SentencePair("retold", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric was right-handed.", "Osric wrote the note with his left hand."),
        ("Nora was tall.", "Nora was a tiny woman."),
        ("Osric quit the Red Hand years ago.", "Osric is a sworn member of the Red Hand."),
        ("Osric was stripped of his rank.", "Osric holds the rank of captain."),
    ],
)
async def test_what_is_told_in_the_past_contradicts(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric wrote with his left hand in the dark.", "Osric signed with his right hand."),
        ("Nora was poor.", "Nora was rich."),
        ("Nora was a little girl when the war came.", "Nora was a grown woman when it ended."),
        ("Osric lived alone for years.", "Osric shares a house with Nora."),
        ("The gate was closed yesterday.", "The gate is open."),
        ("Osric quit the Red Hand years ago.", "Osric is a sworn member of the Grey Lodge."),
        ("Osric is a sworn member of the Red Hand.", "Osric quit the Red Hand."),
    ],
)
async def test_what_changes_with_time_does_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The jade cup was carved from jade.", "The jade cup turned out to be green glass."),
        ("Osric is a man.", "Osric proved to be a woman."),
        ("Osric is shorter than Brannoc.", "Osric towers over Brannoc."),
        ("Nora keeps the cellar door locked.", "The cellar door is unlocked."),
        ("Osric kept the window shut all night.", "Osric left the window open until dawn."),
        ("Osric slept through the night.", "Osric stood guard all night long."),
        ("The well in Hollowmere is poisoned.", "The water from the well in Hollowmere is safe to drink."),
        ("Nora's daughter is called Ruth.", "The name of Nora's only daughter is Clara."),
        ("The Grey Lodge meets on Thursdays.", "The Grey Lodge holds its meetings on Mondays."),
        ("The Swift Return docked on Friday.", "The Swift Return arrived on Tuesday."),
    ],
)
async def test_other_forms_of_the_same_contradict(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric is a man.", "Osric's guest proved to be a woman."),
        ("Osric is shorter than Brannoc.", "Osric towers over Brannoc's son."),
        ("Osric is shorter than Brannoc.", "Osric almost towers over Brannoc."),
        ("Nora keeps the cellar door locked.", "The front door is unlocked."),
        ("Osric kept the window shut all night.", "Osric opened the window in the morning."),
        ("Osric kept the window shut all night.", "Osric left the door open until dawn."),
        ("Osric found the safe empty.", "The chest is full."),
        ("The well is deep.", "The water in the well is shallow."),
        ("Nora's daughter is called Ruth.", "The name of Nora's horse is Clara."),
        ("The Grey Lodge meets on Thursdays.", "The Red Hand holds its meetings on Mondays."),
        ("The Swift Return docked on Friday.", "The Swift Return left on Tuesday."),
    ],
)
async def test_other_forms_of_something_else_do_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)
