"""`index.db`: the words and vectors, which are derived from log and canon and may be deleted at any time.

Opening creates the file if it is not there. One that is damaged, or that this program does not know, is renamed
and created anew.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from stores.authority import COLLECTIONS, Role, Store
from stores.embedded.database import Database, DatabaseFile, Priority
from stores.embedded.followed_database import FollowedDatabase
from stores.embedded.sqlite_errors import cannot_open_error
from stores.errors import LibraryUnreadable, StoreError

if TYPE_CHECKING:
    from stores.embedded.vector_space import VectorSpace

T = TypeVar("T")

APPLICATION_ID = 0x4D4F4E49
"""Marks the file in its header as MONITOR's index."""

TOKENIZER = ("porter", "unicode61")
"""FTS5's tokenizer: words in any script, without case or accents, with English stemming."""

UNREADABLE_INDEX_NOTICE = "There is no search index to read yet: MONITOR makes it while it is open."

log = logging.getLogger(__name__)


def text_table(collection: str) -> str:
    return _table_name(Store.WORDS, collection)


def vectors_table(collection: str) -> str:
    return _table_name(Store.VECTORS, collection)


def token_codes_table(collection: str) -> str:
    return f"{vectors_table(collection)}_tokens"


CURSOR_TABLES = {store: f"{store.value}_cursors" for store in (Store.WORDS, Store.VECTORS)}
"""The tables in which an index keeps up to which change of the library it is made; "" names that of all words."""


