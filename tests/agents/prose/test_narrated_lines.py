"""Tests which lines of a player tell of others, as a narrator does."""

from __future__ import annotations

import pytest

from agents.prose.narrated_lines import tells_of_others


@pytest.mark.parametrize(
    ("text", "is_narration"),
    [
        ('Dace says, "There is a letter for me."', True),
        ("Corrin Vale is a prisoner of Captain Hask.", True),
        ("The old lamp gutters.", True),
        ("She came in.", True),
        ("Dace owes me nine coins.", False),
        ("Go north.", False),
        ("I ask Dace for something hot.", False),
        ('"Hello," I say.', False),
        ('"Hello there."', False),
    ],
)
def test_line_of_others_is_narration(text: str, is_narration: bool) -> None:
    assert tells_of_others(text) is is_narration
