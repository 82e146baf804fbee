"""Contradictions in short sentences as they are typed in the middle of play; and look-alikes of them."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike", "Wick"), "character"),
    **dict.fromkeys(("Hollowmere", "Marrow Pass", "Black Stag", "Kell Spring"), "place"),
    **dict.fromkeys(("Swift Return", "Red Ledger"), "object"),
    **dict.fromkeys(("Red Hand",), "faction"),
}

MORE_WORDS = [
    ("Osric has never lied.", "Osric misled the guards."),
    ("Osric is honest.", "Osric spins lies all day."),
    ("Osric cannot die.", "Osric is mortal like everybody else."),
    ("Brannoc has no master.", "Brannoc takes orders from Nora."),
    ("Brannoc serves no master.", "Brannoc takes his orders from Nora."),
    ("Brannoc answers to nobody.", "Brannoc is in the service of Nora."),
    ("Osric lives north of Hollowmere.", "Osric lives south of Hollowmere."),
    ("Osric is at sea.", "Osric is here at the Black Stag."),
    ("The Red Ledger was burned to ashes.", "The Red Ledger lies whole in the office."),
    ("Brannoc has no magic at all.", "Brannoc lit the fire with a spell."),
    ("The water in Kell Spring is clean.", "The water in Kell Spring is poisoned."),
    ("Hollowmere is under siege.", "Hollowmere is at peace."),
    ("Nothing grows in Hollowmere.", "Farmers harvest wheat in Hollowmere."),
    ("Osric trusts Nora.", "Osric is suspicious of Nora."),
    ("Osric paid off his debt to Nora.", "Osric still owes Nora money."),
]
LOOK_ALIKES_OF_WORDS = [
    ("Osric misled the guards.", "Osric led the guards."),
    ("Osric serves in the Red Hand.", "Brannoc answers to nobody."),
    ("Osric lives north of Hollowmere.", "Osric lives north of Marrow Pass."),
    ("Osric lives north of Hollowmere.", "Osric lives south of Marrow Pass."),
    ("The water in Kell Spring is clean.", "The water in Hollowmere is poisoned."),
    ("Osric trusts Nora.", "Osric is suspicious of Wick."),
    ("Osric trusts Nora.", "Nora is suspicious of Osric."),
    ("Nothing grows in Hollowmere.", "Farmers harvest wheat in Marrow Pass."),
    ("Brannoc has no magic at all.", "Brannoc lit the fire with a torch."),
]


async def is_contradiction(before: str, after: str) -> bool:
    return await is_held(SentencePair("everyday", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(("before", "after"), MORE_WORDS)
async def test_everyday_sentences_in_other_words_contradict_each_other(before: str, after: str) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_WORDS)
async def test_everyday_sentences_about_others_do_not_contradict_each_other(before: str, after: str) -> None:
    assert not await is_contradiction(before, after)
