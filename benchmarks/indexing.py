"""Measures the Indexer: catching up, a start, a commit, an exchange, and the wait of a question.

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
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.index_writers import TextIndexWriter, VectorIndexWriter
from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.indexer.source_reader import SourceReader
from benchmarks import table
from benchmarks.fill import Size, fill
from benchmarks.libraries import time_call
from benchmarks.passages import UNIVERSE
from benchmarks.table import Row, make_times_row
from stores.authority import Role
from stores.open import Stores, open_stores
from stores.ports import LogReader, TextItem
from stores.queries import FactsAboutQuery
from stores.records.canon import CanonBatch, FactChange, FactStatus
from stores.records.ids import Id, SystemIdGenerator, derive_id
from stores.records.play import Scene, Speaker, Turn
from stores.records.workflow import Canonization

LONG = Size(scenes=90, scene_turns=1_000, long_scene=10_000, entities=5_000)
QUICK = Size(scenes=9, scene_turns=1_000, long_scene=1_000, entities=500)
CATCH_UP_TURNS = 10_000
"""Turns of one catch-up."""

EXCHANGES = 50
COMMITS = 30
BATCH = 20
"""Facts of one commit."""


async def measure(size: Size, vectors: int) -> list[Row]:
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
    source_reader = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    words = Indexer(source_reader, TextIndexWriter(stores.words(Role.INDEXER)))
    scenes = await source_reader.read_scenes(UNIVERSE)
    turns = sum([await source_reader.log.line_length(scene.id) for scene in scenes])

    seconds = await time_call(lambda: _catch_up(words, scenes))
    yield Row(f"words of {turns:,} turns that nothing was indexed of", turns / seconds, unit="/s")
    yield Row(
        f"  so {CATCH_UP_TURNS:,} turns behind are caught up with in",
        CATCH_UP_TURNS * seconds / turns,
        unit="s",
    )
    canon = await source_reader.read_canon(UNIVERSE)
    items = len(canon.entities) + len(canon.facts)
    seconds = await time_call(lambda: _index_universe(words))
    yield Row(f"words of {items:,} facts and entities", items / seconds, unit="/s")

    start_seconds = [await time_call(lambda: _check_nothing_dirty(source_reader, stores)) for _ in range(3)]
    yield make_times_row(
        f"a start with {turns:,} turns in {len(scenes)} scenes indexed: what is behind?", start_seconds
    )
    compare_seconds = [
        await time_call(lambda: _index_universe_again(source_reader, stores)) for _ in range(3)
    ]
    yield make_times_row(f"canon of {items:,} compared whole, as a start does", compare_seconds)
    yield make_times_row(
        f"  what a commit of {BATCH} facts wrote, compared and put", await _time_commits(stores, words)
    )
    yield make_times_row(
        "an exchange of two turns in the longest scene: its words", await _time_exchanges(stores, words)
    )

    index_writer = VectorIndexWriter(stores.vectors(Role.INDEXER), embedder)
    text_items = [item async for item in _iter_items(source_reader, scenes, count)]
    await embedder.embed(["awake"])
    seconds = await time_call(lambda: _put_all(index_writer, text_items))
    yield Row(
        f"vectors of {len(text_items):,} turns with their neighbours", len(text_items) / seconds, unit="/s"
    )
    yield Row(
        f"  so {CATCH_UP_TURNS:,} turns behind take",
        CATCH_UP_TURNS * seconds / len(text_items) / 60,
        unit="min",
    )
    put_task = asyncio.create_task(_put_all(index_writer, text_items))
    embed_seconds = []
    while not put_task.done():
        embed_seconds.append(
            await time_call(lambda: embedder.embed(["Who has the key to the tower?"], urgent=True))
        )
        await asyncio.sleep(0.05)
    yield make_times_row("a question's vector while that goes on", embed_seconds)


async def _catch_up(indexer: Indexer, scenes: list[Scene]) -> None:
    for scene in scenes:
        while await indexer.reconcile_scene(scene.id):
            pass


async def _index_universe(indexer: Indexer) -> None:
    while await indexer.reconcile_universe(UNIVERSE):
        pass


async def _index_universe_again(source_reader: SourceReader, stores: Stores) -> None:
    await _index_universe(Indexer(source_reader, TextIndexWriter(stores.words(Role.INDEXER))))


async def _time_commits(stores: Stores, indexer: Indexer) -> list[float]:
    """Commit facts, one of which ends another, and bring the word index up to date."""
    ids, canon, log = SystemIdGenerator(), stores.canon(Role.CANON_KEEPER), stores.log(Role.CANON_KEEPER)
    (entity,) = await canon.entities(UNIVERSE, limit=1)
    (sample_fact,) = await canon.facts_about(entity.id, FactsAboutQuery(newest=1))
    seconds = []
    for number in range(COMMITS):
        changed_fields = {"proposal_id": None, "recorded_at": sample_fact.recorded_at}
        facts = tuple(
            sample_fact.model_copy(
                update={**changed_fields, "id": ids.new(), "statement": f"It is so, {number}: {place}."}
            )
            for place in range(BATCH)
        )
        fact_change = FactChange(fact_id=facts[0].id, status=FactStatus.SUPERSEDED, valid_to=9)
        batch = CanonBatch(
            id=ids.new(), universe_id=UNIVERSE, entities=(entity,), facts=facts, fact_changes=(fact_change,)
        )
        canonization = Canonization(
            id=ids.new(),
            universe_id=UNIVERSE,
            reason="bench",
            batch=batch,
            created_at=sample_fact.recorded_at,
        )
        await log.plan_canonization(canonization)
        await canon.commit(batch)
        await log.close_canonization(canonization)
        indexer.note_commit(UNIVERSE, canonization.id)
        seconds.append(await time_call(lambda: _index_universe(indexer)))
    return seconds


async def _check_nothing_dirty(source_reader: SourceReader, stores: Stores) -> None:
    dirty_items = await Indexer(
        source_reader, TextIndexWriter(stores.words(Role.INDEXER))
    ).find_outdated_scenes(UNIVERSE)
    assert not dirty_items


async def _time_exchanges(stores: Stores, indexer: Indexer) -> list[float]:
    """Append two turns to the longest scene, and bring its word index up to date."""
    log = stores.log(Role.ORCHESTRATOR)
    source_reader = SourceReader(stores.canon(Role.INDEXER), log)
    lengths = {
        scene.id: await log.line_length(scene.id) for scene in await source_reader.read_scenes(UNIVERSE)
    }
    scene_id = max(lengths, key=lambda id: lengths[id])
    seconds = []
    for number in range(EXCHANGES):
        for turn in [turn async for turn in _make_two_turns(log, scene_id, number)]:
            await log.append_turn(turn)
        start = time.perf_counter()
        while await indexer.reconcile_scene(scene_id):
            pass
        seconds.append(time.perf_counter() - start)
    return seconds


async def _make_two_turns(log: LogReader, scene_id: Id, number: int) -> AsyncIterator[Turn]:
    ids = SystemIdGenerator()
    (last_turn,) = await log.line_tail(scene_id, 1)
    exchange = derive_id("bench", number)
    for speaker in (Speaker.PLAYER, Speaker.SYSTEM):
        last_turn = Turn(
            id=ids.new(),
            scene_id=scene_id,
            parent_id=last_turn.id,
            exchange_id=exchange,
            speaker=speaker,
            text=f"I go on through the reeds, for the {number}th time, and listen for the bell.",
            depth=last_turn.depth + 1,
            created_at=last_turn.created_at,
        )
        yield last_turn


async def _iter_items(
    source_reader: SourceReader, scenes: list[Scene], count: int
) -> AsyncIterator[TextItem]:
    remaining = count
    for scene in scenes:
        stretch = await source_reader.read_line_stretch(
            scene, await source_reader.read_pc_name(scene), 0, remaining, TurnNeighbours.PREVIOUS
        )
        for item in stretch.items:
            yield item
        remaining -= len(stretch.items)
        if remaining <= 0:
            return


async def _put_all(index_writer: VectorIndexWriter, items: list[TextItem]) -> None:
    for batch in _split_into_batches(index_writer.batch_size, items):
        await index_writer.put("turns", batch)


def _split_into_batches(batch_size: int, items: list[TextItem]) -> Iterator[list[TextItem]]:
    for start in range(0, len(items), batch_size):
        yield items[start : start + batch_size]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexing", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 turns instead of 100,000")
    parser.add_argument("--vectors", type=int, default=1_000, help="how many vectors are made")
    options = parser.parse_args()
    print(f"{table.machine()}\n{table.format_header()}")
    for row in asyncio.run(measure(QUICK if options.quick else LONG, options.vectors)):
        print(table.format_row(row), flush=True)


if __name__ == "__main__":
    main()
