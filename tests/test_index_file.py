"""`index.db`: derived, so it may be lost, deleted or damaged at any time, and truth is never touched."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.embedded.index_file import (
    APPLICATION_ID,
    INDEX_MIGRATIONS,
    IndexFile,
    open_index,
    text_table,
    vectors_table,
)
from stores.embedded.text_index import EmbeddedTextIndex
from stores.embedded.text_query import (
    MAX_QUERY_WORDS,
    MAX_SCORED_ROWS,
    QueryWord,
    TextQuery,
    build_text_query,
    scope_word,
)
from stores.embedded.vector_index import EmbeddedVectorIndex
from stores.embedded.vector_space import VectorChange, VectorSpace, pack_vector
from stores.errors import LibraryUnreadable, StoreError, WriteDenied
from stores.ports import TextItem, VectorItem

# --- lost, damaged, unknown -------------------------------------------------------------------------


async def fill(index: IndexFile, count: int = 1) -> None:
    await EmbeddedTextIndex(index, Role.INDEXER).put(
        "turns", [TextItem(str(n), f"bell number{n}", {}) for n in range(count)]
    )
    await EmbeddedVectorIndex(index, Role.INDEXER).put("turns", [VectorItem("0", [1, 0], {})], model="m")


async def counts(index: IndexFile) -> tuple[int, int]:
    words = await EmbeddedTextIndex(index, Role.INDEXER).count("turns")
    return words, await EmbeddedVectorIndex(index, Role.INDEXER).count("turns", model="m")


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """An index with something in it, closed."""
    index = await open_index(tmp_path / "index.db")
    await fill(index, 2_000)
    await index.close()
    return tmp_path / "index.db"


async def use_all(index: IndexFile) -> None:
    await EmbeddedTextIndex(index, Role.INDEXER).search("turns", "bell number7")
    await counts(index)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def overwrite(path: Path, data: bytes, at: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


async def test_index_file_keeps_items_after_reopening(path: Path) -> None:
    index = await open_index(path)
    assert await counts(index) == (2_000, 1)
    assert index.notice == ""
    hits = await EmbeddedVectorIndex(index, Role.NARRATOR).search("turns", [1, 0], model="m")
    assert [hit.id for hit in hits] == ["0"]
    await index.close()
    assert names_in(path.parent) == ["index.db"]


async def test_index_file_deleted_is_created_anew(path: Path) -> None:
    spoil(path, "deleted")
    index = await open_index(path)
    assert await counts(index) == (0, 0)
    assert index.notice == ""
    await fill(index)
    assert await counts(index) == (1, 1)
    await index.close()


@pytest.mark.parametrize("damage", ["no database", "another program's", "cut short"])
async def test_index_file_that_is_unreadable_is_renamed(
    damage: str, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spoil(path, damage)
    before = content(path)
    with caplog.at_level(logging.WARNING):
        index = await open_index(path)
    assert await counts(index) == (0, 0)
    assert "made anew" in index.notice
    assert "index.db.damaged-1" in index.notice
    assert index.notice in caplog.text
    await fill(index)
    await index.close()
    assert content(path.with_name("index.db.damaged-1")) == before


def spoil(path: Path, damage: str) -> None:
    if damage == "deleted":
        path.unlink()
    elif damage == "no database":
        path.write_bytes(b"this is no database" * 1_000)
    elif damage == "cut short":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        path.unlink()
        apsw.Connection(str(path)).execute("CREATE TABLE theirs (a); PRAGMA application_id = 7")


def content(path: Path) -> bytes:
    return path.read_bytes()


async def test_index_file_renamed_twice_keeps_both(path: Path) -> None:
    for _ in range(3):
        overwrite(path, b"no database")
        await (await open_index(path)).close()
    assert names_in(path.parent) == ["index.db", *(f"index.db.damaged-{n}" for n in (1, 2, 3))]


async def test_index_file_damaged_in_use_is_renamed_at_next_open(path: Path) -> None:
    overwrite(path, b"\xa5" * 40_000, at=12_288)
    index = await open_index(path)
    with pytest.raises(StoreError, match="search index is damaged") as told:
        await use_all(index)
    assert "Nothing is lost" in told.value.kept
    await index.close()
    again = await open_index(path)
    assert await counts(again) == (0, 0)
    assert again.notice
    await again.close()
    assert names_in(path.parent) == ["index.db", "index.db.damaged-1"]


async def test_index_file_in_an_impossible_place_is_reported(tmp_path: Path) -> None:
    make_folder(tmp_path / "index.db")
    with pytest.raises(LibraryUnreadable, match="it is a folder"):
        await open_index(tmp_path / "index.db")


def make_folder(path: Path) -> None:
    path.mkdir()


# --- what SQLite itself refuses ---------------------------------------------------------------------

SHADOWS = ("_data", "_idx", "_docsize", "_config", "_rows")


@pytest.mark.parametrize("role", Role)
async def test_index_file_enforces_the_write_matrix(role: Role, tmp_path: Path) -> None:
    """Raw SQL on the role's own connection: the tables of the port, and those that FTS5 keeps beneath."""
    index = await open_index(tmp_path / "index.db")
    await fill(index)
    for store, collection, sql, op in attempts():
        assert await refused(index, role, sql) is not bool(find_grants(role, store, collection, op)), sql
    await index.close()


