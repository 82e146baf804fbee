"""Frames of plain English in which two sentences contradict each other, and their neighbours that do not."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Maud", "Vess", "Bram", "Dob"), "character"),
    **dict.fromkeys(("Pier Nine", "Tower", "Harl"), "place"),
    "Red Sedge": "faction",
    "Glass Bell": "object",
}

CONTRADICTING = (
    ("Vess used to own the skiff", "Vess has never owned the skiff"),
    ("Bram is a priest no more", "Bram is still a priest"),
    ("Bram hasn't got a horse", "Bram's horse is lame"),
    ("Vess stopped drinking", "Vess still drinks"),
    ("Vess gave up smoking", "Vess still smokes"),
    ("Vess never stopped drinking", "Vess does not drink"),
    ("Dob is Vess's brother", "Dob and Vess are not related"),
    ("Maud is Bram's aunt", "Maud is no relation of Bram's"),
    ("Maud raised Dob", "Maud has never met Dob"),
    ("Bram leads the Red Sedge", "Maud is the leader of the Red Sedge"),
    ("Bram heads the Red Sedge", "The Red Sedge has no leader"),
    ("Bram left the Red Sedge", "Bram is still a member of the Red Sedge"),
    ("Vess lost the Glass Bell to Bram", "Vess still owns the Glass Bell"),
    ("The bell is made of glass", "The bell is bronze"),
    ("Bram is Maud's elder", "Maud is older than Bram"),
    ("Maud is the only doctor in Pier Nine", "Bram is a doctor in Pier Nine"),
    ("The skiff is painted blue", "The skiff is red"),
    ("The bridge collapsed", "The bridge is still standing"),
    ("Maud does not know Bram", "Maud is a friend of Bram's"),
    ("Vess is from Harl", "Vess has never been to Harl"),
    ("Bram always tells the truth", "Bram lied to Maud"),
    ("Dob is the murderer", "Dob did not kill anybody"),
    ("Maud cannot cook", "Maud is an excellent cook"),
    ("Maud has no family", "Maud lives with her sister"),
    ("Bram has a dog", "Bram has no pets"),
    ("Dob bled to death", "Dob is alive"),
    ("Maud turned against Bram", "Maud is still Bram's friend"),
)
NOT_CONTRADICTING = (
    ("Vess used to own the skiff", "Vess does not own the skiff"),
    ("Bram used to be a priest", "Bram is a smith"),
    ("Bram is used to the cold", "Bram hates the cold"),
    ("Bram was a soldier", "Bram is no soldier any more"),
    ("Vess stopped drinking", "Vess used to drink"),
    ("Vess stopped the cart", "Vess drives the cart"),
    ("Maud is Bram's aunt", "Maud is no relation of Dob's"),
    ("Bram leads the Red Sedge", "Maud is a member of the Red Sedge"),
    ("Bram is a member of the Red Sedge", "Bram left the Red Sedge"),
    ("Vess owns the Glass Bell", "Vess lost the Glass Bell to Bram"),
    ("Vess lost the battle", "Vess has a sword"),
    ("The bell is made of glass", "The bell is heavy"),
    ("Maud is the only doctor in Pier Nine", "Bram is a doctor in Harl"),
    ("The bridge stands by the mill", "The bridge collapsed"),
    ("Maud does not know Bram", "Maud is a friend of Dob's"),
    ("Maud has no family", "Maud misses her sister"),
    ("Maud has no money", "Maud has a house"),
    ("Maud cannot cook", "Maud is an excellent singer"),
    ("Dob was bored to death", "Dob is alive"),
    ("Dob nearly drowned", "Dob is alive"),
)


@pytest.mark.parametrize(
    ("before", "after", "contradicts"),
    [*((b, a, True) for b, a in CONTRADICTING), *((b, a, False) for b, a in NOT_CONTRADICTING)],
)
async def test_frame_of_plain_english_is_compared(before: str, after: str, contradicts: bool) -> None:
    assert await is_held(SentencePair("", NAMES, before, after, contradicts)) is contradicts
