"""Lines that tell the player what a commit wrote."""

from __future__ import annotations

from agents.views.play_views import CommitReport


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
