"""The text index (BM25) in FTS5 tables of `index.db`, one per collection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from queue import Full, Queue
from typing import cast

import apsw

from stores.authority import Role, Store
from stores.embedded.index_file import TOKENIZER, IndexFile, text_table
from stores.embedded.text_query import (
    MAX_QUERY_CHARACTERS,
    QueryWord,
    build_text_query,
    scope_expression,
    scope_word,
)
from stores.ports import TextHit, TextItem
from stores.records.ids import Id

_COMMON_WORD_ROWS = 1_000
"""Rows from which a word's count is cached: counting takes long, and the count changes slowly."""

_QUEUE_POLL_SECONDS = 0.005
"""Seconds between two checks whether a batch has been taken from the queue."""


class EmbeddedTextIndex:
    """The text index as `role` may use it. Errors: `WriteDenied`, `StoreFull`, `StoreError`."""

    def __init__(self, index: IndexFile, role: Role) -> None:
        self._index = index
        self._role = role

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        """Index the items, replacing those that exist."""
        table = text_table(collection)
        if items:
            await self._index.write(self._role, lambda connection: _put(connection, table, items))

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        table = text_table(collection)
        if ids:
            await self._index.write(self._role, lambda connection: _delete(connection, table, ids))

    async def rebuild(self, collection: str, batches: AsyncIterator[Sequence[TextItem]]) -> int:
        """Replace the collection by these items in one transaction; return how many there are.

        Until it is done, and if it fails, searches find the former items. Other writes of the index wait
        meanwhile; play does not.
        """
        table = text_table(collection)
        batch_queue: Queue[Sequence[TextItem] | _BatchSourceFailed | None] = Queue(maxsize=2)
        write_task = asyncio.ensure_future(
            self._index.write(self._role, lambda connection: _rebuild(connection, table, batch_queue))
        )
        try:
            async for batch in batches:
                await _hand_over(batch_queue, batch, write_task)
            await _hand_over(batch_queue, None, write_task)
        except BaseException:
            await _hand_over(batch_queue, _BatchSourceFailed(), write_task)
            with suppress(_BatchSourceFailed):
                await write_task
            raise
        return await write_task

    async def read_cursor(self) -> str:
        return await self._index.read_cursor(Store.WORDS)

    async def write_cursor(self, cursor: str) -> None:
        await self._index.write_cursor(self._role, Store.WORDS, cursor)

    async def search(
        self, collection: str, query: str, *, k: int = 10, scope: Mapping[str, str] | None = None
    ) -> list[TextHit]:
        """Return the `k` best for any of the query's words, best first; ties by identifier."""
        table = text_table(collection)
        return await self._index.read(
            lambda connection: _search(connection, table, query, k, scope, self._index.word_row_counts)
        )

    async def count(self, collection: str, *, scope: Mapping[str, str] | None = None) -> int:
        table = text_table(collection)
        sql = (
            f"SELECT count(*) FROM {table} WHERE {table} MATCH :scope"
            if scope
            else f"SELECT count(*) FROM {table}_rows"
        )
        bindings = {"scope": scope_expression(scope or {})}
        return await self._index.read(lambda connection: int(connection.execute(sql, bindings).get))

    async def fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        """Return what is indexed (of `ids`, within `scope`), with its fingerprint."""
        table = text_table(collection)
        id_condition = "r.id IN (SELECT value FROM json_each(:ids))" if ids is not None else "true"
        sql = f"SELECT r.id, r.mark FROM {table}_rows r WHERE {id_condition}"
        if scope:
            # Look up named items one by one; else scan the scope once.
            sql = (
                f"{sql} AND EXISTS (SELECT 1 FROM {table} t WHERE {table} MATCH :scope AND t.rowid = r.row)"
                if ids is not None
                else f"""SELECT r.id, r.mark FROM {table} t CROSS JOIN {table}_rows r ON r.row = t.rowid
                    WHERE {table} MATCH :scope"""
            )
        bindings = {"ids": json.dumps(list(ids or ())), "scope": scope_expression(scope or {})}
        return await self._index.read(lambda connection: dict(connection.execute(sql, bindings)))


class _BatchSourceFailed(Exception):
    """The source of the batches failed."""


async def _hand_over(
    batch_queue: Queue[Sequence[TextItem] | _BatchSourceFailed | None],
    item: Sequence[TextItem] | _BatchSourceFailed | None,
    write_task: asyncio.Future[int],
) -> None:
    """Put the next batch on the queue, unless the reader has stopped."""
    while not write_task.done():
        try:
            batch_queue.put_nowait(item)
        except Full:
            await asyncio.wait([write_task], timeout=_QUEUE_POLL_SECONDS)
        else:
            return


