"""Telling listeners what a commit did. Source: AGENT_ORCHESTRATION, "Event Publishing"."""

from __future__ import annotations

from agents.messages import CanonCommitted, EventBus, ProposalsChanged
from agents.views import CommitReport
from stores.records.ids import Id


def committed(events: EventBus, universe_id: Id, scene_id: Id | None, report: CommitReport) -> None:
    """Publish that canon has what the report says, and that proposals ended with it."""
    facts, failed = tuple(f.id for f in report.facts), tuple(i for i, _ in report.failed)
    events.publish(CanonCommitted(report.canonization_id or "", universe_id, scene_id, facts, failed))
    events.publish(ProposalsChanged(universe_id, scene_id))
