"""What a turn must say to answer a question: together, the deed itself, and the number or name that is asked for."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import RecordQuestion, parse_question
from agents.search.turn_answers import find_asked_deed, match_turn

NAMES = (("bishop", "b"), ("dame astrid vole", "a"), ("long house", "l"), ("pella", "p"), ("bram", "r"))
LONG_TURN = (
    "The Long House is a hall of black timber with a turf roof and one lit window. Dame Astrid Vole is eighty if she "
    "is a day, straight as a mast, and takes the letter with tongs. It goes into the brazier. She gives you soup with "
    "barley in it. The smith wants seven crowns for the runner, and would sell you a second one for six."
)


def ask(text: str) -> RecordQuestion:
    return parse_question(text, NAMES, Catalogue({}))


def is_answered(question: str, text: str, *, before: str = "") -> bool:
    return match_turn(ask(question), text, "", before).is_answer


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What roof does the Long House have?", True),
        ("What did Dame Astrid take with tongs?", True),
        ("Why did Dame Astrid sell the Long House?", False),  # somebody else sells something else
        ("What did Dame Astrid pay the smith?", False),
    ],
)
def test_turn_answers_only_what_its_neighbouring_sentences_say(question: str, is_so: bool) -> None:
    assert is_answered(question, LONG_TURN) is is_so


def test_turn_answers_with_whom_the_turn_before_names() -> None:
    assert is_answered(
        "What does Pella want for her wands?", "She wants a penny for the wands.", before="Pella waits."
    )
    assert not is_answered(
        "What does Bram want for the wands?", "She wants a penny for the wands.", before="Pella waits."
    )


@pytest.mark.parametrize(
    ("question", "deed"),
    [
        ("Why did Dame Astrid sell the Long House?", "sell"),
        ("Who shot the yellow mastiff?", "shot"),
        ("Who has brought the silver?", "brought"),
        ("What did I burn at the ford?", "burn"),
        ("What did Bram tell Pella?", ""),  # words are quoted without saying so
        ("Who is Pella's father?", ""),
        ("How did the founder smuggle the child out?", ""),  # `founder` is no name: it may be the deed
    ],
)
def test_turn_answers_which_deed_is_asked_for(question: str, deed: str) -> None:
    assert find_asked_deed(ask(question)) == deed


def test_turn_answers_a_deed_in_another_form() -> None:
    assert is_answered("Who shot the yellow mastiff?", "Bram shoots the yellow mastiff.")
    assert not is_answered("Who shot the yellow mastiff?", "Bram feeds the yellow mastiff.")


def test_turn_answers_with_a_number_or_a_name_where_one_is_asked_for() -> None:
    assert is_answered("How much did Bram pay for the pony?", "Bram paid nine crowns for the pony.")
    assert not is_answered(
        "How much did Bram pay for the pony?", "Bram paid for the pony and left an empty yard."
    )
    assert is_answered("How much did Bram pay for the pony?", "Bram paid a penny for the pony.")
    assert is_answered("How old is Bram's mother?", "Bram's mother is seventy-one, old as she is.")
    assert is_answered("What is Bram's pony called?", "Bram has a pony called Deacon.")
    assert not is_answered("What is Bram's pony called?", "Bram has the pony with him.")
