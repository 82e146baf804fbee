"""Transitions at a minute of an evening."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from stores.records.workflow import Loop, Transition

_TARGETS = {"load_context": "active", "end": "finalizing", "canon_written": "completed"}


def transition(loop: Loop, subject_id: str, seq: int, event: str, minute: int) -> Transition:
    at = datetime(2026, 11, 20, 20, tzinfo=UTC) + timedelta(minutes=minute)
    return Transition(
        loop=loop, subject_id=subject_id, seq=seq, source="?", event=event, target=_TARGETS[event], at=at
    )
