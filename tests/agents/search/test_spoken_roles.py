"""Whom a player means by a role, as the record names them: the smith is Odo Varr."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import parse_question
from agents.search.spoken_roles import (
    describe_as_statement,
    find_roles,
    keep_roles,
    name_roles,
    name_spoken_roles,
    read_held_roles,
    read_role_names,
)

TEXTS = (
    "“Me, and my daughter Elsbet. The smith, Odo Varr, across the yard.”",
    "The farrier, a boy called Pell, shoes the mare.",
    "The captain is Lysa Korr, young and bored.",
    "Widow Crane leans over the counter. Odo the smith has gone.",
    "A guard called Brandt opens. The other guard, Ames, sleeps.",
    "Grumbling, the chaplain opens the box. Then Sister Aune, our chaplain, goes.",
    "He thinks. “Hale. The inspector. Sleeps in the guest room.”",
    "Harding, the cook, is late. Now Harding runs.",
    "We come to Port Cassel. The harbour. Nobody is there.",
)


@pytest.mark.parametrize(
    ("question", "named_question"),
    [
        ("What became of the smith?", "What became of Odo Varr?"),
        ("What did I promise the ferryman's daughter?", "What did I promise Elsbet?"),
        ("Who paid the farrier?", "Who paid Pell?"),
        ("Where did the captain go?", "Where did Lysa Korr go?"),
        ("What did the guard say?", "What did the guard say?"),  # two have that role
        (
            "Who beat the chaplain at draughts?",
            "Who beat Sister Aune at draughts?",
        ),  # nobody is called Grumbling
        ("Where does the inspector sleep?", "Where does Hale sleep?"),
        ("Who paid the cook?", "Who paid Harding?"),  # a name all the same: it stands within a sentence, too
        ("Who sank the harbour boat?", "Who sank the harbour boat?"),
        (
            "Who burned the harbour?",
            "Who burned the harbour?",
        ),  # where they came stands in a sentence of its own
        ("What lies in the yard?", "What lies in the yard?"),
        ("What is the smith's trade?", "What is the smith's trade?"),
    ],
)
def test_role_means_the_only_one_who_is_said_to_have_it(question: str, named_question: str) -> None:
    roles = find_roles(parse_question(question, (), Catalogue({})))
    assert name_roles(question, read_role_names(roles, TEXTS)) == named_question


def test_text_may_have_the_role_for_the_name_that_it_means() -> None:
    question = keep_roles(
        parse_question("What became of Odo Varr?", (), Catalogue({})), {"smith": "Odo Varr"}
    )
    assert question.names[0].is_in("The smith goes.", frozenset())
    assert not question.names[0].is_in("A smith goes.", frozenset())


REEVES = ("reeve of harrow", "reeve")
OF_HARROW = "Aldwin is the reeve of Harrow."


@pytest.mark.parametrize(
    "statement",
    [
        OF_HARROW,
        "Aldwin is Harrow's reeve.",
        "Aldwin is reeve of Harrow.",
        "The reeve of Harrow is Aldwin.",
        describe_as_statement("Aldwin", "The cruel reeve of Harrow, feared by all"),
    ],
)
def test_statement_says_the_role_with_its_place_and_without(statement: str) -> None:
    assert read_held_roles("Aldwin", statement) == REEVES
    assert read_role_names(REEVES, [statement]) == dict.fromkeys(REEVES, "Aldwin")


@pytest.mark.parametrize(
    "statement",
    [
        "Aldwin is a hard man.",
        "Aldwin is tired.",
        "Aldwin is the brother of Lisbet.",
        "Aldwin is not the reeve.",
        "Aldwin is no reeve.",
        "Aldwin is no longer the reeve of Harrow.",
        "Aldwin is the reeve of Harrow's brother.",
        "Osk is the reeve.",
        "Lisbet hates Aldwin. Osk is the reeve.",
    ],
)
def test_statement_says_no_role_of_somebody(statement: str) -> None:
    assert read_held_roles("Aldwin", statement) == ()


@pytest.mark.parametrize(
    ("other_text", "roles"),
    [
        ("Osk is the reeve of Harrow's brother.", REEVES),
        ("Osk is the reeve of Ashby.", REEVES[:1]),  # `the reeve` may mean either
        ("Osk, Ashby's reeve, nods.", REEVES[:1]),
        ("The reeve of Ashby is Osk.", REEVES[:1]),
        ("Osk is the new reeve.", ()),
        ("Osk becomes reeve of Harrow.", ()),
        ("Osk, Harrow's reeve, nods.", ()),
        ("Aldwin is no longer the reeve.", ()),
        ("The former reeve of Harrow laughs.", ()),
    ],
)
def test_role_means_nobody_who_is_not_the_only_one_ever_to_have_it(
    other_text: str, roles: tuple[str, ...]
) -> None:
    assert read_role_names(REEVES, [OF_HARROW, other_text]) == dict.fromkeys(roles, "Aldwin")


def test_role_that_has_ended_means_nobody() -> None:
    assert read_role_names(REEVES, [OF_HARROW], ["Aldwin is the reeve."]) == {}


@pytest.mark.parametrize(
    ("text", "named_text"),
    [
        ("Lisbet killed the reeve of Harrow.", "Lisbet killed Aldwin."),
        ("Lisbet cuts the reeve's throat.", "Lisbet cuts Aldwin's throat."),
        ("Harrow's reeve is dead.", "Aldwin is dead."),
        ("Lisbet killed the reeve of Ashby.", "Lisbet killed the reeve of Ashby."),
        ("She calls the reeve-hunter.", "She calls the reeve-hunter."),
        ("She calls her reeve.", "She calls her reeve."),
    ],
)
def test_text_is_read_with_the_name_for_the_role(text: str, named_text: str) -> None:
    assert name_spoken_roles(text, dict.fromkeys(REEVES, "Aldwin")) == named_text


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("Who killed the reeve of Harrow?", ("reeve of harrow",)),
        ("Where is the captain of the guard?", ("captain of guard",)),
        ("Who is the reeve of Harrow?", ()),  # whose role it is, is what is asked
        ("Who's the reeve now?", ()),
    ],
)
def test_question_may_speak_of_a_role_of_a_place(question: str, roles: tuple[str, ...]) -> None:
    assert find_roles(parse_question(question, (), Catalogue({}))) == roles
