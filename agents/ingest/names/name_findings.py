"""What is found in a prose text: names with their places, and quotes with their speakers."""

from __future__ import annotations

from dataclasses import dataclass

from stores.records.world import EntityKind


@dataclass(frozen=True, slots=True)
class NameMention:
    """A place where a name stands: `text` is the text from `start` to `end`, in characters."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ProseName:
    """Somebody or something that a text names."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...]
    mentions: tuple[NameMention, ...]


@dataclass(frozen=True, slots=True)
class ProseQuote:
    """Words that are spoken: the text from `start` to `end`, without quotation marks."""

    start: int
    end: int
    text: str
    speaker: str | None
    """The name of somebody in `names`, or the words that say who speaks (`the landlord`); None if that is unclear."""


@dataclass(frozen=True, slots=True)
class NamesFound:
    names: tuple[ProseName, ...]
    """The most frequent first."""
    quotes: tuple[ProseQuote, ...]
    """In the order of the text."""
