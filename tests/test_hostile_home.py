"""A home folder from somebody else, full of links: nothing outside it is written, emptied or removed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError
from stores.open import open_stores, open_stores_for_reading

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
