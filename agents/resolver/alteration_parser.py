"""Reads what is typed behind `/reroll` and `/pick`, against the roll that it alters.

A random event cannot be altered, because its dice depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.resolver.alteration import (
    PICKABLE_DEGREES,
    PICKABLE_OUTCOMES,
    die_type_of,
    outcome_index,
    score_original,
    text_without_suffix,
)
from agents.resolver.check import DEGREE_WORDS
from agents.resolver.dice import pick_faces, standing_places
from agents.resolver.dice_faces import read_faces
from agents.resolver.random_tables import lowest_faces_of
from agents.resolver.resolution_requests import Alteration
from agents.resolver.roll_kinds import CHECK_KINDS
from agents.resolver.sparks import Spark
from agents.typed_text import did_you_mean, fold_name, one_line
from stores.errors import InputError
from stores.records.play import Resolution

_DIE_REFERENCE: Final = re.compile(
    r"(?P<keyword>#|die\s+|face\s+)?(?P<number>[+−–-]?[0-9]+|[+−–-])", re.IGNORECASE
)
_FACE_SETTING: Final = re.compile(
    r"(?:#|die\s+)?(?P<number>[0-9]{1,4})\s*(?::|\bto\b)\s*(?P<face>\S+)", re.IGNORECASE
)


def read_reroll(typed_text: str, original: Resolution) -> Alteration:
    """Read which dice to throw again: their numbers or their faces, or `all`. Raises InputError."""
    _require_alterable(original)
    visible_places = standing_places(original.dice)
    if fold_name(typed_text) in ("all", "every", "everything") or (
        not typed_text and len(visible_places) == 1
    ):
        return Alteration(places=tuple(visible_places))
    chosen_places: list[int] = []
    position = 0
    while position < len(typed_text):
        if gap := re.compile(r"[\s,]+|and\b").match(typed_text, position):
            position = gap.end()
            continue
        reference = _DIE_REFERENCE.match(typed_text, position)
        if not reference:
            raise _reroll_error(f"{one_line(typed_text[position:])[:40]!r} names no die.", original)
        chosen_places.append(_find_place(reference, original, visible_places, chosen_places))
        position = reference.end()
    if not chosen_places:
        raise _reroll_error("Which die?", original)
    return Alteration(places=tuple(sorted(set(chosen_places))))


def read_pick(typed_text: str, original: Resolution, spark: Spark | None = None) -> Alteration:
    """Read what is to count instead: an outcome, a row of a table of `spark`, or faces. Raises InputError."""
    _require_alterable(original)
    folded_text = fold_name(typed_text)
    if original.kind in CHECK_KINDS and (degree := DEGREE_WORDS.get(folded_text)):
        return _pick_outcome(original, degree)
    for outcome in PICKABLE_OUTCOMES.get(original.kind, ()):
        if folded_text == fold_name(outcome) or folded_text == fold_name(outcome).replace(",", ""):
            return _pick_outcome(original, outcome)
    if spark and (row_pick := _pick_row(original, spark, folded_text, standing_places(original.dice))):
        return row_pick
    try:
        return _read_face_pick(typed_text, original)
    except InputError:
        if re.fullmatch(r"[\s,+−–0-9-]+", typed_text) or _FACE_SETTING.fullmatch(typed_text.strip()):
            raise
    hint = did_you_mean(typed_text, pickable_names(original, spark)) if typed_text else ""
    problem = (
        f"{one_line(typed_text)[:40]!r} is no result that this roll can have." if typed_text else "Pick what?"
    )
    raise InputError(problem, kept="Nothing was changed.", todo=hint or pick_help(original))


def pickable_names(original: Resolution, spark: Spark | None = None) -> tuple[str, ...]:
    """Return the outcomes, or rows, that may be picked by name."""
    if spark:
        return tuple(row.text for draw in spark.draws for row in draw.table.rows)
    return (
        tuple(PICKABLE_DEGREES) if original.kind in CHECK_KINDS else PICKABLE_OUTCOMES.get(original.kind, ())
    )


def pick_help(original: Resolution) -> str:
    """Say what `/pick` takes for this roll."""
    faces = (
        "/pick 6"
        if len(standing_places(original.dice)) == 1
        else f"/pick 1: 6 (the dice are {number_dice(original)})"
    )
    names = pickable_names(original)
    return f"/pick {' | '.join(names)}, or {faces}." if names else f"{faces}, or a row by its words."


def number_dice(original: Resolution) -> str:
    """List the dice by number: `1 shows 5, 2 shows 4`."""
    dice = [original.dice[place] for place in standing_places(original.dice)]
    numbered_faces = [f"{n} shows {die_type_of(die).show(die.face)}" for n, die in enumerate(dice, 1)]
    remainder = [f"and {len(numbered_faces) - 20} more"] if len(numbered_faces) > 20 else []
    return ", ".join(numbered_faces[:20] + remainder)


# --- dice, outcomes and rows ---------------------------------------------------------------------------------------


def _require_alterable(original: Resolution) -> None:
    """Raise InputError for a roll that cannot be altered."""
    if original.kind == "event":
        raise InputError(
            "The dice of an event depend on each other, so it cannot be altered.",
            kept="Nothing was changed.",
            todo="/undo takes it back.",
        )
    if not original.kind or (original.kind in CHECK_KINDS and original.stakes is None):
        raise InputError(
            "This roll was sealed by an earlier version of MONITOR, which did not store the other results.",
            kept="Nothing was changed.",
            todo="/undo takes it back; then roll again.",
        )
    if not standing_places(original.dice):
        raise InputError("No dice were thrown.", kept="Nothing was changed.")


def _find_place(
    reference: re.Match[str],
    original: Resolution,
    visible_places: Sequence[int],
    chosen_places: Sequence[int],
) -> int:
    """Return the place of the die that was named by number or face. Raises InputError."""
    keyword, number_text = (reference["keyword"] or "").strip().casefold(), reference["number"]
    face = read_faces(number_text)[0]
    by_face = [p for p in visible_places if original.dice[p].face == face and p not in chosen_places]
    by_number = (
        visible_places[face - 1] if number_text.isdecimal() and 1 <= face <= len(visible_places) else None
    )
    if keyword == "face" or (not keyword and by_number is None):
        if not by_face:
            raise _reroll_error(f"No die shows {number_text}.", original)
        return by_face[0]
    if by_number is None:
        raise _reroll_error(f"There is no die {number_text}.", original)
    if not keyword and by_face and by_number not in by_face:
        shown_face = die_type_of(original.dice[by_number]).show(original.dice[by_number].face)
        raise InputError(
            f"Die {face} shows {shown_face}, and another die shows {face}.",
            kept="Nothing was changed.",
            todo=f"/reroll #{face} is die {face}; /reroll face {face} the one that shows {face}.",
        )
    return by_number


def _read_face_pick(typed_text: str, original: Resolution) -> Alteration:
    """Read `6`, `2: 6`, or a face for each die."""
    visible_places = standing_places(original.dice)
    if setting := _FACE_SETTING.fullmatch(typed_text.strip()):
        number = int(setting["number"])
        if not 1 <= number <= len(visible_places):
            raise _reroll_error(f"There is no die {number}.", original)
        places, faces = [visible_places[number - 1]], read_faces(setting["face"])
    else:
        places, faces = visible_places, read_faces(typed_text)
    if len(faces) != len(places) or not faces:
        raise InputError(
            f"The roll has {len(visible_places)} dice, and {len(faces)} faces were picked.",
            kept="Nothing was changed.",
            todo=pick_help(original),
        )
    original_roll, formula = score_original(original)
    pick_faces(original_roll, dict(zip(places, faces, strict=True)), formula=formula)  # raises for a bad face
    return _pick_faces(original, places, faces)


def _pick_outcome(original: Resolution, outcome: str) -> Alteration:
    """Return the pick of an outcome. Raises InputError if the roll has it already."""
    current_outcome = original.degree if original.kind in CHECK_KINDS else ""
    if not current_outcome:
        parts = text_without_suffix(original).split(" · ")
        current_outcome = parts[outcome_index(original.kind, parts)]
    if current_outcome == outcome:
        raise InputError(f"It is {outcome} already.", kept="Nothing was changed.", todo=pick_help(original))
    return Alteration(outcome=str(outcome))


def _pick_row(
    original: Resolution, spark: Spark, folded_text: str, visible_places: Sequence[int]
) -> Alteration | None:
    """Return the pick of a row of one of the tables that were drawn from.

    Raises InputError if it is the row that fell.
    """
    start = 0
    for draw in spark.draws:
        count = len(draw.roll.dice)
        for row in draw.table.rows:
            if fold_name(row.text) == folded_text and row != draw.row:
                return _pick_faces(
                    original, visible_places[start : start + count], lowest_faces_of(draw.table, row)
                )
        start += len(draw.dice)
    if fallen_row := next((d.row for d in spark.draws if fold_name(d.row.text) == folded_text), None):
        raise InputError(f"It is {fallen_row.text} already.", kept="Nothing was changed.")
    return None


def _reroll_error(what: str, original: Resolution) -> InputError:
    return InputError(
        what,
        kept="Nothing was changed.",
        todo=f"The dice: {number_dice(original)}. /reroll 1 throws the first again, /reroll all every one.",
    )


def _pick_faces(original: Resolution, places: Sequence[int], faces: Sequence[int]) -> Alteration:
    """Return the pick of these faces; dice that show theirs already are left alone."""
    changed_places = [(p, f) for p, f in zip(places, faces, strict=True) if original.dice[p].face != f]
    if not changed_places:
        raise InputError("The dice show that already.", kept="Nothing was changed.")
    return Alteration(places=tuple(p for p, _ in changed_places), faces=tuple(f for _, f in changed_places))
