"""Lines that tell the player what a commit wrote and what was proposed."""

from __future__ import annotations

from collections.abc import Sequence

from agents.orchestrator.edits import words_of
from agents.views import CommitReport, Reply
from stores.records.canon import StateChange, StateOp
from stores.records.ledger import ProposedChange


def written(report: CommitReport) -> tuple[str, ...]:
    """Return what a commit did, a line each; a retcon, a lock and the like make nothing new."""
    made = (
        *(f"Canon: {e.name} ({e.kind})" for e in report.entities),
        *(f"Canon: {f.statement}" for f in report.facts),
    )
    if report.accepted and not made:
        made = (f"Canon: {report.accepted} {'change' if report.accepted == 1 else 'changes'} written.",)
    return (*made, *(f"Not written: {why}" for _, why in report.failed))


def staged(proposals: Sequence[ProposedChange]) -> Reply:
    """Return what was proposed, a line each."""
    return Reply("operation", tuple(f"Proposed: {_words(p)}" for p in proposals))


def _words(proposal: ProposedChange) -> str:
    change = proposal.payload
    if isinstance(change, StateChange):
        return f"{change.key} {words_of(change)}" if change.op in (StateOp.ADD, StateOp.SET) else change.key
    for field in ("statement", "name"):
        if text := getattr(change, field, ""):
            return str(text)
    return change.kind.replace("_", " ")
