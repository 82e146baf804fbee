"""Tests which sentences say where somebody or a thing is, and of whom a question asks it."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.place_questions import (
    denies_whereabouts,
    is_fact_of_whereabouts,
    read_sought_one,
    tells_whereabouts,
)
from agents.search.question import parse_question

NAMES = [
    ("dob", "dob"),
    ("greta", "greta"),
    ("ring", "ring"),
    ("hester marrow", "hester"),
    ("the red heron", "inn"),
]


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("Where is Dob's ring?", "Greta now has the ring.", True),
        ("Where is Dob's ring now?", "The ring lies in the well.", True),
        ("Where is Dob's ring?", "Greta hides Dob's ring under the stove.", True),
        ("Where is Dob's ring?", "Greta has Osk's ring.", False),
        ("Where is Dob's ring?", "Dob is in the mill.", False),
        ("Where is my ring?", "I gave Greta the ring.", True),
        ("Who has the ring?", "The ring is made of silver.", False),
        ("Where is Dob?", "Greta promised that she will take Dob to the mill at dawn.", False),
        ("Where is Dob?", "Greta promised to bring Dob to the mill.", False),
        ("Where is Dob?", "Greta took Dob to the mill at dawn.", True),
        ("Where is Dob?", "Dob ran to the mill, and Greta will follow.", True),
        ("Where is Greta?", "Greta is taken to the gaol in a closed cab.", True),
        ("Where is Greta?", "Greta is taken by a fever.", False),
        ("Where is Greta's grave?", "Greta is buried by the church in Lowgarth.", True),
        ("Where is Greta's grave?", "Dob is buried by the church in Lowgarth.", False),
        ("Where is Greta's grave?", "Greta is buried on a Monday.", False),
        ("Where is Greta?", "Greta stays behind at the Red Heron.", True),
        ("Where is Greta?", "Greta owes Dob ten silver.", False),
        ("where is greta", "Greta and Dob ride to the ford.", True),
        ("Where did Dob go?", "Dob runs away to the Old Mill.", True),
        ("Where is Dob?", "Dob leaves.", True),
        ("Where is Dob?", "Dob nods. He goes to the mill.", True),
        ("Where is Dob?", "Dob leaves the ring with Greta.", False),
        ("Where is Dob?", "Dob runs the inn.", False),
        ("Where is Dob?", "Dob is the head of the smugglers.", False),
        ("Where is Dob?", "Dob's mother was killed in the flood.", False),
        ("Where is Dob?", "Dob says: My mother sold fish in Millbrook.", False),
        ("Where is Hester Marrow?", "Hester is hiding in the chapel.", True),
        ("Where is Dob?", "The ring was stolen last night by Dob.", False),
        ("Where is Dob?", "Greta gave Dob his parcel.", False),
        ("Where is Dob?", "Greta brought Dob bread.", False),
        ("Where is Dob?", "Greta stole the ring that Dob wore.", False),
        ("Where is Dob?", "Dob ran off with Greta's coins.", False),
        ("Where is Dob?", "Dob ran off with Greta's coins toward the mill.", True),
        ("Where is Dob?", "Dob ran off to the mill.", True),
        ("Where is Dob?", "Greta took Dob to the mill.", True),
        ("Where is Dob?", "Dob is left-handed.", False),
        ("Where is Dob?", "Greta left Dob behind.", True),
        ("Where is Dob?", "Dob is in debt.", False),
        ("Where is Dob?", "Dob is in deep debt.", False),
        ("Where is Dob?", "Dob is at odds with Greta.", False),
        ("Where is Dob?", "Dob is under the hay.", True),
        ("Where is Dob?", "Dob is in trouble in the mill.", False),
        ("Where is Dob?", "Dob comes to.", False),
        ("Where is Dob?", "Dob came to the mill.", True),
        ("Where is Dob?", "The watch still holds Dob.", True),
        ("Where is the Red Heron?", "Greta sold the ring to the Red Heron.", False),
        ("Where is the ring?", "Greta sold the ring to the Red Heron.", True),
        ("Where is the ring?", "Greta gave Dob the ring.", True),
        ("Where is the ring?", "Dob holds on to the ring.", True),
        ("Who has the ferry now?", "“The ferry's yours,” Harl tells you.", True),
        ("Who keeps the bridge?", "The bridge-keeper is a fat man called Ames.", True),
        ("Where is the soup kitchen?", "Bako opens a soup kitchen in Miriam's shop.", True),
        (
            "Where is the marked cellar?",
            "The map has a marked cellar drawn in red, under the Street of Dyers.",
            True,
        ),
        ("Where is the soup kitchen?", "Bako wants a soup kitchen of his own.", False),
        ("Who has the ferry now?", "Your ferry's name is Marguerite.", False),
    ],
)
def test_sentence_says_where_the_one_sought_is(question: str, text: str, is_told: bool) -> None:
    sought = read_sought_one(parse_question(question, NAMES, Catalogue({})))
    assert sought is not None
    assert tells_whereabouts(sought, text) is is_told


@pytest.mark.parametrize(
    "question",
    [
        "Who has brought the silver?",
        "Where is the ring that Dob lost?",
        "Who owns the mill?",
        "Where do the Ribs end?",
    ],
)
def test_question_seeks_nobody(question: str) -> None:
    assert read_sought_one(parse_question(question, NAMES, Catalogue({}))) is None


@pytest.mark.parametrize(
    ("text", "is_denied"),
    [
        ("Greta is not in the mill.", True),
        ("Greta is no longer at the mill.", True),
        ("Greta is in the mill.", False),
        ("Greta is not pleased.", False),
    ],
)
def test_sentence_says_where_the_one_sought_is_not(text: str, is_denied: bool) -> None:
    sought = read_sought_one(parse_question("Where is Greta?", NAMES, Catalogue({})))
    assert sought is not None
    assert denies_whereabouts(sought, text) is is_denied


def test_promise_says_where_nobody_is() -> None:
    sought = read_sought_one(parse_question("Where is Dob?", NAMES, Catalogue({})))
    assert sought is not None
    statement = "Greta promised to take Dob across at first light."
    assert not is_fact_of_whereabouts(sought, "promised", (), statement)
    assert is_fact_of_whereabouts(sought, "stated", (), "Greta took Dob across at first light.")


@pytest.mark.parametrize(
    ("question", "is_sought"),
    [
        ("Where is Dob buried?", False),  # a burial is asked for, and no whereabouts
        ("Where is Dob staying now?", False),
        ("Where is Dob?", True),
        ("Where is the hidden ring?", True),
    ],
)
def test_where_somebody_is_buried_or_stays_asks_for_that(question: str, is_sought: bool) -> None:
    assert (read_sought_one(parse_question(question, NAMES, Catalogue({}))) is not None) is is_sought
