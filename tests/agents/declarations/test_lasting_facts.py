"""Tests of what a sentence says is so, without a program around it."""

from __future__ import annotations

import pytest

from agents.declarations.lasting_facts import find_statements, guess_entity
from stores.records.world import EntityKind


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dob has been blind since birth.", ["Dob is blind"]),
        ("Dob is blind from birth.", ["Dob is blind"]),
        ("Dob has been dead for ten years.", ["Dob is dead"]),
        ("The bell has been broken for many winters.", ["The bell is broken"]),
        ("A girl named Wren stole the bell.", ["Wren stole the bell"]),
        ("Has Dob been blind since birth?", []),
        ("If Dob has been blind since birth, he lied.", []),
        ("Dob has been blind, they say, since birth.", []),
    ],
)
def test_what_has_been_so_for_long_is_stated_as_what_is(text: str, sentences: list[str]) -> None:
    known = [guess_entity("Dob", EntityKind.CHARACTER), guess_entity("bell", EntityKind.OBJECT)]
    assert [s.sentence for s in find_statements(text, known)] == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dob borrows four shillings from me.", ["Dob owes Mara four shillings"]),
        ("I borrowed two crowns from Dob for the coach.", ["Mara owes Dob two crowns"]),
        ("Dob lends me 3 coins.", ["Mara owes Dob 3 coins"]),
        ("A raft drifts ashore; I owe Dob five crowns for it.", ["Mara owes Dob five crowns"]),
        ("Dob lends me a mule called Biscuit; I owe him two crowns for it.", ["Mara owes Dob two crowns"]),
        ("Dob nods, and I owe him fifty dollars up front.", ["Mara owes Dob fifty dollars up front"]),
        ("I agree, and I owe him fifty dollars up front.", []),
        ("I laugh, and I owe her a favour.", []),
        ("I laugh, and he and Dob are brothers.", []),
        ("Dob was killed by Mara, who threw a knife.", ["Dob was killed by Mara"]),
        ("I lend Dob the bell.", []),
        ("Dob lends me a hand.", []),
        ("Dob wants to borrow three coins from me.", []),
    ],
)
def test_sum_that_is_lent_is_owed(text: str, sentences: list[str]) -> None:
    known = [guess_entity(name, EntityKind.CHARACTER) for name in ("Dob", "Mara")]
    assert [s.sentence for s in find_statements(text, known, "Mara")] == sentences


@pytest.mark.parametrize(
    "text",
    [
        "Dob has lost an eye.",
        "Dob loses two fingers.",
        "Dob lost an arm in the war.",
        "Dob has lost his left hand.",
        "Dob loses one of his ears to the crows.",
        "Dob has lost both legs.",
    ],
)
def test_lost_part_of_the_body_is_stated(text: str) -> None:
    known = [guess_entity("Dob", EntityKind.CHARACTER)]
    assert [s.sentence for s in find_statements(text, known)] == [text.rstrip(".")]


@pytest.mark.parametrize(
    "text",
    [
        "Dob has lost an eye for detail.",
        "Dob loses patience.",
        "Dob loses his head.",
        "Dob loses his mind.",
        "Dob has lost heart.",
        "Dob loses a hand.",
        "Dob loses his nose for trouble.",
        "Dob loses an arm and a leg on the deal.",
        "Dob has not lost an eye.",
        "Dob nearly loses an eye.",
        "Dob may lose two fingers.",
        "Dob's brother has lost an eye.",
        "Has Dob lost an eye?",
        "If Dob loses two fingers, he weeps.",
        "The statue has lost an arm.",
        "Dob loses an ear in the bet.",
    ],
)
def test_what_is_lost_only_so_to_speak_is_not_stated(text: str) -> None:
    known = [guess_entity("Dob", EntityKind.CHARACTER)]
    assert find_statements(text, known) == []
