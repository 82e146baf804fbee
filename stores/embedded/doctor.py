"""The checks of a home folder for `monitor doctor`: what SQLite refuses each role, and whether the data are whole.

Attempts run as the role itself, in transactions that are rolled back. Checks run on a read-only connection.
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

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.doctor import Attempt, AttemptOutcome, DoctorFinding
from stores.embedded.database import DatabaseFile
from stores.embedded.history import find_damaged_records
from stores.embedded.index_file import IndexFile, text_table, vectors_table
from stores.embedded.migrations import COLLECTION_OF_TABLE
from stores.embedded.object_store import EmbeddedObjectStore
from stores.embedded.write_attempts import (
    APPEND_ONLY,
    RollbackSignal,
    has_row,
    iter_format_changes,
    iter_rewrite_attempts,
    iter_write_attempts,
    with_rollback,
)
from stores.errors import StoreError, WriteDenied
from stores.records.ids import Clock
from stores.small_files import is_no_file

T = TypeVar("T")

_INDEX_TABLES = {
    **{vectors_table(name): (Store.VECTORS, name) for name in COLLECTIONS[Store.VECTORS]},
    **{text_table(name): (Store.WORDS, name) for name in COLLECTIONS[Store.WORDS]},
}
_CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far a clock may be off before it is reported."""


class EmbeddedDoctor:
    def __init__(self, library: DatabaseFile, index: IndexFile, objects: Path, clock: Clock) -> None:
        self._library = library
        self._index = index
        self._objects = objects
        self._clock = clock

    # --- what nobody may ----------------------------------------------------------------------------

    async def attempts(self) -> AsyncIterator[Attempt]:
        tables_with_rows = await self._library.read(
            lambda c: {table for table in COLLECTION_OF_TABLE if has_row(c, table)}
        )
        for role in Role:
            async for attempt in self._try_library_writes(role, tables_with_rows):
                yield attempt
            async for attempt in self._try_index_writes(role):
                yield attempt
            async for attempt in self._try_object_writes(role):
                yield attempt
        for table in APPEND_ONLY:
            for description, operation in await self._library.read(
                partial(_collect, partial(iter_rewrite_attempts, table))
            ):
                outcome = await _run_attempt(self._library.write_as_owner(with_rollback(operation)))
                yield Attempt(
                    None,
                    COLLECTION_OF_TABLE[table][0],
                    description,
                    outcome if table in tables_with_rows else AttemptOutcome.UNTRIED,
                )

    async def _try_library_writes(self, role: Role, tables_with_rows: set[str]) -> AsyncIterator[Attempt]:
        for write_attempt in await self._library.read(
            partial(_collect, partial(iter_write_attempts, role, COLLECTION_OF_TABLE))
        ):
            if write_attempt.is_granted:
                continue
            if write_attempt.needs_row and write_attempt.table not in tables_with_rows:
                yield Attempt(role, write_attempt.store, write_attempt.description, AttemptOutcome.UNTRIED)
                continue
            outcome = await _run_attempt(self._library.write(role, with_rollback(write_attempt.operation)))
            yield Attempt(role, write_attempt.store, write_attempt.description, outcome)
        for description, operation in iter_format_changes():
            outcome = await _run_attempt(
                self._library.write(role, with_rollback(operation)), outcome_if_failed=AttemptOutcome.UNTRIED
            )
            yield Attempt(role, Store.LOG, description, outcome)

    async def _try_index_writes(self, role: Role) -> AsyncIterator[Attempt]:
        for write_attempt in await self._index.read(
            partial(_collect, partial(iter_write_attempts, role, _INDEX_TABLES))
        ):
            if not write_attempt.is_granted and not write_attempt.needs_row:
                outcome = await _run_attempt(self._index.write(role, with_rollback(write_attempt.operation)))
                yield Attempt(role, write_attempt.store, write_attempt.description, outcome)

    async def _try_object_writes(self, role: Role) -> AsyncIterator[Attempt]:
        """Try to write objects as a role.

        A folder has no roles, so this program refuses. The attempt is made in a temporary folder, so that
        it leaves nothing behind.
        """
        with tempfile.TemporaryDirectory() as temporary_folder:
            objects = EmbeddedObjectStore(Path(temporary_folder), role)
            for collection in COLLECTIONS[Store.OBJECTS]:
                if not find_grants(role, Store.OBJECTS, collection, Operation.INSERT):
                    outcome = await _run_attempt(objects.put(collection, b"doctor"))
                    reported_outcome = (
                        AttemptOutcome.REFUSED_HERE if outcome is AttemptOutcome.REFUSED else outcome
                    )
                    yield Attempt(role, Store.OBJECTS, f"insert {collection}", reported_outcome)

    # --- whether all is whole -----------------------------------------------------------------------

    async def findings(self) -> AsyncIterator[DoctorFinding]:
        for name, path in (("library.db", self._library.path), ("index.db", self._index.path)):
            yield await asyncio.to_thread(_run_check, path, f"{name} is whole", _check_integrity)
        if self._index.notice:
            yield DoctorFinding("search index", "warning", self._index.notice)
        for check_name, check in _CHECKS.items():
            yield await asyncio.to_thread(_run_check, self._library.path, check_name, check)
        yield await asyncio.to_thread(_run_check, self._library.path, "clock", self._check_clock)
        yield await asyncio.to_thread(self._check_objects)

    def _check_clock(self, connection: apsw.Connection) -> Iterator[str]:
        newest = connection.execute("SELECT max(at) FROM (SELECT body ->> '$.at' AS at FROM transitions)").get
        now = self._clock()
        if newest and str(newest) > (now + _CLOCK_TOLERANCE).isoformat():
            yield f"it is {now:%Y-%m-%d %H:%M} UTC here, and the newest record is of {newest}"

    def _check_objects(self) -> DoctorFinding:
        check_name, damaged_objects, count = "documents are whole", [], 0
        for collection in COLLECTIONS[Store.OBJECTS]:
            for path in sorted((self._objects / collection).glob("??/*")):
                count += 1
                if _hash_file(path) != path.parent.name + path.name:
                    damaged_objects.append(f"{collection}/{path.parent.name}{path.name}")
        if damaged_objects:
            return DoctorFinding(
                check_name,
                "bad",
                f"{len(damaged_objects)} of {count:,} are damaged: {_shorten(damaged_objects)}",
            )
        missing_finding = _run_check(self._library.path, check_name, self._find_missing_objects)
        return (
            missing_finding
            if missing_finding.state == "bad"
            else DoctorFinding(check_name, "ok", f"{count:,} read")
        )

    def _find_missing_objects(self, connection: apsw.Connection) -> Iterator[str]:
        for key, title in connection.execute(
            "SELECT body ->> '$.object_key', body ->> '$.title' FROM sources"
        ):
            if key and not self._has_object("originals", str(key)):
                yield f"the original of “{title}” is not there"
        for key, scene_id in connection.execute(
            "SELECT body ->> '$.object_key', scene_id FROM archived_logs"
        ):
            if not self._has_object("archives", str(key)):
                yield f"the archived log of scene {scene_id} is not there"

    def _has_object(self, collection: str, key: str) -> bool:
        return (self._objects / collection / key[:2] / key[2:]).is_file()


