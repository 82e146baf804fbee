"""Whom a player means by a role, as the record names them: the smith is Odo Varr."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import parse_question
from agents.search.spoken_roles import find_roles, keep_roles, name_roles, read_role_names

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
