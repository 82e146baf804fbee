"""Values of turns that the story and the gate draw.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from stores.records.play import Resolution, Turn


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of the words of a turn, besides the story that they tell."""

    proposed_count: int = 0
    """Changes that they propose and no commit has closed."""
    heard_by: tuple[str, ...] | None = None
    """Who was told something that is theirs alone, by name; empty: all who are here. None: nobody was."""
    believed_by: tuple[str, ...] = ()
    """Who is said to believe it."""
    is_unread: bool = False
    """Whether they state something that nothing was read of."""


NO_OUTCOME: Final = LineOutcome()


@dataclass(frozen=True, slots=True)
class TurnView:
    """One row of the transcript."""

    turn: Turn
    resolution: Resolution | None = None
    take: int = 1
    """Position among its siblings, from 1."""

    take_count: int = 1
    """Number of siblings, itself included."""

    made_count: int = 0
    """Number of facts and entities that rest on it."""

    notes: tuple[str, ...] = ()
    """Out-of-character notes made at this turn."""

    rejected_effects: tuple[int, ...] = ()
    """Indexes of its result's effects that the GM rejected: they are not so."""

    is_reworded: bool = False
    """Whether it reads in other words than it was told in."""

    outcome: LineOutcome = NO_OUTCOME
