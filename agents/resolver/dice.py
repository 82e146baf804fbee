"""Throwing dice and reading what fell: every face is kept, and the faces alone give the total again.

A roll has two halves. *Throwing* takes faces from a seeded generator, or those of the physical dice that
the player typed, and follows rerolls and explosions. *Scoring* is pure: formula and fallen dice in, total
and text out. A sealed roll can therefore be checked, or one of its dice replaced, long after.

Source: design/product.md, "Solo procedures" (full dice notation, physical-dice mode); AGENT_ORCHESTRATION,
Resolver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from agents.resolver.dice_faces import Chain, by_hand, in_words
from agents.resolver.dice_formula import MAX_DICE, Dice, DieType, Formula
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
    """Roll with `rng`, or read the physical dice typed as `faces` (see `dice_faces`).

    `names` are numbers that the expression may use by name. Raises InputError if the expression cannot
    be read or passes a limit, or if the faces do not fit its dice.
    """
    formula = parse(expression, names) if isinstance(expression, str) else expression
    throws = throws_of(formula)
    if faces is not None:
        return score(formula, _in_a_row(_thrown_by_hand(throws, tuple(faces))))
    return score(formula, _in_a_row(_thrown(throws, _random_faces(_needed(rng)))))


def throws_of(formula: Formula) -> list[Dice]:
    """Return an entry for each die that is thrown, in the order of throwing."""
    return [dice for dice in formula.dice() for _ in range(dice.thrown)]


def reroll(
    rolled: Roll,
    places: Collection[int],
    rng: random.Random | None = None,
    *,
    faces: Iterable[int] | None = None,
    formula: Formula | None = None,
) -> Roll:
    """Throw the dice at these places of `rolled.dice` again, with all that exploded from them.

    The old faces stay on record as rerolled. `formula` is what was rolled, if it is not the expression
    as it reads. Raises InputError if no die that counts is there, or if `faces` do not fit.
    """
    formula = formula or parse(rolled.expression)
    chains = list(chains_of(rolled.dice))
    cuts = _cuts(rolled, chains, places)
    throws = throws_of(formula)
    again = [throws[which] for which, _ in cuts]
    exploded = [chains[which][place].exploded for which, place in cuts]
    if faces is not None:
        tails = _thrown_by_hand(again, tuple(faces), exploded)
    else:
        tails = _thrown(again, _random_faces(_needed(rng)), exploded)
    return _replaced(rolled, formula, chains, cuts, tails)


def pick(rolled: Roll, faces: Mapping[int, int], *, formula: Formula | None = None) -> Roll:
    """Set the dice at these places to faces of the player's choice; what fell stays on record.

    Raises InputError if no die that counts is there, or it has no such face.
    """
    formula = formula or parse(rolled.expression)
    chains, throws = list(chains_of(rolled.dice)), throws_of(formula)
    cuts = _cuts(rolled, chains, faces)
    if len(cuts) < len(faces):
        raise dice_error("A die and what exploded from it cannot both be set: set the first, or the last.")
    chosen = [Dice(1, throws[which].die) for which, _ in cuts]
    exploded = [chains[which][place].exploded for which, place in cuts]
    starts = [sum(map(len, chains[:which])) for which in range(len(chains))]
    wanted = tuple(faces[starts[which] + place] for which, place in cuts)
    return _replaced(rolled, formula, chains, cuts, _thrown_by_hand(chosen, wanted, exploded))


def standing(dice: Sequence[Die]) -> list[int]:
    """Return the places of the dice that were not thrown again: those that a player sees and counts."""
    return [place for place, die in enumerate(dice) if not die.rerolled]


# --- throwing ---------------------------------------------------------------------------------------


def _needed(rng: random.Random | None) -> random.Random:
    if rng is None:
        raise ValueError("a roll needs a generator or the faces that fell")
    return rng


def _random_faces(rng: random.Random) -> Source:
    # Of all its methods only random() promises the same sequence in every version of Python, and a
    # sealed seed must give the same dice for good.
    return lambda die: die.low + int(rng.random() * (die.high - die.low + 1))


def _thrown(throws: Iterable[Dice], source: Source, exploded: Sequence[bool] = ()) -> list[list[Die]]:
    """Throw one after another, each until neither reroll nor explosion asks for more."""
    chains, count = [], 0
    for n, dice in enumerate(throws):
        chain = Chain(dice, exploded=bool(exploded) and exploded[n])
        while chain.open:
            chain.fall(source(dice.die))
        chains.append(chain.fallen)
        count += len(chain.fallen)
        if count > MAX_DICE:
            raise dice_error(f"Rerolls and explosions came to more than {MAX_DICE:,} dice.")
    return chains


def _thrown_by_hand(
    throws: Sequence[Dice], faces: Sequence[int], exploded: Sequence[bool] = ()
) -> list[list[Die]]:
    hand = by_hand(throws, faces, exploded=exploded)
    if hand.wanted:
        raise dice_error(f"There is still to be thrown: {in_words(hand.wanted)}.")
    return list(hand.chains)


def _in_a_row(chains: Iterable[list[Die]]) -> list[Die]:
    return [die for chain in chains for die in chain]


# --- replacing dice ---------------------------------------------------------------------------------


def _cuts(rolled: Roll, chains: Sequence[list[Die]], places: Iterable[int]) -> list[tuple[int, int]]:
    """Return where each chain that is touched is cut off: what exploded from a die goes with it."""
    cuts: dict[int, int] = {}
    for at in sorted(places):
        if not 0 <= at < len(rolled.dice) or rolled.dice[at].rerolled:
            raise dice_error(f"There is no die {at + 1} to replace in {rolled.text}.")
        which, place = _find(chains, at)
        cuts.setdefault(which, place)
    return sorted(cuts.items())


def _replaced(
    rolled: Roll,
    formula: Formula,
    chains: list[list[Die]],
    cuts: Iterable[tuple[int, int]],
    tails: Iterable[list[Die]],
) -> Roll:
    for (which, place), tail in zip(cuts, tails, strict=True):
        old = [die.model_copy(update={"rerolled": True}) for die in chains[which][place:]]
        chains[which][place:] = [*old, *tail]
    return replace(score(formula, _in_a_row(chains)), label=rolled.label)


def _find(chains: Iterable[list[Die]], at: int) -> tuple[int, int]:
    """Return which chain the die at `at` is in, and its place there."""
    for which, chain in enumerate(chains):
        if at < len(chain):
            return which, at
        at -= len(chain)
    raise IndexError(at)