def attempts() -> list[tuple[Store, str, str, Operation]]:
    found = []
    for name in COLLECTIONS[Store.WORDS]:
        table = text_table(name)
        found += [
            (Store.WORDS, name, f"INSERT INTO {table}(text, scope) VALUES ('a', 'b')", Operation.INSERT),
            (Store.WORDS, name, f"INSERT INTO {table}({table}) VALUES ('optimize')", Operation.INSERT),
            (
                Store.WORDS,
                name,
                f"UPDATE {table} SET text = 'a', scope = 'b' WHERE rowid = 1",
                Operation.UPDATE,
            ),
            (Store.WORDS, name, f"DELETE FROM {table} WHERE rowid = 1", Operation.DELETE),
            (Store.WORDS, name, f"INSERT INTO {table}_rows(id) VALUES ('new')", Operation.INSERT),
            *((Store.WORDS, name, f"DELETE FROM {table}{shadow}", Operation.DELETE) for shadow in SHADOWS),
        ]
    for name in COLLECTIONS[Store.VECTORS]:
        table = vectors_table(name)
        found += [
            (
                Store.VECTORS,
                name,
                f"INSERT INTO {table}(model, id, scope) VALUES ('', '', '')",
                Operation.INSERT,
            ),
            (Store.VECTORS, name, f"UPDATE {table} SET vector = NULL", Operation.UPDATE),
            (Store.VECTORS, name, f"DELETE FROM {table}", Operation.DELETE),
        ]
    return found


@pytest.mark.parametrize("role", Role)
async def test_index_file_lets_no_role_change_the_format(role: Role, tmp_path: Path) -> None:
    index = await open_index(tmp_path / "index.db")
    for sql in (
        "DROP TABLE words_turns",
        "DROP TABLE vectors_turns",
        "CREATE VIRTUAL TABLE mine USING fts5(a)",
        "PRAGMA user_version = 9",
        "ATTACH ':memory:' AS other",
    ):
        assert await refused(index, role, sql), sql
    await index.close()


class Undo(BaseException):
    """Thrown once the store has let an attempt pass, so that it leaves nothing behind."""


async def refused(index: IndexFile, role: Role, sql: str) -> bool:
    def attempt(connection: apsw.Connection) -> None:
        connection.execute(sql)
        raise Undo

    try:
        await index.write(role, attempt)
    except Undo:
        return False
    except WriteDenied:
        return True
    raise AssertionError("unreachable")


# --- what a search costs ----------------------------------------------------------------------------


def words(*texts: str) -> list[QueryWord]:
    return [QueryWord(text, text) for text in texts]


MANY = 100_000
"""Rows of an index."""


