"""The Indexer: how fast it catches up, what a start, a commit and an exchange cost it, what a question waits.

python -m benchmarks.indexing [--quick] [--vectors N]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.indexer.source_reader import SourceReader
from benchmarks import table
from benchmarks.fill import Size, fill
from benchmarks.libraries import timed
from benchmarks.passages import UNIVERSE
from benchmarks.table import Row, times
from stores.authority import Role
from stores.open import Stores, open_stores
from stores.ports import LogReader, TextItem
from stores.records.canon import CanonBatch, FactChange, FactStatus
from stores.records.ids import Id, SystemIdGenerator, derive_id
from stores.records.play import Scene, Speaker, Turn
from stores.records.workflow import Canonization

LONG = Size(scenes=90, scene_turns=1_000, long_scene=10_000, entities=5_000)
QUICK = Size(scenes=9, scene_turns=1_000, long_scene=1_000, entities=500)
CAUGHT_UP = 10_000
"""Turns that a catch-up is counted in."""

EXCHANGES = 50
COMMITS = 30
BATCH = 20
"""Facts of one commit."""


async def measured(size: Size, vectors: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        await fill(home, size)
        stores = await open_stores(home)
        embedder = MiniLmEmbedder()
        try:
            return [row async for row in _rows(stores, embedder, vectors)]
        finally:
            await embedder.close()
            await stores.close()


async def _rows(stores: Stores, embedder: MiniLmEmbedder, count: int) -> AsyncIterator[Row]:
    truth = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    words = Indexer(truth, TextIndexWriter(stores.words(Role.INDEXER)))
    scenes = await truth.read_scenes(UNIVERSE)
    turns = sum([await truth.log.line_length(scene.id) for scene in scenes])

    seconds = await timed(lambda: _catch_up(words, scenes))
    yield Row(f"words of {turns:,} turns that nothing was indexed of", turns / seconds, unit="/s")
    yield Row(f"  so {CAUGHT_UP:,} turns behind are caught up with in", CAUGHT_UP * seconds / turns, unit="s")
    canon = await truth.read_canon(UNIVERSE)
    items = len(canon.entities) + len(canon.facts)
    seconds = await timed(lambda: _universe(words))
    yield Row(f"words of {items:,} facts and entities", items / seconds, unit="/s")

    again = [await timed(lambda: _looked_at_anew(truth, stores)) for _ in range(3)]
    yield times(f"a start with {turns:,} turns in {len(scenes)} scenes indexed: what is behind?", again)
    same = [await timed(lambda: _universe_anew(truth, stores)) for _ in range(3)]
    yield times(f"canon of {items:,} compared whole, as a start does", same)
    yield times(f"  what a commit of {BATCH} facts wrote, compared and put", await _committed(stores, words))
    yield times("an exchange of two turns in the longest scene: its words", await _exchanges(stores, words))

    shelf = VectorIndexWriter(stores.vectors(Role.INDEXER), embedder)
    some = [item async for item in _some(truth, scenes, count)]
    await embedder.embed(["awake"])
    seconds = await timed(lambda: _put_all(shelf, some))
    yield Row(f"vectors of {len(some):,} turns with their neighbours", len(some) / seconds, unit="/s")
    yield Row(f"  so {CAUGHT_UP:,} turns behind take", CAUGHT_UP * seconds / len(some) / 60, unit="min")
    job = asyncio.create_task(_put_all(shelf, some))
    asked = []
    while not job.done():
        asked.append(await timed(lambda: embedder.embed(["Who has the key to the tower?"], urgent=True)))
        await asyncio.sleep(0.05)
    yield times("a question's vector while that goes on", asked)


async def _catch_up(indexer: Indexer, scenes: list[Scene]) -> None:
    for scene in scenes:
        while await indexer.reconcile_scene(scene.id):
            pass


async def _universe(indexer: Indexer) -> None:
    while await indexer.reconcile_universe(UNIVERSE):
        pass


async def _universe_anew(truth: SourceReader, stores: Stores) -> None:
    await _universe(Indexer(truth, TextIndexWriter(stores.words(Role.INDEXER))))


async def _committed(stores: Stores, indexer: Indexer) -> list[float]:
    """Commit facts about one of many, of which one ends; and bring the words up to that."""
    ids, canon, log = SystemIdGenerator(), stores.canon(Role.CANON_KEEPER), stores.log(Role.CANON_KEEPER)
    (who,) = await canon.entities(UNIVERSE, limit=1)
    (like,) = await canon.facts_about(who.id, newest=1)
    found = []
    for number in range(COMMITS):
        said = {"proposal_id": None, "recorded_at": like.recorded_at}
        facts = tuple(
            like.model_copy(update={**said, "id": ids.new(), "statement": f"It is so, {number}: {place}."})
            for place in range(BATCH)
        )
        ended = FactChange(fact_id=facts[0].id, status=FactStatus.SUPERSEDED, valid_to=9)
        batch = CanonBatch(
            id=ids.new(), universe_id=UNIVERSE, entities=(who,), facts=facts, fact_changes=(ended,)
        )
        done = Canonization(
            id=ids.new(), universe_id=UNIVERSE, reason="bench", batch=batch, created_at=like.recorded_at
        )
        await log.plan_canonization(done)
        await canon.commit(batch)
        await log.close_canonization(done)
        indexer.note_commit(UNIVERSE, done.id)
        found.append(await timed(lambda: _universe(indexer)))
    return found


async def _looked_at_anew(truth: SourceReader, stores: Stores) -> None:
    behind = await Indexer(truth, TextIndexWriter(stores.words(Role.INDEXER))).find_outdated_scenes(UNIVERSE)
    assert not behind


async def _exchanges(stores: Stores, indexer: Indexer) -> list[float]:
    """Append two turns to the longest scene, and bring its words up to it."""
    log = stores.log(Role.ORCHESTRATOR)
    truth = SourceReader(stores.canon(Role.INDEXER), log)
    lengths = {scene.id: await log.line_length(scene.id) for scene in await truth.read_scenes(UNIVERSE)}
    scene_id = max(lengths, key=lambda id: lengths[id])
    found = []
    for number in range(EXCHANGES):
        for turn in [turn async for turn in _two(log, scene_id, number)]:
            await log.append_turn(turn)
        start = time.perf_counter()
        while await indexer.reconcile_scene(scene_id):
            pass
        found.append(time.perf_counter() - start)
    return found


async def _two(log: LogReader, scene_id: Id, number: int) -> AsyncIterator[Turn]:
    ids = SystemIdGenerator()
    (last,) = await log.line_tail(scene_id, 1)
    exchange = derive_id("bench", number)
    for speaker in (Speaker.PLAYER, Speaker.SYSTEM):
        last = Turn(
            id=ids.new(),
            scene_id=scene_id,
            parent_id=last.id,
            exchange_id=exchange,
            speaker=speaker,
            text=f"I go on through the reeds, for the {number}th time, and listen for the bell.",
            depth=last.depth + 1,
            created_at=last.created_at,
        )
        yield last


async def _some(truth: SourceReader, scenes: list[Scene], count: int) -> AsyncIterator[TextItem]:
    left = count
    for scene in scenes:
        stretch = await truth.read_line_stretch(scene, await truth.read_pc_name(scene), 0, left)
        for item in stretch.items:
            yield item
        left -= len(stretch.items)
        if left <= 0:
            return


async def _put_all(shelf: VectorIndexWriter, items: list[TextItem]) -> None:
    for some in _by_the(shelf.batch_size, items):
        await shelf.put("turns", some)


def _by_the(count: int, items: list[TextItem]) -> Iterator[list[TextItem]]:
    for start in range(0, len(items), count):
        yield items[start : start + count]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 turns instead of 100,000")
    parser.add_argument("--vectors", type=int, default=1_000, help="how many vectors are made")
    options = parser.parse_args()
    print(f"{table.machine()}\n{table.head()}")
    for row in asyncio.run(measured(QUICK if options.quick else LONG, options.vectors)):
        print(table.line(row), flush=True)


if __name__ == "__main__":
    main()
