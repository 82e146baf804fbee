"""Makes the libraries that are measured, a fresh one and a large one, when they are first needed."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from agents.llm.llm_settings import NO_EMBEDDING, AppSettings, EmbeddingSettings
from agents.services.services import Services
from benchmarks.fill import LARGE, SMALL, Size, fill
from monitor_tui.background_mode import BackgroundMode
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
        return self.make_big("big")

    def make_big(self, name: str) -> Path:
        """Make such a library in the folder `name`, of which nothing is indexed or remembered."""
        home = Path(shutil.copytree(self._filled, self.folder / name))
        os.sync()  # else half a gigabyte is still on its way to the disk while commits wait for it
        return home

    @cached_property
    def _filled(self) -> Path:
        """The library that no program has opened."""
        home = self.folder / "filled"
        start = time.perf_counter()
        asyncio.run(fill(home, self.size))
        print(f"(filled a library with {self.big_name} in {time.perf_counter() - start:.0f} s)", flush=True)
        return home

    @cached_property
    def indexed_fresh(self) -> Path:
        """Return a fresh library in which the background has nothing left to do, with vectors."""
        home = self.make_fresh("indexed-fresh")
        _finish_background_work(home, EmbeddingSettings())
        return home

    @cached_property
    def indexed_big(self) -> Path:
        """Return the large library when the background has nothing left to do but vectors; kept in the cache.

        An unfinished one is continued. It is measured without an embedding model: 100,000 vectors take half an hour.
        """
        home = (self.folder if self.quick else cache_folder()) / f"indexed-{self.size.turns}"
        if not home.exists():
            shutil.copytree(self._filled, partial_copy := home.with_suffix(".partial"), dirs_exist_ok=True)
            partial_copy.rename(home)
        start = time.perf_counter()
        _finish_background_work(home, EmbeddingSettings(model=NO_EMBEDDING))
        print(
            f"(the background of {self.big_name} was done in {time.perf_counter() - start:.0f} s)", flush=True
        )
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


def cache_folder() -> Path:
    """Return where what takes long to make is kept: `$MONITOR_CACHE/bench`, else `~/.cache/monitor/bench`."""
    root = os.environ.get("MONITOR_CACHE")
    return (Path(root) if root else Path.home() / ".cache" / "monitor") / "bench"


def _finish_background_work(home: Path, embedding: EmbeddingSettings) -> None:
    asyncio.run(_wait_until_idle(home, AppSettings(embedding=embedding)))


async def _wait_until_idle(home: Path, settings: AppSettings) -> None:
    program = await open_program(home, settings=settings, mode=BackgroundMode.QUERY)
    try:
        await program.services.stories.recover()
        await program.services.jobs.wait_until_idle()
    finally:
        await program.close()


async def _begin_story(home: Path) -> None:
    program = await open_program(home)
    try:
        await program.services.stories.recover()
        await program.services.stories.add_sample()
        await program.services.stories.start_story(await program.services.stories.sample_outline())
        await program.services.stories.suspend()
    finally:
        await program.close()
