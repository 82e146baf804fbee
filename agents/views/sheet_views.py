"""Values of character sheets, and of the rule packs that say what stands on one.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stores.records.ids import Id
from stores.records.world import Number


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of a character sheet."""

    kind: Literal["number", "track", "tag"]
    key: str
    """The name that effects use."""

    label: str
    value_text: str = ""
    """The value in words (`7/10`); a tag has none."""

    meaning: str = ""
    number: Number | None = None
    minimum: Number | None = None
    """Lowest value by the rules, if any."""

    maximum: Number | None = None
    """Highest value by the rules, if any."""

    is_on_sheet: bool = True
    """Whether it is on the sheet itself, and not only in the rules."""

    is_staged: bool = False
    """Whether canon has another value."""

    is_gear: bool = False
    """Whether a tag is something that is carried."""

    is_gone: bool = False
    """Whether the thing that it is belongs to its owner no more: it is on the sheet and does not count."""


@dataclass(frozen=True, slots=True)
class SheetView:
    """A character sheet as the story's rules read it."""

    entity_id: Id
    name: str
    is_pc: bool
    system: str
    rows: tuple[SheetRow, ...]
    hints: tuple[str, ...] = ()
    """What the rules say of its present values."""

    load_text: str = ""
    """How much of what can be carried is: `3 of 8 slots`."""

    things: tuple[str, ...] = ()
    """What canon, or a proposal of the scene, says that they own."""

    other_sheets: tuple[tuple[Id, str], ...] = ()
    """Id and name of the other sheets of the scene."""

    known_tags: tuple[str, ...] = ()
    """Tags that the rules know."""

    last_edit_id: Id | None = None
    """The GM's own last change of it, if it is still undecided."""


@dataclass(frozen=True, slots=True)
class HeroCreation:
    """Ways to come by the numbers of a new hero."""

    keys: tuple[str, ...]
    """The numbers that they are for."""
    array: tuple[int, ...] = ()
    """Values to hand out, one to each."""
    roll: str = ""
    """Dice for each of them; empty if the rules have none."""


@dataclass(frozen=True, slots=True)
class RulePackView:
    """A rule pack, and what it puts on a new hero's sheet."""

    id: str
    name: str
    summary: str = ""
    own: bool = False
    """Whether it is one of the user's own files."""

    numbers: tuple[SheetRow, ...] = ()
    tracks: tuple[SheetRow, ...] = ()
    tags: tuple[SheetRow, ...] = ()
    creation: HeroCreation | None = None
    """How a new hero's numbers come about, besides being typed."""
    problem: str = ""
    """Why the file cannot be used, with its line; then all other fields are empty."""
