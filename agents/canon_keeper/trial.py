"""Proposals folded into a world once, in the order they are written, so that checking them is writing them.

Source: design/architecture.md (a commit is checked and built from the same canon).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.world import World
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.ledger import ProposedChange


@dataclass(frozen=True, slots=True)
class Step:
    """What one proposal came to: the facts it made, or the fact or entity that said it already."""

    proposal: ProposedChange
    known: Id | None
    made: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """The world after all steps, none of which met anything."""

    world: World
    steps: tuple[Step, ...]

    def is_of(self, proposals: Sequence[ProposedChange]) -> bool:
        """Say whether these very changes were tried, in this order."""
        tried = [(step.proposal.id, step.proposal.change) for step in self.steps]
        return tried == [(p.id, p.change) for p in proposals]
