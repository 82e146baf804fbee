"""Embeds questions within a time limit, and chooses whose vectors searches use.

Vectors of different embedding models cannot be compared. When another model is set, its vectors are made
beside the old ones; searches use the old ones until the new ones are complete, and only then are the old
ones deleted.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from agents.embeddings import Embedding
from agents.indexer.embedding_port import Embedder, EmbedderUnavailable, QuestionVector, TextsRefused
from agents.jobs.worker import Cursors, JobSubject
from stores.authority import COLLECTIONS, Store
from stores.errors import StoreError
from stores.ports import VectorIndex
from stores.records.ids import derive_id
from stores.records.jobs import JobKind
from stores.task_ending import end_tasks

QUESTION_TIMEOUT_SECONDS: Final = 0.25
"""Seconds that a search waits for its question's vector; a later one serves the next search."""

MAX_CACHED_QUESTIONS: Final = 256
"""Questions whose embeddings are cached."""

ACTIVE_MODEL_SUBJECT: Final = derive_id("subject", "the embedding model in use")

SWITCHED_OFF_NOTE: Final = "search by meaning is switched off"
STARTING_NOTE: Final = "the embedding model wakes up"

FindEmbedder = Callable[[str], Embedder | None]
"""Returns the embedder with this model name; None if there is none."""


class ActiveVectorModel:
    """Chooses which model's vectors searches use. `configured_model` None: none."""

    def __init__(self, index: VectorIndex, cursors: Cursors, configured_model: str | None) -> None:
        self._index = index
        self._cursors = cursors
        self._configured_model = configured_model
        self._model: str | None = None
        self._is_only_model = False

    @property
    def configured_model(self) -> str | None:
        return self._configured_model

    @property
    def cached_model(self) -> str | None:
        """Return the model as far as it is known without reading."""
        return self._model

    async def read_model(self) -> str | None:
        """Return the model whose vectors searches use. Raises StoreError."""
        if self._configured_model is None:
            return None
        if self._model is None:
            vector_counts = await self._count_by_model()
            recorded_model = await self._cursors.read_cursor(JobKind.EMBED, ACTIVE_MODEL_SUBJECT)
            other_counts = {
                model: count for model, count in vector_counts.items() if model != self._configured_model
            }
            if recorded_model in vector_counts:
                self._model = recorded_model
            else:
                self._model = (
                    max(other_counts, key=lambda name: other_counts[name])
                    if other_counts
                    else self._configured_model
                )
        return self._model

    async def mark_complete(self) -> None:
        """Note that all vectors of the wanted model exist: search with them, and delete all others."""
        if self._configured_model is None or self._is_only_model:
            return
        if await self._cursors.read_cursor(JobKind.EMBED, ACTIVE_MODEL_SUBJECT) != self._configured_model:
            await self._cursors.write_cursor(
                JobKind.EMBED, JobSubject(ACTIVE_MODEL_SUBJECT, ACTIVE_MODEL_SUBJECT), self._configured_model
            )
        self._model = self._configured_model
        for collection in COLLECTIONS[Store.VECTORS]:
            for model in await self._index.models(collection):
                if model != self._configured_model:
                    await self._index.drop(collection, model=model)
        self._is_only_model = True

    async def _count_by_model(self) -> dict[str, int]:
        counts_by_model: dict[str, int] = {}
        for collection in COLLECTIONS[Store.VECTORS]:
            for model, count in (await self._index.models(collection)).items():
                counts_by_model[model] = counts_by_model.get(model, 0) + count
        return counts_by_model


class CachedQuestionEmbedder:
    """Embeds questions with a cache. Implements `agents.indexer.embedding_port.QuestionEmbedder`."""

    def __init__(
        self,
        active_model: ActiveVectorModel,
        find_embedder: FindEmbedder,
        *,
        timeout_seconds: float = QUESTION_TIMEOUT_SECONDS,
    ) -> None:
        self._active_model = active_model
        self._find_embedder = find_embedder
        self._timeout_seconds = timeout_seconds
        self._cached_embeddings: OrderedDict[tuple[str, str], Embedding] = OrderedDict()
        self._tasks_by_key: dict[tuple[str, str], asyncio.Task[Embedding]] = {}

    async def embed_question(self, question: str) -> QuestionVector | str:
        try:
            model = await self._active_model.read_model()
        except StoreError as error:
            return error.what
        if model is None:
            return SWITCHED_OFF_NOTE
        key = model, question
        if key in self._cached_embeddings:
            self._cached_embeddings.move_to_end(key)
            return _question_vector(model, self._cached_embeddings[key])
        embedder = self._find_embedder(model)
        if embedder is None:
            return f"{model}, which the vectors are of, is set up no more"
        return await self._await_vector(key, embedder)

    async def close(self) -> None:
        await end_tasks(self._tasks_by_key.values())

    async def _await_vector(self, key: tuple[str, str], embedder: Embedder) -> QuestionVector | str:
        task = self._tasks_by_key.get(key)
        if task is None:
            task = self._tasks_by_key[key] = asyncio.create_task(self._embed_and_cache(key, embedder))
        done_tasks, _ = await asyncio.wait([task], timeout=self._timeout_seconds)
        if not done_tasks:
            return STARTING_NOTE
        if task.cancelled():
            return "MONITOR is closing"
        error = task.exception()
        if isinstance(error, EmbedderUnavailable | TextsRefused):
            return error.what
        if error is not None:
            raise error
        return _question_vector(key[0], task.result())

    async def _embed_and_cache(self, key: tuple[str, str], embedder: Embedder) -> Embedding:
        """Embed a question and cache the result, whether or not anybody still waits for it."""
        try:
            (embedding,) = await embedder.embed([key[1]], urgent=True)
        finally:
            self._tasks_by_key.pop(key, None)
        self._cached_embeddings[key] = embedding
        while len(self._cached_embeddings) > MAX_CACHED_QUESTIONS:
            self._cached_embeddings.popitem(last=False)
        return embedding


def _question_vector(model: str, embedding: Embedding) -> QuestionVector:
    return QuestionVector(model, embedding.vector, embedding.tokens.codes)
