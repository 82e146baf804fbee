"""Reading a library that cannot be opened: beside a running MONITOR, on a read-only disk, on a full one."""

# ruff: noqa: ASYNC221, ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import shutil
import subprocess
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from stores.errors import LibraryInUse, LibraryUnreadable, StoreError
from stores.open import open_stores, open_stores_for_reading
from tests.libraries import Told, everything, fill, library
from tests.test_worked_examples import monitor

pytestmark = pytest.mark.slow


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Path]:
    """A home with two campaigns that another program has open, with turns in the write-ahead log."""
    async with library(tmp_path / "home") as stores:
        await fill(stores)
        yield tmp_path / "home"


async def read_everything(home: Path) -> tuple[Told, str]:
    stores, problem = await open_stores_for_reading(home)
    try:
        return await everything(stores), problem.what if problem else ""
    finally:
        await stores.close()


async def test_snapshot_beside_a_running_program_has_everything(home: Path) -> None:
    told, problem = await read_everything(home)
    assert "has this library open" in problem
    with pytest.raises(LibraryInUse):
        await open_stores(home)
    assert [len(records["turns"]) for records in told.values() if "turns" in records] == [6, 6]


async def test_snapshot_is_of_one_moment_and_leaves_no_file(home: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.suffix != ".db-shm"}
    await read_everything(home)
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.suffix != ".db-shm"} == before


async def test_command_exports_and_backs_up_beside_a_running_program(home: Path, tmp_path: Path) -> None:
    def run() -> str:
        done = monitor(home, "export", "The Other Coast", "--to", str(tmp_path / "coast.zip"))
        return done.stderr + monitor(home, "backup", "--to", str(tmp_path / "b")).stderr

    lines = await asyncio.to_thread(run)
    assert "read from a copy of it as it is now" in lines
    assert zipfile.is_zipfile(tmp_path / "coast.zip")
    assert len(list((tmp_path / "b").glob("*.backup.zip"))) == 1
    assert "whole" in monitor(home, "verify", str(tmp_path / "b")).stdout


async def test_snapshot_of_a_library_whose_lock_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with library(home) as stores:
        await fill(stores)
    (home / "library.lock").unlink()
    (home / "library.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LibraryUnreadable):
        await open_stores(home)
    _, problem = await read_everything(home)
    assert "library.lock cannot be opened for writing" in problem
    assert not (tmp_path / "elsewhere").exists()


async def test_snapshot_never_lacks_the_newest_writes(home: Path) -> None:
    (home / "library.db-wal").rename(home / "log")
    try:
        with pytest.raises(LibraryInUse):
            await read_everything(home)
    finally:
        (home / "log").rename(home / "library.db-wal")


async def test_snapshot_of_no_library_is_refused_with_the_first_problem(tmp_path: Path) -> None:
    (tmp_path / "library.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match=r"library\.lock cannot be opened"):
        await open_stores_for_reading(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize("kind", ["full", "read-only"])
async def test_command_reads_and_backs_up_a_library_on_a_disk_that(
    kind: str, small_disk: Path, tmp_path: Path
) -> None:
    home = small_disk / "home"
    async with library(home) as stores:
        await fill(stores)
    (home / "index.db").unlink()
    if kind == "full":
        with pytest.raises(OSError, match="No space"):
            (small_disk / "fill").write_bytes(bytes(8_000_000))
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)

    backup = monitor(home, "backup", "--to", str(tmp_path / "b"))
    expected = "The disk is full" if kind == "full" else "cannot be opened for writing: Read-only file system"
    assert expected in backup.stderr
    assert "read from a copy of it as it is now" in backup.stderr
    assert "whole" in monitor(home, "verify", str(tmp_path / "b")).stdout
    assert "well" in monitor(home, "doctor", "--json").stdout
    monitor(home, "export", "The Other Coast", "--to", str(tmp_path / "coast.zip"))
    assert zipfile.is_zipfile(tmp_path / "coast.zip")
