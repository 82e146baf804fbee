"""Builds an index from scratch in a dictionary, to compare an index under test with."""

from __future__ import annotations

from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.source_reader import SourceReader
from stores.ports import TextItem
from stores.records.ids import Id
from tests.agents.indexer.dict_index_writer import DictIndexWriter


async def reconcile_all(indexer: Indexer, source_reader: SourceReader) -> None:
    """Bring the index up to date as the worker does after a start."""
    for universe_id in await source_reader.read_universe_ids():
        indexer.recheck_universes([universe_id])
        for scene, _ in await indexer.find_outdated_scenes(universe_id):
            while await indexer.reconcile_scene(scene.id):
                pass
        while await indexer.reconcile_universe(universe_id):
            pass


def non_empty_collections(index_writer: DictIndexWriter) -> dict[str, dict[Id, TextItem]]:
    return {name: items for name, items in index_writer.items_by_collection.items() if items}


async def rebuild_index(
    source_reader: SourceReader, neighbours: TurnNeighbours = TurnNeighbours.BOTH
) -> dict[str, dict[Id, TextItem]]:
    index_writer = DictIndexWriter(batch_size=1_000, neighbours=neighbours)
    await reconcile_all(Indexer(source_reader, index_writer), source_reader)
    return non_empty_collections(index_writer)