async def _run_attempt(
    attempt: Awaitable[object], outcome_if_failed: AttemptOutcome = AttemptOutcome.PASSED
) -> AttemptOutcome:
    """Return the outcome; `failed` if the attempt failed for another reason than a refusal."""
    try:
        await attempt
    except WriteDenied:
        return AttemptOutcome.REFUSED
    except RollbackSignal:
        return AttemptOutcome.PASSED
    except StoreError as error:
        if type(error) is not StoreError:
            raise
        return outcome_if_failed
    return AttemptOutcome.PASSED


def _collect(produce_items: Callable[[apsw.Connection], Iterator[T]], connection: apsw.Connection) -> list[T]:
    return list(produce_items(connection))


# --- looks: each yields what is wrong ---------------------------------------------------------------

_Check = Callable[[apsw.Connection], Iterator[str]]


def _run_check(path: Path, check_name: str, check: _Check) -> DoctorFinding:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(5_000)
        connection.execute("BEGIN")
        problems = list(check(connection))
    except apsw.Error as error:
        problems = [str(error)]
    finally:
        connection.close()
    return DoctorFinding(
        check_name,
        "bad" if problems else "ok",
        f"{len(problems):,} wrong: {_shorten(problems)}" if problems else "",
    )


def _shorten(problems: list[str]) -> str:
    return "; ".join(problems[:3]) + (" ..." if len(problems) > 3 else "")


def _check_integrity(connection: apsw.Connection) -> Iterator[str]:
    return (str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")


def _check_foreign_keys(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute("PRAGMA foreign_key_check")
    return (f"row {row} of {table} names a {parent} that is not there" for table, row, parent, _ in rows)


def _check_lines(connection: apsw.Connection) -> Iterator[str]:
    """Check that the line of each scene is the path from its head to its first turn."""
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


def _check_head_moves(connection: apsw.Connection) -> Iterator[str]:
    """Check that the head of each scene is where its last head move went."""
    rows = connection.execute(
        """SELECT s.id FROM scenes s
           LEFT JOIN head_moves m ON m.scene_id = s.id
               AND m.seq = (SELECT max(seq) FROM head_moves WHERE scene_id = s.id)
           WHERE s.head IS NOT m.to_turn"""
    )
    return (f"scene {scene}" for (scene,) in rows)


def _check_evidence(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute(
        """SELECT id FROM canon_facts f
           WHERE NOT EXISTS (SELECT 1 FROM canon_supports s WHERE s.subject_id = f.id)"""
    )
    return (f"fact {fact}" for (fact,) in rows)


def _check_relations(connection: apsw.Connection) -> Iterator[str]:
    """Check that the relation edges are those of the facts that hold."""
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


def _check_commits(connection: apsw.Connection) -> Iterator[str]:
    """Check that everything closed commits wrote is in canon."""
    rows = connection.execute(
        """SELECT c.id FROM canonizations c, json_each(c.body, '$.batch.facts') f
           WHERE c.state = 'closed'
             AND NOT EXISTS (SELECT 1 FROM canon_facts k WHERE k.id = f.value ->> '$.id')"""
    )
    return (f"commit {commit}" for (commit,) in rows)


_CHECKS: dict[str, _Check] = {
    "every record can be read": find_damaged_records,
    "references lead somewhere": _check_foreign_keys,
    "lines lead to their heads": _check_lines,
    "heads stand where they moved": _check_head_moves,
    "every fact has evidence": _check_evidence,
    "relations are those of the facts": _check_relations,
    "what was committed is in canon": _check_commits,
}


def _hash_file(path: Path) -> str:
    if is_no_file(path):
        return "it is not a file"
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error)


def sqlite_version() -> str:
    """Return the version of SQLite in use."""
    return str(apsw.sqlite_lib_version())
