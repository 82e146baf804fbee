"""Tests of where the hero goes by plain prose, who comes along, and who is missed who is not here."""

from __future__ import annotations

import pytest

from agents.prose.cast_reader import CastReader, TurnReading
from agents.prose.cast_reading import CastMove, CastState
from agents.prose.mentions import Figure

NAMES = ("Dob", "Greta")
PLACES = ("Millbrook", "Old Mill")
HERE = "Red Heron"


def read(text: str, *, here: str = "", companions: str = "", left_behind: str = "") -> TurnReading:
    """Return what a line of the player's moves, in the Red Heron."""
    reader = CastReader(
        [Figure((name,)) for name in NAMES], ("Mara",), PLACES, (HERE,), [(place,) for place in PLACES]
    )
    state = CastState(present=numbers(here), companions=numbers(companions), left_behind=numbers(left_behind))
    return reader.read_turn(text, state, is_gm=False)


def numbers(names: str) -> frozenset[int]:
    return frozenset(NAMES.index(name) for name in names.split())


def is_here_after(reading: TurnReading, here: str) -> set[str]:
    present = set(numbers(here))
    for move, number in reading.moves:
        present.add(number)
        if move in (CastMove.LEAVES, CastMove.STAYS_BEHIND):
            present.discard(number)
    return {NAMES[number] for number in present}


@pytest.mark.parametrize(
    ("line", "here", "place", "after"),
    [
        ("With Greta I ride to Millbrook.", "Dob Greta", "Millbrook", "Greta"),
        ("Together with Greta, I ride to Millbrook.", "Dob Greta", "Millbrook", "Greta"),
        ("With Greta at my side, I walk to Millbrook.", "Dob Greta", "Millbrook", "Greta"),
        ("Taking Greta with me, I walk to Millbrook.", "Dob Greta", "Millbrook", "Greta"),
        (
            "The next morning we set out for the Old Mill, all three of us.",
            "Dob Greta",
            "Old Mill",
            "Dob Greta",
        ),
        ("The next day I walk to the Old Mill.", "Dob", "Old Mill", ""),
        ("Greta and I go back to Millbrook.", "Dob", "Millbrook", "Greta"),
        ("Greta and I return to Millbrook.", "", "Millbrook", "Greta"),
        ("I go back to Millbrook with Greta.", "", "Millbrook", "Greta"),
        ("I follow Dob to the Old Mill.", "Dob Greta", "Old Mill", "Dob"),
        ("I follow Dob to the Old Mill.", "", "Old Mill", "Dob"),
        ("I chase Dob to the Old Mill.", "Dob", "Old Mill", "Dob"),
        ("I go to the Old Mill and speak with Greta.", "", "Old Mill", ""),
        ("I go to the Old Mill and speak with Greta.", "Greta", "Old Mill", ""),
        ("I go to Millbrook to talk with Greta.", "", "Millbrook", ""),
        ("I walk to Millbrook and sit down beside Greta.", "", "Millbrook", ""),
        ("I ride to Millbrook, and have a drink with Greta and Dob.", "", "Millbrook", ""),
        ("I go to Millbrook and play cards with Greta.", "Dob Greta", "Millbrook", ""),
        ("I ride to Millbrook, with Greta at my side.", "Dob Greta", "Millbrook", "Greta"),
        ("I leave for Millbrook together with Greta.", "Dob Greta", "Millbrook", "Greta"),
        ("I cross the ford and go to Millbrook with Greta.", "Dob Greta", "Millbrook", "Greta"),
        ("I go to Millbrook and take Greta along.", "Dob Greta", "Millbrook", "Greta"),
    ],
)
def test_journey_takes_along_whom_the_words_name(line: str, here: str, place: str, after: str) -> None:
    reading = read(line, here=here)
    assert reading.destination == PLACES.index(place)
    assert is_here_after(reading, here) == set(after.split())


@pytest.mark.parametrize(
    "line",
    [
        "With Greta I have no quarrel.",
        "Next morning I would set out for the Old Mill.",
        "I plan to set out for the Old Mill the next morning.",
        "If Greta and I go back to Millbrook, we drown.",
        "I follow Dob with my eyes.",
        "I chase Dob round the table.",
        "I dream that I follow Dob to the Old Mill.",
        "With Greta I could ride to Millbrook.",
    ],
)
def test_words_that_are_no_journey_leave_everybody_where_they_are(line: str) -> None:
    reading = read(line, here="Dob Greta")
    assert (reading.destination, reading.moves) == (None, [])


def test_who_is_only_followed_comes_along_nowhere() -> None:
    moves = read("I follow Dob to the Old Mill.", here="Dob").moves
    assert (CastMove.COMES_ALONG, 0) not in moves


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("I go to Millbrook with Greta.", {"Dob"}),
        ("Greta and I go to Millbrook.", {"Dob"}),
        ("I go to Millbrook alone.", {"Dob", "Greta"}),
        ("I go to Millbrook.", set()),
        ("I go to Millbrook, and Greta comes along.", set()),
    ],
)
def test_companions_come_along_unless_the_words_name_the_company(line: str, left: set[str]) -> None:
    moves = read(line, here="Dob Greta", companions="Dob Greta").moves
    assert {NAMES[number] for move, number in moves if move is CastMove.STAYS_BEHIND} == left


