"""Writes memories of a scene, and how far they are written, as the MemoryManager does."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory_manager.memory_cursor import MemoryCursor
from stores.authority import Role
from stores.open import Stores
from stores.records.jobs import JobKind
from stores.records.memory import Memory
from stores.records.play import Scene
from tests.contract import builders as make


async def write_memories(
    stores: Stores, scene: Scene, memories: Sequence[Memory], cursor: MemoryCursor | None = None
) -> None:
    """Write the memories and then the cursor (None: the next one after a change that is over)."""
    await stores.log(Role.MEMORY_MANAGER).put_memories(memories)
    log = stores.log(Role.ORCHESTRATOR)
    job = make.job(scene.id, JobKind.REMEMBER, universe_id=scene.universe_id)
    stored_cursors = [MemoryCursor.parse(stored.cursor) for stored in await log.jobs(ids=[job.id])]
    if cursor is None:
        cursor = (stored_cursors or [MemoryCursor()])[0].start_change().end_change()
    await log.put_job(job.model_copy(update={"cursor": cursor.as_text()}))
