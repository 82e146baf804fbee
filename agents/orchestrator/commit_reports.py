"""What a commit wrote: as lines for the player, and as events for listeners."""

from __future__ import annotations

from typing import assert_never

from agents.events import CanonCommitted, EventBus, ProposalsChanged
from agents.views.gate_views import CommitReport
from stores.records.canon import Fact, Standing
from stores.records.ids import Id


def publish_commit(events: EventBus, universe_id: Id, scene_id: Id | None, report: CommitReport) -> None:
    """Publish what the commit wrote to canon, and which proposals it closed."""
    fact_ids, failed_ids = tuple(f.id for f in report.facts), tuple(i for i, _ in report.failures)
    events.publish(CanonCommitted(report.canonization_id or "", universe_id, scene_id, fact_ids, failed_ids))
    events.publish(ProposalsChanged(universe_id, scene_id))


def commit_lines(report: CommitReport) -> tuple[str, ...]:
    """Return a line for each record that the commit made or changed, and for each accepted change that left none.

    What a later one of the same commit replaced is only counted: the places passed through, a number's earlier values.
    """
    made_lines = (
        *(f"Canon: {e.name} ({e.kind})" for e in report.entities),
        *(f"Canon{_standing_note(f)}: {f.statement}" for f in report.facts),
        *(f"Canon: {change}" for change in report.changes),
        *_replaced_lines(len(report.replaced)),
        *(f"Said in canon already: {title}" for title in report.repeated),
    )
    if report.accepted_count and not made_lines:
        made_lines = (
            f"Canon: {report.accepted_count} {'change' if report.accepted_count == 1 else 'changes'} written.",
        )
    open_scene_lines = filter(None, (report.describe_open_scene(),))
    return (*made_lines, *(f"Not written: {reason}" for _, reason in report.failures), *open_scene_lines)


def _standing_note(fact: Fact) -> str:
    """Return how canon has what nobody vouches for: `, as a rumour`."""
    match fact.standing:
        case Standing.TRUE:
            return ""
        case Standing.DISPUTED:
            return ", disputed"
        case Standing.RUMOUR | Standing.LIE:
            return f", as a {fact.standing.value}"
        case _:
            assert_never(fact.standing)


def _replaced_lines(count: int) -> tuple[str, ...]:
    return (
        (f"{count} more replaced by {'a later one' if count == 1 else 'later ones'} of these.",)
        if count
        else ()
    )
