"""Bonds and reactions: what canon says stands between two, and how it moves two dice."""

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
from tests.agents.resolver.sayings import say
from tests.examples import examples

CATALOGUE = load_catalogue()
MODIFIERS = range(-MAX_MODIFIER, MAX_MODIFIER + 1)


def warmth(*facts: Fact, who: str = "Stint", towards: str = "Hester", tick: int | None = None) -> list[int]:
    return [bond.warmth for bond in find_bonds(who, towards, facts, CATALOGUE, tick)]


# --- bonds ------------------------------------------------------------------------------------------


def test_bonds_are_of_known_relations() -> None:
    assert set(WARMTH) <= CATALOGUE.names()


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (say("ally_of", "Stint", "Hester"), [3]),
        (say("ally_of", "Hester", "Stint"), [3]),
        (say("enemy_of", "Hester", "Stint"), [-3]),
        (say("parent_of", "Hester", "Stint"), [2]),
        (say("child_of", "Hester", "Stint"), [3]),  # the other way round: he is her parent
        (say("owes", "Stint", "Hester"), [1]),
        (say("owes", "Hester", "Stint"), [-1]),
        (say("owes", "Hester", "Stint", closed=True), []),
        (say("serves", "Stint", "Hester"), [2]),
        (say("knows", "Stint", "Hester"), []),
        (say("ally_of", "Stint", "Ivo"), []),
        (say("ally_of", "Stint", "Hester", standing=Standing.RUMOUR), []),
        (say("ally_of", "Stint", "Hester", status=FactStatus.RETCONNED), []),
        (say("ally_of", "Stint", "Hester", valid_to=100), []),
    ],
)
def test_what_a_fact_makes_of_two(fact: Fact, expected: list[int]) -> None:
    assert warmth(fact) == expected


@pytest.mark.parametrize(("tick", "expected"), [(5, []), (10, [3]), (99, [3]), (100, []), (None, [])])
def test_a_bond_is_of_its_time(tick: int | None, expected: list[int]) -> None:
    assert warmth(say("ally_of", "Stint", "Hester", valid_from=10, valid_to=100), tick=tick) == expected


def test_sides_bring_their_friends_and_enemies_with_them() -> None:
    company, tollers = say("member_of", "Stint", "Company"), say("member_of", "Hester", "Tollers")
    feud = say("enemy_of", "Company", "Tollers")
    (bond,) = find_bonds("Stint", "Hester", [company, tollers, feud], CATALOGUE)
    assert bond == Bond(-2, (feud, company, tollers))
    assert bond.text == f"-2: {feud.statement} {company.statement} {tollers.statement}"
    assert warmth(company, say("enemy_of", "Hester", "Company")) == [-2]
    assert warmth(company, say("member_of", "Hester", "Company")) == [1]
    assert warmth(company, tollers) == []


def test_a_side_that_is_not_named_is_nobody_s() -> None:
    assert warmth(say("member_of", "Stint"), say("member_of", "Hester")) == []


def test_a_bond_counts_once() -> None:
    direct = say("enemy_of", "Stint", "Hester")
    assert warmth(direct, direct, say("member_of", "Stint", "Company")) == [-3]


# --- reactions --------------------------------------------------------------------------------------


def test_every_way_that_dice_fall_is_counted() -> None:
    for modifier in MODIFIERS:
        published = reaction_odds(modifier)
        assert list(published) == list(Attitude)
        assert sum(published.values()) == OUTCOMES
        assert list(published.values()) == list(reaction_odds(-modifier).values())[::-1]
    assert list(reaction_odds().values()) == [3, 7, 16, 7, 3]


def test_a_better_footing_never_makes_it_worse() -> None:
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
def test_totals_stand_for_attitudes(total: int, attitude: str) -> None:
    assert attitude_of(total) == attitude


def test_how_a_reaction_reads() -> None:
    known = find_bonds("Stint", "Hester", [say("enemy_of", "Stint", "Hester")], CATALOGUE)
    reaction = roll_reaction(random.Random(1), faces=[4, 5], bonds=known, modifier=1)
    assert reaction.text == "reaction · 2d6-2 [4,5]-2 = 7 · wary"
    assert (reaction.rule, reaction.bonds) == ("reaction, -2", known)
    assert roll_reaction(random.Random(1), faces=[4, 5]).text == "reaction · 2d6 [4,5] = 9 · friendly"
    assert [die.face for die in reaction.dice] == [4, 5]


def test_people_surprise_however_much_stands_between_them() -> None:
    loved = [Bond(3, ()), Bond(3, ()), Bond(2, ())]
    assert total_modifier(loved) == MAX_MODIFIER
    assert total_modifier([], -20) == -MAX_MODIFIER
    assert total_modifier(loved, -7) == 1
    assert reaction_odds(MAX_MODIFIER)[Attitude.WARY] > 0


@pytest.mark.whole
@pytest.mark.parametrize("modifier", [-3, 0, 2])
def test_sampled_attitudes_keep_to_the_published_odds(modifier: int) -> None:
    asked, rng = examples(20_000, 5_000), random.Random(modifier)
    seen = Counter(roll_reaction(rng, modifier=modifier).attitude for _ in range(asked))
    expected = {one: asked * ways / OUTCOMES for one, ways in reaction_odds(modifier).items() if ways}
    assert set(seen) <= set(expected)
    squared = sum((seen[one] - wanted) ** 2 / wanted for one, wanted in expected.items())
    assert squared < 18.47  # one in a thousand for four degrees of freedom, and fewer for less
