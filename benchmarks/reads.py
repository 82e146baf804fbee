"""How many times the store is read for one typed line, and for what the screen shows after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.libraries import Libraries, at_table
from benchmarks.table import Row
from stores.embedded.database import Database

LINES = {
    "a plain line": "I follow the chain towards the lamp.",
    "a line with a check": "I pull at the chain. /check 2d6 vs 7; success: Mara +wet; fail: Mara +wet",
    "a declared fact": "/fact Mara owns a lamp",
}
MAX_READS = {"a plain line": 12, "a line with a check": 15, "a declared fact": 10, "the screen after it": 18}
"""Half of what they took before a line was played on one loaded context: 24, 31, 21 and 36 reads."""


def run(libraries: Libraries) -> Iterator[Row]:
    for name, count in asyncio.run(count_reads(libraries.fresh)).items():
        limit = next(limit for subject, limit in MAX_READS.items() if name.startswith(subject))
        yield Row(f"store reads: {name}", count, None, limit, "")


async def count_reads(home: Path) -> dict[str, int]:
    """Play each line in the library and return how many reads it took, and what the screen read after it."""
    counts: dict[str, int] = {}
    async with at_table(home) as table:
        for name, line in LINES.items():
            async with counting_reads() as reads:
                await table.services.play.submit(table.scene_id, line)
            counts[name] = len(reads)
            async with counting_reads() as reads:
                await table.services.play.scene(table.scene_id)
            counts[f"the screen after it: {name}"] = len(reads)
    return counts


@asynccontextmanager
async def counting_reads() -> AsyncIterator[list[str]]:
    """Note the name of every read of an embedded database while the block runs."""
    reads: list[str] = []
    read = Database.read

    async def counted(database: Database, work: Any) -> Any:
        reads.append(getattr(work, "__qualname__", repr(work)))
        return await read(database, work)

    with patch.object(Database, "read", counted):
        yield reads
