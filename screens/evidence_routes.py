"""Where evidence is read: at its turn, or after the turn that a declaration was typed on."""

from __future__ import annotations

from screens.routes import ToReading
from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id


def build_reading_route(turn_id: Id, evidence: Evidence) -> ToReading:
    """Return the route to the turn that evidence leads to, with the words if they were declared."""
    return ToReading(turn_id, evidence.quote if evidence.kind is EvidenceKind.MANUAL else "")
