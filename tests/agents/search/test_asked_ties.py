"""Whom a question asks for by what they are to somebody, and which texts name that one."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.asked_ties import names_tied_one, read_asked_tie
from agents.search.question import RecordQuestion, parse_question


def ask(question: str) -> RecordQuestion:
    return parse_question(question, (("lisbet crane", "entity:lisbet"),), Catalogue({}))


@pytest.mark.parametrize(
    "question",
    [
        "Who is Lisbet's brother?",
        "And who was Lisbet Crane's younger brother?",
        "Who is the brother of Lisbet?",
        "What is Lisbet's brother called?",
        "What's the name of Lisbet's brother?",
    ],
)
@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Lisbet’s brother Corm was the smith of Harrow.", True),
        ("Corm is Lisbet Crane's younger brother.", True),
        ("Lisbet nods. Her brother, Corm, is gone.", True),
        ("Corm, Lisbet's brother, laughs.", True),
        ("The brother of Lisbet is Corm.", True),
        ("Lisbet has a brother called Corm.", True),
        ("Lisbet's brother lives. His name is Corm.", True),
        ("Lisbet is Corm's sister.", True),
        ("Corm and Lisbet are siblings.", True),
        ("Lisbet says: “My brother Corm is dead.”", True),
        ("Edda Rook promised Lisbet Crane: “I will find her brother.”", False),
        ("Lisbet's brother was taken by the reeve.", False),
        ("Lisbet's brother's friend Ulf nods.", False),
        ("Corm is Lisbet's brother's friend.", False),
        ("Lisbet's sister Ulla nods.", False),
        ("Ulf's brother Corm nods.", False),
        ("This is Lisbet's brother.", False),
        ("Lisbet is Corm's aunt.", False),
        ("Corm is not Lisbet's brother.", False),
    ],
)
def test_tie_is_named_in_many_ways_and_not_by_who_speaks_of_it(
    question: str, text: str, *, is_named: bool
) -> None:
    tie = read_asked_tie(ask(question))
    assert tie is not None
    assert names_tied_one(tie, text) is is_named


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Lisbet's husband?", "Ulf married Lisbet in the spring."),
        ("Who is Lisbet's employer?", "Lisbet works for Aldwin."),
        ("Who is Lisbet's master?", "Aldwin hires Lisbet for the harvest."),
        ("What is Lisbet's horse called?", "Lisbet's mare Grizel limps."),
        ("Who is Lisbet's uncle?", "Lisbet is Ulf's niece."),
        ("Who is Lisbet's father?", "Lisbet is the daughter of Ulf."),
        ("Who is my brother?", "My brother Hew waves."),
    ],
)
def test_tie_may_be_said_in_other_words_or_from_its_other_end(question: str, text: str) -> None:
    tie = read_asked_tie(ask(question))
    assert tie is not None
    assert names_tied_one(tie, text)


@pytest.mark.parametrize(
    "question",
    [
        "Who is Lisbet?",
        "Who was Lisbet's killer?",
        "Where is Lisbet's brother?",
        "Who killed Lisbet's brother?",
    ],
)
def test_other_questions_ask_for_no_tie(question: str) -> None:
    assert read_asked_tie(ask(question)) is None
