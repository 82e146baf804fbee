"""Tests of which plain sentences hand a thing over, without a program around them."""

from __future__ import annotations

import pytest

from agents.declarations.handovers import HandoverReader


def read(text: str) -> list[tuple[str, str]]:
    """Return what is true after a text and who had the thing before; Dob and Greta are in the Red Heron."""
    is_gm = text.startswith("> ")
    reader = HandoverReader("Mara", "Red Heron", is_gm=is_gm, people_here=("Dob", "Greta", "Greta Vale"))
    return [(h.statement.sentence, h.holder_before) for h in reader.find(text.removeprefix("> "))]


@pytest.mark.parametrize(
    ("line", "after", "holder_before"),
    [
        ("I take back Dob's ring from Greta.", "Mara has the ring", "Greta"),
        ("I take the ring away from Greta.", "Mara has the ring", "Greta"),
        ("I hand over the ring to Greta.", "Greta has the ring", "Mara"),
        ("I hand the ring over to Greta.", "Greta has the ring", "Mara"),
        ("I hand Greta over the ring.", "Greta has the ring", "Mara"),
        ("> Greta takes the ring, turns it over, and laughs.", "Greta has the ring", ""),
        ("I give Dob his ring.", "Dob has the ring", "Mara"),
        ("I give Greta Dob's ring.", "Greta has the ring", "Mara"),
        ("I return Dob's ring to Greta.", "Greta has the ring", "Mara"),
        ("> Greta takes the ring from Dob and hides it under the bar.", "Greta has the ring", "Dob"),
        ("> Greta drops the ring by the door.", "The ring is in Red Heron", "Greta"),
        ("> Dob drops the ring.", "The ring is in Red Heron", "Dob"),
        ("I wrench the ring out of his hands.", "Mara has the ring", ""),
        ("> Dob confiscates the ring from Greta.", "Dob has the ring", "Greta"),
        ("> Dob seizes the ring.", "Dob has the ring", ""),
        ("> Greta tears the ring from Dob's fingers.", "Greta has the ring", ""),
        ("> Greta takes the ring back.", "Greta has the ring", ""),
        ("I get the ring back.", "Mara has the ring", ""),
        ("> Dob recovers the ring.", "Dob has the ring", ""),
        ("> Dob buys the ring from Greta for two crowns.", "Dob has the ring", "Greta"),
        ("> Greta sells me the ring.", "Mara has the ring", "Greta"),
        ("> A tired messenger hands Greta the ring.", "Greta has the ring", ""),
        ("I bury the ring under a loose board.", "The ring is under the loose board", "Mara"),
        ("I give Oathkeeper to Greta.", "Greta has Oathkeeper", "Mara"),
        ("> Greta hands me Oathkeeper.", "Mara has Oathkeeper", "Greta"),
        ("> Dob takes Horn of Dusk from Greta.", "Dob has Horn of Dusk", "Greta"),
        ("> Dob finds Oathkeeper again.", "Dob has Oathkeeper", ""),
        ("> A girl named Wren takes the ring from Dob and runs off.", "Wren has the ring", "Dob"),
        ("> Wren, a street girl, takes the ring from Dob.", "Wren has the ring", "Dob"),
        ("> One of the drovers steals the ring from Dob in the scuffle.", "The ring was stolen", ""),
        ("> Somebody stole my ring.", "The ring was stolen", ""),
        ("> Greta gives Dob the key to the cellar.", "Dob has the key", "Greta"),
        ("> Dob runs off with the ring.", "Dob has the ring", ""),
        ("> Greta made off with Oathkeeper into the night.", "Greta has Oathkeeper", ""),
        ("> Greta hands the ring to Dob, who hands it to me.", "Mara has the ring", "Greta"),
        ("I give the ring to Dob, who quickly passes it on to Greta.", "Greta has the ring", "Mara"),
        ("> Greta hands the ring to Dob, who hands it back to Greta.", "Greta has the ring", "Greta"),
        ("> Greta hands the ring to Dob, who shows it to me.", "Dob has the ring", "Greta"),
        ("> Greta hands the ring to Dob, who will hand it to me.", "Dob has the ring", "Greta"),
        ("> Greta hands the ring to Dob, who hands me a cup.", "Dob has the ring", "Greta"),
        ("I have the ring.", "Mara has the ring", ""),
        ("I have the ring again.", "Mara has the ring", ""),
        ("I've got the ring now.", "Mara has the ring", ""),
        ("> The stranger steals my ring while I look at the mule.", "The ring was stolen", ""),
        ("> Greta gives Dob the ring before we reach the corner.", "Dob has the ring", "Greta"),
        ("> Greta gives Dob the ring as the others look away.", "Dob has the ring", "Greta"),
        ("I take the ring from Greta after she falls asleep.", "Mara has the ring", "Greta"),
        ("> Dob drops the ring before Greta can stop him.", "The ring is in Red Heron", "Dob"),
        ("I leave with the ring.", "Mara has the ring", ""),
        ("> A boy vanishes with the ring.", "The ring was stolen", ""),
        ("I hand Greta Oathkeeper.", "Greta has Oathkeeper", "Mara"),
        ("I hand Greta Vale Oathkeeper.", "Greta Vale has Oathkeeper", "Mara"),
        ("I put Oathkeeper under the bed.", "Oathkeeper is under the bed", "Mara"),
        ("> Dob keeps the ring on a cord around his neck.", "Dob has the ring", ""),
        ("> Greta wears the ring on her finger.", "Greta has the ring", ""),
        ("I carry the ring in my left boot.", "Mara has the ring", ""),
        ("I give Dob the ring and he promises me a boat.", "Dob has the ring", "Mara"),
        ("I give Dob the ring as a keepsake.", "Dob has the ring", "Mara"),
        ("I give the ring to Dob as a keepsake.", "Dob has the ring", "Mara"),
        ("I hand Dob the ring without a word.", "Dob has the ring", "Mara"),
        ("I hand the ring to Dob without a word.", "Dob has the ring", "Mara"),
        ("I pass Dob the ring under the table.", "Dob has the ring", "Mara"),
        ("> Dob takes the ring home.", "Dob has the ring", ""),
        ("> Dob hands Greta the ring and she laughs.", "Greta has the ring", "Dob"),
    ],
)
def test_thing_that_is_handed_over_has_a_new_holder(line: str, after: str, holder_before: str) -> None:
    assert read(line) == [(after, holder_before)]


