"""The doctor of a home folder: what SQLite refuses each role, and whether all that is kept is whole.

Attempts run as the role itself, in transactions that are taken back. Findings are read on a connection of
their own, which may only read. Source: stores/doctor.py.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from stores.authority import COLLECTIONS, Op, Role, Store, grants
from stores.doctor import Attempt, Finding, Outcome
from stores.embedded.attack import (
    APPEND_ONLY,
    Undo,
    and_undo,
    format_changes,
    has_row,
    rewritings,
    tries,
)
from stores.embedded.database import Database
from stores.embedded.index import IndexFile, vectors_table, words_table
from stores.embedded.migrations import TABLES
from stores.embedded.object_store import EmbeddedObjects
from stores.errors import StoreError, WriteDenied
from stores.records.ids import Clock

T = TypeVar("T")

_INDEX_TABLES = {
    **{vectors_table(name): (Store.VECTORS, name) for name in COLLECTIONS[Store.VECTORS]},
    **{words_table(name): (Store.WORDS, name) for name in COLLECTIONS[Store.WORDS]},
}
_SLACK = timedelta(minutes=5)
"""How far a clock may be off before it is worth a word."""


class EmbeddedDoctor:
    def __init__(self, library: Database, index: IndexFile, objects: Path, clock: Clock) -> None:
        self._library = library
        self._index = index
        self._objects = objects
        self._clock = clock

    # --- what nobody may ----------------------------------------------------------------------------

    async def attempts(self) -> AsyncIterator[Attempt]:
        filled = await self._library.read(lambda c: {table for table in TABLES if has_row(c, table)})
        for role in Role:
            async for attempt in self._library_attempts(role, filled):
                yield attempt
            async for attempt in self._index_attempts(role):
                yield attempt
            async for attempt in self._object_attempts(role):
                yield attempt
        for table in APPEND_ONLY:
            for what, act in await self._library.read(partial(_listed, partial(rewritings, table))):
                outcome = await _outcome(self._library.write_as_owner(and_undo(act)))
                yield Attempt(None, TABLES[table][0], what, outcome if table in filled else Outcome.UNTRIED)

    async def _library_attempts(self, role: Role, filled: set[str]) -> AsyncIterator[Attempt]:
        for each in await self._library.read(partial(_listed, partial(tries, role, TABLES))):
            if each.granted:
                continue
            if each.needs_row and each.table not in filled:
                yield Attempt(role, each.store, each.what, Outcome.UNTRIED)
                continue
            outcome = await _outcome(self._library.write(role, and_undo(each.act)))
            yield Attempt(role, each.store, each.what, outcome)
        for what, act in format_changes():
            outcome = await _outcome(self._library.write(role, and_undo(act)), failed=Outcome.UNTRIED)
            yield Attempt(role, Store.LOG, what, outcome)

    async def _index_attempts(self, role: Role) -> AsyncIterator[Attempt]:
        for each in await self._index.read(partial(_listed, partial(tries, role, _INDEX_TABLES))):
            if not each.granted and not each.needs_row:
                outcome = await _outcome(self._index.write(role, and_undo(each.act)))
                yield Attempt(role, each.store, each.what, outcome)

    async def _object_attempts(self, role: Role) -> AsyncIterator[Attempt]:
        """A folder has no roles: this program refuses. Tried in a passing folder, so that nothing is left
        even if it did not."""
        with tempfile.TemporaryDirectory() as passing:
            objects = EmbeddedObjects(Path(passing), role)
            for collection in COLLECTIONS[Store.OBJECTS]:
                if not grants(role, Store.OBJECTS, collection, Op.INSERT):
                    outcome = await _outcome(objects.put(collection, b"doctor"))
                    here = Outcome.REFUSED_HERE if outcome is Outcome.REFUSED else outcome
                    yield Attempt(role, Store.OBJECTS, f"insert {collection}", here)

    # --- whether all is whole -----------------------------------------------------------------------

    async def findings(self) -> AsyncIterator[Finding]:
        for name, path in (("library.db", self._library.path), ("index.db", self._index.path)):
            yield await asyncio.to_thread(_looked, path, f"{name} is whole", _integrity)
        if self._index.notice:
            yield Finding("search index", "warning", self._index.notice)
        for what, look in _LOOKS.items():
            yield await asyncio.to_thread(_looked, self._library.path, what, look)
        yield await asyncio.to_thread(_looked, self._library.path, "clock", self._clock_check)
        yield await asyncio.to_thread(self._objects_check)

    def _clock_check(self, connection: apsw.Connection) -> Iterator[str]:
        newest = connection.execute("SELECT max(at) FROM (SELECT body ->> '$.at' AS at FROM transitions)").get
        now = self._clock()
        if newest and str(newest) > (now + _SLACK).isoformat():
            yield f"it is {now:%Y-%m-%d %H:%M} UTC here, and the newest record is of {newest}"

    def _objects_check(self) -> Finding:
        what, damaged, count = "documents are whole", [], 0
        for collection in COLLECTIONS[Store.OBJECTS]:
            for path in sorted((self._objects / collection).glob("??/*")):
                count += 1
                if _digest(path) != path.parent.name + path.name:
                    damaged.append(f"{collection}/{path.parent.name}{path.name}")
        if damaged:
            return Finding(what, "bad", f"{len(damaged)} of {count:,} are damaged: {_some(damaged)}")
        lost = _looked(self._library.path, what, self._lost_originals)
        return lost if lost.state == "bad" else Finding(what, "ok", f"{count:,} read")

    def _lost_originals(self, connection: apsw.Connection) -> Iterator[str]:
        rows = connection.execute("SELECT body ->> '$.object_key', body ->> '$.title' FROM sources")
        for key, title in rows:
            if key and not (self._objects / "originals" / str(key)[:2] / str(key)[2:]).is_file():
                yield f"the original of “{title}” is not there"


async def _outcome(attempt: Awaitable[object], failed: Outcome = Outcome.PASSED) -> Outcome:
    """Say what came of it; `failed` if it failed for another reason, which nobody had refused before that."""
    try:
        await attempt
    except WriteDenied:
        return Outcome.REFUSED
    except Undo:
        return Outcome.PASSED
    except StoreError as error:
        if type(error) is not StoreError:
            raise
        return failed
    return Outcome.PASSED


def _listed(found: Callable[[apsw.Connection], Iterator[T]], connection: apsw.Connection) -> list[T]:
    return list(found(connection))


# --- looks: each yields what is wrong ---------------------------------------------------------------

_Look = Callable[[apsw.Connection], Iterator[str]]


def _looked(path: Path, what: str, look: _Look) -> Finding:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(5_000)
        connection.execute("BEGIN")
        wrong = list(look(connection))
    except apsw.Error as error:
        wrong = [str(error)]
    finally:
        connection.close()
    return Finding(what, "bad" if wrong else "ok", f"{len(wrong):,} wrong: {_some(wrong)}" if wrong else "")


def _some(wrong: list[str]) -> str:
    return "; ".join(wrong[:3]) + (" ..." if len(wrong) > 3 else "")


def _integrity(connection: apsw.Connection) -> Iterator[str]:
    return (str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")


def _foreign_keys(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute("PRAGMA foreign_key_check")
    return (f"row {row} of {table} names a {parent} that is not there" for table, row, parent, _ in rows)


def _lines(connection: apsw.Connection) -> Iterator[str]:
    """The line of a scene is the way from its head to its first turn."""
    rows = connection.execute(
        """WITH RECURSIVE way (scene_id, id, parent_id, depth) AS (
               SELECT s.id, t.id, t.parent_id, t.depth FROM scenes s JOIN turns t ON t.id = s.head
               UNION ALL
               SELECT w.scene_id, t.id, t.parent_id, t.depth FROM way w JOIN turns t ON t.id = w.parent_id)
           SELECT w.scene_id, w.depth FROM way w
           LEFT JOIN line l ON l.scene_id = w.scene_id AND l.depth = w.depth
           WHERE l.turn_id IS NOT w.id
           UNION ALL
           SELECT w.scene_id, min(w.depth) FROM way w GROUP BY w.scene_id HAVING min(w.depth) <> 0"""
    )
    return (f"scene {scene} at depth {depth}" for scene, depth in rows)


def _moves(connection: apsw.Connection) -> Iterator[str]:
    """A scene stands where the last move of its head went."""
    rows = connection.execute(
        """SELECT s.id FROM scenes s
           LEFT JOIN head_moves m ON m.scene_id = s.id
               AND m.seq = (SELECT max(seq) FROM head_moves WHERE scene_id = s.id)
           WHERE s.head IS NOT m.to_turn"""
    )
    return (f"scene {scene}" for (scene,) in rows)


def _evidence(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute(
        """SELECT id FROM canon_facts f
           WHERE NOT EXISTS (SELECT 1 FROM canon_supports s WHERE s.subject_id = f.id)"""
    )
    return (f"fact {fact}" for (fact,) in rows)


def _shortcuts(connection: apsw.Connection) -> Iterator[str]:
    """The traversable relations are those of the facts that stand."""
    rows = connection.execute(
        """SELECT fact_id FROM canon_relations r WHERE NOT EXISTS (
               SELECT 1 FROM canon_facts f WHERE f.id = r.fact_id AND f.kind = 'relation'
                   AND f.status = 'canonical' AND f.valid_to IS r.valid_to)
           UNION ALL
           SELECT f.id FROM canon_facts f
           JOIN canon_involvements s ON s.fact_id = f.id AND s.role = 'subject'
           JOIN canon_involvements o ON o.fact_id = f.id AND o.role = 'object'
           WHERE f.kind = 'relation' AND f.status = 'canonical'
             AND NOT EXISTS (SELECT 1 FROM canon_relations r WHERE r.fact_id = f.id)"""
    )
    return (f"fact {fact}" for (fact,) in rows)


def _commits(connection: apsw.Connection) -> Iterator[str]:
    """What a proposal became is in canon: nothing was lost between the two."""
    rows = connection.execute(
        """SELECT c.id FROM canonizations c, json_each(c.body, '$.batch.facts') f
           WHERE c.state = 'closed'
             AND NOT EXISTS (SELECT 1 FROM canon_facts k WHERE k.id = f.value ->> '$.id')"""
    )
    return (f"commit {commit}" for (commit,) in rows)


_LOOKS: dict[str, _Look] = {
    "references lead somewhere": _foreign_keys,
    "lines lead to their heads": _lines,
    "heads stand where they moved": _moves,
    "every fact has evidence": _evidence,
    "relations are those of the facts": _shortcuts,
    "what was committed is in canon": _commits,
}


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error)


def sqlite_version() -> str:
    """Return the version of the SQLite that libraries are kept with."""
    return str(apsw.sqlite_lib_version())
