"""Writes texts to the word index or, embedded, to the vector index, behind one interface."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol, TypeVar

from agents.embeddings import Embedding
from agents.indexer.embedding_port import Embedder
from agents.indexer.index_texts import TurnNeighbours
from stores.ports import (
    TextIndex,
    TextIndexWithCursor,
    TextItem,
    VectorIndex,
    VectorIndexWithCursor,
    VectorItem,
)
from stores.records.ids import Id

T = TypeVar("T")

IDS_PER_BATCH: Final = 1_000
"""Identifiers that are read or deleted at once."""


async def find_outdated_in_scope(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], scope: Mapping[str, str]
) -> list[TextItem]:
    """Delete the surplus items within `scope`, and return those that are missing or out of date."""
    return await drop_and_find_outdated(
        writer, collection, wanted_items, await writer.read_fingerprints(collection, scope=scope)
    )


async def find_outdated_of_ids(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], ids: Collection[Id]
) -> list[TextItem]:
    """Delete the surplus items of these identifiers, and return those that are missing or out of date."""
    fingerprints: dict[Id, str] = {}
    for id_batch in in_batches(IDS_PER_BATCH, list(ids)):
        fingerprints |= await writer.read_fingerprints(collection, ids=id_batch)
    return await drop_and_find_outdated(writer, collection, wanted_items, fingerprints)


async def drop_and_find_outdated(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], fingerprints: Mapping[Id, str]
) -> list[TextItem]:
    """Delete the surplus items of these fingerprints, and return those that are missing or out of date."""
    await delete_items(writer, collection, fingerprints.keys() - {item.id for item in wanted_items})
    return [item for item in wanted_items if item.text and fingerprints.get(item.id) != item.fingerprint]


async def put_memories(writer: IndexWriter, ids: Collection[Id], wanted_items: Sequence[TextItem]) -> None:
    """Have the index hold, of the memories of these identifiers, exactly the wanted ones.

    At once: what waits between reading and writing could be undone meanwhile.
    """
    for batch in in_batches(
        writer.batch_size, await find_outdated_of_ids(writer, "memories", wanted_items, ids)
    ):
        await writer.put("memories", batch)


async def delete_items(writer: IndexWriter, collection: str, ids: Collection[Id]) -> None:
    for id_batch in in_batches(IDS_PER_BATCH, list(ids)):
        await writer.delete(collection, id_batch)


def in_batches(batch_size: int, items: Sequence[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, batch_size)):
        yield batch


_CURSOR_SEPARATOR: Final = "/"

MAX_CACHED_EMBEDDINGS: Final = 64
"""Embeddings that are cached: a scene's own text is written again with every exchange."""


TOKEN_COLLECTIONS: Final = frozenset({"turns"})
"""What is compared with a question token by token, and so indexed with codes (`agents.search.token_similarity`)."""


class IndexWriter(Protocol):
    """Writes to one kind of index. Raises StoreError, and EmbedderUnavailable if vectors cannot be made."""

    @property
    def batch_size(self) -> int:
        """Texts that are written at once: about a second's work."""
        ...

    @property
    def neighbours(self) -> TurnNeighbours:
        """The turns whose text is indexed with a turn's own."""
        ...

    @property
    def keeps_cursor(self) -> bool:
        """Whether the index can keep how far it follows the library."""
        ...

    async def read_cursor(self) -> str:
        """Return what was written last; empty if nothing was."""
        ...

    async def write_cursor(self, cursor: str) -> None: ...

    async def put(self, collection: str, items: Sequence[TextItem]) -> None: ...

    async def delete(self, collection: str, ids: Collection[Id]) -> None: ...

    async def read_fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]: ...

    async def count(self, collection: str, scope: Mapping[str, str]) -> int: ...


@dataclass(frozen=True, slots=True)
class TextIndexWriter:
    """Writes words. Its cursor says with which neighbours turns are indexed.

    So an index of a version that had others counts as one without a cursor: it is compared, and searched meanwhile.
    """

    index: TextIndex

    @property
    def batch_size(self) -> int:
        return 250

    @property
    def neighbours(self) -> TurnNeighbours:
        return TurnNeighbours.BOTH

    @property
    def keeps_cursor(self) -> bool:
        return isinstance(self.index, TextIndexWithCursor)

    async def read_cursor(self) -> str:
        stored_text = await self.index.read_cursor() if isinstance(self.index, TextIndexWithCursor) else ""
        version, _, cursor = stored_text.partition(_CURSOR_SEPARATOR)
        return cursor if version == self.neighbours else ""

    async def write_cursor(self, cursor: str) -> None:
        if isinstance(self.index, TextIndexWithCursor):
            await self.index.write_cursor(f"{self.neighbours}{_CURSOR_SEPARATOR}{cursor}" if cursor else "")

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        await self.index.put(collection, items)

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        await self.index.delete(collection, ids)

    async def read_fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return await self.index.fingerprints(collection, ids=ids, scope=scope)

    async def count(self, collection: str, scope: Mapping[str, str]) -> int:
        return await self.index.count(collection, scope=scope)


class VectorIndexWriter:
    """Writes the vectors of one embedding model."""

    def __init__(self, index: VectorIndex, embedder: Embedder, *, batch_size: int = 32) -> None:
        self._index = index
        self._embedder = embedder
        self._batch_size = batch_size
        self._cached_embeddings: OrderedDict[str, Embedding] = OrderedDict()
        self.written_count = 0
        """Vectors that were written since the writer was created."""

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def neighbours(self) -> TurnNeighbours:
        return TurnNeighbours.PREVIOUS

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def keeps_cursor(self) -> bool:
        return isinstance(self._index, VectorIndexWithCursor)

    async def read_cursor(self) -> str:
        if not isinstance(self._index, VectorIndexWithCursor):
            return ""
        return await self._index.read_cursor(model=self.model)

    async def write_cursor(self, cursor: str) -> None:
        if isinstance(self._index, VectorIndexWithCursor):
            await self._index.write_cursor(cursor, model=self.model)

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        if not items:
            return
        has_tokens = collection in TOKEN_COLLECTIONS
        vector_items = [
            VectorItem(
                item.id,
                embedding.vector,
                item.scope,
                item.fingerprint,
                embedding.tokens.up_to(item.own_length) if has_tokens else b"",
            )
            for item, embedding in zip(items, await self._embed_items(items), strict=True)
        ]
        await self._index.put(collection, vector_items, model=self.model)
        self.written_count += len(vector_items)

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        await self._index.delete(collection, ids, model=self.model)

    async def read_fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        return await self._index.fingerprints(collection, model=self.model, ids=ids, scope=scope)

    async def count(self, collection: str, scope: Mapping[str, str]) -> int:
        return await self._index.count(collection, model=self.model, scope=scope)

    async def _embed_items(self, items: Sequence[TextItem]) -> list[Embedding]:
        texts, is_single = [item.text for item in items], len(items) == 1
        if is_single and texts[0] in self._cached_embeddings:
            return [self._cached_embeddings[texts[0]]]
        # all texts of a batch belong to one universe
        embeddings = await self._embedder.embed(texts, universe_id=items[0].scope.get("universe", ""))
        if is_single:
            self._cached_embeddings[texts[0]] = embeddings[0]
            while len(self._cached_embeddings) > MAX_CACHED_EMBEDDINGS:
                self._cached_embeddings.popitem(last=False)
        return embeddings