def test_text_query_uses_the_rarest_words_within_its_cost() -> None:
    rows = {"rare": 10, "common": MAX_SCORED_ROWS // 2, "everywhere": 90_000, "absent": 0}
    asked = build_text_query(
        words("everywhere", "absent", "common", "the", "rare"), None, rows.__getitem__, MANY
    )
    assert asked == TextQuery('text: ("rare" OR "common")')


def test_text_query_always_uses_the_rarest_word() -> None:
    assert build_text_query(words("sea"), None, lambda _: 10**9, 10**9) == TextQuery('text: ("sea")')


def test_text_query_in_a_small_scope_uses_every_word() -> None:
    scope = scope_word("scene", "one")
    rows = {"rare": 10, "common": 40_000, scope: 50}
    asked = build_text_query(words("common", "rare"), {"scene": "one"}, rows.__getitem__, MANY)
    assert asked == TextQuery(f'text: ("rare" OR "common") AND scope: "{scope}"')


def test_text_query_checks_a_wide_scope_on_hits() -> None:
    """To walk past all of its rows would take longer than to score those that are found."""
    scope = scope_word("universe", "one")
    rows = {"rare": 10, "common": 60_000, scope: 70_000}
    asked = build_text_query(words("common", "rare"), {"universe": "one"}, rows.__getitem__, MANY)
    assert asked == TextQuery('text: ("rare")', (scope,))


def test_text_query_is_none_where_nothing_can_match() -> None:
    assert build_text_query([], None, lambda _: 1, MANY) is None
    assert build_text_query(words("absent"), None, lambda _: 0, MANY) is None
    assert (
        build_text_query(words("bell"), {"scene": "empty"}, lambda w: 5 if w == "bell" else 0, MANY) is None
    )
    assert build_text_query(words("bell"), None, lambda _: 0, 0) is None


def test_text_query_of_a_page_is_limited() -> None:
    asked = build_text_query(words(*(f"w{n}" for n in range(500))), None, lambda _: 1, MANY)
    assert asked is not None
    assert asked.expression.count('"') == 2 * MAX_QUERY_WORDS


def test_text_query_drops_words_of_most_rows() -> None:
    rows = {"rare": 1, "said": 600}
    asked = build_text_query(words("said", "rare"), None, rows.__getitem__, 1_100)
    assert asked == TextQuery('text: ("rare")')
    alone = build_text_query(words("said"), None, rows.__getitem__, 1_100)
    assert alone == TextQuery('text: ("said")')
    few = build_text_query(words("said", "rare"), None, rows.__getitem__, 700)
    assert few == TextQuery('text: ("rare" OR "said")')


async def test_text_search_applies_wide_and_narrow_scopes(tmp_path: Path) -> None:
    index = await open_index(tmp_path / "index.db")
    own = EmbeddedTextIndex(index, Role.INDEXER)
    of = {"wide": range(90), "narrow": range(90, 100)}
    items = [TextItem(str(n), f"bell {'bell ' * (n % 7)}", {"in": s}) for s, ids in of.items() for n in ids]
    await own.put("turns", items)
    for scope, ids in of.items():
        found = await own.search("turns", "bell", k=200, scope={"in": scope})
        assert {hit.id for hit in found} == {str(n) for n in ids}
        few = await own.search("turns", "bell", k=5, scope={"in": scope})
        assert [hit.score for hit in few] == [hit.score for hit in found[:5]]
    await index.close()


async def test_text_search_applies_scopes_to_rows_of_older_formats(tmp_path: Path) -> None:
    index = await open_index(tmp_path / "index.db")
    own = EmbeddedTextIndex(index, Role.INDEXER)
    await own.put("turns", [TextItem(str(n), "bell", {"in": "one" if n else "other"}) for n in range(9)])
    await index.write(Role.INDEXER, lambda c: c.execute("UPDATE words_turns_rows SET scope = NULL"))
    found = await own.search("turns", "bell", k=20, scope={"in": "one"})
    assert {hit.id for hit in found} == {str(n) for n in range(1, 9)}
    await index.close()


def test_scope_words_are_unique() -> None:
    pairs = [("a", "bc"), ("ab", "c"), ("a", "BC"), ("a", ""), ("", "a"), ("a", "\ud800"), ("a", "🜂")]
    assert len({scope_word(*pair) for pair in pairs}) == len(pairs)
    assert all(scope_word(*pair).isdigit() for pair in pairs)


@pytest.mark.slow
def test_index_file_imports_numpy_with_the_first_vector() -> None:
    code = (
        "import sys, stores.embedded.vector_index, stores.embedded.text_index; print('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


async def test_text_rebuild_keeps_fingerprints(tmp_path: Path) -> None:
    async def batches() -> AsyncIterator[list[TextItem]]:
        yield [TextItem("b", "an oar", {"scene": "one"}, "mb"), TextItem("c", "a bell", two, "mc")]
        yield [TextItem("d", "a rope", two)]

    two = {"scene": "two"}
    index = await open_index(tmp_path / "index.db")
    words = EmbeddedTextIndex(index, Role.INDEXER)
    await words.put("turns", [TextItem("a", "a bell", two, "ma"), TextItem("b", "a bell", two, "old")])
    assert await words.rebuild("turns", batches()) == 3
    assert await words.fingerprints("turns") == {"b": "mb", "c": "mc", "d": ""}
    assert await words.fingerprints("turns", scope=two) == {"c": "mc", "d": ""}
    await index.close()


# --- files of before --------------------------------------------------------------------------------


async def test_index_file_without_fingerprints_is_upgraded(tmp_path: Path) -> None:
    """What it holds is found as before, and counts as out of date: it has no marks."""
    path = tmp_path / "index.db"
    make_first_format(path)
    index = await open_index(path)
    assert index.notice == ""
    words, vectors = EmbeddedTextIndex(index, Role.INDEXER), EmbeddedVectorIndex(index, Role.INDEXER)
    scope = {"universe": "u1"}
    assert [hit.id for hit in await words.search("turns", "bells", scope=scope)] == ["a"]
    assert [hit.id for hit in await vectors.search("turns", [0, 1], model="m", scope=scope)] == ["a"]
    assert await words.fingerprints("turns", scope=scope) == {"a": ""}
    assert await vectors.fingerprints("turns", model="m", scope=scope) == {"a": ""}
    assert await vectors.models("turns") == {"m": 1}
    await words.put("turns", [TextItem("a", "an oar", {}, "w")])
    await vectors.put("turns", [VectorItem("a", [1, 0], {}, "v"), VectorItem("b", [0, 1], {})], model="m")
    await words.put("memories", [TextItem("m", "a bell", {}, "w")])
    assert await words.fingerprints("turns") == {"a": "w"}
    assert await vectors.fingerprints("turns", model="m") == {"a": "v", "b": ""}
    assert [hit.id for hit in await words.search("memories", "bell")] == ["m"]
    assert [hit.id for hit in await vectors.search("turns", [1, 0], model="m", k=1)] == ["a"]
    await index.close()


def make_first_format(path: Path) -> None:
    """An index as the first format had it, with one turn in it."""
    file = apsw.Connection(str(path))
    file.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    file.execute("PRAGMA journal_mode = WAL")
    INDEX_MIGRATIONS[0](file)
    file.execute("PRAGMA user_version = 1")
    file.execute("INSERT INTO words_turns_rows(row, id) VALUES (1, 'a')")
    file.execute(
        "INSERT INTO words_turns(rowid, text, scope) VALUES (1, 'a bell', ?)", (scope_word("universe", "u1"),)
    )
    file.execute(
        "INSERT INTO vectors_turns(model, id, scope, vector) VALUES ('m', 'a', ?, ?), ('m', 'b', '{}', NULL)",
        ('{"universe": "u1"}', pack_vector([0, 1])),
    )
    file.close()


@pytest.mark.slow
def test_vector_search_finds_the_nearest_of_very_many() -> None:
    """Only those are measured that agree in most signs; nearly every wanted one does, as real ones do."""
    rng = np.random.default_rng(7)
    many, dimension, topics = 40_000, 96, 400
    centres = rng.standard_normal((topics, dimension))
    points = centres[rng.integers(topics, size=many)] + 0.7 * rng.standard_normal((many, dimension))
    points = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype("<f2")
    space = VectorSpace(dimension)
    parts = np.array_split(np.arange(many), 40)
    for part in parts:
        space.apply_changes(
            [VectorChange(int(n) + 1, str(n), (("in", str(n % 2)),), points[n].tobytes()) for n in part]
        )
    found, wanted = 0, 0
    for question in centres[:20]:
        for scope, inside in (({}, slice(None)), ({"in": "1"}, slice(1, None, 2))):
            exact = points[inside].astype(np.float32) @ (question / np.linalg.norm(question))
            best = {str(n) for n in np.arange(many)[inside][np.argsort(-exact)[:10]]}
            hits = space.nearest(question.tolist(), 10, scope)
            assert [score for _, score in hits] == sorted((s for _, s in hits), reverse=True)
            found += len(best & {id for id, _ in hits})
            wanted += len(best)
    assert found >= 0.99 * wanted
