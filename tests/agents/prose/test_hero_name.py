"""The hero's name in the place of the first person, in words that go into canon."""

from __future__ import annotations

import pytest

from agents.prose.hero_name import name_hero


@pytest.mark.parametrize(
    ("typed_text", "named_text"),
    [
        ("I own a boat", "Mara owns a boat"),
        ("My boat is red", "Mara's boat is red"),
        ("Me and Vess are friends", "Mara and Vess are friends"),
        ("Vess and I are allies", "Vess and Mara are allies"),
        ("Vess hates me", "Vess hates Mara"),
        ("I'll come back with my brother", "Mara will come back with Mara's brother"),
        ("I'm the last of them, and I am tired", "Mara is the last of them, and Mara is tired"),
        ("I've never lied", "Mara has never lied"),
        ("I never go back", "Mara never goes back"),
        ("I don't trust Vess", "Mara doesn't trust Vess"),
        ("I haven't a coin", "Mara hasn't a coin"),
        ("I carry the bell and go in", "Mara carries the bell and goes in"),
        ("I tried and failed", "Mara tried and failed"),
        ("I cut the rope", "Mara cut the rope"),
        ("When I was young, I stole a boat", "When Mara was young, Mara stole a boat"),
        ("Never again will I sail", "Never again will Mara sail"),
        ("Do I know it?", "does Mara know it?"),
        ("i am tired", "Mara is tired"),
        ("The boat is mine", "The boat is Mara's"),
        ("me located_in Yard", "Mara located_in Yard"),
    ],
)
def test_hero_name_stands_for_the_first_person(typed_text: str, named_text: str) -> None:
    assert name_hero(typed_text, "Mara") == named_text


@pytest.mark.parametrize(
    "text",
    [
        "Vess said “I will kill you.”",
        'Vess said "Give me my boat"',
        "The ship My Love sank",
        "The boat at Pier I is closed",
        "The salt mine is closed",
        "Mika and Miriam met in Imyra",
        "First a), then i)",
        "Vess promised to come",
    ],
)
def test_hero_name_leaves_quotes_and_names_alone(text: str) -> None:
    assert name_hero(text, "Mara") == text


def test_hero_name_without_a_hero_leaves_the_words() -> None:
    assert name_hero("I own my boat", "") == "I own my boat"
