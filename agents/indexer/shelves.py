"""Words and vectors behind one door: what the Indexer puts there, it puts there as texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from agents.indexer.port import Embedder
from stores.ports import TextIndex, TextItem, VectorIndex, VectorItem
from stores.records.ids import Id

KEPT_VECTORS: Final = 64
"""Vectors that are kept for the next time: a scene's own text is put anew with every exchange."""


class Shelf(Protocol):
    """One kind of index. Raises StoreError; EmbedderUnavailable where vectors cannot be made."""

    @property
    def piece(self) -> int:
        """How many texts are put at once: about a second's work."""
        ...

    async def put(self, collection: str, items: Sequence[TextItem]) -> None: ...

    async def delete(self, collection: str, ids: Collection[Id]) -> None: ...

    async def marks(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]: ...

    async def count(self, collection: str, scope: Mapping[str, str]) -> int: ...


class WordsShelf:
    def __init__(self, index: TextIndex) -> None:
        self._index = index

    @property
    def piece(self) -> int:
        return 250

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        await self._index.put(collection, items)

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        await self._index.delete(collection, ids)

    async def marks(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return await self._index.marks(collection, ids=ids, scope=scope)

    async def count(self, collection: str, scope: Mapping[str, str]) -> int:
        return await self._index.count(collection, scope=scope)


class VectorShelf:
    """The vectors that one embedding model makes."""

    def __init__(self, index: VectorIndex, embedder: Embedder, *, piece: int = 32) -> None:
        self._index = index
        self._embedder = embedder
        self._piece = piece
        self._kept: OrderedDict[str, Sequence[float]] = OrderedDict()
        self.made = 0
        """Vectors that were put since it was opened."""

    @property
    def piece(self) -> int:
        return self._piece

    @property
    def model(self) -> str:
        return self._embedder.model

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        if not items:
            return
        vectors = await self._vectors(items)
        made = [
            VectorItem(item.id, vector, item.scope, item.mark)
            for item, vector in zip(items, vectors, strict=True)
        ]
        await self._index.put(collection, made, model=self.model)
        self.made += len(made)

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        await self._index.delete(collection, ids, model=self.model)

    async def marks(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return await self._index.marks(collection, model=self.model, ids=ids, scope=scope)

    async def count(self, collection: str, scope: Mapping[str, str]) -> int:
        return await self._index.count(collection, model=self.model, scope=scope)

    async def _vectors(self, items: Sequence[TextItem]) -> list[Sequence[float]]:
        texts, keep = [item.text for item in items], len(items) == 1
        if keep and texts[0] in self._kept:
            return [self._kept[texts[0]]]
        # A piece is of one universe.
        vectors = await self._embedder.embed(texts, universe_id=items[0].scope.get("universe", ""))
        if keep:
            self._kept[texts[0]] = vectors[0]
            while len(self._kept) > KEPT_VECTORS:
                self._kept.popitem(last=False)
        return vectors
