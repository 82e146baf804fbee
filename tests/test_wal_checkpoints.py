"""The write-ahead log is copied into the file beside the writes, which do not wait for it."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import apsw
import pytest

from stores.authority import Role
from stores.embedded import wal_checkpoints
from stores.embedded.library import open_library
from stores.embedded.wal_checkpoints import WalCheckpointer
from tests.contract import builders as make

PAGE_BYTES = 4_096


@contextmanager
def watched_writer(path: Path, may_copy: threading.Event) -> Iterator[apsw.Connection]:
    """Open a file whose log is copied in the other thread once `may_copy` is set."""

    def open_connection() -> apsw.Connection:
        may_copy.wait(10)
        return apsw.Connection(str(path))

    checkpointer = WalCheckpointer("checkpointer", open_connection)
    with closing(apsw.Connection(str(path))) as writer:
        writer.pragma("journal_mode", "WAL")
        writer.pragma("synchronous", "OFF")
        writer.execute("CREATE TABLE texts (body TEXT)").fetchall()
        checkpointer.watch(writer)
        try:
            yield writer
        finally:
            may_copy.set()
            checkpointer.close()


def write_pages(writer: apsw.Connection, pages: int) -> None:
    with writer:
        writer.execute("INSERT INTO texts VALUES (?)", ("x" * pages * PAGE_BYTES,)).fetchall()


def test_wal_checkpoint_is_made_beside_the_writes(tmp_path: Path) -> None:
    path, may_copy = tmp_path / "library.db", threading.Event()
    with watched_writer(path, may_copy) as writer:
        for _ in range(3):
            write_pages(writer, wal_checkpoints.CHECKPOINT_PAGES // 2)
        assert path.stat().st_size < 10 * PAGE_BYTES, "no write has waited for the file"
    assert path.stat().st_size > wal_checkpoints.CHECKPOINT_PAGES * PAGE_BYTES


def test_wal_checkpoint_of_a_long_log_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal_checkpoints, "LONG_LOG_PAGES", 50)
    path = tmp_path / "library.db"
    with watched_writer(path, threading.Event()) as writer:
        write_pages(writer, 60)
        assert path.stat().st_size > 60 * PAGE_BYTES


def test_wal_checkpoint_that_fails_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal_checkpoints, "CHECKPOINT_PAGES", 1)
    path = tmp_path / "library.db"

    def refuse() -> apsw.Connection:
        raise apsw.CantOpenError("the disk is gone")

    checkpointer = WalCheckpointer("checkpointer", refuse)
    with closing(apsw.Connection(str(path))) as writer:
        writer.pragma("journal_mode", "WAL")
        checkpointer.watch(writer)
        writer.execute("CREATE TABLE texts (body TEXT)").fetchall()
        write_pages(writer, 2)
        checkpointer.close()
        assert writer.execute("SELECT length(body) FROM texts").get == 2 * PAGE_BYTES


def insert_story(connection: apsw.Connection, body: str) -> None:
    connection.execute("INSERT INTO stories(body) VALUES (?)", (body,))


async def test_library_with_a_wal_checkpoint_after_every_write_keeps_every_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wal_checkpoints, "CHECKPOINT_PAGES", 1)
    stories = [make.story(title=f"Night {number}").model_dump_json() for number in range(20)]
    library = await open_library(tmp_path / "library.db")
    for body in stories:
        await library.write(Role.ORCHESTRATOR, partial(insert_story, body=body))
    await library.close()
    assert {file.name for file in tmp_path.iterdir()} == {"library.db", "library.lock"}
    library = await open_library(tmp_path / "library.db")
    stored = await library.read(
        lambda c: [body for (body,) in c.execute("SELECT body FROM stories ORDER BY made")]
    )
    assert stored == stories
    await library.close()
