"""The result of applying proposals to a draft in the order of writing, which a commit can use again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.canon_draft import CanonDraft
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.workflow import ProposedChange


@dataclass(frozen=True, slots=True)
class DryRunStep:
    """What one proposal came to: the facts it made, or the fact or entity that said it already."""

    proposal: ProposedChange
    duplicate_id: Id | None
    new_facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class DryRun:
    """The world after all steps, none of which met anything."""

    draft: CanonDraft
    steps: tuple[DryRunStep, ...]

    def is_dry_run_of(self, proposals: Sequence[ProposedChange]) -> bool:
        """Say whether these very changes were tried, in this order."""
        tried_changes = [(step.proposal.id, step.proposal.change) for step in self.steps]
        return tried_changes == [(p.id, p.change) for p in proposals]
