"""The player's own dice: which are to be thrown, and the faces that were typed, read and held to them.

Dice are thrown as at a table: all of them first, left to right; then, together, whatever those faces ask
to be thrown again (explosions, rerolls), in the order of the dice; and so on until nothing does.

Source: design/product.md, "Solo procedures" (physical-dice mode).
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
_AT_THE_END: Final = re.compile(r"(?P<asked>.*?)(?:^|\s)=(?P<faces>(?:\s[-+−–0-9,\s]*)?)", re.DOTALL)
_ZERO_IS_HIGHEST: Final = (10, 100)
"""Ten-sided dice are printed 0 to 9, percentile ones 00 to 90: their nought is the ten, or the hundred."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Dice that are still to be thrown; `why` says what asks for them (empty: the roll itself)."""

    count: int
    die: DieType
    why: str = ""

    def __str__(self) -> str:
        return f"{self.count}d{'100' if self.die.sides == '%' else self.die.sides}"


@dataclass(slots=True)
class Chain:
    """One of the dice as it is thrown: with what it was before a reroll, and what explodes from it."""

    dice: Dice
    fallen: list[Die] = field(default_factory=list)
    exploded: bool = False
    open: bool = True
    why: str = ""
    _may_reroll: bool = True

    def fall(self, face: int) -> None:
        """Note the face that fell, and whether it asks for another throw. Raises InputError if it never
        stops."""
        again = self._may_reroll and self.dice.reroll is not None and self.dice.reroll.holds(face)
        bursts = not again and self.dice.explode is not None and self.dice.explode.holds(face)
        die = self.dice.die
        self.fallen.append(
            Die(sides=die.sides, face=face, dropped=again, exploded=self.exploded, rerolled=again)
        )
        if again:
            self._may_reroll = not self.dice.reroll_once
        elif bursts:
            self.exploded, self._may_reroll = True, True
        self.open = again or bursts
        self.why = f"{die.show(face)} {'is rerolled' if again else 'explodes'}" if self.open else ""
        if self.open and len(self.fallen) == MAX_CHAIN:
            raise dice_error(
                f"One {die} was thrown {MAX_CHAIN} times and would not stop: ask for fewer faces."
            )


@dataclass(frozen=True, slots=True)
class Hand:
    """What was typed so far: fallen dice by chain, and what is `wanted` before the roll is whole."""

    chains: tuple[list[Die], ...]
    wanted: tuple[Wanted, ...]


def by_hand(throws: Sequence[Dice], faces: Sequence[int], *, exploded: Sequence[bool] = ()) -> Hand:
    """Read the faces of physical dice: `throws` has one entry for each die that is thrown.

    Raises InputError if a face is not on its die, if there are too many, or too few for all the dice that
    were thrown first.
    """
    begun = exploded or [False] * len(throws)
    chains = [Chain(dice, exploded=burst) for dice, burst in zip(throws, begun, strict=True)]
    left, first = list(faces), True
    while still := [chain for chain in chains if chain.open]:
        if first and 0 < len(left) < len(still):
            raise _wrong_count(len(faces), len(still))
        for chain in still[: len(left)]:
            chain.fall(_on_die(chain.dice.die, left.pop(0)))
        if sum(len(chain.fallen) for chain in chains) > MAX_DICE:
            raise dice_error(f"Rerolls and explosions came to more than {MAX_DICE:,} dice.")
        if not left:
            break
        first = False
    if left:
        raise _wrong_count(len(faces), len(faces) - len(left))
    return Hand(tuple(chain.fallen for chain in chains), _wanted(chains))


def read_faces(text: str) -> tuple[int, ...]:
    """Read typed physical dice: `5 4`, `5,4`, or `+ - 0` for Fate dice. Raises InputError."""
    words = [part for word in re.findall(r"[^\s,;]+", text) for part in _parted(word)]
    if wrong := [w for w in words if w not in _FATE and not _FACE.fullmatch(w)]:
        raise faces_error(f"{wrong[0][:20]!r} is not the face of a die.")
    if len(words) > MAX_DICE:
        raise faces_error(f"At most {MAX_DICE:,} faces can be typed at once.")
    return tuple(_FATE[w] if w in _FATE else int(w) for w in words)


def split_faces(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Part what is rolled from the faces behind a last ` = `: blanks stand around it, where `d10=7` has none.

    None: there is no such =. Empty: nothing stands behind it yet.
    """
    found = _AT_THE_END.fullmatch(text)
    if found is None:
        return text.strip(), None
    return found["asked"].strip(), read_faces(found["faces"])


def open_for_faces(line: str, faces: Sequence[int] | None) -> str:
    """Return a typed line that ends in ` = ` (and the `faces` that it has already), to be typed on."""
    found = None if faces is None else _AT_THE_END.fullmatch(line.rstrip())
    if found is None:
        return f"{line.rstrip()} = "
    typed = found["faces"].strip()
    return f"{found['asked'].rstrip()} = {typed + ' ' if typed else ''}"


def in_words(wanted: Iterable[Wanted]) -> str:
    """Return which dice to throw: `2d6 and 1d10`, `1 more d6, because 6 explodes`."""
    parts = [
        f"{'one' if w.count == 1 else w.count} more d{w.die.sides} ({w.why})" if w.why else str(w)
        for w in wanted
    ]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def faces_error(what: str) -> InputError:
    """Return the error about faces that cannot be what fell."""
    return InputError(
        what,
        kept="Nothing was played.",
        todo="Type the faces behind the = in the order of the dice, as in: /roll 2d6+1 = 5 4",
    )


def _parted(word: str) -> Iterable[str]:
    """Part `+-0` into the Fate dice that it is; leave `-1` and `12` alone."""
    return word if len(word) > 1 and _GLUED_FATE.fullmatch(word) else (word,)


def _on_die(die: DieType, face: int) -> int:
    """Return the face as it counts. Raises InputError if the die has none like it."""
    if face == 0 and die.low == 1 and die.high in _ZERO_IS_HIGHEST:
        return die.high
    if not die.low <= face <= die.high:
        raise faces_error(f"A {die} has no face {face}: it goes from {die.low} to {die.high}.")
    return face


def _wrong_count(typed: int, wanted: int) -> InputError:
    faces = "face was" if typed == 1 else "faces were"
    dice = "die is" if wanted == 1 else "dice are"
    return faces_error(f"{typed} {faces} typed, and {wanted or 'no'} {dice} thrown.")


def _wanted(chains: Iterable[Chain]) -> tuple[Wanted, ...]:
    """Gather what is still open: neighbours of one kind, for one reason, together."""
    gathered: list[Wanted] = []
    for chain in chains:
        if not chain.open:
            continue
        last = gathered[-1] if gathered else None
        if last and (last.die, last.why) == (chain.dice.die, chain.why):
            gathered[-1] = Wanted(last.count + 1, last.die, last.why)
        else:
            gathered.append(Wanted(1, chain.dice.die, chain.why))
    return tuple(gathered)
