"""Tests which sentences end that somebody has a thing, whatever way they come to the gate."""

from __future__ import annotations

import pytest

from agents.canon_keeper.sentences.comparison import ClaimComparison
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.canon_keeper.sentences.word_lists import load_word_lists
from stores.records.world import EntityKind
from tests.agents.canon_keeper import proposal_builders as kit

NAMES = build_name_book(
    [
        *(
            kit.entity(name, EntityKind.CHARACTER)
            for name in ("Ansa Brook", "Corrin Vale", "Lady Isolde Marr", "Pip")
        ),
        kit.entity("sealed letter", EntityKind.OBJECT),
        kit.entity("Tower", EntityKind.PLACE),
    ]
)
COMPARISON = ClaimComparison(kit.CATALOGUE, load_word_lists(), lambda one, other: False, NAMES.places)
ANSA_HAS_IT = "Ansa has the sealed letter."


def ends(later: str, earlier: str = ANSA_HAS_IT) -> bool:
    """Return whether a later sentence tells that an earlier one is so no more."""
    contradiction = COMPARISON.find_contradiction(
        read_statement(earlier, NAMES).claims, read_statement(later, NAMES).claims
    )
    assert contradiction is None or contradiction.is_change, "it may not be held against it"
    return contradiction is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "Corrin stole the sealed letter.",
        "Corrin steals the letter from Ansa.",
        "Corrin took the sealed letter and ran.",
        "Corrin snatches the sealed letter from Ansa.",
        "The sealed letter was stolen.",
        "The sealed letter was stolen by Corrin.",
        "Ansa lost the sealed letter.",
        "Ansa drops the sealed letter in the well.",
        "Ansa gives Pip the sealed letter.",
        "Lady Marr burns the sealed letter.",
        "Ansa throws away the sealed letter.",
        "The sealed letter was burnt by Lady Marr.",
        "The sealed letter is destroyed.",
        "The sealed letter is ash.",
    ],
)
def test_deed_ends_that_somebody_has_the_thing(sentence: str) -> None:
    assert ends(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Corrin never stole the sealed letter.",
        "Corrin can steal the sealed letter.",
        "Pip lost the sealed letter.",
        "Corrin took the Tower.",
        "Corrin burned the Tower.",
        "Corrin lost Ansa.",
        "Ansa stole the sealed letter.",
    ],
)
def test_other_deed_leaves_the_thing_with_its_owner(sentence: str) -> None:
    assert not ends(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Corrin stole the sealed letter.",
        "Corrin lost the sealed letter in the mud.",
        "Pip loses the sealed letter.",
        "Pip drops the sealed letter in the well.",
        "Pip throws away the sealed letter.",
        "Lady Marr burns the sealed letter.",
    ],
)
def test_thing_that_is_taken_or_lost_lies_there_no_more(sentence: str) -> None:
    assert ends(sentence, "The sealed letter is in the Tower.")
    assert not ends("The sealed letter is in the Tower.", sentence), "it may be found there"


def test_theft_stays_a_theft() -> None:
    assert not ends("Ansa has the sealed letter.", "Corrin stole the sealed letter."), "a theft stays a theft"


LIES_THERE = "The sealed letter is in the boathouse under a heap of nets."


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (LIES_THERE, ANSA_HAS_IT),
        (ANSA_HAS_IT, LIES_THERE),
        (ANSA_HAS_IT, "The sealed letter lies under the altar."),
        (ANSA_HAS_IT, "The sealed letter is in the Tower."),
    ],
)
def test_thing_is_in_one_place_or_with_one_holder_at_a_time(earlier: str, later: str) -> None:
    contradiction = COMPARISON.find_contradiction(
        read_statement(earlier, NAMES).claims, read_statement(later, NAMES).claims
    )
    assert contradiction is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "The sealed letter is in her bag.",
        "The sealed letter is in Ansa's coat.",
        "Ansa is in the Tower.",
        "Ansa has the seal of the Tower.",
    ],
)
def test_what_somebody_carries_is_with_them(sentence: str) -> None:
    assert not ends(sentence)
