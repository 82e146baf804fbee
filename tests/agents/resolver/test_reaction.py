"""Bonds in canon, and how they change reaction rolls."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from agents.canon_keeper.predicates import load_catalogue
from agents.resolver.bonds import WARMTH, Bond, find_bonds
from agents.resolver.reaction import (
    MAX_MODIFIER,
    OUTCOMES,
    Attitude,
    attitude_of,
    reaction_odds,
    roll_reaction,
    total_modifier,
)
from stores.records.canon import Fact, FactStatus, Standing
from tests.agents.resolver.fact_builders import build_fact
from tests.examples import examples

CATALOGUE = load_catalogue()
MODIFIERS = range(-MAX_MODIFIER, MAX_MODIFIER + 1)


def warmth(
    *facts: Fact, character: str = "Stint", towards: str = "Hester", tick: int | None = None
) -> list[int]:
    return [bond.warmth for bond in find_bonds(character, towards, facts, CATALOGUE, tick)]


# --- bonds ------------------------------------------------------------------------------------------


def test_bond_warmth_names_catalogued_predicates() -> None:
    assert set(WARMTH) <= CATALOGUE.names()


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (build_fact("ally_of", "Stint", "Hester"), [3]),
        (build_fact("ally_of", "Hester", "Stint"), [3]),
        (build_fact("enemy_of", "Hester", "Stint"), [-3]),
        (build_fact("parent_of", "Hester", "Stint"), [2]),
        (build_fact("child_of", "Hester", "Stint"), [3]),  # the other way round: he is her parent
        (build_fact("owes", "Stint", "Hester"), [1]),
        (build_fact("owes", "Hester", "Stint"), [-1]),
        (build_fact("owes", "Hester", "Stint", closed=True), []),
        (build_fact("serves", "Stint", "Hester"), [2]),
        (build_fact("knows", "Stint", "Hester"), []),
        (build_fact("ally_of", "Stint", "Ivo"), []),
        (build_fact("ally_of", "Stint", "Hester", standing=Standing.RUMOUR), []),
        (build_fact("ally_of", "Stint", "Hester", status=FactStatus.RETCONNED), []),
        (build_fact("ally_of", "Stint", "Hester", valid_to=100), []),
    ],
)
def test_bond_warmth_of_each_fact(fact: Fact, expected: list[int]) -> None:
    assert warmth(fact) == expected


@pytest.mark.parametrize(("tick", "expected"), [(5, []), (10, [3]), (99, [3]), (100, []), (None, [])])
def test_bond_holds_during_fact(tick: int | None, expected: list[int]) -> None:
    assert (
        warmth(build_fact("ally_of", "Stint", "Hester", valid_from=10, valid_to=100), tick=tick) == expected
    )


def test_bond_follows_from_factions() -> None:
    company, tollers = (
        build_fact("member_of", "Stint", "Company"),
        build_fact("member_of", "Hester", "Tollers"),
    )
    feud = build_fact("enemy_of", "Company", "Tollers")
    (bond,) = find_bonds("Stint", "Hester", [company, tollers, feud], CATALOGUE)
    assert bond == Bond(-2, (feud, company, tollers))
    assert bond.text == f"-2: {feud.statement} {company.statement} {tollers.statement}"
    assert warmth(company, build_fact("enemy_of", "Hester", "Company")) == [-2]
    assert warmth(company, build_fact("member_of", "Hester", "Company")) == [1]
    assert warmth(company, tollers) == []


def test_bond_needs_named_faction() -> None:
    assert warmth(build_fact("member_of", "Stint"), build_fact("member_of", "Hester")) == []


def test_bond_counts_once() -> None:
    direct = build_fact("enemy_of", "Stint", "Hester")
    assert warmth(direct, direct, build_fact("member_of", "Stint", "Company")) == [-3]


# --- reactions --------------------------------------------------------------------------------------


def test_reaction_odds_count_every_throw() -> None:
    for modifier in MODIFIERS:
        published = reaction_odds(modifier)
        assert list(published) == list(Attitude)
        assert sum(published.values()) == OUTCOMES
        assert list(published.values()) == list(reaction_odds(-modifier).values())[::-1]
    assert list(reaction_odds().values()) == [3, 7, 16, 7, 3]


def test_reaction_odds_improve_with_modifier() -> None:
    def at_most(modifier: int, attitude: int) -> int:
        return sum(list(reaction_odds(modifier).values())[: attitude + 1])

    for less, more in pairwise(MODIFIERS):
        assert all(at_most(less, attitude) >= at_most(more, attitude) for attitude in range(5))


@pytest.mark.parametrize(
    ("total", "attitude"),
    [
        (-2, "hostile"),
        (3, "hostile"),
        (4, "unfriendly"),
        (6, "wary"),
        (8, "wary"),
        (9, "friendly"),
        (11, "helpful"),
    ],
)
def test_reaction_attitude_of_total(total: int, attitude: str) -> None:
    assert attitude_of(total) == attitude


def test_reaction_has_text_and_rule() -> None:
    bonds = find_bonds("Stint", "Hester", [build_fact("enemy_of", "Stint", "Hester")], CATALOGUE)
    reaction = roll_reaction(random.Random(1), faces=[4, 5], bonds=bonds, modifier=1)
    assert reaction.text == "reaction · 2d6-2 [4,5]-2 = 7 · wary"
    assert (reaction.rule, reaction.bonds) == ("reaction, -2", bonds)
    assert roll_reaction(random.Random(1), faces=[4, 5]).text == "reaction · 2d6 [4,5] = 9 · friendly"
    assert [die.face for die in reaction.dice] == [4, 5]


def test_reaction_modifier_is_limited() -> None:
    warm_bonds = [Bond(3, ()), Bond(3, ()), Bond(2, ())]
    assert total_modifier(warm_bonds) == MAX_MODIFIER
    assert total_modifier([], -20) == -MAX_MODIFIER
    assert total_modifier(warm_bonds, -7) == 1
    assert reaction_odds(MAX_MODIFIER)[Attitude.WARY] > 0


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("modifier", [-3, 0, 2])
def test_reaction_samples_match_published_odds(modifier: int) -> None:
    sample_size, rng = examples(20_000, 5_000), random.Random(modifier)
    counts = Counter(roll_reaction(rng, modifier=modifier).attitude for _ in range(sample_size))
    expected = {
        attitude: sample_size * throw_count / OUTCOMES
        for attitude, throw_count in reaction_odds(modifier).items()
        if throw_count
    }
    assert set(counts) <= set(expected)
    chi_squared = sum(
        (counts[attitude] - expected_count) ** 2 / expected_count
        for attitude, expected_count in expected.items()
    )
    assert chi_squared < 18.47  # one in a thousand for four degrees of freedom, and fewer for less
