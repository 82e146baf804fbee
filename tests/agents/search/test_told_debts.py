"""What one owes is not what another owes: `How much do I owe Sabo?` is not answered by what Sabo owes."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import parse_question
from agents.search.told_debts import is_owed_by_others

NAMES = (("sabo", "s"), ("ketta", "k"), ("dorn", "d"))


@pytest.mark.parametrize(
    ("question", "text", "is_of_others"),
    [
        ("How much do I owe Sabo?", "Sabo owes Dorn nine silver.", True),
        ("How much do I owe Sabo?", "Sabo owes you nine silver.", True),
        ("How much do I owe Sabo?", "You owe Dorn nine silver.", True),
        ("How much do I owe Sabo?", "You owe Sabo nine silver.", False),
        ("How much do I owe Sabo?", "You still owe nine silver to old Sabo.", False),
        ("How much do I owe Sabo?", 'Sabo counts. "You owe me nine," he says.', False),
        ("How much do I owe Sabo?", "Sabo owes Dorn nine silver, and you owe Sabo two.", False),
        ("How much do I owe Sabo?", "Sabo wants nine silver from you.", False),  # no debt is told
        ("How much do I owe Sabo?", "Orla owes Sabo nine silver.", False),  # the hero, by name
        ("What does Sabo owe me?", 'Sabo sighs. "You owe me nine," he says.', True),
        ("What does Sabo owe me?", "Sabo owes you nine silver.", False),
        ("How much does Sabo owe Dorn?", "Ketta owes Dorn nine silver.", True),
        ("How much does Sabo owe Dorn?", "He owes Dorn nine silver.", False),  # it may be Sabo
        ("Who owes Dorn a horse?", "Ketta owes Sabo a horse.", True),
        ("Who owes Dorn a horse?", "Ketta owes Dorn a horse.", False),
        ("Who lent Dorn a horse?", "Ketta owes Sabo a horse.", False),  # no debt is asked for
        ("What is Dorn owed?", "Ketta owes Sabo a horse.", False),
    ],
)
def test_debt_of_others_is_not_the_one_asked_for(question: str, text: str, is_of_others: bool) -> None:
    asked = parse_question(question, NAMES, Catalogue({}))
    assert is_owed_by_others(asked, text, is_players=False, hero_name="Orla") is is_of_others


@pytest.mark.parametrize(
    ("text", "is_of_others"),
    [
        ("I tell Sabo that he owes Ketta a horse.", True),
        ("I say that Ketta owes me eight.", True),
        ("I say that I owe Ketta eight.", False),
    ],
)
def test_debt_in_the_players_own_line_is_theirs_by_i(text: str, is_of_others: bool) -> None:
    asked = parse_question("Who do I owe?", NAMES, Catalogue({}))
    assert is_owed_by_others(asked, text, is_players=True, hero_name="Orla") is is_of_others
