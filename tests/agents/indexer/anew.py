"""The indexes as they would be, made anew from the truth, in a dictionary."""

from __future__ import annotations

from agents.indexer.indexer import Indexer
from agents.indexer.truth import Truth
from stores.ports import TextItem
from stores.records.ids import Id
from tests.agents.indexer.shelf import DictShelf


async def bring_all(indexer: Indexer, truth: Truth) -> None:
    """What the worker does from a start to the end."""
    for universe_id in await truth.universes():
        indexer.renew([universe_id])
        for scene, _ in await indexer.behind(universe_id):
            while await indexer.scene(scene.id):
                pass
        while await indexer.universe(universe_id):
            pass


def held(shelf: DictShelf) -> dict[str, dict[Id, TextItem]]:
    return {name: items for name, items in shelf.held.items() if items}


async def anew(truth: Truth) -> dict[str, dict[Id, TextItem]]:
    shelf = DictShelf(piece=1_000)
    await bring_all(Indexer(truth, shelf), truth)
    return held(shelf)
