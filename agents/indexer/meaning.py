"""Meaning: questions as vectors, in time or not at all, and whose vectors searches go by.

What one embedding model made cannot be compared with what another did. When another model is set, its
vectors are made beside the old ones; searches go by the old ones until the new are whole, and only then are
the old ones dropped. Source: design/architecture.md (collections carry model and dimension).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from agents.indexer.port import Asked, Embedder, EmbedderUnavailable, TextsRefused
from agents.jobs.worker import Cursors, JobSubject
from stores.authority import COLLECTIONS, Store
from stores.errors import StoreError
from stores.ports import VectorIndex
from stores.records.ids import derived
from stores.records.jobs import JobKind

PATIENCE: Final = 0.25
"""Seconds that a question waits for its vector; one that comes later serves the next time."""

KEPT: Final = 256
"""Vectors of questions that are kept."""

IN_USE: Final = derived("subject", "the embedding model in use")

OFF: Final = "search by meaning is switched off"
WAKES: Final = "the embedding model wakes up"

EmbedderOf = Callable[[str], Embedder | None]
"""The embedder whose vectors are filed under a name; None if there is none (any more)."""


class VectorsInUse:
    """Which model's vectors searches go by. `wanted` is the one that is set (None: none)."""

    def __init__(self, index: VectorIndex, cursors: Cursors, wanted: str | None) -> None:
        self._index = index
        self._cursors = cursors
        self._wanted = wanted
        self._model: str | None = None
        self._alone = False

    @property
    def wanted(self) -> str | None:
        return self._wanted

    @property
    def known(self) -> str | None:
        """As `model`, as far as it is known without asking."""
        return self._model

    async def model(self) -> str | None:
        """Raises StoreError."""
        if self._wanted is None:
            return None
        if self._model is None:
            there = await self._there()
            marked = await self._cursors.read_cursor(JobKind.EMBED, IN_USE)
            others = {model: count for model, count in there.items() if model != self._wanted}
            if marked in there:
                self._model = marked
            else:
                self._model = max(others, key=lambda name: others[name]) if others else self._wanted
        return self._model

    async def whole(self) -> None:
        """The vectors of the model that is set are all there: search by them, and drop all others."""
        if self._wanted is None or self._alone:
            return
        if await self._cursors.read_cursor(JobKind.EMBED, IN_USE) != self._wanted:
            await self._cursors.write_cursor(JobKind.EMBED, JobSubject(IN_USE, IN_USE), self._wanted)
        self._model = self._wanted
        for collection in COLLECTIONS[Store.VECTORS]:
            for model in await self._index.models(collection):
                if model != self._wanted:
                    await self._index.drop(collection, model=model)
        self._alone = True

    async def _there(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for collection in COLLECTIONS[Store.VECTORS]:
            for model, count in (await self._index.models(collection)).items():
                found[model] = found.get(model, 0) + count
        return found


class QuestionVectors:
    """Implements `agents.indexer.port.Meaning`."""

    def __init__(self, in_use: VectorsInUse, embedder_of: EmbedderOf, *, patience: float = PATIENCE) -> None:
        self._in_use = in_use
        self._embedder_of = embedder_of
        self._patience = patience
        self._known: OrderedDict[tuple[str, str], Sequence[float]] = OrderedDict()
        self._asked: dict[tuple[str, str], asyncio.Task[Sequence[float]]] = {}

    async def of(self, question: str) -> Asked | str:
        try:
            model = await self._in_use.model()
        except StoreError as error:
            return error.what
        if model is None:
            return OFF
        key = model, question
        if key in self._known:
            self._known.move_to_end(key)
            return Asked(model, self._known[key])
        embedder = self._embedder_of(model)
        if embedder is None:
            return f"{model}, which the vectors are of, is set up no more"
        return await self._in_time(key, embedder)

    async def close(self) -> None:
        for task in tuple(self._asked.values()):
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def _in_time(self, key: tuple[str, str], embedder: Embedder) -> Asked | str:
        task = self._asked.get(key)
        if task is None:
            task = self._asked[key] = asyncio.create_task(self._ask(key, embedder))
        done, _ = await asyncio.wait([task], timeout=self._patience)
        if not done:
            return WAKES
        if task.cancelled():
            return "MONITOR is closing"
        error = task.exception()
        if isinstance(error, EmbedderUnavailable | TextsRefused):
            return error.what
        if error is not None:
            raise error
        return Asked(key[0], task.result())

    async def _ask(self, key: tuple[str, str], embedder: Embedder) -> Sequence[float]:
        """Make the vector; whether or not anybody waits for it still, it is known from then on."""
        try:
            (vector,) = await embedder.embed([key[1]], urgent=True)
        finally:
            self._asked.pop(key, None)
        self._known[key] = vector
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return vector


def nobody(model: str) -> Embedder | None:
    return None


def only(embedder: Embedder) -> EmbedderOf:
    """The one embedder that there is."""

    def of(model: str) -> Embedder | None:
        return embedder if model == embedder.model else None

    return of
