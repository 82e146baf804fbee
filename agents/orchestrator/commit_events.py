"""Telling listeners what a commit did."""

from __future__ import annotations

from agents.events import CanonCommitted, EventBus, ProposalsChanged
from agents.views.play_views import CommitReport
from stores.records.ids import Id


def publish_commit(events: EventBus, universe_id: Id, scene_id: Id | None, report: CommitReport) -> None:
    """Publish that canon has what the report says, and that proposals ended with it."""
    fact_ids, failed_ids = tuple(f.id for f in report.facts), tuple(i for i, _ in report.failures)
    events.publish(CanonCommitted(report.canonization_id or "", universe_id, scene_id, fact_ids, failed_ids))
    events.publish(ProposalsChanged(universe_id, scene_id))
