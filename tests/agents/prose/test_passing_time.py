"""Tests of how much time plain prose lets pass, and of words that only name a time."""

from __future__ import annotations

import pytest

from agents.prose.passing_time import find_time_jump


@pytest.mark.parametrize(
    ("text", "jump"),
    [
        ("Two days pass.", "+2 days"),
        ("An hour passes, and nobody comes.", "+1 hour"),
        ("Then another three hours go by.", "+3 hours"),
        ("A week went by.", "+7 days"),
        ("Three days later I return to Millbrook.", "+3 days"),
        ("It is two hours later.", "+2 hours"),
        ("After two days of walking we see the sea.", "+2 days"),
        ("After an hour, Greta comes in.", "+1 hour"),
        ("The journey takes two hours.", "+2 hours"),
        ("The ride to Millbrook took us a full day.", "+1 day"),
        ("It takes us three hours to reach the mill.", "+3 hours"),
        ("We walk for two hours.", "+2 hours"),
        ("I wait here for 20 minutes.", "+20 minutes"),
        ("The journey takes two hours. It is noon when we arrive.", "to noon"),
        ("It is already dusk when we reach the mill.", "to dusk"),
        ("The next morning we set out for the Old Mill.", "to dawn"),
        ("The next day I walk to the Tarn.", "+1 day"),
    ],
)
def test_time_that_passes_is_read(text: str, jump: str) -> None:
    assert find_time_jump(text) == jump


@pytest.mark.parametrize(
    "text",
    [
        "Two days do not pass without rain.",
        "Two days ago the mill burned.",
        "If two days pass, he dies.",
        "Two days will pass before he comes.",
        "The journey would take two hours.",
        "I plan to wait for two days.",
        "I promise to come back three days later.",
        '"Two days pass," says Dob.',
        "I dream that two days pass.",
        "The song says that two days pass.",
        "I tell Dob that three days later the mill burned.",
        "He is two days late.",
        "Two days pass?",
        "It is noon.",
        "I have two hours to live.",
        "An hour is a long time.",
        "Two men pass.",
        "Every day we walk for two hours.",
    ],
)
def test_time_that_is_only_named_does_not_pass(text: str) -> None:
    assert find_time_jump(text) == ""
