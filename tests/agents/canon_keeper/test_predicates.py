"""The catalogue of predicates: what is in it, and what is said of a bad one."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Predicate, read_catalogue, same_value
from stores.errors import InputError
from stores.records.canon import FactValue
from tests.agents.canon_keeper.proposal_builders import CATALOGUE


def test_predicate_what_the_design_names_is_there() -> None:
    named = (
        "alive located_in contains connected_to owns owned_by member_of ally_of enemy_of parent_of child_of"
    )
    assert set(f"{named} rules_over knows promised said hp".split()) <= CATALOGUE.names()


@pytest.mark.parametrize("predicate", CATALOGUE.predicates.values(), ids=lambda p: p.name)
def test_predicate_every_predicate_makes_a_sentence(predicate: Predicate) -> None:
    if isinstance(predicate.statement, dict):
        sentences = [CATALOGUE.phrase(predicate.name, "Mara", words) for words in predicate.statement]
    else:
        sentences = [CATALOGUE.phrase(predicate.name, "Mara", "Jon")]
    for sentence in sentences:
        assert "Mara" in sentence
        assert "{" not in sentence
        assert sentence[0].isupper()


@pytest.mark.parametrize(
    ("name", "other", "value", "sentence"),
    [
        ("alive", "", False, "Orc died."),
        ("alive", "", True, "Orc is alive."),
        ("hp", "", 7, "Orc's HP is 7."),
        ("hp", "", 7.5, "Orc's HP is 7.5."),
        ("is", "", "wounded", "Orc is wounded."),
        ("located_in", "Cave", None, "Orc is in Cave."),
        ("contains", "Ring", None, "Ring is in Orc."),
        ("haunted_by", "Mara", None, "Orc haunted by Mara."),
        ("battle cry", "", "Waaagh", "Orc's battle cry is Waaagh."),
        ("od{d}", "", 1, "Orc's od{d} is 1."),
    ],
)
def test_sentences(name: str, other: str, value: FactValue | None, sentence: str) -> None:
    assert CATALOGUE.phrase(name, "Orc", other, value) == sentence


def test_names_with_braces_stay_words() -> None:
    assert CATALOGUE.phrase("located_in", "{subject}", "{0}") == "{subject} is in {0}."


def test_predicate_unknown_predicate_forbids_nothing() -> None:
    unknown = CATALOGUE["haunted_by"]
    assert (unknown.cardinality, unknown.critical, CATALOGUE.excluded_by("haunted_by")) == (
        "many",
        False,
        frozenset(),
    )


def test_exclusion_goes_both_ways_and_inverses_are_found() -> None:
    assert CATALOGUE.excluded_by("enemy_of") == {"ally_of"}
    assert CATALOGUE.related_predicates("contains") == {"located_in", "contains"}
    assert CATALOGUE.related_predicates("ally_of") == {"ally_of", "enemy_of"}


def test_death_is_critical_and_life_is_not() -> None:
    assert CATALOGUE.is_critical("alive", False)
    assert not CATALOGUE.is_critical("alive", True)
    assert not CATALOGUE.is_critical("hp", 0), "0 is not False"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (7, 7.0, True),
        (0, False, False),
        (1, True, False),
        ("Grim", "grim", True),
        (None, None, True),
        (1, "1", False),
    ],
)
def test_plain_values(one: FactValue | None, other: FactValue | None, same: bool) -> None:
    assert same_value(one, other) is same


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- alive", "predicates and their fields should stand here"),
        ("alive: {cardinality: two}", "cardinality"),
        ("alive: {colour: red}", "colour"),
        ("alive: {excludes: [dead]}", "alive names 'dead', which is not in the catalogue"),
        ("alive: [", "line 1"),
    ],
)
def test_predicate_bad_catalogue_is_refused_in_words(text: str, why: str) -> None:
    with pytest.raises(InputError, match=r"kinds of fact cannot be used") as refused:
        read_catalogue(text)
    assert why in str(refused.value)
