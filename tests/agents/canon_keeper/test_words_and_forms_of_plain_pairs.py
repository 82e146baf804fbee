"""Forms of sentence, values and everyday words by which two sentences contradict each other, and look-alikes."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike", "King Aldous"), "character"),
    **dict.fromkeys(("Hollowmere", "Marrow Pass", "Black Stag", "Thornwood"), "place"),
    **dict.fromkeys(("Swift Return", "Star Opal"), "object"),
    **dict.fromkeys(("Red Hand", "Pike family"), "faction"),
    "Thari": "concept",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric speaks Thari fluently.", "Osric doesn't speak Thari."),
    ],
)
async def test_plain_pairs_that_contradict_each_other_are_held(before: str, after: str) -> None:
    assert await is_held(SentencePair("contradiction", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric speaks a little Thari.", "Osric doesn't speak Thari well."),
        ("Osric speaks Thari.", "Osric does not speak Thari fluently."),
        ("Osric knows Nora.", "Osric does not know Nora well."),
        ("Osric does not fully trust Nora.", "Osric trusts Nora."),
        ("Osric did not die peacefully.", "Osric is dead."),
    ],
)
async def test_plain_pairs_that_only_look_like_contradictions_are_left_alone(before: str, after: str) -> None:
    assert not await is_held(SentencePair("look-alike", NAMES, before, after, contradicts=False))
