"""Tests dice against a fair die (Pearson's chi-square test, 1900), and says the result in words. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from stores.records.play import Resolution

MIN_EXPECTED: Final = 5
"""Throws that each group of faces must be expected to have: with fewer, the test says nothing."""
SUSPICIOUS: Final = 0.01
"""A spread that fewer of a hundred fair sets show is called uneven."""
MAX_GROUPS: Final = 10
"""Bars of a die that has more faces, before there are enough throws to tell."""
_MAX_SIDES: Final = 1_000
_FATE_FACES: Final = (-1, 0, 1)


@dataclass(frozen=True, slots=True)
class DiceFairness:
    """How one kind of die has fallen."""

    name: str
    """`d6`, or `d6 of your own` if the player threw them."""
    face_counts: tuple[tuple[str, int], ...]
    """By face, or group of faces, how often it came."""
    throw_count: int
    likelihood: float | None
    """The share of fair sets that spread as widely or more; None: too few throws to say."""

    @property
    def verdict(self) -> str:
        """The result of the test in words."""
        if self.likelihood is None:
            return f"{self.throw_count:,} throws are too few to tell."
        if self.likelihood >= SUSPICIOUS:
            share = max(1, round(self.likelihood * 100))
            return f"Fair: {share} of 100 fair sets of {self.throw_count:,} throws spread as widely."
        rarity = "a million" if self.likelihood < 1e-6 else f"{round(1 / self.likelihood):,}"
        return f"Uneven: only 1 of {rarity} fair sets of {self.throw_count:,} throws spreads as widely."


def measure_dice(resolutions: Iterable[Resolution]) -> tuple[DiceFairness, ...]:
    """Return how the dice have fallen, the most thrown first; those the player threw stand apart.

    Every die that was thrown counts, kept or dropped; a result that replaces another repeats its dice, and does not.
    """
    faces: dict[tuple[str, bool], Counter[int]] = {}
    for resolution in resolutions:
        if resolution.instead_of is None:
            for die in resolution.dice:
                sides = "100" if die.sides == "%" else die.sides
                if _possible_faces(sides):
                    faces.setdefault((sides, resolution.by_hand), Counter())[die.face] += 1
    measured = [
        _measure_one(_die_name(sides, by_hand), _possible_faces(sides), counts)
        for (sides, by_hand), counts in faces.items()
    ]
    return tuple(sorted(measured, key=lambda m: (-m.throw_count, m.name)))


def _die_name(sides: str, by_hand: bool) -> str:
    return f"d{sides} of your own" if by_hand else f"d{sides}"


def _possible_faces(sides: str) -> tuple[int, ...]:
    """Return the faces of a die; nothing for dice whose faces are not equally likely or too many."""
    if sides == "F":
        return _FATE_FACES
    count = int(sides) if sides.isascii() and sides.isdigit() and len(sides) <= 4 else 0
    return tuple(range(1, count + 1)) if 2 <= count <= _MAX_SIDES else ()


def _measure_one(name: str, possible: tuple[int, ...], counts: Counter[int]) -> DiceFairness:
    """Count by face, or by as small groups of equally many faces as the test bears."""
    throws = sum(counts[face] for face in possible)
    sizes = [size for size in range(1, len(possible)) if len(possible) % size == 0]
    size = next((s for s in sizes if throws * s >= MIN_EXPECTED * len(possible)), None)
    shown_size = size or next(
        (s for s in sizes if len(possible) // s <= MAX_GROUPS or len(possible) <= 20), 1
    )
    groups = [possible[n : n + shown_size] for n in range(0, len(possible), shown_size)]
    grouped = tuple(
        (str(g[0]) if shown_size == 1 else f"{g[0]}-{g[-1]}", sum(counts[face] for face in g)) for g in groups
    )
    likelihood = None if size is None else chi_square_likelihood([count for _, count in grouped])
    return DiceFairness(name, grouped, throws, likelihood)


def chi_square_likelihood(counts: list[int]) -> float:
    """Return the probability that equally likely outcomes spread at least as widely as these counts."""
    expected = sum(counts) / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts) / expected
    return _upper_gamma((len(counts) - 1) / 2, statistic / 2)


def _upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function, by its series or continued fraction.

    DLMF 8.11.4 and 8.9.2 (https://dlmf.nist.gov/8).
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for n in range(1, 10_000):
            term *= x / (a + n)
            total += term
            if term < total * 1e-15:
                break
        return max(0.0, 1 - total * scale)
    # Lentz's method for the continued fraction.
    b, c = x + 1 - a, 1e300
    d = fraction = 1 / b
    for n in range(1, 10_000):
        step = -n * (n - a)
        b += 2
        d = 1 / (step * d + b)
        c = b + step / c
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return min(1.0, fraction * scale)