@pytest.mark.parametrize(
    "line", ["We set off for the old pier, Greta comes along.", "We head for the old pier."]
)
def test_company_goes_to_no_place_that_is_not_known(line: str) -> None:
    reading = read(line, here="Dob Greta")
    assert (reading.destination, reading.unknown_site) == (None, "old pier")


@pytest.mark.parametrize(
    "line",
    [
        "I accuse Dob of theft.",
        "I confront Dob.",
        "Dob tells me where it is.",
        "Dob tells me that the mill burns.",
        "Dob thanks me for the ale.",
        "Dob promises me a room.",
        "Dob is asleep inside.",
        "Dob is in the Red Heron.",
        "Dob sits in the Heron with Greta.",
    ],
)
def test_who_is_not_here_is_missed_who_speaks_or_is_spoken_to(line: str) -> None:
    reading = read(line)
    assert reading.missed == {0} or (CastMove.COMES, 0) in reading.moves


@pytest.mark.parametrize(
    "line",
    [
        "I want to accuse Dob of theft.",
        "Dob told me yesterday where it is.",
        "I dream that Dob tells me where it is.",
        "Dob's letter tells me where it is.",
        "In the letter Dob tells me where it is.",
        "If Dob tells me where it is, I go.",
        "Dob is asleep in his bed at home.",
        "Dob is in Millbrook.",
        "Dob is not in the Red Heron.",
    ],
)
def test_who_is_not_here_is_not_missed_where_nobody_speaks_now(line: str) -> None:
    assert read(line).missed == frozenset()


PLACES_BY_KIND = (
    "Pier Nine",
    "Ruins of Karth",
    "Mill Lane",
    "Lamp Room",
    "Dock Two",
    "Dock Seven",
    "Fort Hallam",
    "Camp Road",
)


def read_by_kind(line: str, here: str = "Salvage Skiff") -> tuple[str, str]:
    """Return the place that a line of the player's goes to, and the unknown one that it would go to."""
    reader = CastReader([], ("Mara",), PLACES_BY_KIND, (here,), [(place,) for place in PLACES_BY_KIND])
    reading = reader.read_turn(line, CastState(), is_gm=line.startswith("You"))
    return "" if reading.destination is None else PLACES_BY_KIND[reading.destination], reading.unknown_site


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("I swim to the pier.", "Pier Nine"),
        ("I row back to the pier", "Pier Nine"),
        ("I go to the Pier.", "Pier Nine"),
        ("You ride to the ruins.", "Ruins of Karth"),
        ("I ride to the fort.", "Fort Hallam"),
        ("I climb the stairs to the Lamp Room.", "Lamp Room"),
        ("I climb the ladder to the Lamp Room.", "Lamp Room"),
        ("I climbed the old iron ladder up to the lamp room.", "Lamp Room"),
        ("You climb the spiral staircase into the Lamp Room.", "Lamp Room"),
        ("I take the stairs to the Lamp Room", "Lamp Room"),
        ("I take the ferry to Pier Nine.", "Pier Nine"),
        ("I follow the river to the ruins.", "Ruins of Karth"),
        ("I follow the shore down to Pier Nine.", "Pier Nine"),
        ("I walk along the shore to the pier.", "Pier Nine"),
        ("I cross the bridge to Mill Lane.", "Mill Lane"),
    ],
)
def test_journey_names_a_place_by_its_kind_or_by_the_way_there(line: str, place: str) -> None:
    assert read_by_kind(line) == (place, "")


@pytest.mark.parametrize(
    ("line", "site"),
    [
        ("I walk along the shore to the weir.", "weir"),
        ("I walk to the weir.", "weir"),
        ("I climb the stairs to the watchtower.", "watchtower"),
        ("I follow the stream to the old mill.", "old mill"),
        ("I go to the mill.", "mill"),
        ("I go to the camp.", "camp"),
        ("I go to the dock.", "dock"),
        ("I follow the tracks north to the frozen lake.", "frozen lake"),
        ("I follow the footprints to the barn.", "barn"),
        ("I follow the prints in the snow to the chapel.", "chapel"),
        ("I follow the tracks of the sledge to the weir.", "weir"),
        ("I climb to the pass.", "pass"),
        ("I ride west to the glacier.", "glacier"),
    ],
)
def test_journey_by_any_way_to_an_unknown_place_names_it(line: str, site: str) -> None:
    assert read_by_kind(line) == ("", site)


@pytest.mark.parametrize(
    "line",
    [
        "I climb the stairs to the Lamp Room door.",
        "I climb the stairs to see the Lamp Room.",
        "I climb the ladder towards the Lamp Room.",
        "I want to climb the stairs to the Lamp Room.",
        "Shall I climb the stairs to the Lamp Room?",
        "I do not climb the ladder to the Lamp Room.",
        "I take the rope and look at the Lamp Room.",
        "I follow the stairs with my eyes to the Lamp Room.",
        "I swim.",
        "I swim under the pier.",
        "I follow the tracks with my eyes to the lake.",
        "I look over to the frozen lake.",
        "I go to the door of the lake house.",
        "I follow the tracks to their end.",
        "I take the lamp.",
    ],
)
def test_words_of_ways_and_kinds_that_are_no_journey_go_nowhere(line: str) -> None:
    assert read_by_kind(line) == ("", "")


def test_kind_of_the_place_where_the_scene_is_names_no_other() -> None:
    assert read_by_kind("I walk to the pier.", here="Pier Ten") == ("", "")
