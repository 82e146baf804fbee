"""Fairness: seeded samples of dice and oracle match their exact odds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest

from agents.resolver.dice import reroll_dice, roll_dice
from agents.resolver.dice_parser import parse
from agents.resolver.oracle import TENSIONS, Likelihood, ask_oracle, event_chance, oracle_odds
from stores.records.play import TensionMode
from tests.agents.resolver.fairness import Chances, exploding_chances, is_fair, sum_chances, uniform_chances
from tests.examples import examples

pytestmark = pytest.mark.whole

THROWS = examples(6_000, 1_500)

# --- the test itself can fail -----------------------------------------------------------------------


def test_fairness_test_detects_loaded_die() -> None:
    rng = random.Random(1)
    fair = Counter(rng.randint(1, 6) for _ in range(THROWS))
    loaded_counts = Counter(rng.choice((1, 2, 3, 4, 5, 6, 6)) for _ in range(THROWS))
    assert is_fair(fair, uniform_chances(*range(1, 7)))
    assert not is_fair(loaded_counts, uniform_chances(*range(1, 7)))
    assert not is_fair({7: 1} | fair, uniform_chances(*range(1, 7)))


# --- dice -------------------------------------------------------------------------------------------


def count_totals(dice: Sequence[range], total: Callable[[tuple[int, ...]], int]) -> Chances:
    """Return the chances of a total over every way that these dice may fall."""
    return uniform_chances(*(total(faces) for faces in product(*dice)))


def die(sides: int) -> range:
    return range(1, sides + 1)


def successes(least: int, sides: int = 10) -> Chances:
    return uniform_chances(*(int(face >= least) for face in die(sides)))


EXACT: dict[str, Chances] = {
    "d6": uniform_chances(*die(6)),
    "d20": uniform_chances(*die(20)),
    "d%": uniform_chances(*die(100)),
    "3d6": sum_chances(*[uniform_chances(*die(6))] * 3),
    "2d10+d4": sum_chances(*[uniform_chances(*die(10))] * 2, uniform_chances(*die(4))),
    "dF": uniform_chances(-1, 0, 1),
    "4dF": sum_chances(*[uniform_chances(-1, 0, 1)] * 4),
    "d66": uniform_chances(*(10 * tens + ones for tens in die(6) for ones in die(6))),
    "d20adv": count_totals([die(20)] * 2, max),
    "d20dis": count_totals([die(20)] * 2, min),
    "4d6kh3": count_totals([die(6)] * 4, lambda faces: sum(faces) - min(faces)),
    "3d6kl2": count_totals([die(6)] * 3, lambda faces: sum(faces) - max(faces)),
    "4d6dl1": count_totals([die(6)] * 4, lambda faces: sum(faces) - min(faces)),
    "2d6r1": sum_chances(*[uniform_chances(*range(2, 7))] * 2),
    "d6ro<=2": sum_chances(uniform_chances(*(f if f > 2 else again for f in die(6) for again in die(6)))),
    "8d10>=7": sum_chances(*[successes(7)] * 8),
    "5d6>=5": sum_chances(*[successes(5, 6)] * 5),
}


@pytest.mark.parametrize("expression", EXACT)
def test_dice_totals_match_exact_odds(expression: str) -> None:
    rng, formula = random.Random(f"fair {expression}"), parse(expression)
    counts = Counter(roll_dice(formula, rng).total for _ in range(THROWS))
    assert is_fair(counts, EXACT[expression])


@pytest.mark.parametrize(
    ("expression", "chances"),
    [
        ("d6!", exploding_chances(6)),
        ("d4!", exploding_chances(4, deep=6)),
        # Of a pool each success explodes on a ten: a ten is worth one and another throw.
        ("d10!10>=7", exploding_chances(10, worth=lambda face: int(face >= 7))),
    ],
)
def test_dice_explosions_match_exact_odds(expression: str, chances: Chances) -> None:
    rng, formula = random.Random(f"fair {expression}"), parse(expression)
    totals = Counter(roll_dice(formula, rng).total for _ in range(THROWS))
    worth = [total for total in chances if total is not None]
    beyond = max(worth)
    counts: Counter[int | None] = Counter({total: n for total, n in totals.items() if total in worth})
    assert all(total > beyond for total in totals.keys() - set(worth))
    if ">=" in expression:
        # What goes beyond may come to a number that a shorter throw comes to as well.
        shorter = {t: p for t, p in chances.items() if t is not None and t < beyond}
        rest = 1 - sum(shorter.values(), Fraction(0))
        late = sum(n for total, n in totals.items() if total not in shorter)
        assert is_fair({**{t: totals[t] for t in shorter}, None: late}, {**shorter, None: rest})
    else:
        counts[None] = sum(n for total, n in totals.items() if total > beyond)
        assert is_fair(counts, chances)


def test_dice_rerolls_are_fair() -> None:
    rng = random.Random("again")
    counts: Counter[int] = Counter()
    for _ in range(THROWS):
        dice_roll = roll_dice("2d6", rng)
        counts[reroll_dice(dice_roll, [0], rng).dice[1].face] += 1
    assert is_fair(counts, uniform_chances(*die(6)))


def test_dice_are_independent() -> None:
    rng = random.Random("pairs")
    counts = Counter((a.face, b.face) for a, b in (roll_dice("2d6", rng).dice for _ in range(3 * THROWS)))
    assert is_fair(counts, uniform_chances(*product(die(6), repeat=2)))


# --- the oracle -------------------------------------------------------------------------------------

ENDS = (TENSIONS[0], 5, TENSIONS[-1])


@pytest.mark.slow
@pytest.mark.parametrize("mode", TensionMode)
@pytest.mark.parametrize("tension", ENDS)
@pytest.mark.parametrize("likelihood", Likelihood)
def test_oracle_answers_match_published_odds(likelihood: Likelihood, tension: int, mode: TensionMode) -> None:
    rng = random.Random(f"{likelihood}/{tension}/{mode}")
    answers = [ask_oracle(likelihood, tension, rng, mode=mode) for _ in range(THROWS)]
    published = {grade: Fraction(n, 100) for grade, n in oracle_odds(likelihood, tension, mode).items()}
    assert sum(published.values()) == 1
    assert is_fair(Counter(answer.grade for answer in answers), published)
    events = Fraction(event_chance(tension), 100)
    assert is_fair(Counter(answer.is_event for answer in answers), {True: events, False: 1 - events})
