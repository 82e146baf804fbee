"""A home folder from somebody else, full of links: nothing outside it is written, emptied or removed."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from monitor_tui.interface_memory import InterfaceMemory
from monitor_tui.settings import read_settings
from monitor_tui.user_files import UserFiles
from stores.authority import Role
from stores.doctor import DoctorFinding
from stores.draft_file import Draft, DraftFile
from stores.errors import InputError, LibraryUnreadable, StoreError
from stores.open import Stores, open_stores, open_stores_for_reading
from tests.program import copy_empty_library

T = TypeVar("T")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


async def test_home_whose_lock_is_a_link_leaves_the_linked_file_as_it_is(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("three years of work")
    home = tmp_path / "home"
    home.mkdir()
    (home / "library.lock").symlink_to(thesis)
    with pytest.raises(LibraryUnreadable, match=r"library\.lock"):
        await open_stores(home)
    assert thesis.read_text() == "three years of work"


async def test_home_whose_unfinished_folder_is_a_link_loses_no_file_behind_it(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name in ("thesis.txt", ".notes.part"):
        (documents / name).write_text("three years of work")
    objects = tmp_path / "home" / "objects"
    objects.mkdir(parents=True)
    (objects / ".unfinished").symlink_to(documents)
    with pytest.raises(StoreError, match="is a link to another folder") as refusal:
        await open_stores(tmp_path / "home")
    assert refusal.value.kept == "Nothing was written or removed."
    assert sorted(file.name for file in documents.iterdir()) == [".notes.part", "thesis.txt"]


async def test_home_whose_object_collection_is_a_link_gets_no_object_written_behind_it(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    objects = tmp_path / "home" / "objects"
    objects.mkdir(parents=True)
    (objects / "originals").symlink_to(elsewhere)
    stores = await open_stores(tmp_path / "home")
    try:
        with pytest.raises(StoreError, match="is a link to another folder"):
            await stores.objects(Role.INGEST).put("originals", b"a rulebook")
    finally:
        await stores.close()
    assert list(elsewhere.iterdir()) == []


async def test_home_on_a_linked_disk_still_takes_objects(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "objects").symlink_to(disk)
    stores = await open_stores(tmp_path / "home")
    try:
        key = await stores.objects(Role.INGEST).put("originals", b"a rulebook")
        assert await stores.objects(Role.INGEST).get("originals", key) == b"a rulebook"
    finally:
        await stores.close()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
async def test_home_whose_name_is_not_utf8_is_refused_in_words(tmp_path: Path) -> None:
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/h\xff"))
    with pytest.raises(LibraryUnreadable, match="has a name that is not text in UTF-8") as error:
        await open_stores_for_reading(home)
    assert str(error.value).isascii()
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def in_time(awaitable: Awaitable[T]) -> T:
    return await asyncio.wait_for(awaitable, 60)


@pytest.mark.parametrize("name", ["library.lock", "library.db", "library.db-wal", "library.db-shm"])
async def test_home_with_a_pipe_for_a_library_file_is_refused_and_never_waited_for(
    tmp_path: Path, name: str
) -> None:
    await asyncio.to_thread(copy_empty_library, tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(StoreError, match=r"it is not a file|library\.db is empty"):
        await in_time(open_stores(tmp_path))
    if name == "library.lock":  # the library itself can be read
        await (await in_time(open_stores_for_reading(tmp_path))).stores.close()
    else:
        with pytest.raises(StoreError, match=r"it is not a file|library\.db is empty"):
            await in_time(open_stores_for_reading(tmp_path))


async def test_home_with_a_pipe_for_its_index_gets_a_new_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "index.db")
    await (await in_time(open_stores(tmp_path))).close()
    assert (tmp_path / "index.db").is_file()


async def test_home_with_pipes_for_small_files_is_read_without_them(tmp_path: Path) -> None:
    small_files = (
        "settings.toml",
        "interface.json",
        "drafts.json",
        "systems/x.yaml",
        "tables/x.yaml",
        "prompts/x.yaml",
    )
    for name in small_files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="it is not a file"):
        await in_time(asyncio.to_thread(read_settings, tmp_path))
    assert (await in_time(asyncio.to_thread(InterfaceMemory, tmp_path))).theme == ""
    assert await in_time(DraftFile(tmp_path / "drafts.json").read("story")) == Draft()
    notes = await in_time(asyncio.to_thread(UserFiles(tmp_path).read_notes, tuple))
    assert [re.findall(r"x\.yaml|table 'x'", note)[0] for note in notes] == ["x.yaml", "table 'x'", "x.yaml"]


async def test_home_with_pipes_for_objects_is_read_and_checked(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path)
    try:
        key = await stores.objects(Role.INGEST).put("originals", b"a rulebook")
        original = tmp_path / "objects" / "originals" / key[:2] / key[2:]
        original.unlink()
        os.mkfifo(original)
        with pytest.raises(StoreError, match="is damaged"):
            await in_time(stores.objects(Role.CONTEXT_ASSEMBLY).get("originals", key))
        findings = await in_time(list_findings(stores))
        assert [f.says for f in findings if f.state == "bad"] == [f"1 of 1 are damaged: originals/{key}"]
    finally:
        await stores.close()


async def list_findings(stores: Stores) -> list[DoctorFinding]:
    return [finding async for finding in stores.doctor.findings()]
