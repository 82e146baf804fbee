"""Withdraws rulings that are undone, and has them hold again when they are redone."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from stores.ports import CanonKeeperLog
from stores.records.ids import Id


async def set_withdrawn(
    log: CanonKeeperLog, universe_id: Id, decided_at: Collection[datetime], *, is_withdrawn: bool
) -> None:
    """Withdraw the rulings that made the decisions of these times, or have them hold again. Twice is once."""
    for ruling in await log.rulings(universe_id):
        if ruling.at in decided_at and ruling.is_withdrawn is not is_withdrawn:
            await log.put_ruling(ruling.model_copy(update={"is_withdrawn": is_withdrawn}))
