"""Counts the store reads of one typed line, and of what the play screen shows after it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.libraries import Libraries, OpenScene, open_scene
from benchmarks.table import Row
from stores.embedded.database import Database

LINES = {
    "a plain line": "I follow the chain towards the lamp.",
    "a line with a check": "I pull at the chain. /check 2d6 vs 2; success: Mara +wet",
    "a declared fact": "/fact Mara owns a lamp",
    "a long declared fact": "/fact The harbour master keeps a copy of each sealed letter in the drowned chapel",
}
UNDO_STEPS = {"a declared fact": 2, "a long declared fact": 1}
"""Steps back between the two times: a fact, and the check before it, whose rows would add reads."""
MAX_READS = {
    "a plain line": 11,
    "a plain line, with the screen after it": 18,
    "a line with a check": 14,
    "a line with a check, with the screen after it": 29,
    "a declared fact": 15,
    "a declared fact, with the screen after it": 25,
    "a long declared fact": 15,
    "a long declared fact, with the screen after it": 26,
}
"""What a line reads of one state of the library is one read: the scene with what belongs to it, all names that a text
may have, all facts that a change is compared with. Two of a line are for who comes and goes in it and two for what was
decided; of a check, on the screen, one is for the turn whose words its row quotes; of a declared fact one is for the
names in it that nobody has, one for those that two have, and one for the facts that name nobody, if it names nobody.
"""


def run(libraries: Libraries) -> Iterator[Row]:
    # A library of its own: every proposal that another benchmark left undecided would add reads.
    for name, count in asyncio.run(count_reads(libraries.make_fresh("reads"))).items():
        yield Row(f"store reads, {name}", count, None, MAX_READS[name], "")


async def count_reads(home: Path) -> dict[str, int]:
    """Play each line twice, with an undo between: alone, and with the view in its reply."""
    counts: dict[str, int] = {}
    async with open_scene(home) as scene_in_play:
        # As the play screen does when it opens: what it reads once for the scene is no part of a line.
        await scene_in_play.services.play.scene(scene_in_play.scene_id)
        for name, line in LINES.items():
            counts[name] = await _count_line(scene_in_play, line, with_view=False)
            for _ in range(UNDO_STEPS.get(name, 1)):
                await scene_in_play.services.play.undo(scene_in_play.scene_id)
            counts[f"{name}, with the screen after it"] = await _count_line(
                scene_in_play, line, with_view=True
            )
    return counts


async def _count_line(scene_in_play: OpenScene, line: str, *, with_view: bool) -> int:
    with counting_reads() as reads:
        await scene_in_play.services.play.submit(scene_in_play.scene_id, line, with_view=with_view)
    return len(reads)


@contextmanager
def counting_reads() -> Iterator[list[str]]:
    """Note the name of every read of an embedded database while the block runs."""
    reads: list[str] = []
    read = Database.read

    async def counted(database: Database, work: Any) -> Any:
        reads.append(getattr(work, "__qualname__", repr(work)))
        return await read(database, work)

    with patch.object(Database, "read", counted):
        yield reads