def _rebuild(
    connection: apsw.Connection,
    table: str,
    batch_queue: Queue[Sequence[TextItem] | _BatchSourceFailed | None],
) -> int:
    connection.execute(f"INSERT INTO {table}({table}) VALUES ('delete-all')")
    connection.execute(f"DELETE FROM {table}_rows")
    while (batch := batch_queue.get()) is not None:
        if isinstance(batch, _BatchSourceFailed):
            raise batch
        _put(connection, table, batch)
    return int(connection.execute(f"SELECT count(*) FROM {table}_rows").get)


def _put(connection: apsw.Connection, table: str, items: Sequence[TextItem]) -> None:
    for item in items:
        scope = " ".join(scope_word(*pair) for pair in item.scope.items())
        connection.execute(
            f"""INSERT INTO {table}_rows(id, mark, scope) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET mark = excluded.mark, scope = excluded.scope""",
            (item.id, item.fingerprint, f" {scope} "),
        )
        connection.execute(
            f"""INSERT OR REPLACE INTO {table}(rowid, text, scope)
                VALUES ((SELECT row FROM {table}_rows WHERE id = ?), ?, ?)""",
            (item.id, _to_storable_text(item.text), scope),
        )


def _delete(connection: apsw.Connection, table: str, ids: Collection[Id]) -> None:
    bindings = [(id,) for id in ids]
    connection.executemany(
        f"DELETE FROM {table} WHERE rowid = (SELECT row FROM {table}_rows WHERE id = ?)", bindings
    )
    connection.executemany(f"DELETE FROM {table}_rows WHERE id = ?", bindings)


def _search(
    connection: apsw.Connection,
    table: str,
    query: str,
    k: int,
    scope: Mapping[str, str] | None,
    word_row_counts: dict[tuple[str, str], int],
) -> list[TextHit]:
    def count_rows_with(stem: str) -> int:
        cached_count = word_row_counts.get((table, stem))
        if cached_count is not None:
            return cached_count
        rows: int = connection.execute(f"SELECT doc FROM {table}_stems WHERE term = ?", (stem,)).get or 0
        if rows >= _COMMON_WORD_ROWS:
            word_row_counts[table, stem] = rows
        return rows

    total: int = connection.execute(f"SELECT max(row) FROM {table}_rows").get or 0
    text_query = build_text_query(_tokenize_query(connection, query), scope, count_rows_with, total)
    if text_query is None or k < 1:
        return []
    # The scope column has weight 0: it only filters (though its words count in a text's length).
    scope_condition, bindings = _build_scope_condition(table, text_query.required_scope_words)
    hit_rows = connection.execute(
        f"""SELECT r.id, -hit.rank FROM
                (SELECT rowid, rank FROM {table} WHERE {table} MATCH ? AND rank MATCH 'bm25(1.0, 0.0)'
                 ORDER BY rank LIMIT {-1 if scope_condition else k}) AS hit
            CROSS JOIN {table}_rows r ON r.row = hit.rowid {scope_condition} LIMIT ?""",
        (text_query.expression, *bindings, k),
    )
    return sorted((TextHit(id, score) for id, score in hit_rows), key=lambda hit: (-hit.score, hit.id))


def _build_scope_condition(table: str, scope: Sequence[str]) -> tuple[str, list[str]]:
    """Return the condition that a row is within the scope, with its bindings.

    Rows of older formats without a scope are looked up in FTS5.
    """
    if not scope:
        return "", []
    column_condition = " AND ".join("instr(r.scope, ?)" for _ in scope)
    lookup_condition = f"EXISTS (SELECT 1 FROM {table} t WHERE {table} MATCH ? AND t.rowid = r.row)"
    all_scope_words = " AND ".join(f'scope: "{word}"' for word in scope)
    condition = f"WHERE CASE WHEN r.scope IS NULL THEN {lookup_condition} ELSE {column_condition} END"
    return condition, [all_scope_words, *(f" {word} " for word in scope)]


def _tokenize_query(connection: apsw.Connection, query: str) -> list[QueryWord]:
    """Split the query with FTS5's own tokenizer, as the texts were."""
    text = _to_storable_text(query[:MAX_QUERY_CHARACTERS]).encode()
    stemmer, folder = TOKENIZER

    def tokenize(tokenizer: apsw.FTS5Tokenizer) -> list[str]:
        tokens = tokenizer(
            text, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
        )
        return cast(list[str], tokens)

    words = tokenize(connection.fts5_tokenizer(folder, []))
    stems = tokenize(connection.fts5_tokenizer(stemmer, [folder]))
    return [QueryWord(word, stem) for word, stem in zip(words, stems, strict=True)]


def _to_storable_text(text: str) -> str:
    """Replace lone surrogates, which cannot be stored, by question marks."""
    return text.encode(errors="replace").decode()
