"""Alters a sealed roll: throws some of its dice again, or picks another result than fell.

The sealed result stays as it is: a new one is made from it, which says what was done and what had fallen.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.resolver.check import CheckSpec, Odds, score_check
from agents.resolver.dice import pick_faces, reroll_dice, standing_places
from agents.resolver.dice_faces import DiceToThrow, read_physical_dice
from agents.resolver.dice_formula import BinaryOperation, Dice, DieType, Formula
from agents.resolver.dice_parser import parse
from agents.resolver.dice_score import DiceRoll, chains_of, score_roll
from agents.resolver.how_much import Amount
from agents.resolver.oracle import Grade
from agents.resolver.random_events import SceneStartKind
from agents.resolver.reaction import Attitude
from agents.resolver.resolution_requests import Alteration, ChanceDraw, DecidingChanceResult
from agents.resolver.roll_kinds import CHECK_KINDS
from stores.records.canon import Payload
from stores.records.play import Degree, Die, Resolution

PICKABLE_OUTCOMES: Final[Mapping[str, tuple[str, ...]]] = {
    "oracle": tuple(Grade),
    "howmuch": tuple(Amount),
    "react": tuple(Attitude),
    "start": tuple(SceneStartKind),
}
"""The outcomes of each kind of draw, which may be picked by name."""
PICKABLE_DEGREES: Final = (Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL)


@dataclass(frozen=True, slots=True)
class AlteredRoll:
    """The result of a roll after it was altered."""

    rule: str
    text: str
    dice: tuple[Die, ...]
    description: str
    """What was done to the roll."""

    total: int | None = None
    degree: Degree = Degree.NONE
    margin: int | None = None
    effects: tuple[str, ...] = ()
    changes: tuple[Payload, ...] = ()


def dice_to_throw_by_hand(
    original: Resolution, alteration: Alteration, faces: Sequence[int]
) -> tuple[DiceToThrow, ...]:
    """Return the dice that are still to be thrown by hand for a reroll. Raises InputError for bad faces."""
    _, formula = score_original(original)
    throws = [dice for dice in formula.dice() for _ in range(dice.throw_count)]
    chains = list(chains_of(original.dice))
    return read_physical_dice(
        [throws[index] for index in chain_indexes_at(chains, alteration.places)], faces
    ).dice_to_throw


def alter_roll(
    original: Resolution,
    alteration: Alteration,
    rng: random.Random,
    faces: Sequence[int] | None = None,
    chance: ChanceDraw | None = None,
) -> AlteredRoll:
    """Return what a sealed roll comes to with dice thrown again, or with another result picked.

    `faces` are those of dice rerolled by hand, `chance` is the draw that the roll was made with.
    Raises InputError if the dice cannot be replaced so.
    """
    if alteration.outcome:
        return _alter_outcome(original, alteration.outcome)
    original_roll, formula = score_original(original)
    if alteration.faces:
        new_roll = pick_faces(
            original_roll, dict(zip(alteration.places, alteration.faces, strict=True)), formula=formula
        )
        description = f"picked, rolled {_faces_at(original, alteration.places)}"
    else:
        new_roll = reroll_dice(original_roll, alteration.places, rng, faces=faces, formula=formula)
        description = f"rerolled {_face_changes(original.dice, new_roll.dice, alteration.places)}"
    if original.kind == "roll":
        text = f"{new_roll.text} · {new_roll.label}" if new_roll.label else new_roll.text
        return AlteredRoll(original.rule, text, new_roll.dice, description, new_roll.total)
    if original.kind in CHECK_KINDS:
        return _alter_check(original, new_roll, description)
    assert chance is not None
    standing_faces = [new_roll.dice[place].face for place in standing_places(new_roll.dice)]
    draw_result = chance(rng, standing_faces)
    # Another row of a table may call tables that were not called before.
    added_dice = draw_result.dice[len(standing_faces) :]
    altered_roll = AlteredRoll(draw_result.rule, draw_result.text, (*new_roll.dice, *added_dice), description)
    if not isinstance(draw_result, DecidingChanceResult):
        return altered_roll
    return replace(
        altered_roll,
        degree=draw_result.degree,
        effects=tuple(draw_result.effects),
        changes=tuple(draw_result.changes),
    )


def _alter_outcome(original: Resolution, outcome: str) -> AlteredRoll:
    if original.kind in CHECK_KINDS:
        original_roll, _ = score_original(original)
        return _alter_check(original, original_roll, f"picked, rolled {original.degree}", Degree(outcome))
    parts = text_without_suffix(original).split(" · ")
    index = outcome_index(original.kind, parts)
    description = f"picked, rolled {parts[index]}"
    parts[index] = outcome
    return AlteredRoll(original.rule, " · ".join(parts), original.dice, description)


def _alter_check(
    original: Resolution, dice_roll: DiceRoll, description: str, picked_degree: Degree | None = None
) -> AlteredRoll:
    stakes = original.stakes
    assert stakes is not None
    spec = CheckSpec(
        rule=original.rule,
        formula=parse(original.expression) if original.target is not None else None,
        target=original.target,
        odds=Odds(stakes.odds) if stakes.odds else Odds.EVEN,
        partial_within=stakes.partial_within,
        low_wins=stakes.low_wins,
        says={stake.degree: stake.says for stake in stakes.by_degree if stake.says},
    )
    result = score_check(spec, dice_roll, picked_degree)
    stake = next((stake for stake in stakes.by_degree if stake.degree is result.degree), None)
    return AlteredRoll(
        rule=original.rule,
        text=result.text,
        dice=dice_roll.dice,
        description=description,
        total=dice_roll.total,
        degree=result.degree,
        margin=result.margin,
        effects=stake.effects if stake else (),
        changes=stake.changes if stake else (),
    )


# --- dice -------------------------------------------------------------------------------------------


def score_original(original: Resolution) -> tuple[DiceRoll, Formula]:
    """Return the roll as it fell, and its formula; that of a draw adds its dice only to keep them in order."""
    if original.expression:
        formula = parse(original.expression)
        return replace(score_roll(formula, original.dice), label=original.label), formula
    first, *others = (Dice(1, die_type_of(chain[0])) for chain in chains_of(original.dice))
    formula = Formula(first)
    for dice in others:
        formula = Formula(BinaryOperation("+", formula.root, dice, 0))
    return score_roll(formula, original.dice), formula


def die_type_of(die: Die) -> DieType:
    low, high = {"F": (-1, 1), "%": (1, 100)}.get(die.sides) or (1, int(die.sides))
    return DieType(die.sides, low, high)


def chain_indexes_at(chains: Sequence[list[Die]], places: Iterable[int]) -> list[int]:
    end_places: list[int] = []
    for chain in chains:
        end_places.append((end_places[-1] if end_places else 0) + len(chain))
    return sorted({next(i for i, end in enumerate(end_places) if place < end) for place in places})


def _faces_at(original: Resolution, places: Iterable[int]) -> str:
    dice = [original.dice[place] for place in places]
    return ", ".join(die_type_of(die).show(die.face) for die in dice)


def _face_changes(before: Sequence[Die], after: Sequence[Die], places: Iterable[int]) -> str:
    """Return `3 → 5, 1 → 6` for the dice that were thrown again."""
    old_chains, new_chains = list(chains_of(before)), list(chains_of(after))
    starts = [sum(map(len, old_chains[:index])) for index in range(len(old_chains))]
    changes = []
    for index in chain_indexes_at(old_chains, places):
        start, old_chain = starts[index], old_chains[index]
        place = min(place - start for place in places if 0 <= place - start < len(old_chain))
        fallen_die = next(die for die in new_chains[index][len(old_chain) :] if not die.rerolled)
        die_type = die_type_of(fallen_die)
        changes.append(f"{die_type.show(old_chain[place].face)} → {die_type.show(fallen_die.face)}")
    return ", ".join(changes)


# --- outcomes ---------------------------------------------------------------------------------------


def outcome_index(kind: str, parts: Sequence[str]) -> int:
    """Return the index of the part of a draw's text that is its outcome."""
    return max(index for index, part in enumerate(parts) if part in PICKABLE_OUTCOMES[kind])


def text_without_suffix(original: Resolution) -> str:
    """Return the sealed text without the words about earlier alterations."""
    return original.text.removesuffix(
        provenance_suffix(by_hand=original.by_hand, alterations=original.altered)
    )


def provenance_suffix(*, by_hand: bool, alterations: Iterable[str]) -> str:
    """Return the end of a sealed text that says how the result came about, such as ` · by hand`."""
    return "".join(f" · {words}" for words in (*(["by hand"] if by_hand else []), *alterations))
