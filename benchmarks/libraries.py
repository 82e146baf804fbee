"""Makes the libraries that are measured, a fresh one and a large one, when they are first needed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from agents.services.services import Services
from benchmarks.fill import LARGE, SMALL, Size, fill
from monitor_tui.compose import open_program
from stores.open import Stores
from stores.records.ids import Id

T = TypeVar("T")


@dataclass(frozen=True)
class Libraries:
    """Where the libraries are, and how much is measured."""

    folder: Path
    quick: bool

    @property
    def size(self) -> Size:
        return SMALL if self.quick else LARGE

    def often(self, count: int) -> int:
        """Return how many times to measure: `count`, or a tenth of it for a quick look."""
        return max(2, count // 10) if self.quick else count

    @property
    def big_name(self) -> str:
        return f"{self.size.turns:,} turns, {self.size.facts:,} facts"

    @cached_property
    def fresh(self) -> Path:
        """Return a library with the sample world and one story begun."""
        return self.make_fresh("fresh")

    def make_fresh(self, name: str) -> Path:
        """Make a library with the sample world and one story begun, in the folder `name`."""
        home = self.folder / name
        asyncio.run(_begin_story(home))
        return home

    @cached_property
    def big(self) -> Path:
        """Return a library after years of play; its last scene is long."""
        home = self.folder / "big"
        start = time.perf_counter()
        asyncio.run(fill(home, self.size))
        print(f"(filled a library with {self.big_name} in {time.perf_counter() - start:.0f} s)", flush=True)
        return home


class OpenScene(NamedTuple):
    """An open library, at the scene in play."""

    services: Services
    stores: Stores
    story_id: Id
    scene_id: Id


@asynccontextmanager
async def open_scene(home: Path) -> AsyncIterator[OpenScene]:
    """Open the library, resume its scene, and suspend it again at the end."""
    program = await open_program(home)
    try:
        await program.services.stories.recover()
        card = (await program.services.stories.menu()).resume_story
        assert card is not None, "a library to measure has a story"
        scene_id = await program.services.stories.resume(card.story.id)
        yield OpenScene(program.services, program.stores, card.story.id, scene_id)
        await program.services.stories.suspend()
    finally:
        await program.close()


async def time_call(work: Callable[[], Awaitable[T]]) -> float:
    """Return how many seconds the work takes."""
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def _begin_story(home: Path) -> None:
    program = await open_program(home)
    try:
        await program.services.stories.recover()
        await program.services.stories.add_sample()
        await program.services.stories.start_story(await program.services.stories.sample_outline())
        await program.services.stories.suspend()
    finally:
        await program.close()
