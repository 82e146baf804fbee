"""The program on a new library for tests: seeded identifiers and dice, a clock that steps by itself."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from agents.llm.llm_settings import AppSettings
from agents.services.llm_setup import ModelProcess
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program, open_program
from stores.open import open_stores
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.play import CriticalCommitMode

START = datetime(2026, 1, 1, tzinfo=UTC)


@asynccontextmanager
async def opened(
    home: Path, seed: int = 1, *, model: ModelProcess | None = None, settings: AppSettings | None = None
) -> AsyncIterator[Program]:
    """Open the program, perhaps with a scripted model, and close it again, whatever happens."""
    await asyncio.to_thread(copy_empty_library, home)
    clock = SteppingClock(START)
    program = await open_program(
        home,
        clock=clock,
        ids=SeededIdGenerator(seed, clock, salt=str(home)),
        model=model,
        settings=settings,
    )
    try:
        yield program
    finally:
        await program.close()


def copy_empty_library(home: Path) -> None:
    """Put an empty library into a home that has none: to make its tables takes most of the time of opening it."""
    if not (home / "library.db").exists():
        shutil.copytree(_make_empty_library(), home, dirs_exist_ok=True)


@cache
def _make_empty_library() -> Path:
    home = Path(tempfile.mkdtemp(prefix="monitor-empty-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)

    async def open_and_close() -> None:
        await (await open_stores(home)).close()

    asyncio.run(open_and_close())
    return home


async def begin(
    program: Program, *, critical: CriticalCommitMode = CriticalCommitMode.ASK, name: str = "Test"
) -> Id:
    """Begin a story with Mara in a yard; returns the scene."""
    universe = await program.services.stories.create_universe(NewUniverse(name))
    return await program.services.stories.start_story(
        StoryOutline(
            universe.id,
            "A story",
            NewCharacter("Mara", numbers=(("hp", 10), ("might", 1))),
            scene_title="The yard",
            place="Yard",
            critical=critical,
        )
    )
