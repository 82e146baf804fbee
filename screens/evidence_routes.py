"""Where evidence is read: at its turn, after the turn that a declaration was typed on, or on its page."""

from __future__ import annotations

from collections.abc import Iterable

from screens.routes import ToPage, ToReading
from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id


def build_reading_route(turn_id: Id, evidence: Evidence) -> ToReading:
    """Return the route to the turn that evidence leads to, with the words if they were declared."""
    return ToReading(turn_id, evidence.quote if evidence.kind is EvidenceKind.MANUAL else "")


def build_evidence_route(evidence: Evidence, turn_id: Id | None) -> ToReading | ToPage | None:
    """Return the route to the turn or the page of evidence; None if it leads nowhere."""
    if evidence.source_id is not None and evidence.page is not None:
        return ToPage(evidence.source_id, evidence.page, evidence.quote)
    return build_reading_route(turn_id, evidence) if turn_id is not None else None


def find_evidence_route(evidence: Iterable[Evidence]) -> ToReading | ToPage | None:
    """Return the route to the first piece of evidence that leads to a turn or a page; None without one."""
    for piece in evidence:
        if (route := build_evidence_route(piece, piece.turn_id)) is not None:
            return route
    return None
