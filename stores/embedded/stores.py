"""The five stores of one home folder, on its open files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from stores.authority import Store
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.database import Database
from stores.embedded.doctor import EmbeddedDoctor
from stores.embedded.history import EmbeddedHistory
from stores.embedded.index import IndexFile
from stores.embedded.narrative_log import EmbeddedLog
from stores.embedded.object_store import EmbeddedObjects
from stores.embedded.text_index import EmbeddedWords
from stores.embedded.vector_index import EmbeddedVectors
from stores.records.ids import Clock
from stores.stores import Stores

_OK = "ok"


def embedded_stores(
    home: Path, library: Database, index: IndexFile, clock: Clock, close: Callable[[], Awaitable[None]]
) -> Stores:
    """Return the stores of a home folder whose files are open; `close` closes them."""

    def health() -> tuple[tuple[str, str], ...]:
        derived = index.notice or _OK
        state = {Store.VECTORS: derived, Store.WORDS: derived}
        return tuple((store.value, state.get(store, _OK)) for store in Store)

    return Stores(
        log=lambda role: EmbeddedLog(library, role, clock=clock),
        canon=lambda role: EmbeddedCanon(library, role),
        vectors=lambda role: EmbeddedVectors(index, role),
        words=lambda role: EmbeddedWords(index, role),
        objects=lambda role: EmbeddedObjects(home / "objects", role),
        history=EmbeddedHistory(library),
        doctor=EmbeddedDoctor(library, index, home / "objects", clock),
        health=health,
        close=close,
    )
