"""Filters the memories that count: on the line, and not replaced by another that counts. Read-only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from stores.ports import LogReader
from stores.queries import MemoryQuery
from stores.records.ids import Id
from stores.records.memory import Memory


async def filter_on_line(
    log: LogReader, memories: Sequence[Memory], left_turn_ids: Collection[Id] = ()
) -> list[Memory]:
    """Return the memories whose turns were not undone, and are not among those that are `left`."""
    turn_ids = {m.turn_id for m in memories if m.turn_id}.difference(left_turn_ids)
    on_line = await log.on_line(None, turn_ids) if turn_ids else set()
    return [m for m in memories if m.turn_id is None or m.turn_id in on_line]


async def filter_valid(
    log: LogReader, memories: Sequence[Memory], left_turn_ids: Collection[Id] = ()
) -> list[Memory]:
    """Return the memories that count: on the line, not faded to nothing, and not replaced."""
    live_memories = [m for m in await filter_on_line(log, memories, left_turn_ids) if m.text]
    corrected_ids = await find_corrected_ids(log, live_memories, left_turn_ids)
    return [m for m in live_memories if m.id not in corrected_ids]


async def find_corrected_ids(
    log: LogReader, memories: Iterable[Memory], left_turn_ids: Collection[Id] = ()
) -> set[Id]:
    """Return which of these memories are replaced by another that counts."""
    corrector_ids = {m.corrected_by for m in memories if m.corrected_by}
    if not corrector_ids:
        return set()
    correctors = await log.memories(MemoryQuery(ids=corrector_ids))
    valid_correctors = await filter_on_line(log, correctors, left_turn_ids)
    return {m.corrects for m in valid_correctors if m.corrects and m.text}
