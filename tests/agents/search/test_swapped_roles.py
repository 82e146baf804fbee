"""Which texts tell of a deed the other way round, or deny it, and which tell what is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.question import parse_question
from agents.search.swapped_roles import is_told_in_reverse, is_told_otherwise

NAMES = (
    ("mara", "m"),
    ("captain vess", "v"),
    ("teodor", "t"),
    ("green vial", "g"),
    ("salvage skiff", "s"),
    ("harl", "h"),
)
MARA = ("m",)


def is_otherwise(question: str, text: str) -> bool:
    parsed = replace(parse_question(question, NAMES, Catalogue({}), MARA), hero_ids=frozenset(MARA))
    return is_told_in_reverse(parsed, text, parsed.hero_ids) or is_told_otherwise(parsed, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did Vess give me?", "I give Vess my lantern."),
        ("What did Vess give Mara?", "Mara: I hand Captain Vess my lantern."),
        ("What did Vess give Mara?", "Mara has given Captain Vess a lantern."),
        ("Who robbed Vess?", "Vess robs Teodor at the pier."),
        ("Who robbed Vess?", "Teodor was robbed by Captain Vess."),
        ("Who did Vess rob?", "Teodor robs Captain Vess at the pier."),
        ("Whom did Mara rob?", "Teodor robs me."),
        ("What did Vess give Teodor?", "Mara gives Vess a coin."),
        ("Who robbed Vess?", "Teodor never robbed Vess."),
        ("Who robbed Vess?", "Teodor didn't rob Vess."),
        ("What did Vess tell me?", "I tell Vess that the key is gone."),
        ("What did Teodor say to Vess?", '"Late again," says Captain Vess to Teodor.'),
    ],
)
def test_is_told_otherwise_is_so_of_the_reverse_and_of_what_is_denied(question: str, text: str) -> None:
    assert is_otherwise(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did Vess give me?", "Vess gives me a lantern."),
        ("What did Vess give me?", "I get a lantern from Vess."),
        ("What did I give Vess?", "I give Vess my lantern."),
        ("What did Vess give me?", "I give Vess a coin. She gives me a lantern, and Vess gives me oil."),
        ("Who robbed Vess?", "Teodor robs Vess."),
        ("Who robbed Vess?", "Vess was robbed by Teodor."),
        ("Who robbed Vess?", "Vess's brother robbed her."),
        ("Who robbed Vess's brother?", "Vess robs him."),
        ("Who did Vess rob?", "Vess robs Teodor."),
        ("Who did Vess rob?", "Teodor robs Vess's brother, and Vess robs Teodor."),
        ("Who did Vess rob?", "Teodor robs Vess, and Vess robs Teodor."),
        ("Who did Vess rob?", "Teodor was robbed by Vess."),
        ("What does Vess owe me?", "I lend Vess three coins."),
        ("Who has never robbed Vess?", "Teodor never robbed Vess."),
        ("Did Teodor rob Vess?", "Teodor never robbed Vess."),
        ("Where did Vess meet Teodor?", "Teodor meets Vess on the pier."),
        ("Where did Vess hide the Green Vial?", "The loft has the Green Vial hidden in it."),
        ("Who rules Harl?", "The Harl Salt Company rules over Harl."),
        ("Who's captain of the Skiff now?", "Vess isn't captain any more."),
        ("Who owns the Salvage Skiff?", "The Salvage Skiff belongs to Teodor."),
        ("Who told Vess of the tide?", 'Teodor frowns. "I never told a soul," he says.'),
        (
            "What did Vess promise Teodor?",
            "Mara and Teodor promise Vess a boat, and Vess promises Teodor an oar.",
        ),
    ],
)
def test_is_told_otherwise_is_not_so_of_what_answers(question: str, text: str) -> None:
    assert not is_otherwise(question, text)
