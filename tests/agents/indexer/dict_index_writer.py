"""An index writer for tests that keeps the items in a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from agents.indexer.index_texts import TurnNeighbours
from stores.errors import StoreUnavailable
from stores.ports import TextItem
from stores.records.ids import Id


class DictIndexWriter:
    """Implements `agents.indexer.index_writers.IndexWriter`; if `fails_at` is set, that write from now on fails."""

    def __init__(self, batch_size: int = 3, neighbours: TurnNeighbours = TurnNeighbours.BOTH) -> None:
        self.items_by_collection: dict[str, dict[Id, TextItem]] = {}
        self.cursor = ""
        self.writes = 0
        self.fails_at: int | None = None
        self._batch_size = batch_size
        self.neighbours = neighbours

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def keeps_cursor(self) -> bool:
        return True

    async def read_cursor(self) -> str:
        return self.cursor

    async def write_cursor(self, cursor: str) -> None:
        self.cursor = cursor

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        if items:
            self._count_write()
            self.items_by_collection.setdefault(collection, {}).update({item.id: item for item in items})

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        if ids:
            self._count_write()
            for id in ids:
                self.items_by_collection.get(collection, {}).pop(id, None)

    async def read_fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return {
            item.id: item.fingerprint
            for item in self._items_in_scope(collection, scope or {})
            if ids is None or item.id in ids
        }

    async def count(self, collection: str, scope: Mapping[str, str]) -> int:
        return len(self._items_in_scope(collection, scope))

    def turns(self, scene_id: Id) -> set[Id]:
        return {item.id for item in self._items_in_scope("turns", {"scene": scene_id})}

    def _items_in_scope(self, collection: str, scope: Mapping[str, str]) -> list[TextItem]:
        items = self.items_by_collection.get(collection, {}).values()
        return [item for item in items if scope.items() <= item.scope.items()]

    def _count_write(self) -> None:
        self.writes += 1
        if self.fails_at is not None:
            self.fails_at -= 1
            if self.fails_at <= 0:
                self.fails_at = None
                raise StoreUnavailable("The index does not answer.")
