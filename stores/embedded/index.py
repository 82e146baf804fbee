"""`index.db`: the words and vectors that are derived from the truth, and may be deleted at any time.

Opening makes the file if it is not there. One that is damaged, or that this program does not know, is put
aside under another name and made anew: it holds nothing that the log and canon do not.
Source: design/architecture.md ("`index.db` (derived ...; may be deleted at any time)").
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from stores.authority import COLLECTIONS, Role, Store
from stores.embedded.database import Database, Priority
from stores.embedded.failures import closed_to_us
from stores.errors import LibraryUnreadable, StoreError

if TYPE_CHECKING:
    from stores.embedded.vector_space import VectorSpace

T = TypeVar("T")

APPLICATION_ID = 0x4D4F4E49
"""Says in the file's header that it is MONITOR's index."""

TOKENIZER = ("porter", "unicode61")
"""How FTS5 cuts and stems a text: words in any script, without case or accents, English endings off."""

log = logging.getLogger(__name__)


def words_table(collection: str) -> str:
    return _table(Store.WORDS, collection)


def vectors_table(collection: str) -> str:
    return _table(Store.VECTORS, collection)


class IndexFile:
    """The open file, with the vector arrays that all roles share. `notice` says if it had to be made anew.

    `counts` are in how many rows (of which table) common words stood when it was asked first: what a search
    costs is judged by them, and counting a word of every row takes as long as a search.
    """

    def __init__(self, database: Database, notice: str = "") -> None:
        self.notice = notice
        self.counts: dict[tuple[str, str], int] = {}
        self.spaces: dict[tuple[str, str], VectorSpace] = {}
        self.spaces_guard = threading.Lock()
        self._database = database

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._database.read(work)
        except LibraryUnreadable as error:
            raise self._found_damaged() from error

    async def write(self, role: Role, work: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._database.write(role, work, Priority.BACKGROUND)
        except LibraryUnreadable as error:
            raise self._found_damaged() from error

    @property
    def path(self) -> Path:
        return self._database.path

    async def close(self) -> None:
        await self._database.close()

    def _found_damaged(self) -> StoreError:
        """Damage that shows only in use: the next opening makes the file anew."""
        _mark(self._database.path).touch()
        return StoreError(
            "The search index is damaged.",
            kept="Nothing is lost: it is made from the log and canon.",
            todo="Close MONITOR and open it again; the index is then made anew.",
        )


async def open_index(path: Path) -> IndexFile:
    """Open the index at `path`, made if absent; one that is damaged or unknown is put aside first.

    Raises LibraryUnreadable only if nothing can be made there at all.
    """
    if _mark(path).exists():
        return await _anew(path)
    try:
        return IndexFile(await _open(path))
    except LibraryUnreadable:
        return await _anew(path)


async def _anew(path: Path) -> IndexFile:
    aside = _put_aside(path)
    notice = f"The search index was damaged and is made anew; the old one is kept as {aside.name}."
    log.warning("%s", notice)
    return IndexFile(await _open(path), notice)


async def _open(path: Path) -> Database:
    return await Database.open(
        path,
        store_of_table=_STORE_OF_TABLE,
        migrations=FORMATS,
        application_id=APPLICATION_ID,
        durability="NORMAL",  # a power cut costs what the Indexer can do again
    )


def _put_aside(path: Path) -> Path:
    """Rename the file, with what lies beside it, to the first free name."""
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
    aside = next(name for name in names if not name.exists())
    try:
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        for tail in ("-wal", "-shm", ""):
            file = path.with_name(path.name + tail)
            if file.exists():
                file.replace(aside.with_name(aside.name + tail))
        _mark(path).unlink(missing_ok=True)
    except OSError as error:
        raise closed_to_us(path, error.strerror or str(error)) from error
    return aside


def _mark(path: Path) -> Path:
    """A file that says: found damaged while in use."""
    return path.with_name(path.name + ".damaged")


def _table(store: Store, collection: str) -> str:
    """Return the table's name; only known collections ever become a part of a statement."""
    if collection not in COLLECTIONS[store]:
        raise StoreError(f"There is no collection of {store} called {collection!r}.")
    return f"{store}_{collection}"


_FIRST_WORDS = ("turns", "snippets", "entities", "facts")
"""Collections of words that the first format had."""


def _first_format(connection: apsw.Connection) -> None:
    for collection in _FIRST_WORDS:
        _add_words(connection, collection)
    for collection in COLLECTIONS[Store.VECTORS]:
        table = vectors_table(collection)
        # Every write of a vector gives it a new `seq`, and a deleted one stays as a row without a vector:
        # so "what changed since" is one look at the tail. NULL is dead.
        connection.execute(
            f"""CREATE TABLE {table} (
                seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL,
                scope TEXT NOT NULL, vector BLOB, UNIQUE (model, id)) STRICT"""
        )
        connection.execute(f"CREATE INDEX {table}_living ON {table} (model) WHERE vector IS NOT NULL")


def _marks(connection: apsw.Connection) -> None:
    """What is there already has no mark, and so counts as out of date until it is indexed again."""
    for collection in COLLECTIONS[Store.WORDS]:
        if collection not in _FIRST_WORDS:
            _add_words(connection, collection)
        table = words_table(collection)
        connection.execute(f"ALTER TABLE {table}_rows ADD COLUMN mark TEXT NOT NULL DEFAULT ''")
    for collection in COLLECTIONS[Store.VECTORS]:
        table = vectors_table(collection)
        connection.execute(f"ALTER TABLE {table} ADD COLUMN mark TEXT NOT NULL DEFAULT ''")
        # All that is asked about an item but its vector: the vectors themselves take most of the file.
        connection.execute(
            f"CREATE INDEX {table}_scopes ON {table} (model, scope, id, mark) WHERE vector IS NOT NULL"
        )
        connection.execute(f"DROP INDEX {table}_living")


def _scopes(connection: apsw.Connection) -> None:
    """What is there already has none: for it FTS5's own column is asked."""
    for collection in COLLECTIONS[Store.WORDS]:
        connection.execute(f"ALTER TABLE {words_table(collection)}_rows ADD COLUMN scope TEXT")


FORMATS = (_first_format, _marks, _scopes)
"""The file's format, step by step: one function a version, never edited once released."""


def _add_words(connection: apsw.Connection, collection: str) -> None:
    table = words_table(collection)
    connection.execute(f"CREATE TABLE {table}_rows (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT")
    # Contentless: the words are found here, the text itself is read from the truth.
    connection.execute(
        f"""CREATE VIRTUAL TABLE {table} USING fts5(
            text, scope, content='', contentless_delete=1, tokenize='{" ".join(TOKENIZER)}')"""
    )
    connection.execute(f"CREATE VIRTUAL TABLE {table}_stems USING fts5vocab({table}, row)")


_SHADOWS = ("_data", "_idx", "_docsize", "_config")
"""The tables that FTS5 keeps a contentless index in; it writes them on the writer's own connection, so
the authorizer sees them: they are as much the collection as the table that bears its name."""

_STORE_OF_TABLE = {
    **{vectors_table(name): (Store.VECTORS, name) for name in COLLECTIONS[Store.VECTORS]},
    **{
        words_table(name) + part: (Store.WORDS, name)
        for name in COLLECTIONS[Store.WORDS]
        for part in ("", "_rows", *_SHADOWS)
    },
}
