"""What `/reroll` and `/pick` ask for, read against the roll that they are about. Pure.

Dice that depend on each other (a random event's) cannot be taken apart.

Source: design/product.md, "Solo procedures" (reroll one die, pick instead of rolled).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.resolver.alter import CHECKS, DEGREES, OUTCOMES, kind_of, outcome_at, plain_text, rolled_of
from agents.resolver.check import DEGREE_WORDS
from agents.resolver.dice import pick, standing
from agents.resolver.dice_faces import read_faces
from agents.resolver.random_tables import place_of
from agents.resolver.requests import Alteration
from agents.resolver.sparks import Spark
from agents.resolver.words import did_you_mean, folded, one_line
from stores.errors import InputError
from stores.records.play import Resolution

_ITEM: Final = re.compile(r"(?P<how>#|die\s+|face\s+)?(?P<which>[+−–-]?[0-9]+|[+−–-])", re.IGNORECASE)
_SET: Final = re.compile(r"(?:#|die\s+)?(?P<which>[0-9]{1,4})\s*(?::|\bto\b)\s*(?P<face>\S+)", re.IGNORECASE)


def read_reroll(typed: str, old: Resolution) -> Alteration:
    """Read which dice to throw again: their numbers or their faces, or `all`. Raises InputError."""
    _check_whole(old)
    there = standing(old.dice)
    if folded(typed) in ("all", "every", "everything") or (not typed and len(there) == 1):
        return Alteration(places=tuple(there))
    chosen: list[int] = []
    at = 0
    while at < len(typed):
        if gap := re.compile(r"[\s,]+|and\b").match(typed, at):
            at = gap.end()
            continue
        found = _ITEM.match(typed, at)
        if not found:
            raise _error(f"{one_line(typed[at:])[:40]!r} names no die.", old)
        chosen.append(_place(found, old, there, chosen))
        at = found.end()
    if not chosen:
        raise _error("Which die?", old)
    return Alteration(places=tuple(sorted(set(chosen))))


def read_pick(typed: str, old: Resolution, drawn: Spark | None = None) -> Alteration:
    """Read what is to count instead: an outcome, a row (of what was `drawn`), or faces. Raises InputError."""
    _check_whole(old)
    wanted = folded(typed)
    if old.kind in CHECKS and (degree := DEGREE_WORDS.get(wanted)):
        return _unlike(old, degree)
    for outcome in OUTCOMES.get(old.kind, ()):
        if wanted == folded(outcome) or wanted == folded(outcome).replace(",", ""):
            return _unlike(old, outcome)
    if drawn and (row := _row(old, drawn, wanted, standing(old.dice))):
        return row
    try:
        return _set_faces(typed, old)
    except InputError:
        if re.fullmatch(r"[\s,+−–0-9-]+", typed) or _SET.fullmatch(typed.strip()):
            raise
    near = did_you_mean(typed, can_be_picked(old, drawn)) if typed else ""
    what = f"{one_line(typed)[:40]!r} is nothing that this roll can come to." if typed else "Pick what?"
    raise InputError(what, kept="Nothing was changed.", todo=near or how_to_pick(old))


def can_be_picked(old: Resolution, drawn: Spark | None = None) -> tuple[str, ...]:
    """Return the outcomes, or rows, that may be picked by name."""
    if drawn:
        return tuple(row.text for draw in drawn.draws for row in draw.table.rows)
    return tuple(DEGREES) if old.kind in CHECKS else OUTCOMES.get(old.kind, ())


def how_to_pick(old: Resolution) -> str:
    """Say what `/pick` takes for this roll."""
    faces = "/pick 6" if len(standing(old.dice)) == 1 else f"/pick 1: 6 (the dice are {numbered(old)})"
    names = can_be_picked(old)
    return f"/pick {' | '.join(names)}, or {faces}." if names else f"{faces}, or a row by its words."


def numbered(old: Resolution) -> str:
    """List the dice by number: `1 shows 5, 2 shows 4`."""
    dice = [old.dice[place] for place in standing(old.dice)]
    shown = [f"{n} shows {kind_of(die).show(die.face)}" for n, die in enumerate(dice, 1)]
    more = [f"and {len(shown) - 20} more"] if len(shown) > 20 else []
    return ", ".join(shown[:20] + more)


# --- inside ---------------------------------------------------------------------------------------


def _check_whole(old: Resolution) -> None:
    """Raise InputError for a roll that cannot be taken apart."""
    if old.kind == "event":
        raise InputError(
            "The dice of an event depend on each other, so it stands or falls as one.",
            kept="Nothing was changed.",
            todo="/undo takes it back.",
        )
    if not old.kind or (old.kind in CHECKS and old.stakes is None):
        raise InputError(
            "This roll was sealed by an earlier MONITOR, which did not keep what else it might have been.",
            kept="Nothing was changed.",
            todo="/undo takes it back; then roll again.",
        )
    if not standing(old.dice):
        raise InputError("No dice were thrown.", kept="Nothing was changed.")


def _place(found: re.Match[str], old: Resolution, there: Sequence[int], chosen: Sequence[int]) -> int:
    """Return the place of the die that was named by number or face. Raises InputError."""
    how, which = (found["how"] or "").strip().casefold(), found["which"]
    face = read_faces(which)[0]
    by_face = [p for p in there if old.dice[p].face == face and p not in chosen]
    by_number = there[face - 1] if which.isdecimal() and 1 <= face <= len(there) else None
    if how == "face" or (not how and by_number is None):
        if not by_face:
            raise _error(f"No die shows {which}.", old)
        return by_face[0]
    if by_number is None:
        raise _error(f"There is no die {which}.", old)
    if not how and by_face and by_number not in by_face:
        shows = kind_of(old.dice[by_number]).show(old.dice[by_number].face)
        raise InputError(
            f"Die {which} shows {shows}, and another die shows {which}.",
            kept="Nothing was changed.",
            todo=f"/reroll #{which} is die {which}; /reroll face {which} the one that shows {which}.",
        )
    return by_number


def _set_faces(typed: str, old: Resolution) -> Alteration:
    """Read `6`, `2: 6`, or a face for each die."""
    there = standing(old.dice)
    if found := _SET.fullmatch(typed.strip()):
        number = int(found["which"])
        if not 1 <= number <= len(there):
            raise _error(f"There is no die {number}.", old)
        places, faces = [there[number - 1]], read_faces(found["face"])
    else:
        places, faces = there, read_faces(typed)
    if len(faces) != len(places) or not faces:
        raise InputError(
            f"The roll has {len(there)} dice, and {len(faces)} faces were picked.",
            kept="Nothing was changed.",
            todo=how_to_pick(old),
        )
    rolled, formula = rolled_of(old)
    pick(rolled, dict(zip(places, faces, strict=True)), formula=formula)  # it says what is wrong
    return _set_to(old, places, faces)


def _unlike(old: Resolution, outcome: str) -> Alteration:
    """Return the pick of an outcome, unless it is the one that came."""
    came = old.degree if old.kind in CHECKS else ""
    if not came:
        parts = plain_text(old).split(" · ")
        came = parts[outcome_at(old.kind, parts)]
    if came == outcome:
        raise InputError(f"It is {outcome} already.", kept="Nothing was changed.", todo=how_to_pick(old))
    return Alteration(outcome=str(outcome))


def _row(old: Resolution, drawn: Spark, wanted: str, there: Sequence[int]) -> Alteration | None:
    """Return the pick of a row of one of the tables that were drawn from."""
    at = 0
    for draw in drawn.draws:
        count = len(draw.dice)
        for row in draw.table.rows:
            if folded(row.text) == wanted and row != draw.row:
                return _set_to(old, there[at : at + count], place_of(draw.table, row))
        at += count
    return None


def _error(what: str, old: Resolution) -> InputError:
    return InputError(
        what,
        kept="Nothing was changed.",
        todo=f"The dice: {numbered(old)}. /reroll 1 throws the first again, /reroll all every one.",
    )


def _set_to(old: Resolution, places: Sequence[int], faces: Sequence[int]) -> Alteration:
    """Return the pick of these faces; dice that show theirs already are left alone."""
    changed = [(p, f) for p, f in zip(places, faces, strict=True) if old.dice[p].face != f]
    if not changed:
        raise InputError("The dice show that already.", kept="Nothing was changed.")
    return Alteration(places=tuple(p for p, _ in changed), faces=tuple(f for _, f in changed))
