"""A move of the head keeps the time it was made at, also while an older write is being sent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from stores.authority import Role, Store
from stores.records.play import MoveKind
from stores.replication.outbox import OutboxEntry
from stores.replication.replay_clock import ReplayClock
from stores.replication.replicated_log import ReplicatedLog

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class _KeptWrites:
    """Takes writes as a backend does, and sends none."""

    def __init__(self) -> None:
        self.entries: list[OutboxEntry] = []

    async def read(self, store: Store, role: Role, call: Any) -> Any:
        raise NotImplementedError

    async def write(self, entry: OutboxEntry) -> None:
        self.entries.append(entry)


async def test_head_move_is_dated_now_while_an_older_write_is_sent() -> None:
    clock, backend = ReplayClock(lambda: NOW), _KeptWrites()
    log = ReplicatedLog(Store.LOG, Role.ORCHESTRATOR, backend, clock.time_of_day, lambda: NOW)
    with clock.set_to(NOW - timedelta(days=1)):
        await log.move_head("scene", None, MoveKind.UNDO)
        assert clock() == NOW - timedelta(days=1)
    assert [entry.at for entry in backend.entries] == [NOW]
