"""The values that a character card or a lorebook is read into. Macros such as `{{char}}` stand in the texts still."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.importers.log_entries import ImportProblem
from stores.records.canon import LoreKeys


class CardForm(StrEnum):
    """What a file is, in words."""

    CARD_V1 = "a character card (V1)"
    CARD_V2 = "a character card (V2)"
    CARD_V3 = "a character card (V3)"
    LOREBOOK = "a lorebook"


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text of a card that states nothing about the world: a greeting, sample lines, a note of its author."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CharacterCard:
    """The character of a card, in the card's own words."""

    name: str
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    kept_texts: tuple[KeptText, ...] = ()


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """An entry of a lorebook that is switched on."""

    text: str
    lore: LoreKeys


@dataclass(frozen=True, slots=True)
class CardFile:
    """Everything that a file holds; one of `character` and `entries` at least."""

    form: CardForm
    title: str
    """What the lorebook or the character is called; empty if the file does not say."""
    character: CharacterCard | None = None
    entries: tuple[LoreEntry, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
