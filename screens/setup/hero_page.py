"""The page of story set-up that creates a hero by the chosen rules."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from agents.resolver.dice import roll_dice
from agents.sanitize import split_described_name
from agents.story_outline import NewCharacter
from agents.views.sheet_views import HeroCreation, RulePackView, SheetRow
from screens.dialogs.field_problems import clear_field_problem
from screens.dialogs.form_fields import ChoiceField, Field, FieldInput, FormPage
from screens.setup.setup_pages import require_text
from screens.setup.story_outline import parse_numbers, split_words
from stores.errors import InputError, parse_field

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea


class NewHeroPage(FormPage):
    """A player character to create: the numbers that the rules ask for, and any others."""

    def __init__(self) -> None:
        super().__init__(
            "A new hero",
            (
                Field("Name", "hero-name", hint="what the hero is called"),
                Field("Description", "hero-text", hint="who they are, in a line"),
                Vertical(id="hero-sheet"),
                Field("Tags", "hero-tags", hint="brave, in debt"),
            ),
            id="new-hero",
        )
        self._rule_system: RulePackView | None = None
        self._typed_numbers: dict[tuple[str, str], str] = {}
        """What was typed for a number, by the name of the rules and the number's key: other rules may come between."""
        self._values_to_hand_out: tuple[int, ...] = ()
        """The values of the array, or what was rolled; empty if the numbers are typed."""

    async def show_sheet_fields(self, system: RulePackView | None) -> None:
        """Show a field for each number of the rules (None: no rules), with what was typed for these rules before."""
        if self.query("#hero-numbers"):
            if system == self._rule_system:
                return
            self._typed_numbers |= {
                (_rules_name(self._rule_system), key): self[field_id]
                for field_id, key in self._number_fields(self._rule_system)
            }
        self._rule_system = system
        sheet = self.query_one("#hero-sheet", Vertical)
        await sheet.remove_children()
        await sheet.mount_all(self._sheet_fields(system))
        for field_id, key in self._number_fields(system):
            if (typed_number := self._typed_numbers.get((_rules_name(system), key))) is not None:
                self[field_id] = typed_number
        tag_names = ", ".join(tag.label for tag in system.tags) if system else ""
        self.query_one("#hero-tags", FieldInput).placeholder = (
            f"any words; for example {tag_names}" if tag_names else "in debt"
        )

    def _number_fields(self, system: RulePackView | None) -> Iterable[tuple[str, str]]:
        """Yield the fields for numbers by these rules, each with the key of its number."""
        sheet_numbers = system.numbers if system else ()
        yield from ((f"hero-{n}", row.key) for n, row in enumerate(sheet_numbers))
        yield "hero-numbers", ""

    def _sheet_fields(self, system: RulePackView | None) -> Iterable[Widget]:
        if system is None or not (system.numbers or system.tracks):
            default_numbers = "" if system else "hp 10, might 1"
            return [Field("Numbers", "hero-numbers", hint="hp 10, might 1", value=default_numbers)]
        creation_field = [_creation_field(system.creation)] if system.creation else []
        number_fields = [
            Field(row.label, f"hero-{n}", value=str(row.number), explanation=_number_hint(row))
            for n, row in enumerate(system.numbers)
        ]
        tracks = " · ".join(f"{row.label} {row.value_text}" for row in system.tracks)
        track_line = [Static(f"Begins with {tracks}", id="hero-tracks", markup=False)] if tracks else []
        return [
            *creation_field,
            *number_fields,
            *track_line,
            Field("Also", "hero-numbers", hint="other numbers: luck 2, coin 10"),
        ]

    @on(ChoiceField.Changed)
    def _hand_out_numbers(self, message: ChoiceField.Changed) -> None:
        """Put the array, or what was rolled, into the fields; they may be handed out otherwise."""
        creation = self._rule_system.creation if self._rule_system else None
        if creation is None or not self.query("#hero-creation"):
            return
        message.stop()
        clear_field_problem(self)
        self._values_to_hand_out = ()
        match self.query_one("#hero-creation", ChoiceField).value:
            case "array":
                self._values_to_hand_out = creation.array
            case "roll":
                rolls = [roll_dice(creation.roll, random.SystemRandom()) for _ in creation.keys]
                self._values_to_hand_out = tuple(roll.total for roll in rolls)
        for field_id, value in zip(self._creation_fields(creation), self._values_to_hand_out, strict=False):
            self[field_id] = str(value)

    def _creation_fields(self, creation: HeroCreation) -> list[str]:
        return [field_id for field_id, key in self._number_fields(self._rule_system) if key in creation.keys]

    def _require_handed_out(self) -> None:
        """Raise InputError unless the numbers are those of the array or the roll, each once."""
        creation = self._rule_system.creation if self._rule_system else None
        if creation is None or not self._values_to_hand_out:
            return
        typed = sorted(self[field_id] for field_id in self._creation_fields(creation))
        if typed != sorted(map(str, self._values_to_hand_out)):
            values = ", ".join(map(str, self._values_to_hand_out))
            raise InputError(
                f"The numbers to hand out are {values}, each once.",
                todo="Swap them between the fields, or choose to type numbers of your own.",
                field="hero-creation",
            )

    def fill_from_idea(self, idea: StoryIdea) -> None:
        """Fill in the hero of the model's idea."""
        self["hero-name"], self["hero-text"] = idea.hero_name, idea.hero_description

    def read_character(self) -> NewCharacter:
        typed_name, description = split_described_name(self["hero-name"], self["hero-text"])
        name = parse_field("hero-name", require_text, typed_name, "The hero")
        self._require_handed_out()
        sheet_numbers = self._rule_system.numbers if self._rule_system else ()
        numbers = [
            (row.key, parse_field(f"hero-{n}", _parse_sheet_number, row, self[f"hero-{n}"]))
            for n, row in enumerate(sheet_numbers)
        ]
        return NewCharacter(
            name=name,
            description=description,
            numbers=(*numbers, *parse_field("hero-numbers", parse_numbers, self["hero-numbers"])),
            tags=split_words(self["hero-tags"]),
        )


def _creation_field(creation: HeroCreation) -> ChoiceField:
    options = [("typed", "as you type them")]
    if creation.array:
        options.append(("array", f"hand out {', '.join(map(str, creation.array))}"))
    if creation.roll:
        options.append(("roll", f"roll {creation.roll} for each"))
    return ChoiceField("Numbers", options, id="hero-creation")


def _rules_name(system: RulePackView | None) -> str:
    return system.name if system else ""


def _number_hint(row: SheetRow) -> str:
    """Return what a number is for, and its limits."""
    if row.minimum is None and row.maximum is None:
        return row.meaning
    range_text = (
        f"{row.minimum} to {row.maximum}" if row.minimum is not None and row.maximum is not None else ""
    )
    range_text = range_text or (f"from {row.minimum}" if row.maximum is None else f"to {row.maximum}")
    return f"{range_text} · {row.meaning}"


def _parse_sheet_number(row: SheetRow, text: str) -> int:
    """Return a number of a sheet; an empty line is the usual one. Raises InputError."""
    if not text:
        return int(row.number or 0)
    if not re.fullmatch(r"[+-]?\d{1,9}", text):
        raise InputError(f"{row.label} is a whole number, not “{text[:30]}”.", todo=_number_hint(row))
    number = int(text)
    if (row.minimum is not None and number < row.minimum) or (
        row.maximum is not None and number > row.maximum
    ):
        raise InputError(
            f"{row.label} is {_number_hint(row).partition(' · ')[0]} for a new hero, not {number}.",
            todo="In play you may change it as you like, with /state or on the sheet.",
        )
    return number
