"""Tests of which deaths plain prose tells, of whom, and which only sound like one."""

from __future__ import annotations

import pytest

from agents.prose.cast_reader import CastReader
from agents.prose.mentions import Figure
from agents.solo.strangers import find_strangers_in_claims

NAMES = ("Dob", "Greta", "Tom")

DEATHS = (
    ("Tom the miller is found dead in the river.", "Tom"),
    ("Tom the old miller drowned.", "Tom"),
    ("Tom was found dead at dawn.", "Tom"),
    ("We find Tom dead in the barn.", "Tom"),
    ("They found Greta dead in her bed.", "Greta"),
    ("The guards find Tom dead at his desk.", "Tom"),
    ("A boy discovers Tom lying dead in the reeds.", "Tom"),
    ("The flood came and it killed Greta.", "Greta"),
    ("The flood came and killed Greta.", "Greta"),
    ("The roof gives way, and it kills Dob.", "Dob"),
    ("Two wolves came down from the hills and killed Tom.", "Tom"),
    ("Dob falls from the roof and breaks his neck.", "Dob"),
    ("Dob slips on the stairs and breaks his neck.", "Dob"),
    ("Dob fell down the stairs and broke his neck.", "Dob"),
    ("The arrow hits Dob and kills him.", "Dob"),
)
NO_DEATHS = (
    "Tom is found dead drunk.",
    "We find Tom dead tired.",
    "Nobody finds Tom dead.",
    "I tell Tom the guard is dead.",
    "We hope not to find Tom dead.",
    "The flood came and it did not kill Greta.",
    "The flood came and nearly killed Greta.",
    "If the flood comes, it kills Greta.",
    "In the song the flood came and killed Greta.",
    "It kills Greta to see him go.",
    "It kills me to see Greta weep.",
    "Dob nearly breaks his neck.",
    "Dob falls from the roof and almost breaks his neck.",
    "Dob falls from the roof and breaks his arm.",
    "Dob breaks his neck to please Greta.",
    "Dob dreams that he falls from the roof and breaks his neck.",
    "Dob plans to kill Greta.",
)


def find_dead(text: str) -> list[str]:
    reader = CastReader([Figure((name,)) for name in NAMES], ("Mara",))
    return [NAMES[death.number] for death in reader.find_deaths(text, is_gm=True) if death.number is not None]


@pytest.mark.parametrize(("text", "who"), DEATHS)
def test_death_is_told_of_who_dies(text: str, who: str) -> None:
    assert find_dead(text) == [who]


@pytest.mark.parametrize("text", NO_DEATHS)
def test_death_is_not_told_where_nobody_dies(text: str) -> None:
    assert find_dead(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Wick stole Dob's ring.", ["Wick"]),
        ("Tom the miller is found dead in the river.", ["Tom"]),
        ("And Wick steals the ring.", ["Wick"]),
        ("Night stole over the town.", []),
        ("If Wick stole the ring, he hangs.", []),
        ("Wick never stole the ring.", []),
        ("Did Wick steal the ring?", []),
        ("He stole the ring.", []),
    ],
)
def test_stranger_who_did_what_lasts_or_died_is_found(text: str, names: list[str]) -> None:
    assert find_strangers_in_claims(text, []) == names
