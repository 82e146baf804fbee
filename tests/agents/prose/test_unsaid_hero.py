"""Lines of notes, which leave out `I`."""

from __future__ import annotations

import pytest

from agents.prose.unsaid_hero import add_hero


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("give the axe to Bodil", "I give the axe to Bodil"),
        ("Kill Osric.", "I kill Osric."),
        ("take the silver key from Dob, then hide it", "I take the silver key from Dob, then hide it"),
        ("tell Bodil that the mill burned", "I tell Bodil that the mill burned"),
        ("promise Edda to come back", "I promise Edda to come back"),
        ("go to the mill", "I go to the mill"),
        ("pick up the lamp", "I pick up the lamp"),
    ],
)
def test_what_a_line_of_notes_begins_with_is_done_by_the_hero(line: str, read: str) -> None:
    assert add_hero(line) == read
    assert add_hero(line, "@H@") == f"@H@{read[1:]}"


@pytest.mark.parametrize(
    "line",
    [
        "Give Bodil the axe!",
        "Give me the axe.",
        "Take the axe, Bodil.",
        "Tell us what you saw.",
        "Kill him, please.",
        "Swear it?",
        "I give the axe to Bodil.",
        "Osric takes the axe.",
        "Gold lies in the chest.",
        "takes the axe",
        "Promise",
    ],
)
def test_what_is_said_to_somebody_or_of_somebody_else_stays_as_it_is(line: str) -> None:
    assert add_hero(line) == line
