"""The yes/no oracle: one d100 read against published odds for seven likelihoods and nine tensions.

The odds are made of three rules and no table is typed in:

1. At tension 5 a likelihood has the chance of `YES_AT_FIVE`.
2. In the mode `bend` each point of tension above 5 multiplies the odds (yes to no) by 6/5, and each point
   below divides them by it: in tense times more happens. In the mode `edge` tension leaves them alone.
3. Half of the answers are plain. Of twenty, `edge` gives the other ten to *and* as often as the tension
   says and to *but* otherwise; `bend` does as though the tension were 5.

High is good, as in every other check: the lowest faces are *no, and*, the highest *yes, and*. A random
event breaks in when the gap between the two digits of the roll and the tension make ten; the chance is
two in a hundred for each point of tension, and as great for a high roll as for a low one.

The numbers are our own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from agents.resolver.dice import roll_dice
from agents.resolver.dice_score import DiceRoll
from agents.typed_text import count_slips, did_you_mean, fold_name, one_line
from stores.errors import InputError
from stores.records.play import Die, TensionMode

TENSIONS: Final = range(1, 10)
"""A story begins at 5."""
_MIDDLE_TENSION: Final = 5
_BEND_FACTOR: Final = Fraction(6, 5)
"""What one point of tension does to the odds of a yes, in the mode `bend`."""


class Likelihood(StrEnum):
    """How likely a yes is, from the least to the most."""

    IMPOSSIBLE = "impossible"
    VERY_UNLIKELY = "very unlikely"
    UNLIKELY = "unlikely"
    EVEN = "even"
    LIKELY = "likely"
    VERY_LIKELY = "very likely"
    CERTAIN = "certain"

    @property
    def rank(self) -> int:
        """Steps above even: -3 to 3."""
        return list(Likelihood).index(self) - 3


class Grade(StrEnum):
    """An answer, from the lowest faces of the die to the highest."""

    NO_AND = "no, and"
    NO = "no"
    NO_BUT = "no, but"
    YES_BUT = "yes, but"
    YES = "yes"
    YES_AND = "yes, and"

    @property
    def is_yes(self) -> bool:
        return self in (Grade.YES_BUT, Grade.YES, Grade.YES_AND)


YES_AT_FIVE: Final[Mapping[Likelihood, int]] = MappingProxyType(
    dict(zip(Likelihood, (2, 12, 30, 50, 70, 88, 98), strict=True))
)
"""Chances of any yes in 100, at tension 5 in both modes. Even the impossible happens, twice in 100."""

LIKELIHOOD_ALIASES: Final[Mapping[str, Likelihood]] = MappingProxyType(
    {
        **{likelihood.value: likelihood for likelihood in Likelihood},
        "imp": Likelihood.IMPOSSIBLE,
        "vu": Likelihood.VERY_UNLIKELY,
        "hardly": Likelihood.VERY_UNLIKELY,
        "u": Likelihood.UNLIKELY,
        "e": Likelihood.EVEN,
        "50/50": Likelihood.EVEN,
        "maybe": Likelihood.EVEN,
        "l": Likelihood.LIKELY,
        "probably": Likelihood.LIKELY,
        "vl": Likelihood.VERY_LIKELY,
        "c": Likelihood.CERTAIN,
        "sure": Likelihood.CERTAIN,
    }
)
"""What may be typed for a likelihood, in small letters."""

_AMBIGUOUS_ALIASES: Final = frozenset({"even", "certain", "sure", "hardly", "maybe"})
"""Likelihoods that a question may begin with as ordinary words: `Even the guards sleep?`"""
_QUESTION_OPENS: Final = re.compile(
    r"(is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|may|might|shall|should)\b", re.I
)
_LONGEST_FIRST: Final = sorted(LIKELIHOOD_ALIASES, key=len, reverse=True)
_MISSPELLABLE: Final = tuple(alias for alias in LIKELIHOOD_ALIASES if len(alias) >= 4 and alias != "50/50")
_MAX_SLIPS_BY_LENGTH: Final = ((8, 2), (4, 1))
"""Letters of a word, and how many of them may be wrong for it to be taken for that word."""
_SHORT_LENGTH: Final = 5
"""Letters of a likelihood up to which what is nearly one, with a capital, is a name: `Evan`, `Maybel`."""
_QUALIFIED_WORDS: Final = frozenset({"likely", "unlikely", "impossible"})
"""Words that make a likelihood of what stands before them: `quite likely` is one that there is not."""
_EXAMPLES: Final = "likely, very unlikely or 50/50"


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """An answer of the oracle."""

    grade: Grade
    likelihood: Likelihood
    tension: int
    mode: TensionMode
    roll: DiceRoll
    is_event: bool
    """Whether the roll brings a random event as well."""

    text: str
    rule: str

    @property
    def dice(self) -> tuple[Die, ...]:
        return self.roll.dice


def ask_oracle(
    likelihood: Likelihood,
    tension: int,
    rng: random.Random,
    faces: Iterable[int] | None = None,
    *,
    mode: TensionMode = TensionMode.BEND,
) -> OracleAnswer:
    """Ask with `rng`, or read the physical d100 typed as `faces` (00 is 100).

    Raises InputError if `tension` is not 1 to 9, or if the faces are not those of one d100.
    """
    check_tension(tension)
    dice_roll = roll_dice("d%", rng, faces=faces)
    grade = grade_of(dice_roll.total, likelihood, tension, mode)
    has_event = is_event(dice_roll.total, tension)
    text = f"{likelihood} · tension {tension} · d100 {dice_roll.total} · {grade}"
    return OracleAnswer(
        grade=grade,
        likelihood=likelihood,
        tension=tension,
        mode=mode,
        roll=dice_roll,
        is_event=has_event,
        text=f"{text} · event" if has_event else text,
        rule=f"oracle, {likelihood}, tension {tension}, {mode}",
    )


# --- the odds ---------------------------------------------------------------------------------------


@cache
def oracle_odds(
    likelihood: Likelihood, tension: int, mode: TensionMode = TensionMode.BEND
) -> Mapping[Grade, int]:
    """Return how many of the 100 faces give each grade, from the lowest faces to the highest.

    Raises InputError if `tension` is not 1 to 9.
    """
    yes_faces = yes_in_100(likelihood, tension, mode)
    and_share = tension if mode is TensionMode.EDGE else _MIDDLE_TENSION
    no_and, no, no_but = _split_grades(100 - yes_faces, and_share)
    yes_and, plain_yes, yes_but = _split_grades(yes_faces, and_share)
    return MappingProxyType(dict(zip(Grade, (no_and, no, no_but, yes_but, plain_yes, yes_and), strict=True)))


def yes_in_100(likelihood: Likelihood, tension: int, mode: TensionMode = TensionMode.BEND) -> int:
    """Return the chance of any yes, in per cent. Raises InputError if `tension` is not 1 to 9."""
    check_tension(tension)
    yes = YES_AT_FIVE[likelihood]
    if mode is TensionMode.EDGE:
        return yes
    yes_odds = Fraction(yes, 100 - yes) * _BEND_FACTOR ** (tension - _MIDDLE_TENSION)
    return round(100 * yes_odds / (1 + yes_odds))


def grade_of(face: int, likelihood: Likelihood, tension: int, mode: TensionMode = TensionMode.BEND) -> Grade:
    """Return the grade that the `face` of a d100 (1 to 100) stands for."""
    odds = oracle_odds(likelihood, tension, mode)
    highest_faces = zip(odds, accumulate(odds.values()), strict=True)
    return next(grade for grade, highest in highest_faces if face <= highest)


def is_event(face: int, tension: int) -> bool:
    """Return whether that face of a d100 brings a random event: its digits' gap and the tension make ten.

    At tension 5 it is 27, 61 and every other face whose digits are 5 apart. 100 reads as 00.
    """
    tens, ones = divmod(face % 100, 10)
    return abs(tens - ones) + tension == 10


def event_chance(tension: int) -> int:
    """Return the chance that a question brings a random event, in per cent."""
    check_tension(tension)
    return 2 * tension


def check_tension(tension: int) -> int:
    """Return `tension`. Raises InputError if it is not 1 to 9."""
    if tension not in TENSIONS:
        raise InputError(
            f"There is no tension {tension}.",
            kept="Nothing was rolled.",
            todo=f"It goes from {TENSIONS[0]} to {TENSIONS[-1]}.",
        )
    return tension


def _split_grades(faces: int, ands_in_20: int) -> tuple[int, int, int]:
    """Split the faces of yes, or of no, into *and*, plain and *but*; ten of twenty are *and* or *but*.

    A half face goes to *but*, so that the rarest answers are not the strongest.
    """
    with_and = faces * ands_in_20 // 20
    with_but = (faces * (10 - ands_in_20) + 10) // 20
    return with_and, faces - with_and - with_but, with_but


# --- reading ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OracleQuery:
    """What was typed after `/oracle` or `?`; without a likelihood, one may be suggested."""

    question: str
    likelihood: Likelihood | None = None


def read_likelihood(text: str) -> Likelihood:
    """Read a likelihood by its name or a short one. Raises InputError with near names."""
    likelihood = LIKELIHOOD_ALIASES.get(fold_name(text))
    if likelihood is None:
        hint = did_you_mean(text, list(Likelihood))
        raise InputError(
            f"{one_line(text)!r} is no likelihood. They are {', '.join(Likelihood)}.",
            kept="Nothing was rolled.",
            todo=hint or f"Try {_EXAMPLES}.",
        )
    return likelihood


def read_oracle_query(text: str) -> OracleQuery:
    """Read `likely is the door locked?`, `vl: is it?`, or a question alone.

    A likelihood stands first, with or without a colon. Without one, a single letter, or a word that may begin
    a question (`Even the guards sleep?`), is only read as a likelihood before `is`, `does` ...
    Raises InputError for a misspelt likelihood before a colon or such a verb; any other words belong to the question.
    """
    line = one_line(text)
    head, colon, rest = line.partition(":")
    if colon and (likelihood := LIKELIHOOD_ALIASES.get(fold_name(head))):
        return OracleQuery(rest.strip(), likelihood)
    if colon and (meant_word := _find_misspelt(head)):
        raise _misspelling_error(head, meant_word, rest)
    lower_line = line.casefold()
    for word in _LONGEST_FIRST:
        remainder = line[len(word) :]
        if not lower_line.startswith(word) or (remainder and not remainder.startswith((" ", ","))):
            continue
        question = remainder.lstrip(" ,")
        opens_question = not question or _QUESTION_OPENS.match(question) is not None
        if opens_question or not (word in _AMBIGUOUS_ALIASES or len(word) == 1):
            return OracleQuery(question, LIKELIHOOD_ALIASES[word])
    words = line.split()
    for count in (1, 2):
        rest = " ".join(words[count:])
        if _QUESTION_OPENS.match(rest) and (
            meant_word := _find_misspelt(" ".join(words[:count]).rstrip(","))
        ):
            raise _misspelling_error(" ".join(words[:count]), meant_word, rest)
    return OracleQuery(line)


def _find_misspelt(text: str) -> str:
    """Return the likelihood that the text nearly is; empty if it is nothing like one, or one as it should be."""
    folded_text = fold_name(text)
    if folded_text in LIKELIHOOD_ALIASES:
        return ""
    slips, nearest = min((count_slips(folded_text, word), word) for word in _MISSPELLABLE)
    max_slips = next(n for length, n in _MAX_SLIPS_BY_LENGTH if len(nearest) >= length)
    if slips <= max_slips:
        return "" if len(nearest) <= _SHORT_LENGTH and text.strip()[:1].isupper() else nearest
    words = folded_text.split()
    return words[1] if len(words) == 2 and words[1] in _QUALIFIED_WORDS else ""


def _misspelling_error(text: str, meant_word: str, question: str) -> InputError:
    return InputError(
        f"{one_line(text)[:40]!r} is no likelihood.",
        kept="Nothing was rolled.",
        todo=f"Did you mean ? {meant_word}: {question.strip()[:60]}",
    )
