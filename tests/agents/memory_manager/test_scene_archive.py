"""A scene's log put away in the object store and read back: whole, checked, and made again when it moves."""

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
from stores.records.ids import Clock
from stores.records.play import MoveKind
from tests.agents.memory_manager.memory_play import Remembering, remembering
from tests.program import START


@pytest.fixture
async def played(tmp_path: Path) -> AsyncIterator[Remembering]:
    async with remembering(tmp_path) as found:
        await found.play(
            "> Rain.", "I climb. /check 2d6+1 vs 7", "/note a slip", "> Wind.", "/undo", "> Snow “Ω”."
        )
        yield found


def at(days: float = 0) -> Clock:
    return lambda: START + timedelta(days=days)


def archive(played: Remembering, days: float = 0) -> SceneArchive:
    stores = played.program.stores
    return SceneArchive(stores.log(Role.ARCHIVIST), stores.objects(Role.ARCHIVIST), at(days))


async def test_scene_archive_reads_back_equal_log(played: Remembering) -> None:
    held = await archive(played).archive_scene(played.scene_id)
    kept = await archive(played).read_archived(played.scene_id)
    assert kept == await read_scene_log(played.log, played.scene_id)
    assert {t.text for t in kept.turns} >= {"Rain.", "Wind.", "Snow “Ω”."}
    assert MoveKind.UNDO in {m.kind for m in kept.head_moves}
    assert kept.resolutions
    assert (held.turns, held.head) == (len(kept.turns), kept.scene.head)
    # Nothing was taken out of the log.
    assert len(await played.log.all_turns(played.scene_id)) == held.turns


async def test_scene_archive_stores_same_log_once(played: Remembering) -> None:
    one = await archive(played).archive_scene(played.scene_id)
    assert await archive(played, days=1).archive_scene(played.scene_id) == one
    assert len(await played.program.stores.objects(None).keys(ARCHIVE_BUCKET)) == 1


async def test_scene_archive_is_renewed_after_more_play(played: Remembering) -> None:
    one = await archive(played).archive_scene(played.scene_id)
    await played.play("> The tide turns.")
    two = await archive(played).archive_scene(played.scene_id)
    assert (two.id, two.turns) == (one.id, one.turns + 1)
    assert (await archive(played).read_archived(played.scene_id)).turns[-1].text == "The tide turns."
    assert len(await played.log.archived_logs()) == 1


def found(home: Path, key: str) -> list[Path]:
    return [p for p in home.rglob("*") if p.is_file() and p.name.endswith(key[4:])]


async def test_scene_archive_is_renewed_if_lost_or_damaged(played: Remembering, tmp_path: Path) -> None:
    one = await archive(played).archive_scene(played.scene_id)
    (file,) = found(tmp_path, one.object_key)
    whole = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(b"damaged")
    assert await archive(played, days=1).archive_scene(played.scene_id)
    assert file.read_bytes() == whole
    file.unlink()
    assert await archive(played, days=2).archive_scene(played.scene_id)
    assert file.read_bytes() == whole


async def test_scene_archive_worker_archives_old_scenes(played: Remembering) -> None:
    stores = played.program.stores
    log = stores.log(Role.ARCHIVIST)

    def worker(days: float) -> ArchiveWorker:
        return ArchiveWorker(log, archive(played, days), at(days))

    assert await worker(0).subjects() == []
    await played.play("> Fog.")
    old = worker(ARCHIVE_AFTER.days + 1)
    (subject,) = await old.subjects()
    assert subject.id == played.scene_id
    assert await old.reconcile(subject.id) == 0
    assert await old.subjects() == []
    assert [s.id for s in await old.on_event(HeadMoved(played.scene_id))] == [played.scene_id]
    await played.play("> More fog.")
    assert [s.id for s in await worker(0).subjects()] == [played.scene_id]


async def test_scene_archive_worker_retries_while_store_is_down(played: Remembering) -> None:
    class Down:
        async def put(self, collection: str, data: bytes) -> str:
            raise StoreUnavailable("The object store does not answer.")

    stores = played.program.stores
    away = SceneArchive(stores.log(Role.ARCHIVIST), Down(), at())  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable):
        await ArchiveWorker(stores.log(Role.ARCHIVIST), away, at()).reconcile(played.scene_id)
    assert await played.log.archived_logs() == []


async def test_scene_archive_rejects_missing_and_foreign_data(played: Remembering) -> None:
    with pytest.raises(NotFound):
        await archive(played).read_archived(played.scene_id)
    whole = pack_log(await read_scene_log(played.log, played.scene_id))
    for data in (
        b"",
        b"nonsense",
        whole[:-20],
        gzip.compress(b'{"format": "other"}'),
        gzip.compress(b"[1]\n[2]"),
    ):
        with pytest.raises(ArchiveError):
            unpack_log(data)
    lines = gzip.decompress(whole).splitlines()
    short = [line for n, line in enumerate(lines) if n != 3]
    with pytest.raises(ArchiveError):
        unpack_log(gzip.compress(b"\n".join(short)))


def test_scene_archive_command_archives_lists_and_reads(tmp_path: Path) -> None:
    import asyncio

    async def play() -> None:
        async with remembering(tmp_path) as played:
            await played.play("> Rain upon the yard.")

    asyncio.run(play())
    run = CliRunner()
    home = ["--home", str(tmp_path)]
    refused = run.invoke(app, ["archive", *home])
    assert isinstance(refused.exception, InputError)
    assert "Nothing is archived yet" in run.invoke(app, ["archive", "--list", *home]).stdout
    assert "Archived 1 scene with 1 turn" in run.invoke(app, ["archive", "a story", *home]).stdout
    assert "A story / The yard  1 turn" in run.invoke(app, ["archive", "--list", *home]).stdout
    assert "1. gm: Rain upon the yard." in run.invoke(app, ["archive", "--read", "the yard", *home]).stdout
    assert (
        '"text":"Rain upon the yard."'
        in run.invoke(app, ["archive", "--read", "the yard", "--json", *home]).stdout
    )
