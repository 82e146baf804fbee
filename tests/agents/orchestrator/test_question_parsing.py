"""A question read for what it is about, and how far a text bears on it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.canon_keeper.predicates import load_catalogue
from agents.search.question import RecordQuestion, match_question, parse_question, remove_questions

CATALOGUE = load_catalogue()
KNOWN = (("wenna pike", "w"), ("the net loft", "l"), ("mara", "m"), ("old tam", "t"), ("tam marrow", "tm"))


def read(text: str) -> RecordQuestion:
    return parse_question(text, KNOWN, CATALOGUE)


@pytest.mark.parametrize(
    ("question", "ids", "words"),
    [
        ("Where is Wenna Pike?", {"w"}, set()),
        ("where is wenna", {"w"}, set()),
        ("Who owns Wenna's boat?", {"w"}, {"own", "boat"}),
        ("What did Tam see in the Net Loft?", {"t", "tm", "l"}, {"see"}),
        ("Did they ring the bells at dusk?", set(), {"ring", "bel", "dusk"}),  # in normal form
        ("¿Dónde está Mara?", {"m"}, {"dónd", "está"}),
        ("", set(), set()),
    ],
)
def test_names_stand_apart_from_words(question: str, ids: set[str], words: set[str]) -> None:
    inquiry = read(question)
    assert set(inquiry.entity_ids) == ids
    assert inquiry.content_words == words


def test_question_what_is_asked_for_is_known_by_how_it_is_asked() -> None:
    assert "located_in" in read("Where is Mara?").wanted_predicates
    assert {"owned_by", "owns"} <= read("Who owns the boat?").wanted_predicates.keys()
    assert "promised" in read("What did Mara promise?").wanted_predicates
    assert "married_to" in read("Who is Mara's wife?").wanted_predicates
    assert "alive" in read("Is Mara dead?").wanted_predicates


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        ("Who rang the bell?", "Old Tam rings the bell at ebb.", True),
        ("Who rang the bell?", "The bell is green.", False),
        ("Where is Mara?", "Mara sleeps in the loft.", True),
        ("Where is Mara?", "Mara laughs.", False),
        ("What did Mara hide?", "Mara hid the letter.", True),
        ("What did Mara hide?", "Wenna hid the letter.", False),
        ("How old is Magister Voss?", "Mara is forty years old.", False),  # nobody whom canon knows
        ("Did three men come?", "3 men came by night.", True),
    ],
)
def test_question_text_bears_on_a_question_by_its_names_and_words(
    question: str, text: str, enough: bool
) -> None:
    assert match_question(read(question), text).is_match is enough


@pytest.mark.parametrize(
    ("question", "text", "predicate", "enough"),
    [
        ("Where is Mara?", "Mara is aboard Gannet.", "located_in", True),
        ("Where is Mara's hat?", "Mara is aboard Gannet.", "located_in", False),
        ("Who owns the iron key, Mara?", "Mara owns Gannet.", "owns", False),
        ("What does Mara own?", "Mara owns Gannet.", "owns", True),
    ],
)
def test_question_fact_of_what_is_asked_for_needs_no_word_for_it(
    question: str, text: str, predicate: str, enough: bool
) -> None:
    assert match_question(read(question), text, {"m"}, predicate=predicate).is_match is enough


def test_question_to_repeat_a_question_is_not_to_answer_it() -> None:
    assert remove_questions("Who rang the bell?") == ""
    assert remove_questions("Who rang the bell? Nobody stirs.") == "Nobody stirs."
    assert remove_questions("Old Tam rang it.") == "Old Tam rang it."


@given(st.text(max_size=300), st.text(max_size=300))
def test_question_nothing_typed_breaks_it(question: str, text: str) -> None:
    said = match_question(read(question), text)
    assert 0 <= said.name_share <= 1
    assert 0 <= said.word_share <= 1
    assert not read(question).is_empty or not said.is_match or read(question).wanted_predicates
