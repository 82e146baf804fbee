"""Throwing dice and reading what fell: every face is kept, and the faces alone give the total again.

A roll has two halves. *Throwing* takes faces from a source (a seeded generator, or the physical dice
that the player typed) and follows rerolls and explosions. *Scoring* is pure: formula and fallen dice in,
total and text out. A sealed roll can therefore be checked, or one of its dice replaced, long after.

Source: design/product.md, "Solo procedures" (full dice notation, physical-dice mode); AGENT_ORCHESTRATION,
Resolver.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from agents.resolver.dice_formula import MAX_CHAIN, MAX_DICE, Dice, DieType, Formula
from agents.resolver.dice_parser import parse
from agents.resolver.dice_scanner import dice_error
from agents.resolver.dice_score import Roll, chains_of, score
from stores.records.play import Die

Source = Callable[[DieType], int]
"""Gives the next face of a die of that type."""


def roll(
    expression: str | Formula,
    rng: random.Random | None = None,
    *,
    faces: Iterable[int] | None = None,
    names: Mapping[str, int] | None = None,
) -> Roll:
    """Roll with `rng`, or read the physical dice typed as `faces`.

    `names` are numbers that the expression may use by name. Raises InputError if the expression cannot
    be read or passes a limit, or if the faces do not fit its dice.
    """
    formula = parse(expression, names) if isinstance(expression, str) else expression
    if faces is None:
        if rng is None:
            raise ValueError("a roll needs a generator or the faces that fell")
        return score(formula, _throw_all(formula, _random_faces(rng)))
    given = _GivenFaces(faces)
    dice = _throw_all(formula, given)
    given.finish()
    return score(formula, dice)


def reroll(rolled: Roll, index: int, rng: random.Random) -> Roll:
    """Throw the die at `index` of `rolled.dice` again, with all that exploded from it.

    The old faces stay on record as rerolled. Raises InputError if no die that counts is there.
    """
    return _replaced(rolled, index, _random_faces(rng), explode=True)


def pick(rolled: Roll, index: int, face: int) -> Roll:
    """Set the die at `index` to `face` by the player's choice; the face that fell stays on record."""
    return _replaced(rolled, index, _GivenFaces([face]), explode=False)


def read_faces(text: str) -> tuple[int, ...]:
    """Read typed physical dice: `5 4`, `5,4`, or `+ - 0` for Fate dice. Raises InputError."""
    words = re.findall(r"[^\s,;]+", text)
    fate = {"+": 1, "-": -1, "−": -1}
    if wrong := [w for w in words if w not in fate and not re.fullmatch(r"-?[0-9]{1,6}", w)]:
        raise dice_error(f"{wrong[0][:20]!r} is not the face of a die.")
    if len(words) > MAX_DICE:
        raise dice_error(f"At most {MAX_DICE:,} faces can be typed at once.")
    return tuple(fate[w] if w in fate else int(w) for w in words)


# --- throwing ---------------------------------------------------------------------------------------


def _random_faces(rng: random.Random) -> Source:
    # Of all its methods only random() promises the same sequence in every version of Python, and a
    # sealed seed must give the same dice for good.
    return lambda die: die.low + int(rng.random() * (die.high - die.low + 1))


class _GivenFaces:
    """A source of the faces that a player typed, each checked against its die."""

    def __init__(self, faces: Iterable[int]) -> None:
        self._faces = iter(faces)
        self._used = 0

    def __call__(self, die: DieType) -> int:
        face = next(self._faces, None)
        if face is None:
            raise dice_error(f"{self._used} faces were given, and a {die} is still to be read.")
        if not die.low <= face <= die.high:
            raise dice_error(f"A {die} has no face {face}: it goes from {die.low} to {die.high}.")
        self._used += 1
        return face

    def finish(self) -> None:
        """Raise InputError if faces are left over."""
        if next(self._faces, None) is not None:
            raise dice_error(f"More faces were given than the {self._used} that are read.")


def _throw_all(formula: Formula, source: Source) -> list[Die]:
    fallen: list[Die] = []
    for dice in formula.dice():
        for _ in range(dice.thrown):
            fallen += _throw(dice, source)
            if len(fallen) > MAX_DICE:
                raise dice_error(f"Rerolls and explosions came to more than {MAX_DICE:,} dice.")
    return fallen


def _throw(dice: Dice, source: Source, *, exploded: bool = False) -> list[Die]:
    """Throw one of the dice until neither reroll nor explosion asks for more: one *chain*."""
    chain: list[Die] = []
    may_reroll = True
    while len(chain) < MAX_CHAIN:
        face = source(dice.die)
        again = may_reroll and dice.reroll is not None and dice.reroll.holds(face)
        chain.append(Die(sides=dice.die.sides, face=face, dropped=again, exploded=exploded, rerolled=again))
        if again:
            may_reroll = not dice.reroll_once
        elif dice.explode is not None and dice.explode.holds(face):
            exploded, may_reroll = True, True
        else:
            return chain
    raise dice_error(f"One {dice.die} was thrown {MAX_CHAIN} times and would not stop: ask for fewer faces.")


# --- replacing one die ------------------------------------------------------------------------------


def _replaced(rolled: Roll, index: int, source: Source, *, explode: bool) -> Roll:
    if not 0 <= index < len(rolled.dice) or rolled.dice[index].rerolled:
        raise dice_error(f"There is no die {index + 1} to replace in {rolled.text}.")
    formula = parse(rolled.expression)
    chains = list(chains_of(rolled.dice))
    which, place = _find(chains, index)
    dice = [dice for dice in formula.dice() for _ in range(dice.thrown)][which]
    old = chains[which][place:]
    rules = dice if explode else Dice(1, dice.die)
    chains[which][place:] = [
        *(die.model_copy(update={"rerolled": True}) for die in old),
        *_throw(rules, source, exploded=old[0].exploded),
    ]
    return replace(score(formula, [die for chain in chains for die in chain]), label=rolled.label)


def _find(chains: list[list[Die]], index: int) -> tuple[int, int]:
    """Return which chain the die at `index` is in, and its place there."""
    for which, chain in enumerate(chains):
        if index < len(chain):
            return which, index
        index -= len(chain)
    raise IndexError(index)
