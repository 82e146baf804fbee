"""What tells how somebody got, lost or became something, and where they put it: that it is so does not say it."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import RecordQuestion, parse_question
from agents.search.turn_answers import match_turn

NAMES = (("bishop", "b"), ("dame astrid vole", "a"), ("long house", "l"), ("pella", "p"), ("bram", "r"))


def ask(text: str) -> RecordQuestion:
    return parse_question(text, NAMES, Catalogue({}))


def is_answered(question: str, text: str) -> bool:
    return match_turn(ask(question), text, "").is_answer


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("How did Bram lose his finger?", "Bram has one finger missing on his left hand.", False),
        ("How did Bram lose his finger?", "Bram lost a finger to the mill wheel.", True),
        ("How did Bram get the scar on his chin?", "Bram has a scar on his chin and a grey horse.", False),
        ("How did Bram get the scar on his chin?", "A dog bit Bram: hence the scar on his chin.", True),
        ("How did Bram get the horse?", "Bram bought the horse from a tinker.", True),
        ("When did Bram become reeve?", "Pella wants Bram as her reeve.", False),
        ("When did Bram become reeve?", "Bram is elected reeve on Friday.", True),
        ("When did Bram want to get married?", '"I want to marry at New Year," says Bram.', True),
        ("When did Bram get married?", "Bram wants to marry at New Year.", False),
        ("Why did Bram get ill?", "Bram is ill, because he drank from the well.", True),
        ("Why did Bram get ill?", "Bram is cold, because he drank from the well.", False),
        ("What is wrong with Pella's ear?", "Pella scratches her ear.", False),
        ("What is wrong with Pella's ear?", "Pella is deaf in her left ear.", True),
        ("What is the matter with Pella's cart?", "Pella's cart has a cracked axle.", True),
        ("Why do people call Bram the Bear?", "Everybody calls him Bram the Bear, because he growls.", True),
        ("Why do people call Bram the Bear?", "Bram growls like a bear, because he is cold.", False),
    ],
)
def test_turn_tells_how_it_came_about_and_not_only_that_it_is_so(
    question: str, text: str, is_so: bool
) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("Where did Bram hide his book?", "Bram keeps his book behind a loose stone.", True),
        ("Where did Bram hide his book?", "Bram reads his book by the fire.", False),
        ("Where did Bram hide his book?", "Pella keeps a book behind a loose stone.", False),
        ("Where did Bram keep the ladder?", "Bram's ladder lies in the barn.", True),
        ("Where was the ladder kept?", "The ladder lies in the barn.", True),
        ("Where was the ladder kept?", "The ladder is too short.", False),
        ("Where did I carry the vial?", "I take the vial and sew it into my hem.", True),
        ("Where did Bram lose his ring?", "Bram's ring lies in the well.", False),  # he may not have lost it
    ],
)
def test_turn_tells_where_a_thing_was_put_by_where_it_is(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("How many pennies were in the box?", "The box has 112 pennies in it.", True),
        ("How many men does Bram have?", "Bram has eight armed men with him.", True),
        ("How many men does Bram have?", "Bram has eight horses and trusts no man.", False),
        ("How big was the reward for Bram?", "The reward for Bram is forty crowns.", True),
        ("How big was the reward for Bram?", "The reward for Bram is small.", False),
        ("How big was Bishop's litter?", "Bishop's litter is of three kittens.", True),
        (
            "How big is the Long House?",
            "The Long House has three doors.",
            False,
        ),  # it is measured, not counted
        ("How much did the sword cost?", "I bring the sword. It is paid for, and we ride at once.", False),
        ("How many times did Bram pay for the sword?", "Bram paid once for the sword.", True),
        ("How old is Pella?", "Pella has wanted it since she was ten.", False),
        ("How old is Pella?", "Pella is ten.", True),
        ("How old was Pella when she left?", "Pella left when she was ten.", True),
    ],
)
def test_turn_counts_what_is_asked_for(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        (
            "What did Bram give me before I went to the mill?",
            '"Wait," says Bram, and gives you a whistle.',
            True,
        ),
        ("What did Bram give me before I went to the mill?", "Pella gives you a whistle.", False),
        ("What did Pella sell before she worked for Bram?", "Pella sells newspapers.", True),
        # What is asked of what came first must all be said.
        ("What did Pella sell at the fair before she worked for Bram?", "Pella sells newspapers.", False),
        ("What did Bram want before he would help?", "Bram wants bread.", False),
    ],
)
def test_turn_need_not_tell_what_came_after_what_is_asked(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("How old is Pella?", "The stable girl is called Pella. She is about twelve.", True),
        ("How old is Bishop?", "She is about twelve and has a bandage, because Bishop bit her.", False),
        ("How many sacks did Bram bring?", "Bram brings six sacks.", True),
        ("How many sacks did Bram bring?", "Bram brings six bags.", False),  # in other words
        ("What did Bram say?", '"Six sacks," says Bram.', False),
    ],
)
def test_turn_says_all_that_is_asked_in_the_same_words(question: str, text: str, is_so: bool) -> None:
    assert match_turn(ask(question), text, "").says_all is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("What does Bram's ring look like?", "Bram's ring is silver with a fish on it.", True),
        ("What does Bram's ring look like?", "Bram's ring is lost.", False),
        ("What does Bram look like?", "Bram has a silver ring.", False),  # somebody is no thing
        ("What does Bram look like?", "Bram has a red beard.", True),
        ("Who runs the Long House?", "The Long House is an inn. Pella is the innkeeper.", True),
        ("Who runs the Long House?", "The Long House is an inn. Pella sleeps there.", False),
    ],
)
def test_turn_tells_how_a_thing_looks_and_who_runs_a_house(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so
