"""Tests what tells where or how somebody got a thing: a gift, a find, and no gift to somebody else."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.compared_texts import phrase_as_asked
from agents.search.question import parse_question
from agents.search.turn_answers import match_turn

NAMES = (("pella", "p"), ("bram", "b"), ("bram's pistol", "g"))


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("Where did I get the pistol?", "Pella hands me Bram's pistol.", True),
        ("Where did I get the pistol?", "Pella gives the pistol to me.", True),
        ("Where did I get the pistol?", "Pella sells you the pistol.", True),
        ("Where did I get the pistol?", "I find the pistol under the stairs.", True),
        ("Where did I get the pistol?", "I take the pistol from the table.", True),
        ("Where did I get the pistol?", "I take the pistol to the smith.", False),
        ("Where did I get the pistol?", "I give Pella the pistol.", False),
        ("Where did I get the pistol?", "Bram hands Pella the pistol.", False),
        ("How did Pella get the pistol?", "Bram hands Pella the pistol.", True),
        ("How did Pella get the pistol?", "Bram hands me the pistol.", False),
        ("Where did I get rid of the pistol?", "Pella hands me the pistol.", False),
    ],
)
def test_getting_a_thing_is_told_by_what_gives_it(question: str, text: str, is_so: bool) -> None:
    asked = parse_question(question, NAMES, Catalogue({}))
    assert match_turn(asked, phrase_as_asked(asked, text), "").is_answer is is_so