class IndexFile:
    """The open file, with the vector arrays that all roles share. `notice` says if it was created anew.

    `word_row_counts` caches in how many rows of a table a common word occurs. The cost of a search is estimated
    from it, and counting the rows of a common word takes as long as a search.
    """

    def __init__(self, database: DatabaseFile, notice: str = "") -> None:
        self.notice = notice
        self.word_row_counts: dict[tuple[str, str], int] = {}
        self.vector_spaces: dict[tuple[str, str], VectorSpace] = {}
        self.vector_spaces_lock = threading.Lock()
        self._database = database

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._database.read(work)
        except LibraryUnreadable as error:
            raise self._record_damage() from error

    async def write(self, role: Role, work: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._database.write(role, work, Priority.BACKGROUND)
        except LibraryUnreadable as error:
            raise self._record_damage() from error

    async def read_cursor(self, store: Store, name: str = "") -> str:
        """Return the cursor that was stored last; empty if none was."""
        sql = f"SELECT cursor FROM {CURSOR_TABLES[store]} WHERE name = ?"
        return await self.read(lambda connection: connection.execute(sql, (name,)).get or "")

    async def write_cursor(self, role: Role, store: Store, cursor: str, name: str = "") -> None:
        sql = f"INSERT OR REPLACE INTO {CURSOR_TABLES[store]}(name, cursor) VALUES (?, ?)"
        await self.write(role, lambda connection: connection.execute(sql, (name, cursor)))

    @property
    def path(self) -> Path:
        return self._database.path

    async def close(self) -> None:
        await self._database.close()

    def _record_damage(self) -> StoreError:
        """Note damage that was found in use, so that the next opening creates the file anew; return the error."""
        _damage_marker_path(self._database.path).touch()
        return _damage_error()


async def join_index(path: Path) -> IndexFile:
    """Open the index at `path` beside the process that has made it. Raises LibraryUnreadable or StoreError."""
    if not await asyncio.to_thread(_is_there_and_whole, path):
        raise _damage_error()
    return IndexFile(await _open_database(path))


async def follow_index(path: Path, folder: Path) -> IndexFile:
    """Open the index at `path` for reading, beside whoever writes it; an empty one in `folder` if it cannot be read."""
    try:
        if await asyncio.to_thread(_is_there_and_whole, path):
            return IndexFile(
                await FollowedDatabase.open(
                    path,
                    store_of_table=_STORE_OF_TABLE,
                    application_id=APPLICATION_ID,
                    version=len(INDEX_MIGRATIONS),
                )
            )
    except StoreError as error:
        log.warning("the search index is left out: %s", error)
    return IndexFile(await _open_database(folder / path.name), UNREADABLE_INDEX_NOTICE)


def _is_there_and_whole(path: Path) -> bool:
    return path.exists() and not _damage_marker_path(path).exists()


async def open_index(path: Path) -> IndexFile:
    """Open the index at `path`, created if absent; one that is damaged or unknown is renamed first.

    Raises LibraryUnreadable only if no file can be created there.
    """
    if _damage_marker_path(path).exists():
        return await _recreate(path)
    try:
        return IndexFile(await _open_database(path))
    except LibraryUnreadable:
        return await _recreate(path)


async def _recreate(path: Path) -> IndexFile:
    damaged_path = _move_aside(path)
    notice = f"The search index was damaged and is made anew; the old one is kept as {damaged_path.name}."
    log.warning("%s", notice)
    return IndexFile(await _open_database(path), notice)


async def _open_database(path: Path) -> Database:
    return await Database.open(
        path,
        store_of_table=_STORE_OF_TABLE,
        migrations=INDEX_MIGRATIONS,
        application_id=APPLICATION_ID,
        durability="NORMAL",  # what a power cut loses is indexed again
    )


def _move_aside(path: Path) -> Path:
    """Rename the file and its side files to the first free name."""
    candidate_paths = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
    damaged_path = next(candidate_path for candidate_path in candidate_paths if not candidate_path.exists())
    try:
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        for suffix in ("-wal", "-shm", ""):
            file = path.with_name(path.name + suffix)
            if file.exists():
                file.replace(damaged_path.with_name(damaged_path.name + suffix))
        _damage_marker_path(path).unlink(missing_ok=True)
    except OSError as error:
        raise cannot_open_error(path, error.strerror or str(error)) from error
    return damaged_path


def _damage_error() -> StoreError:
    return StoreError(
        "The search index is damaged.",
        kept="Nothing is lost: it is made from the log and canon.",
        todo="Close MONITOR and open it again; the index is then made anew.",
    )


def _damage_marker_path(path: Path) -> Path:
    """Return the path of the file that marks the index as damaged."""
    return path.with_name(path.name + ".damaged")


def _table_name(store: Store, collection: str) -> str:
    """Return the table's name; raise StoreError for an unknown collection, so that no other text gets into SQL."""
    if collection not in COLLECTIONS[store]:
        raise StoreError(f"There is no collection of {store} called {collection!r}.")
    return f"{store}_{collection}"


_FIRST_TEXT_COLLECTIONS = ("turns", "snippets", "entities", "facts")
"""Collections of words in the first format."""


def _create_first_format(connection: apsw.Connection) -> None:
    for collection in _FIRST_TEXT_COLLECTIONS:
        _create_text_tables(connection, collection)
    for collection in COLLECTIONS[Store.VECTORS]:
        table = vectors_table(collection)
        # Every write of a vector gives it a new `seq`, and a deleted one stays as a row without a vector:
        # so the changes since a `seq` are the last rows. A NULL vector is a deleted one.
        connection.execute(
            f"""CREATE TABLE {table} (
                seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL,
                scope TEXT NOT NULL, vector BLOB, UNIQUE (model, id)) STRICT"""
        )
        connection.execute(f"CREATE INDEX {table}_living ON {table} (model) WHERE vector IS NOT NULL")


def _add_fingerprint_columns(connection: apsw.Connection) -> None:
    """Existing rows get an empty fingerprint, and so count as out of date until they are indexed again."""
    for collection in COLLECTIONS[Store.WORDS]:
        if collection not in _FIRST_TEXT_COLLECTIONS:
            _create_text_tables(connection, collection)
        table = text_table(collection)
        connection.execute(f"ALTER TABLE {table}_rows ADD COLUMN mark TEXT NOT NULL DEFAULT ''")
    for collection in COLLECTIONS[Store.VECTORS]:
        table = vectors_table(collection)
        connection.execute(f"ALTER TABLE {table} ADD COLUMN mark TEXT NOT NULL DEFAULT ''")
        # A covering index of everything but the vectors, which take most of the file.
        connection.execute(
            f"CREATE INDEX {table}_scopes ON {table} (model, scope, id, mark) WHERE vector IS NOT NULL"
        )
        connection.execute(f"DROP INDEX {table}_living")


def _add_scope_columns(connection: apsw.Connection) -> None:
    """Existing rows have no scope here: for them FTS5's own column is used."""
    for collection in COLLECTIONS[Store.WORDS]:
        connection.execute(f"ALTER TABLE {text_table(collection)}_rows ADD COLUMN scope TEXT")


def _create_cursor_tables(connection: apsw.Connection) -> None:
    """Existing indexes have no cursor, and are compared once."""
    for table in CURSOR_TABLES.values():
        connection.execute(
            f"CREATE TABLE {table} (name TEXT PRIMARY KEY, cursor TEXT NOT NULL) STRICT, WITHOUT ROWID"
        )


def _create_token_tables(connection: apsw.Connection) -> None:
    """In tables of their own: all vectors are read in a row, token codes only of what was found."""
    for collection in COLLECTIONS[Store.VECTORS]:
        connection.execute(
            f"""CREATE TABLE {token_codes_table(collection)} (
                model TEXT NOT NULL, id TEXT NOT NULL, codes BLOB NOT NULL, PRIMARY KEY (model, id))
                STRICT, WITHOUT ROWID"""
        )


INDEX_MIGRATIONS = (
    _create_first_format,
    _add_fingerprint_columns,
    _add_scope_columns,
    _create_cursor_tables,
    _create_token_tables,
)
"""The file's format: one function for each version, never edited once released."""


def _create_text_tables(connection: apsw.Connection, collection: str) -> None:
    table = text_table(collection)
    connection.execute(f"CREATE TABLE {table}_rows (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT")
    # Contentless: the text itself is in the log and canon.
    connection.execute(
        f"""CREATE VIRTUAL TABLE {table} USING fts5(
            text, scope, content='', contentless_delete=1, tokenize='{" ".join(TOKENIZER)}')"""
    )
    connection.execute(f"CREATE VIRTUAL TABLE {table}_stems USING fts5vocab({table}, row)")


_FTS_SHADOW_SUFFIXES = ("_data", "_idx", "_docsize", "_config")
"""The suffixes of FTS5's shadow tables. FTS5 writes them on the role's connection, so the authorizer must treat
them like the table itself."""

_STORE_OF_TABLE = {
    **{
        table(name): (Store.VECTORS, name)
        for name in COLLECTIONS[Store.VECTORS]
        for table in (vectors_table, token_codes_table)
    },
    **{
        text_table(name) + part: (Store.WORDS, name)
        for name in COLLECTIONS[Store.WORDS]
        for part in ("", "_rows", *_FTS_SHADOW_SUFFIXES)
    },
    # Whoever writes the index of turns writes how far it is.
    **{table: (store, "turns") for store, table in CURSOR_TABLES.items()},
}
