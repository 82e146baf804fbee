"""The indexes as they would be, made anew from the truth, in a dictionary."""

from __future__ import annotations

from agents.indexer.index_reconciler import Indexer
from agents.indexer.source_reader import SourceReader
from stores.ports import TextItem
from stores.records.ids import Id
from tests.agents.indexer.dict_index_writer import DictIndexWriter


async def bring_all(indexer: Indexer, truth: SourceReader) -> None:
    """What the worker does from a start to the end."""
    for universe_id in await truth.read_universe_ids():
        indexer.recheck_universes([universe_id])
        for scene, _ in await indexer.find_outdated_scenes(universe_id):
            while await indexer.reconcile_scene(scene.id):
                pass
        while await indexer.reconcile_universe(universe_id):
            pass


def held(shelf: DictIndexWriter) -> dict[str, dict[Id, TextItem]]:
    return {name: items for name, items in shelf.items_by_collection.items() if items}


async def anew(truth: SourceReader) -> dict[str, dict[Id, TextItem]]:
    shelf = DictIndexWriter(batch_size=1_000)
    await bring_all(Indexer(truth, shelf), truth)
    return held(shelf)
