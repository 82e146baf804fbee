"""What the embedded object store does with files: durable, read-only, and found out when they are damaged."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from pathlib import Path

import pytest

from stores.authority import Role
from stores.embedded.object_store import EmbeddedObjectStore, remove_temporary_files
from stores.errors import StoreError, StoreFull

BOOK = b"%PDF-1.7 a book"
KEY = hashlib.sha256(BOOK).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def originals(root: Path) -> EmbeddedObjectStore:
    return EmbeddedObjectStore(root, Role.INGEST)


def file_of(root: Path) -> Path:
    return root / "originals" / KEY[:2] / KEY[2:]


def files_below(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def damage(file: Path, data: bytes) -> None:
    file.chmod(0o600)
    file.write_bytes(data)


def leave_half(file: Path) -> None:
    file.write_bytes(BOOK[:9])


async def test_object_file_is_read_only_under_its_hash(originals: EmbeddedObjectStore, root: Path) -> None:
    await originals.put("originals", BOOK)
    assert files_below(root) == [file_of(root)]
    assert stat.S_IMODE(file_of(root).stat().st_mode) == 0o444


@pytest.mark.parametrize("data", [b"", BOOK[:-1], BOOK + b"!", b"something else"])
async def test_object_file_damaged_is_reported_and_repaired(
    data: bytes, originals: EmbeddedObjectStore, root: Path
) -> None:
    await originals.put("originals", BOOK)
    damage(file_of(root), data)
    with pytest.raises(StoreError, match="is damaged") as told:
        await originals.get("originals", KEY)
    assert "again" in told.value.todo
    await originals.put("originals", BOOK)
    assert await originals.get("originals", KEY) == BOOK


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
async def test_object_put_on_a_full_disk_leaves_nothing(
    number: int, originals: EmbeddedObjectStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreFull):
            await originals.put("originals", BOOK)
    assert files_below(root) == []
    assert await originals.put("originals", BOOK) == KEY


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which file a handle is of")
async def test_object_put_syncs_content_and_name(
    originals: EmbeddedObjectStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order: the bytes, then the name, then the folder that holds the name."""
    steps: list[str] = []
    sync, replace = os.fsync, Path.replace

    def watched_sync(handle: int) -> None:
        steps.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        sync(handle)

    def watched_replace(self: Path, target: Path) -> Path:
        steps.append("renamed")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    await originals.put("originals", BOOK)
    part = next(step for step in steps if step.endswith(".part"))
    assert steps[-3:] == [part, "renamed", KEY[:2]]
    assert {"objects", "originals"} <= set(steps)


async def test_object_leftovers_of_a_crash_are_removed(originals: EmbeddedObjectStore, root: Path) -> None:
    await originals.put("originals", BOOK)
    leave_half(root / ".unfinished" / ".abc.part")
    assert await originals.keys("originals") == [KEY]
    remove_temporary_files(root)
    assert files_below(root) == [file_of(root)]


async def test_object_folder_that_is_unusable_is_reported(tmp_path: Path) -> None:
    leave_half(tmp_path / "objects")
    with pytest.raises(StoreError, match="cannot be used"):
        await EmbeddedObjectStore(tmp_path / "objects", Role.INGEST).put("originals", BOOK)
