"""Tests who does in a story what their state denies them: the blind who read."""

from __future__ import annotations

import pytest

from agents.declarations.denied_deeds import denies_deed, find_deniable_deeds
from tests.contract import builders as make

REEVE = make.entity("The Reeve")
TAM = make.entity("Tam")


@pytest.mark.parametrize(
    ("text", "is_denied"),
    [
        ("The Reeve looks at the letter and reads it aloud.", True),
        ("The Reeve saw the letter.", True),
        ("Tam reads the letter to the Reeve.", False),
        ("The Reeve cannot read the letter.", False),
        ("The Reeve is too blind to read.", False),
        ('"The Reeve reads the letter," says Tam.', False),
        ("If the Reeve reads the letter, we are lost.", False),
        ("The Reeve dreams that he reads the letter.", False),
    ],
)
def test_denied_deed_is_what_the_blind_see(text: str, is_denied: bool) -> None:
    people = [REEVE, TAM]
    deeds = find_deniable_deeds(text, people)
    assert any(denies_deed("The Reeve is blind.", deed, people) for deed in deeds) is is_denied
    assert not any(denies_deed("The Reeve is deaf.", deed, people) for deed in deeds)
    assert not any(denies_deed("Tam is rich.", deed, people) for deed in deeds)
