"""Contradictions about what there is one of: an office, an order of age, a death, a date; and look-alikes of them."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike", "Wick"), "character"),
    **dict.fromkeys(("Hollowmere", "Black Stag"), "place"),
    **dict.fromkeys(("Swift Return",), "object"),
    **dict.fromkeys(("Red Hand",), "faction"),
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric pilots the Swift Return.", "Nora is the pilot of the Swift Return."),
        ("Osric is the Swift Return's engineer.", "Nora is the engineer of the Swift Return."),
        ("Osric is mayor of Hollowmere.", "The mayor of Hollowmere is called Nora Pike."),
        ("Osric leads the Red Hand.", "Brannoc is the boss of the Red Hand."),
        ("Osric runs the Black Stag.", "Brannoc is the landlord of the Black Stag."),
        ("Osric is in charge of the Black Stag.", "The Black Stag is managed by Brannoc."),
        ("The blacksmith of Hollowmere is Brannoc.", "Wick is the blacksmith of Hollowmere."),
        ("Osric and Brannoc are twins.", "Osric is two years younger than Brannoc."),
        ("Osric and Brannoc are the same age.", "Brannoc is older than Osric."),
        ("Osric is Brannoc's older brother.", "Osric is Brannoc's younger brother."),
        ("Osric is Brannoc's father.", "Osric is younger than Brannoc."),
        ("Osric had never seen Nora before the feast.", "Osric has known Nora since they were children."),
        ("Osric had never met Nora before.", "Osric and Nora grew up together."),
        ("Osric hanged himself.", "Osric was murdered."),
        ("Osric died peacefully in his sleep.", "Osric took his own life."),
        ("Brannoc killed Osric.", "Osric died of a fever."),
        ("Osric arrived before the feast.", "Osric arrived an hour after the feast."),
        ("The flood came before the plague.", "The plague came before the flood."),
        ("The murder happened on a Monday.", "The murder took place on Friday night."),
        ("The siege began in midsummer.", "The siege began in December."),
        ("The tower was built a hundred years ago.", "The tower was built last year."),
        ("The tower is over two hundred years old.", "The tower was built forty years ago."),
        ("Brannoc's mother is dead.", "Brannoc's mother sells fish."),
        ("Brannoc's mother is dead.", "Brannoc visits his mother every week."),
        ("Wick is an orphan.", "Wick's father works at the mill."),
        ("Both of Wick's parents are dead.", "Wick's mother sells fish."),
        ("Osric is a vegetarian.", "Osric ate a steak."),
        ("Osric quit smoking years ago.", "Osric smokes a pack a day."),
        ("The door cannot be opened.", "Wick opened the door."),
        ("Osric is unable to read.", "Osric read the letter."),
        ("Osric has no idea how to swim.", "Osric swam across the lake."),
        ("Osric is incapable of lying.", "Osric lied to Nora."),
        ("The house has a cellar.", "There is no cellar under the house."),
        ("There are three doors in the crypt.", "The crypt has only one door."),
        ("There is not a single window in the tower.", "The tower has a window."),
    ],
)
async def test_contradictions_of_one_value_are_caught(before: str, after: str) -> None:
    assert await is_held(SentencePair("one value", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric is the pilot of the Swift Return.", "Nora is the captain of the Swift Return."),
        ("Osric is the pilot of the Swift Return.", "Nora is the pilot of the shuttle."),
        ("Osric is the former pilot of the Swift Return.", "Nora is the pilot of the Swift Return."),
        ("Osric was the pilot of the Swift Return.", "Nora is the pilot of the Swift Return."),
        ("Osric is the deputy head of the Red Hand.", "Brannoc is the head of the Red Hand."),
        ("Osric is one of the cooks of the Black Stag.", "Nora is the cook of the Black Stag."),
        ("Osric owns the Black Stag.", "Brannoc runs the Black Stag."),
        ("Osric leads Nora to the gate.", "Brannoc leads Nora to the cellar."),
        ("Osric handles the sword well.", "Brannoc handles the sword badly."),
        ("Osric and Brannoc are twins.", "Osric is older than Wick."),
        ("Osric and Brannoc are twins.", "Osric is older than Brannoc by ten minutes."),
        ("Osric is Brannoc's uncle.", "Osric is younger than Brannoc."),
        ("Osric looks younger than Brannoc.", "Osric is older than Brannoc."),
        ("Osric had never met Nora before the feast.", "Osric met Nora at the feast."),
        ("Osric had never seen Nora so angry before.", "Osric has known Nora since childhood."),
        ("Osric has known Nora since this morning.", "Osric had never met Nora before."),
        ("Osric was murdered.", "Osric drowned in the lake."),
        ("Osric killed himself laughing.", "Osric was murdered."),
        ("Osric died of his wounds.", "Osric was killed by Brannoc."),
        ("Osric arrived before the feast.", "Osric left after the feast."),
        ("Osric arrived before the feast.", "Nora arrived after the feast."),
        ("Osric left the hall before the feast.", "Osric left the yard after the feast."),
        ("The flood came before the plague.", "The plague came after the flood."),
        ("The murder happened on Monday.", "The robbery happened on Friday."),
        ("The murder happened in winter.", "The murder happened in December."),
        ("The meeting began at noon.", "The meeting began at dusk."),
        ("The tower was built a hundred years ago.", "The tower is over eighty years old."),
        ("The tower was built a hundred years ago.", "The tower was rebuilt last year."),
        ("Brannoc's mother is dead.", "Brannoc visits his mother's grave."),
        ("Wick is an orphan.", "Wick's father was a fisherman."),
        ("Wick is an orphan.", "Wick carries his father's knife."),
        ("Osric ate a steak.", "Osric is a vegetarian."),
        ("Osric gave up smoking.", "Osric smokes again."),
        ("The door cannot be opened without the key.", "Wick opened the door with the key."),
        ("The ghost cannot be seen by day.", "Nora saw the ghost at midnight."),
        ("Osric is unable to read.", "Osric's sister read the letter."),
        ("There are three doors in the crypt.", "There are two iron doors in the crypt."),
        ("There are three doors in the crypt.", "The crypt has a door."),
        ("The house has a cellar.", "There is no cellar under the barn."),
        ("There were three doors in the crypt.", "The crypt has one door."),
    ],
)
async def test_contradictions_of_one_value_leave_look_alikes_alone(before: str, after: str) -> None:
    assert not await is_held(SentencePair("look-alike", NAMES, before, after, contradicts=False))
