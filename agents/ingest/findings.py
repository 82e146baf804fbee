"""What was found in a chunk of a document, before anything of it is proposed.

Names stand as they are written; `quote` is the words of the chunk that a finding rests on, unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from stores.records.world import EntityKind


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """Somebody or something that has a name."""

    name: str
    kind: EntityKind
    quote: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    numbers: tuple[tuple[str, int], ...] = ()
    """What a stat block gives: names and values, in its order."""


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A sentence about a named subject."""

    subject: str
    statement: str
    quote: str


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """How two that have names stand to each other."""

    subject: str
    predicate: str
    """A predicate of the catalogue, or the verb as it is written."""
    object: str
    quote: str


@dataclass(frozen=True, slots=True)
class FoundRule:
    """A sentence that says what must, cannot or never may be: a candidate for an axiom."""

    statement: str
    quote: str


@dataclass(frozen=True, slots=True)
class FoundTableRow:
    """What a roll from `lowest` to `highest` gives."""

    lowest: int
    highest: int
    text: str


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table to roll on."""

    title: str
    dice: str
    """As they are written: `d20`, `2d6`."""
    rows: tuple[FoundTableRow, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class Observation:
    """Words of the chunk that are kept with it and proposed as nothing."""

    about: str
    """A name, or empty for the chunk itself."""
    text: str


Finding = FoundEntity | FoundStatement | FoundRelation | FoundRule | FoundTable | Observation