@pytest.mark.parametrize(
    "line",
    [
        "> Greta takes the ring, turns it over, and gives it back to me.",
        "> Wick drops the ring by the door.",
        "I have a ring.",
        "> Dob tries to seize the ring.",
        "> Dob will confiscate the ring.",
        "> Greta wears a ring on her finger.",
        "> Dob keeps the ring in his house.",
        "> If Dob kept the ring on a cord around his neck, I would see it.",
        "I do not hand over the ring to Greta.",
        "I almost take back Dob's ring from Greta.",
        "If I hand over the ring to Greta, she goes.",
        "I plan to hand over the ring to Greta.",
        "I dream that Greta takes the ring from Dob and hides it.",
        "> Greta takes the ring from Dob and gives it back.",
        "> Greta hands the ring to Dob, who gives it back.",
        "> Dob drops the ring down the well.",
        "> Dob tosses the ring over the wall.",
        "I give Dob the ring and he won't take it.",
        "I give Dob the ring and he refuses.",
    ],
)
def test_thing_that_is_not_handed_over_stays_where_it_is(line: str) -> None:
    assert read(line) == []


@pytest.mark.parametrize(
    ("line", "things", "holder"),
    [
        ("I take the lantern and the rope from Greta.", ("lantern", "rope"), "Mara"),
        ("> Greta gives the lantern and the rope to me.", ("lantern", "rope"), "Mara"),
        ("I give Dob my coat and a knife.", ("coat", "knife"), "Dob"),
        ("> Greta hands me a letter from Dob and the pistol.", ("letter", "pistol"), "Mara"),
        ("> Dob takes the silver cup and the bread from Greta, laughing.", ("silver cup", "bread"), "Dob"),
    ],
)
def test_two_things_that_are_handed_over_together_both_have_a_new_holder(
    line: str, things: tuple[str, str], holder: str
) -> None:
    assert [sentence for sentence, _ in read(line)] == [f"{holder} has the {thing}" for thing in things]


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("I take the lantern from Greta and the door slams.", []),
        ("I give Dob the salt and pepper.", ["Dob has the salt and pepper"]),
        ("> Greta gives the ring and the blame to Dob.", ["Dob has the ring and the blame"]),
    ],
)
def test_what_is_not_two_things_is_read_as_before(line: str, sentences: list[str]) -> None:
    assert [sentence for sentence, _ in read(line)] == sentences
