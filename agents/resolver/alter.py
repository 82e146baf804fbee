"""A sealed roll taken otherwise: some of its dice thrown again, or another result picked than fell.

What was sealed is never touched: a new result is made from it, which says what was done and what had
fallen. Pure, given a generator.

Source: design/product.md, "Solo procedures" (reroll one die, pick instead of rolled; recorded as such).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.resolver.check import CheckSpec, Odds, judged
from agents.resolver.dice import pick, reroll, standing
from agents.resolver.dice_faces import Wanted, by_hand
from agents.resolver.dice_formula import Dice, DieType, Formula, Operation
from agents.resolver.dice_parser import parse
from agents.resolver.dice_score import Roll, chains_of, score
from agents.resolver.events import Start
from agents.resolver.how_much import Amount
from agents.resolver.oracle import Grade
from agents.resolver.reaction import Attitude
from agents.resolver.requests import Alteration, Chance, Deciding
from stores.records.canon import Payload
from stores.records.play import Degree, Die, Resolution

OUTCOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "oracle": tuple(Grade),
    "howmuch": tuple(Amount),
    "react": tuple(Attitude),
    "start": tuple(Start),
}
"""What may be picked of a draw, by its kind."""

CHECKS: Final = ("check", "move")
DEGREES: Final = (Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL)


@dataclass(frozen=True, slots=True)
class Altered:
    """What a roll comes to after it; `how` says what was done."""

    rule: str
    text: str
    dice: tuple[Die, ...]
    how: str
    total: int | None = None
    degree: Degree = Degree.NONE
    margin: int | None = None
    effects: tuple[str, ...] = ()
    changes: tuple[Payload, ...] = ()


def wanted_by_hand(old: Resolution, how: Alteration, faces: Sequence[int]) -> tuple[Wanted, ...]:
    """Return the dice that are still to be thrown by hand for a reroll. Raises InputError for bad faces."""
    _, formula = rolled_of(old)
    throws = [dice for dice in formula.dice() for _ in range(dice.thrown)]
    chains = list(chains_of(old.dice))
    return by_hand([throws[which] for which in chains_at(chains, how.places)], faces).wanted


def alter(
    old: Resolution,
    how: Alteration,
    rng: random.Random,
    faces: Sequence[int] | None = None,
    chance: Chance | None = None,
) -> Altered:
    """Take a roll otherwise. `faces` are those of dice rerolled by hand, `chance` is what a draw was made by.

    Raises InputError if the dice cannot be replaced so.
    """
    if how.outcome:
        return _with_outcome(old, how.outcome)
    rolled, formula = rolled_of(old)
    if how.faces:
        new = pick(rolled, dict(zip(how.places, how.faces, strict=True)), formula=formula)
        said = f"picked, rolled {_faces_at(old, how.places)}"
    else:
        new = reroll(rolled, how.places, rng, faces=faces, formula=formula)
        said = f"rerolled {_from_to(old.dice, new.dice, how.places)}"
    if old.kind == "roll":
        text = f"{new.text} · {new.label}" if new.label else new.text
        return Altered(old.rule, text, new.dice, said, new.total)
    if old.kind in CHECKS:
        return _checked(old, new, said)
    assert chance is not None
    drawn = chance(rng, [new.dice[place].face for place in standing(new.dice)])
    altered = Altered(drawn.rule, drawn.text, new.dice, said)
    if not isinstance(drawn, Deciding):
        return altered
    return replace(altered, degree=drawn.degree, effects=tuple(drawn.effects), changes=tuple(drawn.changes))


def _with_outcome(old: Resolution, outcome: str) -> Altered:
    if old.kind in CHECKS:
        rolled, _ = rolled_of(old)
        return _checked(old, rolled, f"picked, rolled {old.degree}", Degree(outcome))
    parts = plain_text(old).split(" · ")
    at = outcome_at(old.kind, parts)
    said = f"picked, rolled {parts[at]}"
    parts[at] = outcome
    return Altered(old.rule, " · ".join(parts), old.dice, said)


def _checked(old: Resolution, rolled: Roll, said: str, picked: Degree | None = None) -> Altered:
    stakes = old.stakes
    assert stakes is not None
    spec = CheckSpec(
        rule=old.rule,
        formula=parse(old.expression) if old.target is not None else None,
        target=old.target,
        odds=Odds(stakes.odds) if stakes.odds else Odds.EVEN,
        partial_within=stakes.partial_within,
        low_wins=stakes.low_wins,
        says={stake.degree: stake.says for stake in stakes.by_degree if stake.says},
    )
    result = judged(spec, rolled, picked)
    stake = next((stake for stake in stakes.by_degree if stake.degree is result.degree), None)
    return Altered(
        rule=old.rule,
        text=result.text,
        dice=rolled.dice,
        how=said,
        total=rolled.total,
        degree=result.degree,
        margin=result.margin,
        effects=stake.effects if stake else (),
        changes=stake.changes if stake else (),
    )


# --- dice -------------------------------------------------------------------------------------------


def rolled_of(old: Resolution) -> tuple[Roll, Formula]:
    """Return the roll as it fell. A draw's dice are added up, which means nothing but keeps them in order."""
    if old.expression:
        formula = parse(old.expression)
        return replace(score(formula, old.dice), label=old.label), formula
    first, *others = (Dice(1, kind_of(chain[0])) for chain in chains_of(old.dice))
    formula = Formula(first)
    for dice in others:
        formula = Formula(Operation("+", formula.root, dice, 0))
    return score(formula, old.dice), formula


def kind_of(die: Die) -> DieType:
    low, high = {"F": (-1, 1), "%": (1, 100)}.get(die.sides) or (1, int(die.sides))
    return DieType(die.sides, low, high)


def chains_at(chains: Sequence[list[Die]], places: Iterable[int]) -> list[int]:
    ends: list[int] = []
    for chain in chains:
        ends.append((ends[-1] if ends else 0) + len(chain))
    return sorted({next(n for n, end in enumerate(ends) if place < end) for place in places})


def _faces_at(old: Resolution, places: Iterable[int]) -> str:
    return ", ".join(kind_of(old.dice[p]).show(old.dice[p].face) for p in places)


def _from_to(before: Sequence[Die], after: Sequence[Die], places: Iterable[int]) -> str:
    """Return `3 → 5, 1 → 6` for the dice that were thrown again."""
    old, new = list(chains_of(before)), list(chains_of(after))
    starts = [sum(map(len, old[:n])) for n in range(len(old))]
    pairs = []
    for which in chains_at(old, places):
        at = min(p - starts[which] for p in places if 0 <= p - starts[which] < len(old[which]))
        fell = next(die for die in new[which][len(old[which]) :] if not die.rerolled)
        kind = kind_of(fell)
        pairs.append(f"{kind.show(old[which][at].face)} → {kind.show(fell.face)}")
    return ", ".join(pairs)


# --- outcomes ---------------------------------------------------------------------------------------


def outcome_at(kind: str, parts: Sequence[str]) -> int:
    return max(n for n, part in enumerate(parts) if part in OUTCOMES[kind])


def plain_text(old: Resolution) -> str:
    """Return the sealed text without what was done to the roll before."""
    return old.text.removesuffix(suffix(by_hand=old.by_hand, altered=old.altered))


def suffix(*, by_hand: bool, altered: Iterable[str]) -> str:
    """Return what is said behind a sealed result of how it came about."""
    return "".join(f" · {words}" for words in (*(["by hand"] if by_hand else []), *altered))
