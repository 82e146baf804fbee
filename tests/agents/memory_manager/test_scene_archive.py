"""Tests of scene archives: complete, checked, and renewed when the scene changes."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents.events import HeadMoved
from agents.memory_manager.scene_archive import (
    ARCHIVE_AFTER,
    ARCHIVE_BUCKET,
    ArchiveWorker,
    SceneArchive,
    pack_log,
    read_scene_log,
    unpack_log,
)
from monitor_tui.cli.app import app
from stores.authority import Role
from stores.errors import ArchiveError, InputError, NotFound, StoreUnavailable
from stores.records.ids import Clock, Id
from stores.records.play import MoveKind
from stores.records.workflow import Loop
from tests.agents.memory_manager.memory_session import MemorySession, open_memory_session
from tests.program import START


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[MemorySession]:
    async with open_memory_session(tmp_path) as opened_session:
        await opened_session.play(
            "> Rain.", "I climb. /check 2d6+1 vs 7", "/note a slip", "> Wind.", "/undo", "> Snow “Ω”."
        )
        yield opened_session


def clock_after(days: float = 0) -> Clock:
    return lambda: START + timedelta(days=days)


def archive(session: MemorySession, days: float = 0) -> SceneArchive:
    stores = session.program.stores
    log = stores.log(Role.ARCHIVIST)
    return SceneArchive(log, log, stores.objects(Role.ARCHIVIST), clock_after(days))


async def test_scene_archive_reads_back_equal_log(session: MemorySession) -> None:
    record = await archive(session).archive_scene(session.scene_id)
    archived_log = await archive(session).read_archived(session.scene_id)
    assert archived_log == await read_scene_log(session.log, session.scene_id)
    assert {t.text for t in archived_log.turns} >= {"Rain.", "Wind.", "Snow “Ω”."}
    assert MoveKind.UNDO in {m.kind for m in archived_log.head_moves}
    assert archived_log.resolutions
    assert archived_log.transitions[0].loop is Loop.SCENE
    assert {(m.loop, m.event) for m in archived_log.transitions} >= {
        (Loop.TURN, "user_input"),
        (Loop.TURN, "proposals_staged"),
    }
    assert (record.turns, record.head) == (len(archived_log.turns), archived_log.scene.head)
    # Nothing was taken out of the log.
    assert len(await session.log.all_turns(session.scene_id)) == record.turns


async def test_scene_archive_stores_same_log_once(session: MemorySession) -> None:
    first = await archive(session).archive_scene(session.scene_id)
    assert await archive(session, days=1).archive_scene(session.scene_id) == first
    assert len(await session.program.stores.objects(None).keys(ARCHIVE_BUCKET)) == 1


async def test_scene_archive_is_renewed_after_more_play(session: MemorySession) -> None:
    first = await archive(session).archive_scene(session.scene_id)
    await session.play("> The tide turns.")
    second = await archive(session).archive_scene(session.scene_id)
    assert (second.id, second.turns) == (first.id, first.turns + 1)
    assert (await archive(session).read_archived(session.scene_id)).turns[-1].text == "The tide turns."
    assert len(await session.log.archived_logs()) == 1


def object_files(home: Path, key: str) -> list[Path]:
    return [p for p in home.rglob("*") if p.is_file() and p.name.endswith(key[4:])]


async def test_scene_archive_is_renewed_if_lost_or_damaged(session: MemorySession, tmp_path: Path) -> None:
    first = await archive(session).archive_scene(session.scene_id)
    (file,) = object_files(tmp_path, first.object_key)
    original = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(b"damaged")
    assert await archive(session, days=1).archive_scene(session.scene_id)
    assert file.read_bytes() == original
    file.unlink()
    assert await archive(session, days=2).archive_scene(session.scene_id)
    assert file.read_bytes() == original


async def test_scene_archive_worker_archives_old_scenes(session: MemorySession) -> None:
    stores = session.program.stores
    log = stores.log(Role.ARCHIVIST)

    def worker(days: float) -> ArchiveWorker:
        return ArchiveWorker(log, archive(session, days), clock_after(days))

    async def due_ids(worker: ArchiveWorker) -> list[Id]:
        scene = await session.log.scene(session.scene_id)
        return [subject.id for subject in (await worker.find_due([scene])).subjects]

    assert await due_ids(worker(0)) == []
    await session.play("> Fog.")
    late_worker = worker(ARCHIVE_AFTER.days + 1)
    assert await due_ids(late_worker) == [session.scene_id]
    assert await late_worker.reconcile(session.scene_id) == 0
    assert await due_ids(late_worker) == []
    assert [s.id for s in await late_worker.on_event(HeadMoved(session.scene_id))] == [session.scene_id]
    await session.play("> More fog.")
    assert await due_ids(worker(0)) == []  # not after each line
    assert await due_ids(worker(0.1)) == [session.scene_id]


async def test_scene_archive_worker_retries_while_store_is_down(session: MemorySession) -> None:
    class Down:
        async def put(self, collection: str, data: bytes) -> str:
            raise StoreUnavailable("The object store does not answer.")

    stores = session.program.stores
    log = stores.log(Role.ARCHIVIST)
    unreachable = SceneArchive(log, log, Down(), clock_after())  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable):
        await ArchiveWorker(log, unreachable, clock_after()).reconcile(session.scene_id)
    assert await session.log.archived_logs() == []


async def test_scene_archive_rejects_missing_and_foreign_data(session: MemorySession) -> None:
    with pytest.raises(NotFound):
        await archive(session).read_archived(session.scene_id)
    packed = pack_log(await read_scene_log(session.log, session.scene_id))
    for data in (
        b"",
        b"nonsense",
        packed[:-20],
        gzip.compress(b'{"format": "other"}'),
        gzip.compress(b"[1]\n[2]"),
        gzip.compress(b"[" * 100_000),
    ):
        with pytest.raises(ArchiveError):
            unpack_log(data)
    lines = gzip.decompress(packed).splitlines()
    incomplete = [line for n, line in enumerate(lines) if n != 3]
    with pytest.raises(ArchiveError):
        unpack_log(gzip.compress(b"\n".join(incomplete)))


def test_scene_archive_command_archives_lists_and_reads(tmp_path: Path) -> None:
    import asyncio

    async def play() -> None:
        async with open_memory_session(tmp_path) as session:
            await session.play("> Rain upon the yard.")

    asyncio.run(play())
    run = CliRunner()
    home = ["--home", str(tmp_path)]
    result = run.invoke(app, ["archive", *home])
    assert isinstance(result.exception, InputError)
    assert "Nothing is archived yet" in run.invoke(app, ["archive", "--list", *home]).stdout
    assert "Archived 1 scene with 1 turn" in run.invoke(app, ["archive", "a story", *home]).stdout
    assert "A story / The yard  1 turn" in run.invoke(app, ["archive", "--list", *home]).stdout
    assert "1. gm: Rain upon the yard." in run.invoke(app, ["archive", "--read", "the yard", *home]).stdout
    assert (
        '"text":"Rain upon the yard."'
        in run.invoke(app, ["archive", "--read", "the yard", "--json", *home]).stdout
    )
