"""Tests samples against exact odds by Pearson's chi-squared; the callers seed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

MIN_EXPECTED = 5
"""Expected occurrences that one cell of the test needs; rarer outcomes are joined."""
ONE_IN_TEN_THOUSAND = 3.719
"""The quantile of the normal distribution: how rarely a fair sample is called unfair."""


def is_fair(
    counts: Mapping[Any, int],
    chances: Mapping[Any, float | Fraction],
) -> bool:
    """Return whether counts fit chances that add up to 1. What has no chance must not occur."""
    assert abs(sum(float(chance) for chance in chances.values()) - 1) < 1e-9
    if any(count and not chances.get(outcome) for outcome, count in counts.items()):
        return False
    total = sum(counts.values())
    cells = sorted((float(chance) * total, counts.get(outcome, 0)) for outcome, chance in chances.items())
    joined_cells: list[tuple[float, int]] = []
    for expected, count in cells:
        if joined_cells and joined_cells[-1][0] < MIN_EXPECTED:
            expected_before, count_before = joined_cells.pop()
            expected, count = expected + expected_before, count + count_before
        joined_cells.append((expected, count))
    chi_squared = sum((count - expected) ** 2 / expected for expected, count in joined_cells if expected)
    return chi_squared < critical_chi_squared(len(joined_cells) - 1)


def critical_chi_squared(freedom: int) -> float:
    """Return the chi-squared that one fair sample in ten thousand passes (Wilson and Hilferty)."""
    if freedom < 1:
        return 1e-9
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + ONE_IN_TEN_THOUSAND * part**0.5) ** 3)


# --- exact distributions ----------------------------------------------------------------------------

Chances = dict[Any, Fraction]


def uniform_chances(*outcomes: Hashable) -> Chances:
    counts = Counter(outcomes)
    return {outcome: Fraction(n, len(outcomes)) for outcome, n in counts.items()}


def sum_chances(*parts: Mapping[Any, Fraction]) -> Chances:
    """Return the chances of the sum of what is thrown independently."""
    chances_of_sum: Chances = {0: Fraction(1)}
    for part in parts:
        new_chances: Chances = {}
        for a, p in chances_of_sum.items():
            for b, q in part.items():
                new_chances[a + b] = new_chances.get(a + b, Fraction(0)) + p * q
        chances_of_sum = new_chances
    return chances_of_sum


def exploding_chances(sides: int, *, deep: int = 4, worth: Any = None) -> Chances:
    """Return the chances of a die that is thrown again on its highest face and added up, for `deep`
    explosions; what goes beyond has the chance that is left, as None. `worth` of a face counts instead."""
    value = worth or (lambda face: face)
    chances: Chances = {}
    for explosion in range(deep):
        for face in range(1, sides):
            total = explosion * value(sides) + value(face)
            chances[total] = chances.get(total, Fraction(0)) + Fraction(1, sides ** (explosion + 1))
    return chances | {None: 1 - sum(chances.values(), Fraction(0))}
