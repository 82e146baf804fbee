"""Rebuilds the indexes from canon and log, while nothing else works on them.

If the index can, a collection of words is built beside the one in use and replaces it when complete;
otherwise items are overwritten and surplus ones deleted. Vectors take an hour per hundred thousand, so
valid ones are kept unless all are to be computed again. A rebuild that is interrupted keeps its progress and
continues the next time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from agents.indexer.index_reconciler import Indexer, fingerprint_memories, fingerprint_scene_item
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.index_writers import IDS_PER_BATCH, TextIndexWriter, VectorIndexWriter, in_batches
from agents.indexer.source_reader import SourceReader
from stores.authority import COLLECTIONS, Store
from stores.changes import ChangeReader
from stores.ports import RebuildableTextIndex, TextIndex, TextItem, VectorIndex
from stores.records.ids import Id

ReportProgress = Callable[[str], None]
ItemBatches = AsyncIterator[Sequence[TextItem]]

REPORT_EVERY = 500
"""Vectors between two progress reports."""


async def rebuild_words(
    source_reader: SourceReader,
    text_index: TextIndex,
    report: ReportProgress,
    changes: ChangeReader | None = None,
) -> dict[str, int]:
    """Rebuild every collection of words; returns how many items each has. Raises StoreError."""
    last_change = await changes.last_change() if changes else None
    writer = TextIndexWriter(text_index)
    await writer.write_cursor("")  # if this is interrupted, the next start compares
    item_counts: dict[str, int] = {}
    for collection, universe_batches in iter_collections(source_reader, writer.neighbours):
        batches = _in_all_universes(source_reader, universe_batches)
        if isinstance(text_index, RebuildableTextIndex):
            item_counts[collection] = await text_index.rebuild(collection, batches)
        else:
            await _overwrite_collection(text_index, collection, batches)
            item_counts[collection] = await text_index.count(collection)
        report(f"{item_counts[collection]:,} {collection}")
    if last_change:
        await writer.write_cursor(last_change.as_text())
    return item_counts


async def rebuild_vectors(
    source_reader: SourceReader,
    index: VectorIndex,
    writer: VectorIndexWriter,
    report: ReportProgress,
    changes: ChangeReader | None = None,
    *,
    from_nothing: bool = False,
) -> dict[str, int]:
    """Make the missing vectors, and delete the surplus ones; returns how many there are.

    Raises StoreError and EmbedderUnavailable; what was made until then is kept.
    """
    collections = COLLECTIONS[Store.VECTORS]
    last_change = await changes.last_change() if changes else None
    await writer.write_cursor("")
    if from_nothing:
        for collection in collections:
            await index.drop(collection, model=writer.model)
    indexer, reported_count = Indexer(source_reader, writer), 0
    for universe_id in await source_reader.read_universe_ids():
        scenes = await source_reader.read_scenes(universe_id)
        indexer.distrust([scene.id for scene in scenes])
        indexer.recheck_universes([universe_id])
        for work, subject in (
            (indexer.reconcile_universe, universe_id),
            *((indexer.reconcile_scene, s.id) for s in scenes),
        ):
            left_count = 1
            while left_count:
                left_count = await work(subject)
                if writer.written_count - reported_count >= REPORT_EVERY:
                    reported_count = writer.written_count
                    report(f"{reported_count:,} vectors made")
    if last_change:
        await writer.write_cursor(last_change.as_text())
    return {name: (await index.models(name)).get(writer.model, 0) for name in collections}


# --- reading the sources ------------------------------------------------------------------------------


class _Seal(NamedTuple):
    """Up to where a scene is right in the index."""

    head_id: Id | None
    turn_count: int
    memory_fingerprint: str


UniverseBatches = Callable[[Id], ItemBatches]
"""Yields the items of one collection that a universe should have in the index."""


def iter_collections(
    source_reader: SourceReader, neighbours: TurnNeighbours
) -> Iterator[tuple[str, UniverseBatches]]:
    """Return what should be in an index, by collection; to be read in this order."""
    seals_by_scene: dict[Id, _Seal] = {}
    yield "turns", partial(_turn_batches, source_reader, neighbours, seals_by_scene)
    yield "memories", partial(_memory_batches, source_reader)
    # After what they seal: a rebuild may be interrupted.
    yield "scenes", partial(_scene_batches, source_reader, neighbours, seals_by_scene)
    yield "entities", partial(_entity_batches, source_reader)
    yield "facts", partial(_fact_batches, source_reader)
    yield "snippets", partial(_snippet_batches, source_reader)


async def _in_all_universes(source_reader: SourceReader, universe_batches: UniverseBatches) -> ItemBatches:
    for universe_id in await source_reader.read_universe_ids():
        async for batch in universe_batches(universe_id):
            yield batch


async def _turn_batches(
    source_reader: SourceReader,
    neighbours: TurnNeighbours,
    seals_by_scene: dict[Id, _Seal],
    universe_id: Id,
) -> ItemBatches:
    """Yield the turns that are on a line: undone and abandoned ones stay in the tree, but are not searched."""
    memory_cursors = await source_reader.read_memory_cursors()
    for scene in await source_reader.read_scenes(universe_id):
        pc_name, start, count = await source_reader.read_pc_name(scene), 0, 0
        head_id: Id | None = None
        while (
            line_stretch := await source_reader.read_line_stretch(
                scene, pc_name, start, IDS_PER_BATCH, neighbours
            )
        ).turn_ids:
            if line_stretch.previous_turn_id != head_id:
                break  # play goes on meanwhile: sealed scenes are right, and the indexer finds the others later
            yield line_stretch.items
            start, head_id, count = (
                start + len(line_stretch.turn_ids),
                line_stretch.last_turn_id,
                count + len(line_stretch.items),
            )
        memory_fingerprint = fingerprint_memories(memory_cursors.get(scene.id))
        seals_by_scene[scene.id] = _Seal(head_id, count, memory_fingerprint)


async def _scene_batches(
    source_reader: SourceReader,
    neighbours: TurnNeighbours,
    seals_by_scene: dict[Id, _Seal],
    universe_id: Id,
) -> ItemBatches:
    for scene in await source_reader.read_scenes(universe_id):
        if seal := seals_by_scene.get(scene.id):
            item = await source_reader.read_scene_item(scene)
            pc_name = await source_reader.read_pc_name(scene)
            yield [fingerprint_scene_item(item, pc_name, neighbours, *seal)]


async def _memory_batches(source_reader: SourceReader, universe_id: Id) -> ItemBatches:
    yield (await source_reader.read_sceneless_memories(universe_id, last=None))[1]
    for scene in await source_reader.read_scenes(universe_id):
        yield await source_reader.read_scene_memories(scene.id)


async def _entity_batches(source_reader: SourceReader, universe_id: Id) -> ItemBatches:
    for batch in in_batches(IDS_PER_BATCH, (await source_reader.read_canon(universe_id)).entities):
        yield batch


async def _fact_batches(source_reader: SourceReader, universe_id: Id) -> ItemBatches:
    for batch in in_batches(IDS_PER_BATCH, (await source_reader.read_canon(universe_id)).facts):
        yield batch


async def _snippet_batches(source_reader: SourceReader, universe_id: Id) -> ItemBatches:
    for source_id in await source_reader.read_source_ids(universe_id):
        for batch in in_batches(IDS_PER_BATCH, await source_reader.read_snippets(source_id)):
            yield batch


async def _overwrite_collection(text_index: TextIndex, collection: str, batches: ItemBatches) -> None:
    wanted_ids: set[Id] = set()
    async for batch in batches:
        wanted_ids |= {item.id for item in batch}
        await text_index.put(collection, batch)
    for unwanted_ids in in_batches(
        IDS_PER_BATCH, sorted((await text_index.fingerprints(collection)).keys() - wanted_ids)
    ):
        await text_index.delete(collection, unwanted_ids)
