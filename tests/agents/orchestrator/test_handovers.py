"""Tests of which plain sentences hand a thing over, without a program around them."""

from __future__ import annotations

import pytest

from agents.declarations.handovers import HandoverReader


def read(text: str) -> list[tuple[str, str]]:
    """Return what is true after a text and who had the thing before; Dob and Greta are in the Red Heron."""
    is_gm = text.startswith("> ")
    reader = HandoverReader("Mara", "Red Heron", is_gm=is_gm, people_here=("Dob", "Greta"))
    return [(h.statement.sentence, h.holder_before) for h in reader.find(text.removeprefix("> "))]


@pytest.mark.parametrize(
    ("line", "after", "holder_before"),
    [
        ("I take back Dob's ring from Greta.", "Mara has the ring", "Greta"),
        ("I take the ring away from Greta.", "Mara has the ring", "Greta"),
        ("I hand over the ring to Greta.", "Greta has the ring", "Mara"),
        ("I hand the ring over to Greta.", "Greta has the ring", "Mara"),
        ("I hand Greta over the ring.", "Greta has the ring", "Mara"),
        ("I give Dob his ring.", "Dob has the ring", "Mara"),
        ("I give Greta Dob's ring.", "Greta has the ring", "Mara"),
        ("I return Dob's ring to Greta.", "Greta has the ring", "Mara"),
        ("> Greta takes the ring from Dob and hides it under the bar.", "Greta has the ring", "Dob"),
        ("> Greta drops the ring by the door.", "The ring is in Red Heron", "Greta"),
        ("> Dob drops the ring.", "The ring is in Red Heron", "Dob"),
        ("I wrench the ring out of his hands.", "Mara has the ring", ""),
        ("> Greta tears the ring from Dob's fingers.", "Greta has the ring", ""),
        ("> Greta takes the ring back.", "Greta has the ring", ""),
        ("I get the ring back.", "Mara has the ring", ""),
        ("> Dob recovers the ring.", "Dob has the ring", ""),
    ],
)
def test_thing_that_is_handed_over_has_a_new_holder(line: str, after: str, holder_before: str) -> None:
    assert read(line) == [(after, holder_before)]


@pytest.mark.parametrize(
    "line",
    [
        "> Wick drops the ring by the door.",
        "I do not hand over the ring to Greta.",
        "I almost take back Dob's ring from Greta.",
        "If I hand over the ring to Greta, she goes.",
        "I plan to hand over the ring to Greta.",
        "I dream that Greta takes the ring from Dob and hides it.",
        "> Greta takes the ring from Dob and gives it back.",
    ],
)
def test_thing_that_is_not_handed_over_stays_where_it_is(line: str) -> None:
    assert read(line) == []
