"""The fields of a rule pack, which is one YAML file. It is data: nothing in a pack is ever executed.

`docs/rule-packs.md` explains every field to those who write one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from agents.resolver.check import Odds
from agents.sanitize import clean
from agents.typed_text import fold_name, one_line
from stores.records.base import Record
from stores.records.play import Degree

NUMBER_PLACEHOLDER: Final = "number"
"""The place in a formula of the number that a check is made with."""
CHECK_WORDS: Final = ("vs", "adv", "advantage", "dis", "disadvantage", *Odds)
"""Words that may follow a move, and so cannot name one."""

DICE_FIELDS: Final = ("dice", "advantage", "disadvantage", "vs", "partial_within", "wins")
"""The fields of a check that is rolled with dice; a check by odds has none of them."""


def _as_text(value: object) -> object:
    """Accept a number for text; explain the braces that YAML reads as a mapping."""
    if isinstance(value, dict):
        raise PydanticCustomError("braces", "text with { } needs quotes around it, as in '{might}'")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _one_line(text: str) -> str:
    return one_line(clean(text))


Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Phrase = Annotated[str, StringConstraints(pattern=r"^[^\W\d_](?:[\w '-]*\w)?$", max_length=40)]
VerbPhrase = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z'-]*(?: (?:[a-z][a-z'-]*|\.\.\.))*$", max_length=40)
]
"""A verb in small letters with the words that belong to it; `...` stands for words between them: `kick ... down`."""
Text = Annotated[str, BeforeValidator(_as_text), Field(max_length=300), AfterValidator(_one_line)]
Words = Annotated[Text, Field(min_length=1)]
Template = Annotated[str, BeforeValidator(_as_text), Field(min_length=1, max_length=1_000)]
Whole = Annotated[int, Field(strict=True, ge=-1_000_000, le=1_000_000)]


class PackOutcome(Record):
    """What a degree means in words, and the effects that it suggests. Either may be empty."""

    says: Text = ""
    effects: Annotated[str, BeforeValidator(_as_text), Field(max_length=1_000)] = ""


class Gauge(Record):
    """A value that goes up and down on a sheet."""

    key: Key
    meaning: Words
    at_zero: PackOutcome | None = None
    at_zero_pc: PackOutcome | None = None
    """Replaces `at_zero` for a player character."""


class SheetNumber(Gauge):
    """A number, such as might."""

    default: Whole = 0
    min: Whole | None = None
    max: Whole | None = None


class Track(Gauge):
    """A number between 0 and a maximum, such as hp."""

    max: Template
    """A number, or a formula of other numbers."""

    starts: Literal["full", "empty"] = "full"
    at_full: PackOutcome | None = None


class SheetTag(Record):
    """A tag with a meaning."""

    key: Phrase
    meaning: Words
    modifier: Annotated[int, Field(strict=True, ge=-10, le=10)] = 0
    """Added to every check while the tag is on the sheet."""

    starts: bool = False
    kind: Literal["condition", "gear"] = "condition"
    """What happened to somebody, or what they carry."""

    slots: Annotated[int, Field(strict=True, ge=0, le=100)] = 1
    """How much room gear takes."""


class Creation(Record):
    """How the numbers of a new hero come about, besides being typed: an array to hand out, or a roll for each."""

    numbers: Annotated[tuple[Key, ...], Field(min_length=1, max_length=60)]
    array: Annotated[tuple[Whole, ...], Field(max_length=60)] = ()
    roll: Template | None = None


class AdvanceStep(Record):
    """What experience can be spent on."""

    key: Phrase
    meaning: Words
    cost: Template
    effects: Template


class Advancement(Record):
    """How a character grows: the number that experience is counted by, and what it buys."""

    experience: Key
    steps: Annotated[tuple[AdvanceStep, ...], Field(min_length=1, max_length=60)]


class CheckTerms(Record):
    """How a check is rolled, with dice against a number or by odds, and what each degree does."""

    dice: Template | None = None
    advantage: Template | None = None
    disadvantage: Template | None = None
    vs: Template | None = None
    partial_within: Annotated[int, Field(strict=True, ge=0, le=1_000)] | None = None
    wins: Literal["high", "low"] | None = None
    odds: Odds | None = None
    success: PackOutcome | None = None
    partial: PackOutcome | None = None
    fail: PackOutcome | None = None

    def outcomes(self) -> Iterator[tuple[Degree, PackOutcome]]:
        """Yield the degrees that have an outcome."""
        for degree in (Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL):
            if outcome := getattr(self, degree.value):
                yield degree, outcome


class PackMove(CheckTerms):
    """A named check. Fields that it leaves out are those of the pack's own `check`."""

    key: Phrase
    meaning: Words
    number: Key | None = None
    verbs: Annotated[tuple[VerbPhrase, ...], Field(max_length=40)] | None = None
    """What a player's words call it: `attack` for `I attack the orc`. None: its key alone."""


class PackRest(Record):
    """A way to recover: how many minutes of world time it takes, and its effects on {actor}."""

    key: Phrase
    meaning: Words
    minutes: Annotated[int, Field(strict=True, ge=0, le=10_000_000)]
    effects: Template


class Pack(Record):
    """A rule system. `read_pack` checks that every formula can be rolled and every effect read."""

    id: Key
    name: Words
    version: Words
    licence: Words
    attribution: Words
    summary: Words
    numbers: Annotated[tuple[SheetNumber, ...], Field(max_length=60)] = ()
    tracks: Annotated[tuple[Track, ...], Field(max_length=30)] = ()
    tags: Annotated[tuple[SheetTag, ...], Field(max_length=100)] = ()
    check: CheckTerms
    moves: Annotated[tuple[PackMove, ...], Field(max_length=100)] = ()
    rests: Annotated[tuple[PackRest, ...], Field(max_length=20)] = ()
    carries: Template | None = None
    """How many slots of gear somebody can carry: a number, or a formula of numbers."""
    creation: Creation | None = None
    advancement: Advancement | None = None

    def gauges(self) -> tuple[SheetNumber | Track, ...]:
        """Return the numbers, then the tracks, in the order of the file."""
        return (*self.numbers, *self.tracks)

    def number_keys(self) -> tuple[str, ...]:
        return tuple(gauge.key for gauge in self.gauges())

    def terms_of(self, move: PackMove | None) -> CheckTerms:
        """Return how a move is rolled: its own terms over those of the pack's check (None: that check).

        If it has its own dice, the check's advantage does not apply; if it has odds, nor do its dice.
        """
        if move is None:
            return self.check
        own_fields = {
            name: value for name in CheckTerms.model_fields if (value := getattr(move, name)) is not None
        }
        cleared_fields = dict.fromkeys(_REPLACED_BY.get("odds" if "odds" in own_fields else "dice", ()))
        return self.check.model_copy(
            update={**(cleared_fields if {"odds", "dice"} & own_fields.keys() else {}), **own_fields}
        )


_REPLACED_BY: Final = {
    "dice": ("advantage", "disadvantage", "odds"),
    "odds": ("dice", "advantage", "disadvantage", "vs", "partial_within", "wins"),
}


def spoken_key(key: str) -> str:
    """Return a key as it is typed and compared: `max_hp` as `max hp`, in small letters."""
    return fold_name(key).replace("_", " ")
