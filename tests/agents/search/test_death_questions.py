"""Whose death a question asks for, and whether a text tells of it."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.death_questions import asks_about_death, tells_of_death
from agents.search.question import RecordQuestion, parse_question


def ask(text: str) -> RecordQuestion:
    return parse_question(text, [("osk wendry", "o")], Catalogue({}))


@pytest.mark.parametrize("question", ["How did Osk die?", "Who killed Marten?", "Is Marten dead?"])
def test_death_question_asks_about_somebody_of_canon_or_of_a_log_alone(question: str) -> None:
    assert asks_about_death(ask(question))


@pytest.mark.parametrize(
    "question",
    ["Who died in the flood?", "Who died in Harl?", "Is Osk's dog dead?", "How did Juniper's son die?"],
)
def test_death_question_asks_neither_about_the_place_nor_about_the_owner(question: str) -> None:
    assert not asks_about_death(ask(question))


@pytest.mark.parametrize(
    "question",
    ["Who did Osk kill?", "Whom did Osk kill?", "Who has Osk Wendry killed?", "Who was killed by Osk?"],
)
def test_death_question_asks_not_about_who_kills(question: str) -> None:
    assert not asks_about_death(ask(question))


@pytest.mark.parametrize(
    "question",
    ["Who killed Osk?", "When was Osk killed?", "Did Marten kill Osk?", "Was Osk killed by Marten?"],
)
def test_death_question_asks_about_who_is_killed(question: str) -> None:
    assert asks_about_death(ask(question))


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Marten died in the snow.", True),
        ("Somebody killed Marten at the ford.", True),
        ("Marten is dead.", True),
        ("Marten looks at you, as if the dead man were given bread.", False),
        ("Marten falls over a dead dog.", False),
        ("Osk fell dead beside Marten.", False),
        ("Osk promised Isa that he will kill Marten.", False),
        ("Osk swears to kill Marten.", False),
        ("Marten must be killed.", False),
        ("Osk managed to kill Marten.", True),
    ],
)
def test_death_of_somebody_outside_canon_is_told_of_them_alone(text: str, tells: bool) -> None:
    assert tells_of_death(ask("How did Marten die?"), text) is tells


def test_promise_to_kill_is_told_to_who_asks_for_one() -> None:
    promise = "Osk promised Isa that he will kill Marten."
    assert tells_of_death(ask("Who promised to kill Marten?"), promise)
    assert not tells_of_death(ask("Who killed Marten?"), promise)
