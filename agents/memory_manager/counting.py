"""Which memories count: lived on the line, and not replaced by another that counts itself. Read-only.

Source: design/ontology.md, "The turn tree".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.memory import Memory


async def standing(log: LogReader, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories whose turns were not taken back."""
    turns = {m.turn_id for m in memories if m.turn_id}
    on_line = await log.on_line(None, turns) if turns else set()
    return [m for m in memories if m.turn_id is None or m.turn_id in on_line]


async def counted(log: LogReader, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that count: lived on the line, with something left of them, not replaced."""
    own = [m for m in await standing(log, memories) if m.text]
    gone = await corrected(log, own)
    return [m for m in own if m.id not in gone]


async def corrected(log: LogReader, memories: Iterable[Memory]) -> set[Id]:
    """Return which of these memories another one, that counts itself, has taken the place of."""
    newer = {m.corrected_by for m in memories if m.corrected_by}
    if not newer:
        return set()
    counted = await standing(log, await log.memories(ids=newer))
    return {m.corrects for m in counted if m.corrects and m.text}
