"""Reads what somebody believes: the memories of theirs that count. Read-only."""

from __future__ import annotations

from typing import Final

from agents.memory_manager.memory_decay import is_forgotten
from agents.memory_manager.merged_entities import read_memories_of, read_merged_entities_of
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.memory_manager.valid_memories import filter_valid
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.memory import Memory

MAX_BELIEFS_READ: Final = 500
"""Memories of somebody that are read, the newest."""


async def read_beliefs(canon: CanonReader, log: LogReader, entity_id: Id, current_tick: int) -> list[Memory]:
    """Return the memories of somebody that are on the line, not forgotten and not outdated, the newest first.

    Raises StoreError.
    """
    merged_entities = await read_merged_entities_of(canon, entity_id)
    memories = await read_memories_of(log, merged_entities, entity_id, last=MAX_BELIEFS_READ)
    remembered = [m for m in await filter_valid(log, memories) if not is_forgotten(m, current_tick)]
    return sorted(
        await drop_outdated(canon, log, remembered), key=lambda m: (m.tick, m.created_at), reverse=True
    )
