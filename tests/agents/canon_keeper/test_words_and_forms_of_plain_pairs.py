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
        ("Nothing in this world can kill Osric.", "A silver arrow killed Osric."),
        ("Osric died without ever learning of the plot.", "Osric knew about the plot."),
        ("Osric died without paying Nora.", "Osric paid Nora."),
        ("It was on a Friday that the siege began.", "The siege began on a Tuesday."),
        ("Osric was the only one of the Red Hand who survived the fire.", "Osric died in the fire."),
        (
            "Osric gave the Star Opal to his nephew Brannoc of his own free will.",
            "Brannoc robbed Osric of the Star Opal.",
        ),
        (
            "Osric won the Star Opal at cards.",
            "The Star Opal came down to Osric from his grandfather by will.",
        ),
        ("Osric bought the Star Opal.", "Osric got the Star Opal as a gift."),
        ("Osric found the Star Opal.", "Nora sold Osric the Star Opal."),
        ("Nora left the Star Opal to Osric in her will.", "Osric bought the Star Opal."),
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
        ("Osric died without paying Nora.", "Brannoc paid Nora."),
        ("It was on a Friday that the siege began.", "The siege ended on a Tuesday."),
        ("Osric bought a horse in Hollowmere.", "Osric found a ring in Hollowmere."),
        ("Osric bought the Star Opal.", "Nora stole the Star Opal from Osric."),
        ("Osric found the Star Opal.", "Osric sold the Star Opal to Nora."),
    ],
)
async def test_plain_pairs_that_only_look_like_contradictions_are_left_alone(before: str, after: str) -> None:
    assert not await is_held(SentencePair("look-alike", NAMES, before, after, contradicts=False))
