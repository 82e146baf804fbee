"""Decides which dice a throw needs next: rerolls and explosions, for thrown and for typed physical dice.

All dice are thrown first, left to right; then, together, those that explode or are rerolled, in the order
of the dice; and so on until none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.resolver.dice_formula import MAX_CHAIN, MAX_DICE, Dice, DieType
from agents.resolver.dice_scanner import dice_error
from stores.errors import InputError
from stores.records.play import Die

_FATE: Final = {"+": 1, "-": -1, "−": -1, "–": -1, "0": 0}
_GLUED_FATE: Final = re.compile(r"[+−–0-]*[+−–-][+−–0-]*")
_FACE: Final = re.compile(r"[+-]?[0-9]{1,6}")
_FACES_AT_END: Final = re.compile(r"(?P<roll>.*?)(?:^|\s)=(?P<faces>(?:\s[-+−–0-9,\s]*)?)", re.DOTALL)
_ZERO_IS_HIGHEST: Final = (10, 100)
"""Ten-sided dice are printed 0 to 9, percentile ones 00 to 90: their zero is the ten, or the hundred."""


@dataclass(frozen=True, slots=True)
class DiceToThrow:
    """Dice that are still to be thrown."""

    count: int
    die: DieType
    reason: str = ""
    """Why they are thrown; empty for the roll itself."""

    def __str__(self) -> str:
        return f"{self.count}d{'100' if self.die.sides == '%' else self.die.sides}"


@dataclass(slots=True)
class DieChain:
    """One die while it is thrown: `add_face` decides whether it explodes or is rerolled."""

    dice: Dice
    fallen_dice: list[Die] = field(default_factory=list)
    is_exploded: bool = False
    is_open: bool = True
    reason: str = ""
    _can_reroll: bool = True

    def add_face(self, face: int) -> None:
        """Add the face that fell, and note whether it asks for another throw.

        Raises InputError if the die is thrown too often.
        """
        is_rerolled = self._can_reroll and self.dice.reroll is not None and self.dice.reroll.holds(face)
        is_exploding = not is_rerolled and self.dice.explode is not None and self.dice.explode.holds(face)
        die = self.dice.die
        self.fallen_dice.append(
            Die(
                sides=die.sides,
                face=face,
                dropped=is_rerolled,
                exploded=self.is_exploded,
                rerolled=is_rerolled,
            )
        )
        if is_rerolled:
            self._can_reroll = not self.dice.reroll_once
        elif is_exploding:
            self.is_exploded, self._can_reroll = True, True
        self.is_open = is_rerolled or is_exploding
        self.reason = (
            f"{die.show(face)} {'is rerolled' if is_rerolled else 'explodes'}" if self.is_open else ""
        )
        if self.is_open and len(self.fallen_dice) == MAX_CHAIN:
            raise dice_error(
                f"One {die} was thrown {MAX_CHAIN} times and would not stop: ask for fewer faces."
            )


@dataclass(frozen=True, slots=True)
class PhysicalThrow:
    """The dice typed so far, by chain, and those that are still to be thrown."""

    chains: tuple[list[Die], ...]
    dice_to_throw: tuple[DiceToThrow, ...]


def read_physical_dice(
    throws: Sequence[Dice], faces: Sequence[int], *, exploded_flags: Sequence[bool] = ()
) -> PhysicalThrow:
    """Read the faces of physical dice: `throws` has one entry for each die that is thrown.

    Raises InputError if a face is not on its die, if there are too many, or too few for all the dice that
    were thrown first.
    """
    begin_flags = exploded_flags or [False] * len(throws)
    chains = [
        DieChain(dice, is_exploded=is_exploded) for dice, is_exploded in zip(throws, begin_flags, strict=True)
    ]
    remaining_faces, is_first_throw = list(faces), True
    while open_chains := [chain for chain in chains if chain.is_open]:
        if is_first_throw and 0 < len(remaining_faces) < len(open_chains):
            raise _count_error(len(faces), len(open_chains))
        for chain in open_chains[: len(remaining_faces)]:
            chain.add_face(_face_on_die(chain.dice.die, remaining_faces.pop(0)))
        if sum(len(chain.fallen_dice) for chain in chains) > MAX_DICE:
            raise dice_error(f"Rerolls and explosions came to more than {MAX_DICE:,} dice.")
        if not remaining_faces:
            break
        is_first_throw = False
    if remaining_faces:
        raise _count_error(len(faces), len(faces) - len(remaining_faces))
    return PhysicalThrow(tuple(chain.fallen_dice for chain in chains), _gather_dice_to_throw(chains))


def read_faces(text: str) -> tuple[int, ...]:
    """Read typed physical dice: `5 4`, `5,4`, or `+ - 0` for Fate dice. Raises InputError."""
    words = [part for word in re.findall(r"[^\s,;]+", text) for part in _split_fate_faces(word)]
    if wrong_words := [w for w in words if w not in _FATE and not _FACE.fullmatch(w)]:
        raise faces_error(f"{wrong_words[0][:20]!r} is not the face of a die.")
    if len(words) > MAX_DICE:
        raise faces_error(f"At most {MAX_DICE:,} faces can be typed at once.")
    return tuple(_FATE[w] if w in _FATE else int(w) for w in words)


def split_faces(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Split a roll from the faces behind its last ` = `; without blanks, as in `d10=7`, it is part of the roll.

    The faces are None if there is no such =, and empty if nothing follows it yet.
    """
    match = _FACES_AT_END.fullmatch(text)
    if match is None:
        return text.strip(), None
    return match["roll"].strip(), read_faces(match["faces"])


