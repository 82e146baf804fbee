"""The turns of a conversation: who spoke in which paragraph, and to whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

Speaker = int | str
"""The index of whose name it is in `NamedText.named`, or words: `the landlord`, `I`."""

_RECENT_TURNS: Final = 8


@dataclass(slots=True)
class SpokenTurn:
    """The speech of one paragraph."""

    paragraph: int
    speaker: Speaker | None = None
    is_certain: bool = False
    addressed: frozenset[int] = frozenset()
    """Whom it calls by name."""
    starts_conversation: bool = False


@dataclass(slots=True)
class Conversation:
    turns: list[SpokenTurn] = field(default_factory=list)

    def speakers(self) -> list[Speaker]:
        """Return who spoke lately, the last first, each once."""
        recent = [turn.speaker for turn in reversed(self.turns[-_RECENT_TURNS:]) if turn.speaker is not None]
        return list(dict.fromkeys(recent))

    @property
    def previous_speaker(self) -> Speaker | None:
        return self.turns[-1].speaker if self.turns else None

    @property
    def previous_addressed(self) -> frozenset[int]:
        return self.turns[-1].addressed if self.turns else frozenset()

    @property
    def last_paragraph(self) -> int | None:
        """The paragraph of the last turn."""
        return self.turns[-1].paragraph if self.turns else None
