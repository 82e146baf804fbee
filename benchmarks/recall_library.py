"""A library with a log brought in and indexed, to ask: turns with the words that the Indexer gives them.

Vectors are made by the model that comes with MONITOR, and kept in the cache folder by the text's own print.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agents.importing.views import ImportOrder
from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.indexer.port import Asked
from agents.indexer.texts import printed
from agents.indexer.truth import Truth
from benchmarks.stores import cache
from monitor_tui.compose import open_desktop
from stores.authority import Role
from stores.ports import TextItem, VectorItem
from stores.records.ids import Id
from stores.records.play import Turn
from stores.stores import Stores

AT_ONCE: Final = 64


class KeptVectors:
    """Makes vectors of texts, each once: they are kept in a file between runs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._embedder = MiniLmEmbedder()
        self._kept: dict[str, np.ndarray] = {}
        self._new = False
        if file.exists():
            with np.load(file) as kept:
                self._kept = dict(zip(kept["prints"].tolist(), kept["vectors"], strict=True))

    @property
    def model(self) -> str:
        return self._embedder.model

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        prints = [printed(text) for text in texts]
        new = {p: text for p, text in zip(prints, texts, strict=True) if p not in self._kept}
        wanted = list(new)
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            vectors = await self._embedder.embed([new[p] for p in some])
            self._kept |= {p: np.asarray(v, np.float32) for p, v in zip(some, vectors, strict=True)}
            self._new = True
        return [self._kept[p].tolist() for p in prints]

    async def of(self, question: str) -> Asked | str:
        """Implements `agents.indexer.port.Meaning`, with all the time that it takes."""
        (vector,) = await self.embed([question])
        return Asked(self.model, vector)

    async def close(self) -> None:
        await self._embedder.close()
        if self._new:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, prints=list(self._kept), vectors=np.stack(list(self._kept.values())))


@dataclass(frozen=True, slots=True)
class Asking:
    """`turns` are those of the log by what the log calls them."""

    stores: Stores
    universe_id: Id
    meaning: KeptVectors
    turns: dict[str, Turn]


@asynccontextmanager
async def indexed(home: Path, log: Path, kept: Path | None = None) -> AsyncIterator[Asking]:
    """Bring the log in, index it, and hand over what is needed to ask."""
    meaning = KeptVectors(kept or cache() / "vectors.npz")
    desktop = await open_desktop(home)
    try:
        done = await desktop.desk.imports.bring(ImportOrder(log.name, log.read_bytes(), universe="Measured"))
        turns = await index(desktop.stores, done.universe_id, meaning)
        yield Asking(desktop.stores, done.universe_id, meaning, {t.ref: t for t in turns})
    finally:
        await meaning.close()
        await desktop.close()


async def index(stores: Stores, universe_id: Id, meaning: KeptVectors) -> list[Turn]:
    """Put every turn of the universe into both indexes; returns the turns."""
    log, canon = stores.log(Role.INDEXER), stores.canon(Role.INDEXER)
    truth, turns = Truth(canon, log), list[Turn]()
    for scene in await truth.scenes(universe_id):
        length = await log.line_length(scene.id)
        stretch = await truth.turns(scene, await truth.hero(scene), 0, length)
        turns += await log.line_slice(scene.id, 0, length)
        await put(stores, "turns", stretch.items, meaning)
    return turns


async def put(stores: Stores, collection: str, items: Sequence[TextItem], meaning: KeptVectors) -> None:
    """Put the items into both indexes."""
    await stores.words(Role.INDEXER).put(collection, items)
    vectors = await meaning.embed([item.text for item in items])
    await stores.vectors(Role.INDEXER).put(
        collection,
        [VectorItem(i.id, v, i.scope, i.mark) for i, v in zip(items, vectors, strict=True)],
        model=meaning.model,
    )
