"""Lines that tell the player what a commit wrote and what was proposed."""

from __future__ import annotations

from collections.abc import Sequence

from agents.proposals.editing import editable_text
from agents.views.play_views import CommitReport, Reply
from stores.records.canon import StateChange, StateOp
from stores.records.workflow import ProposedChange


def commit_lines(report: CommitReport) -> tuple[str, ...]:
    """Return what a commit did, a line each; a retcon, a lock and the like make nothing new."""
    made_lines = (
        *(f"Canon: {e.name} ({e.kind})" for e in report.entities),
        *(f"Canon: {f.statement}" for f in report.facts),
    )
    if report.accepted_count and not made_lines:
        made_lines = (
            f"Canon: {report.accepted_count} {'change' if report.accepted_count == 1 else 'changes'} written.",
        )
    return (*made_lines, *(f"Not written: {reason}" for _, reason in report.failures))


def proposed_reply(proposals: Sequence[ProposedChange]) -> Reply:
    """Return what was proposed, a line each."""
    return Reply("operation", tuple(f"Proposed: {_proposal_text(p)}" for p in proposals))


def _proposal_text(proposal: ProposedChange) -> str:
    change = proposal.payload
    if isinstance(change, StateChange):
        return (
            f"{change.key} {editable_text(change)}" if change.op in (StateOp.ADD, StateOp.SET) else change.key
        )
    for field in ("statement", "name"):
        if text := getattr(change, field, ""):
            return str(text)
    return change.kind.replace("_", " ")
