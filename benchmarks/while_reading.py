"""Measures keys and verdicts while books of 300 pages are read in, without their vectors and with them.

The row of its share of a core says that it was at work.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks import gate, keys
from benchmarks.background_work import BackgroundWork
from benchmarks.ingest import PAGES, make_books
from benchmarks.libraries import Libraries, open_scene
from benchmarks.table import Row
from benchmarks.terminal import ENTER, MENU_FILLED, NO_MODEL, SCENE, Terminal, open_monitor
from benchmarks.while_indexing import LETTER_AIM, MOVE_AIM, VERDICT_AIM

BOOKS = 6
"""Books that are read one after another, so that there is work until the last key."""
ROW_SUFFIX = f", while {PAGES} pages are read"
VECTORS_SUFFIX = f"{ROW_SUFFIX} and embedded"
BUILT_IN_MODEL: Mapping[str, str] = {}
"""The environment of a MONITOR that embeds the books, and what else of the library has no vectors, in two threads."""


def run(libraries: Libraries) -> Iterator[Row]:
    yield from _time_keys(libraries, "reading-keys", NO_MODEL, ROW_SUFFIX)
    yield from _time_keys(libraries, "embedding-keys", BUILT_IN_MODEL, VECTORS_SUFFIX)
    home = _copy_library(libraries, "reading-gate")
    asyncio.run(gate.propose(home))
    with _open_with_books(home, NO_MODEL) as terminal:
        yield from gate.time_verdicts_beside_work(
            terminal, libraries.often(gate.COUNT), ROW_SUFFIX, VERDICT_AIM
        )


def _time_keys(
    libraries: Libraries, name: str, environment: Mapping[str, str], row_suffix: str
) -> Iterator[Row]:
    with _open_with_books(_copy_library(libraries, name), environment) as terminal:
        terminal.press(ENTER, SCENE)
        work = BackgroundWork(terminal)
        count = libraries.often(keys.COUNT)
        yield from keys.time_keys(terminal, count, row_suffix, letter_aim=LETTER_AIM, move_aim=MOVE_AIM)
        yield from work.rows("keys")


def _copy_library(libraries: Libraries, name: str) -> Path:
    """Return a copy of the large library in which the background has nothing else to do."""
    return Path(shutil.copytree(libraries.indexed_big, libraries.folder / name))


@contextmanager
def _open_with_books(home: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Open a library into which books are read as soon as it is open."""
    asyncio.run(_start_books(home))
    with open_monitor(home, environment) as terminal:
        terminal.since_key(MENU_FILLED)
        yield terminal
        terminal.settle()
        terminal.quit()


async def _start_books(home: Path) -> None:
    book = make_books(PAGES)["book.pdf"]
    async with open_scene(home) as scene_in_play:
        view = await scene_in_play.services.play.scene(scene_in_play.scene_id)
        for number in range(BOOKS):
            path = home / f"book {number}.pdf"
            path.write_bytes(
                book + b"\n%" + str(number).encode()
            )  # other bytes: the same document is read once
            await scene_in_play.services.ingest.start(str(path), view.universe.id)