def open_for_faces(line: str, faces: Sequence[int] | None) -> str:
    """Return the typed line ready for more faces: it ends in ` = `, or in the `faces` that it has already."""
    match = None if faces is None else _FACES_AT_END.fullmatch(line.rstrip())
    if match is None:
        return f"{line.rstrip()} = "
    typed_faces = match["faces"].strip()
    return f"{match['roll'].rstrip()} = {typed_faces + ' ' if typed_faces else ''}"


def describe_dice_to_throw(dice_to_throw: Iterable[DiceToThrow]) -> str:
    """Return which dice to throw: `2d6 and 1d10`, `one more d6 (6 explodes)`."""
    parts = [
        f"{'one' if dice.count == 1 else dice.count} more d{dice.die.sides} ({dice.reason})"
        if dice.reason
        else str(dice)
        for dice in dice_to_throw
    ]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def faces_error(what: str) -> InputError:
    """Return the error about faces that cannot be what fell."""
    return InputError(
        what,
        kept="Nothing was played.",
        todo="Type the faces behind the = in the order of the dice, as in: /roll 2d6+1 = 5 4",
    )


def _split_fate_faces(word: str) -> Iterable[str]:
    """Split `+-0` into its Fate dice; `-1` and `12` stay whole."""
    return word if len(word) > 1 and _GLUED_FATE.fullmatch(word) else (word,)


def _face_on_die(die: DieType, face: int) -> int:
    """Return the face as it counts. Raises InputError if the die does not have it."""
    if face == 0 and die.low == 1 and die.high in _ZERO_IS_HIGHEST:
        return die.high
    if not die.low <= face <= die.high:
        raise faces_error(f"A {die} has no face {face}: it goes from {die.low} to {die.high}.")
    return face


def _count_error(typed_count: int, thrown_count: int) -> InputError:
    faces_words = "face was" if typed_count == 1 else "faces were"
    dice_words = "die is" if thrown_count == 1 else "dice are"
    return faces_error(f"{typed_count} {faces_words} typed, and {thrown_count or 'no'} {dice_words} thrown.")


def _gather_dice_to_throw(chains: Iterable[DieChain]) -> tuple[DiceToThrow, ...]:
    """Group the dice that are still to be thrown: neighbours of one kind, for one reason, together."""
    dice_to_throw: list[DiceToThrow] = []
    for chain in chains:
        if not chain.is_open:
            continue
        last_group = dice_to_throw[-1] if dice_to_throw else None
        if last_group and (last_group.die, last_group.reason) == (chain.dice.die, chain.reason):
            dice_to_throw[-1] = DiceToThrow(last_group.count + 1, last_group.die, last_group.reason)
        else:
            dice_to_throw.append(DiceToThrow(1, chain.dice.die, chain.reason))
    return tuple(dice_to_throw)
