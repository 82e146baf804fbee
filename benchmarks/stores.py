"""Measures the stores alone, at their full sizes (`make bench-stores`), with the same work for every adapter.

python -m benchmarks.stores [--kind embedded] [--quick] [--cache FOLDER] [--anew]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks import table
from benchmarks.libraries import Libraries, cache_folder, time_call
from benchmarks.stores_fill import (
    DIMENSION,
    FORMAT,
    FULL,
    HERO,
    MODEL,
    QUICK,
    SCENE,
    SMALL,
    START,
    UNIVERSE,
    StoresSize,
    batch_of_twenty,
    fill_canon,
    fill_index,
    fill_line,
    scope,
)
from benchmarks.table import Row, make_times_row
from stores.authority import Role
from stores.open import ALL_STORES_VARIABLE, StoreKind, open_stores, read_store_kinds
from stores.records.ids import SystemIdGenerator
from stores.records.play import Speaker, Turn
from stores.stores import Stores

COUNT = 200
TAIL = 50
NEAREST = 10
QUERY = "w3 w17 w150 w900 w4000 w12000"
"""Common and rare words of a vocabulary in which, as in real ones, a few are in almost every text."""

StoresOpener = Callable[[Path], AbstractAsyncContextManager[Stores]]
"""Opens a set of stores whose home (a copy, or all of it) is in a folder."""

AIMS = {"append": 5, "tail": 2, "commit": 15, "neighbourhood": 5, "vectors": 30, "words": 20}
"""Milliseconds, embedded; vectors at 100,000."""


@asynccontextmanager
async def _open_stores(kind: StoreKind, home: Path) -> AsyncIterator[Stores]:
    stores = await open_stores(home, kinds=read_store_kinds({ALL_STORES_VARIABLE: kind}), environ=os.environ)
    try:
        yield stores
    finally:
        await stores.close()


KINDS: Mapping[str, StoresOpener] = {kind.value: partial(_open_stores, kind) for kind in StoreKind}


def run(libraries: Libraries) -> Iterator[Row]:
    """Return the rows for `make bench`, with smaller stores for `--quick`."""
    size = QUICK if libraries.quick else FULL
    folder = libraries.folder / "stores" if libraries.quick else cache_folder()
    yield from rows(KINDS["embedded"], folder / "embedded", size, libraries.often(COUNT))


def rows(open_at: StoresOpener, folder: Path, size: StoresSize, times_over: int) -> Iterator[Row]:
    """Measure every row on stores in folders below this one, filled if they are not yet."""
    for name, fill, measure in (
        ("line", fill_line, _line),
        ("canon", fill_canon, _canon),
        ("index", fill_index, _index),
    ):
        yield from asyncio.run(_fill_and_measure(open_at, folder / name, size, fill, measure, times_over))


Fill = Callable[[Stores, StoresSize], Awaitable[None]]
Measure = Callable[[Stores, StoresSize, int], Awaitable[list[Row]]]


async def _fill_and_measure(
    open_at: StoresOpener, home: Path, size: StoresSize, fill: Fill, measure: Measure, times_over: int
) -> list[Row]:
    format_file, expected_format = home / "filled.json", {"format": FORMAT, **asdict(size)}
    if not format_file.exists() or json.loads(format_file.read_text()) != expected_format:
        shutil.rmtree(home, ignore_errors=True)
        start = time.perf_counter()
        async with open_at(home) as stores:
            await fill(stores, size)
        format_file.write_text(json.dumps(expected_format))
        print(f"(filled {home.name} in {time.perf_counter() - start:.0f} s)", flush=True)
    async with open_at(home) as stores:
        await _wait_until_in_step(stores)
        return await measure(stores, size, times_over)


async def _wait_until_in_step(stores: Stores) -> None:
    """Wait until every server has all writes: until then the replica is read.

    Fails if it takes too long.
    """
    for _ in range(int(_LONGEST / _PAUSE)):
        if all(state == "ok" for _, state in stores.health()):
            return
        await asyncio.sleep(_PAUSE)
    amiss = ", ".join(f"{store}: {state}" for store, state in stores.health() if state != "ok")
    print(f"(measured on the copy at home as far as servers are not in step: {amiss})", flush=True)


_LONGEST, _PAUSE = 240.0, 0.2
"""Seconds."""


# --- the rows ---------------------------------------------------------------------------------------


async def _line(stores: Stores, size: StoresSize, times_over: int) -> list[Row]:
    log, ids = stores.log(Role.ORCHESTRATOR), SystemIdGenerator()
    last = (await log.line_tail(SCENE, 1))[0]

    async def append() -> None:
        nonlocal last
        new_id = ids.new()
        last = Turn(
            id=new_id,
            scene_id=SCENE,
            parent_id=last.id,
            exchange_id=new_id,
            speaker=Speaker.PLAYER,
            text="I wade on towards the lamp.",
            depth=last.depth + 1,
            created_at=START,
        )
        await log.append_turn(last)

    line = f"line of {size.turns:,}"
    return [
        await _time_repeatedly(f"append a turn, {line}", append, times_over, AIMS["append"]),
        await _time_repeatedly(
            f"last {TAIL} turns, {line}", partial(log.line_tail, SCENE, TAIL), times_over, AIMS["tail"]
        ),
    ]


async def _canon(stores: Stores, size: StoresSize, times_over: int) -> list[Row]:
    canon = stores.canon(Role.CANON_KEEPER)
    # Different facts in each run: writing the same ones again would write nothing.
    batches = (batch_of_twenty(first, size) for first in count(time.time_ns() // 1_000, 20))
    ready = iter([next(batches) for _ in range(times_over)])

    async def commit() -> None:
        await canon.commit(next(ready))

    early = await canon.facts_at(UNIVERSE, 1_000)
    near = partial(canon.neighbourhood, [HERO], hops=2, limit=50)
    at_a_time = partial(canon.facts_at, UNIVERSE, size.facts // 2, limit=50)
    at_once = partial(canon.facts_at, UNIVERSE, 1_000)
    among = f"among {size.facts:,} facts"
    return [
        await _time_repeatedly(f"canon commit of 20, {among}", commit, times_over, AIMS["commit"]),
        await _time_repeatedly(f"two hops around the hero, {among}", near, times_over, AIMS["neighbourhood"]),
        await _time_repeatedly(f"50 facts that hold at a time, {among}", at_a_time, times_over),
        await _time_repeatedly(
            f"all {len(early):,} facts that hold at a time, {among}", at_once, max(2, times_over // 10)
        ),
    ]


async def _index(stores: Stores, size: StoresSize, times_over: int) -> list[Row]:
    vectors, words = stores.vectors(Role.CONTEXT_ASSEMBLY), stores.words(Role.CONTEXT_ASSEMBLY)
    points = iter(np.random.default_rng(2).standard_normal((10_000, DIMENSION), dtype=np.float32))
    hits = []
    for collection, many, aim in (("scenes", size.few, AIMS["vectors"]), ("snippets", size.many, None)):

        async def near(within: Mapping[str, str], collection: str = collection) -> None:
            await vectors.search(collection, next(points), model=MODEL, k=NEAREST, scope=within)

        name = f"top {NEAREST} of {many:,} vectors"
        first = await time_call(partial(near, {"universe": UNIVERSE}))
        hits.append(Row(f"{name}, the first search (they are read)", 1_000 * first))
        for share, within in (("nine tenths", {"universe": UNIVERSE}), ("a tenth", scope(1))):
            hits.append(await _time_repeatedly(f"{name}, in {share}", partial(near, within), times_over, aim))
    statement = partial(words.search, "snippets", QUERY, k=NEAREST, scope={"universe": UNIVERSE})
    rare = partial(words.search, "snippets", "w12000 w9000", k=NEAREST, scope=scope(1))
    name = f"BM25 top {NEAREST} of {size.snippets:,} snippets"
    return [
        *hits,
        await _time_repeatedly(f"{name}, common and rare words", statement, times_over, AIMS["words"]),
        await _time_repeatedly(f"{name}, rare words in a tenth", rare, times_over, AIMS["words"]),
    ]


async def _time_repeatedly(
    name: str, work: Callable[[], Awaitable[object]], times_over: int, aim: float | None = None
) -> Row:
    start = time.process_time()
    seconds = [await time_call(work) for _ in range(times_over)]
    return make_times_row(name, seconds, aim, (time.process_time() - start) / times_over)


# --- as a command -----------------------------------------------------------------------------------


def main() -> None:
    options = _options()
    folder = (options.cache or cache_folder()) / (
        "quick" if options.quick else "small" if options.small else "full"
    )
    if options.anew:
        shutil.rmtree(folder, ignore_errors=True)
    for kind in options.kind or ["embedded"]:
        print(f"{kind} stores\n{table.machine()}\n{table.format_header()}")
        size, times_over = (QUICK, 20) if options.quick else (SMALL, 60) if options.small else (FULL, COUNT)
        for row in rows(KINDS[kind], folder / kind, size, times_over):
            print(table.format_row(row), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores", description=__doc__)
    parser.add_argument("--kind", action="append", choices=KINDS, help="embedded (as if not said), servers")
    parser.add_argument("--quick", action="store_true", help="small stores and few rounds")
    parser.add_argument("--small", action="store_true", help="the smallest stores, for servers")
    parser.add_argument("--cache", type=Path, help="where filled stores are kept")
    parser.add_argument("--anew", action="store_true", help="fill them anew")
    return parser.parse_args()


if __name__ == "__main__":
    main()
