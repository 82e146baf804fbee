"""Throws dice, and replaces dice of an earlier roll.

A roll has two halves. *Throwing* takes faces from a seeded generator, or those of the physical dice that
the player typed, and follows rerolls and explosions. *Scoring* (`dice_score`) is pure: formula and fallen
dice in, total and text out. A sealed roll can therefore be checked, or one of its dice replaced, long after.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from agents.resolver.dice_faces import DieChain, describe_dice_to_throw, read_physical_dice
from agents.resolver.dice_formula import MAX_DICE, Dice, DieType, Formula
from agents.resolver.dice_parser import parse
from agents.resolver.dice_scanner import dice_error
from agents.resolver.dice_score import DiceRoll, chains_of, score_roll
from stores.records.play import Die

FaceSource = Callable[[DieType], int]
"""Gives the next face of a die of that type."""


def roll_dice(
    expression: str | Formula,
    rng: random.Random | None = None,
    *,
    faces: Iterable[int] | None = None,
    numbers_by_name: Mapping[str, int] | None = None,
) -> DiceRoll:
    """Roll with `rng`, or read the physical dice typed as `faces` (see `dice_faces`).

    The expression may use `numbers_by_name`. Raises InputError if the expression cannot
    be read or passes a limit, or if the faces do not fit its dice.
    """
    formula = parse(expression, numbers_by_name) if isinstance(expression, str) else expression
    throws = dice_in_throw_order(formula)
    if faces is not None:
        return score_roll(formula, _flatten_chains(_read_thrown_faces(throws, tuple(faces))))
    return score_roll(formula, _flatten_chains(_throw_dice(throws, _random_faces(_require_rng(rng)))))


def dice_in_throw_order(formula: Formula) -> list[Dice]:
    """Return an entry for each die that is thrown, in the order of throwing."""
    return [dice for dice in formula.dice() for _ in range(dice.throw_count)]


def reroll_dice(
    original_roll: DiceRoll,
    places: Collection[int],
    rng: random.Random | None = None,
    *,
    faces: Iterable[int] | None = None,
    formula: Formula | None = None,
) -> DiceRoll:
    """Throw the dice at these places of `original_roll.dice` again, with all that exploded from them.

    The old faces stay on record as rerolled. `formula` is what was rolled, if the expression does not parse
    to it. Raises InputError if no die that counts is there, or if `faces` do not fit.
    """
    formula = formula or parse(original_roll.expression)
    chains = list(chains_of(original_roll.dice))
    cuts = _find_cuts(original_roll, chains, places)
    throws = dice_in_throw_order(formula)
    rethrown_dice = [throws[chain_index] for chain_index, _ in cuts]
    exploded_flags = [chains[chain_index][place].exploded for chain_index, place in cuts]
    if faces is not None:
        tails = _read_thrown_faces(rethrown_dice, tuple(faces), exploded_flags)
    else:
        tails = _throw_dice(rethrown_dice, _random_faces(_require_rng(rng)), exploded_flags)
    return _replace_dice(original_roll, formula, chains, cuts, tails)


def pick_faces(
    original_roll: DiceRoll, faces: Mapping[int, int], *, formula: Formula | None = None
) -> DiceRoll:
    """Set the dice at these places to faces of the player's choice; the fallen faces stay on record.

    Raises InputError if no die that counts is there, or it has no such face.
    """
    formula = formula or parse(original_roll.expression)
    chains, throws = list(chains_of(original_roll.dice)), dice_in_throw_order(formula)
    cuts = _find_cuts(original_roll, chains, faces)
    if len(cuts) < len(faces):
        raise dice_error("A die and what exploded from it cannot both be set: set the first, or the last.")
    chosen_dice = [Dice(1, throws[chain_index].die) for chain_index, _ in cuts]
    exploded_flags = [chains[chain_index][place].exploded for chain_index, place in cuts]
    starts = [sum(map(len, chains[:chain_index])) for chain_index in range(len(chains))]
    chosen_faces = tuple(faces[starts[chain_index] + place] for chain_index, place in cuts)
    return _replace_dice(
        original_roll, formula, chains, cuts, _read_thrown_faces(chosen_dice, chosen_faces, exploded_flags)
    )


def standing_places(dice: Sequence[Die]) -> list[int]:
    """Return the places of the dice that were not thrown again, which a player sees and counts."""
    return [place for place, die in enumerate(dice) if not die.rerolled]


# --- throwing ---------------------------------------------------------------------------------------


def _require_rng(rng: random.Random | None) -> random.Random:
    if rng is None:
        raise ValueError("a roll needs a generator or the faces that fell")
    return rng


def _random_faces(rng: random.Random) -> FaceSource:
    # Of all its methods only random() promises the same sequence in every version of Python, and a
    # sealed seed must give the same dice for good.
    return lambda die: die.low + int(rng.random() * (die.high - die.low + 1))


def _throw_dice(
    throws: Iterable[Dice], face_source: FaceSource, exploded_flags: Sequence[bool] = ()
) -> list[list[Die]]:
    """Throw one die after another, each with its rerolls and explosions."""
    chains, count = [], 0
    for index, dice in enumerate(throws):
        chain = DieChain(dice, is_exploded=bool(exploded_flags) and exploded_flags[index])
        while chain.is_open:
            chain.add_face(face_source(dice.die))
        chains.append(chain.fallen_dice)
        count += len(chain.fallen_dice)
        if count > MAX_DICE:
            raise dice_error(f"Rerolls and explosions came to more than {MAX_DICE:,} dice.")
    return chains


def _read_thrown_faces(
    throws: Sequence[Dice], faces: Sequence[int], exploded_flags: Sequence[bool] = ()
) -> list[list[Die]]:
    physical_throw = read_physical_dice(throws, faces, exploded_flags=exploded_flags)
    if physical_throw.dice_to_throw:
        raise dice_error(
            f"There is still to be thrown: {describe_dice_to_throw(physical_throw.dice_to_throw)}."
        )
    return list(physical_throw.chains)


def _flatten_chains(chains: Iterable[list[Die]]) -> list[Die]:
    return [die for chain in chains for die in chain]


# --- replacing dice ---------------------------------------------------------------------------------


def _find_cuts(
    original_roll: DiceRoll, chains: Sequence[list[Die]], places: Iterable[int]
) -> list[tuple[int, int]]:
    """Return the affected chains, each with the place from which its dice are replaced."""
    cuts: dict[int, int] = {}
    for die_place in sorted(places):
        if not 0 <= die_place < len(original_roll.dice) or original_roll.dice[die_place].rerolled:
            raise dice_error(f"There is no die {die_place + 1} to replace in {original_roll.text}.")
        chain_index, place = _find_die(chains, die_place)
        cuts.setdefault(chain_index, place)
    return sorted(cuts.items())


def _replace_dice(
    original_roll: DiceRoll,
    formula: Formula,
    chains: list[list[Die]],
    cuts: Iterable[tuple[int, int]],
    tails: Iterable[list[Die]],
) -> DiceRoll:
    for (chain_index, place), tail in zip(cuts, tails, strict=True):
        rerolled_dice = [die.model_copy(update={"rerolled": True}) for die in chains[chain_index][place:]]
        chains[chain_index][place:] = [*rerolled_dice, *tail]
    return replace(score_roll(formula, _flatten_chains(chains)), label=original_roll.label)


def _find_die(chains: Iterable[list[Die]], die_place: int) -> tuple[int, int]:
    """Return the chain that a die is in, and its place there."""
    for chain_index, chain in enumerate(chains):
        if die_place < len(chain):
            return chain_index, die_place
        die_place -= len(chain)
    raise IndexError(die_place)
