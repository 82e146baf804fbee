"""Tests of reading whose memories a question asks for."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.belief_questions import find_believers, is_on_known_matter
from agents.search.question import RecordQuestion, parse_question

NAMES = [
    ("wenna pike", "wenna"),
    ("wenna", "wenna"),
    ("gil oakum", "gil"),
    ("gil", "gil"),
    ("the warden", "warden"),
]


def _parse(text: str) -> RecordQuestion:
    return parse_question(text, NAMES, Catalogue({}))


@pytest.mark.parametrize(
    ("text", "believers"),
    [
        ("What does Wenna know about Gil?", {"wenna"}),
        ("What did Wenna Pike think of the sledge?", {"wenna"}),
        ("What was Gil told?", {"gil"}),
        ("What has the Warden been told about the key?", {"warden"}),
        ("Does Gil still remember the bell?", {"gil"}),
        ("Who knows Wenna?", set()),
        ("Where does Wenna live?", set()),
        ("Do I know Gil?", set()),
        ("What does Osk know?", set()),
    ],
)
def test_belief_question_names_whose_memories_answer(text: str, believers: set[str]) -> None:
    assert find_believers(_parse(text)) == believers


def test_belief_question_is_answered_by_memories_on_its_matter() -> None:
    question = _parse("What does Wenna know about Gil?")
    assert is_on_known_matter(question, "He went out on the Ribs.", frozenset({"gil"}))
    assert is_on_known_matter(question, "Gil owes me money.", frozenset())
    assert not is_on_known_matter(question, "Mara drinks too much.", frozenset({"mara"}))
    assert is_on_known_matter(_parse("What does Wenna know?"), "Mara drinks too much.", frozenset())
