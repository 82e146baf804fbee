"""Builds the five stores of a home folder from its open files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from stores.authority import Store
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.changes import EmbeddedChanges
from stores.embedded.commits import EmbeddedCommits
from stores.embedded.database import DatabaseFile
from stores.embedded.doctor import EmbeddedDoctor
from stores.embedded.history import EmbeddedHistory
from stores.embedded.index_file import IndexFile
from stores.embedded.narrative_log import EmbeddedLog
from stores.embedded.object_store import EmbeddedObjectStore
from stores.embedded.text_index import EmbeddedTextIndex
from stores.embedded.vector_index import EmbeddedVectorIndex
from stores.records.ids import Clock
from stores.stores import Stores

_OK = "ok"


def build_embedded_stores(
    home: Path, library: DatabaseFile, index: IndexFile, clock: Clock, close: Callable[[], Awaitable[None]]
) -> Stores:
    """Return the stores of a home folder whose files are open; `close` closes them."""

    def health() -> tuple[tuple[str, str], ...]:
        index_status = index.notice or _OK
        index_store_status = {Store.VECTORS: index_status, Store.WORDS: index_status}
        return tuple((store.value, index_store_status.get(store, _OK)) for store in Store)

    return Stores(
        log=lambda role: EmbeddedLog(library, role, clock=clock),
        canon=lambda role: EmbeddedCanon(library, role),
        vectors=lambda role: EmbeddedVectorIndex(index, role),
        words=lambda role: EmbeddedTextIndex(index, role),
        objects=lambda role: EmbeddedObjectStore(home / "objects", role),
        history=EmbeddedHistory(library),
        doctor=EmbeddedDoctor(library, index, home / "objects", clock),
        health=health,
        close=close,
        changes=EmbeddedChanges(library),
        commits=lambda role: EmbeddedCommits(library, role),
    )
