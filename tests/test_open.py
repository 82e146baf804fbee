"""Opening a home folder."""

from __future__ import annotations

import asyncio
import re
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stores.authority import Role, Store
from stores.errors import InputError, LibraryInUse, LibraryUnreadable, StoreError
from stores.open import StoreKind, open_stores, open_stores_for_reading, read_store_kinds
from stores.ports import TextItem, VectorItem
from stores.records.play import MoveKind
from tests.campaign import play_campaign
from tests.contract import builders as make
from tests.program import copy_empty_library

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


async def test_home_folder_is_created_private(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "down" / "home"
    stores = await open_stores(home)
    assert mode_of(home) == 0o700
    assert stores.health() == tuple((store.value, "ok") for store in Store)
    await stores.close()
    assert names_in(home) == ["index.db", "library.db", "library.lock"]


async def test_stores_are_usable_after_reopening(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path)
    universe_id = await play_campaign(stores)
    await stores.words(Role.INDEXER).put("turns", [TextItem("a", "bell", {})])
    await stores.vectors(Role.MEMORY_MANAGER).put("memories", [VectorItem("a", [1, 2], {})], model="m")
    await stores.close()
    stores = await open_stores(tmp_path)
    assert [u.id for u in await stores.canon(Role.NARRATOR).universes()] == [universe_id]
    assert await stores.log(Role.NARRATOR).stories(universe_id)
    assert await stores.words(Role.NARRATOR).count("turns") == 1
    assert await stores.vectors(Role.NARRATOR).count("memories", model="m") == 1
    assert len(await stores.objects(Role.NARRATOR).keys("originals")) == 1
    await stores.close()


async def test_stores_use_the_given_clock(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path, clock=lambda: DAY)
    log = stores.log(Role.ORCHESTRATOR)
    story = make.story()
    scene = make.scene(story)
    await log.put_story(story)
    await log.create_scene(scene)
    await log.append_turn(make.turn(scene))
    await log.move_head(scene.id, None, MoveKind.UNDO)
    assert (await log.head_moves(scene.id))[-1].at == DAY
    await stores.close()


async def test_stores_close_twice_without_error(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path)
    await stores.close()
    await stores.close()
    with pytest.raises(StoreError, match="closed"):
        await stores.canon(Role.NARRATOR).universes()


async def test_stores_open_refuses_a_second_process(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path)
    with pytest.raises(LibraryInUse):
        await open_stores(tmp_path)
    await stores.close()
    await (await open_stores(tmp_path)).close()


async def test_home_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "home", b"a letter")
    with pytest.raises(LibraryUnreadable, match="is a file, and a library is a folder") as told:
        await open_stores(tmp_path / "home")
    assert told.value.kept == "It was left as it is."
    assert told.value.todo
    with pytest.raises(LibraryUnreadable, match="cannot be made"):
        await open_stores(tmp_path / "home" / "below")


async def test_home_folder_that_cannot_be_created_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(LibraryUnreadable, match="cannot be made: Permission denied") as told:
        await open_stores(tmp_path / "home")
    assert "who owns" in told.value.todo


async def test_stores_with_a_damaged_index_open_with_a_notice(tmp_path: Path) -> None:
    stores = await open_stores(tmp_path)
    universe_id = await play_campaign(stores)
    await stores.close()
    write(tmp_path / "index.db", b"no database")
    stores = await open_stores(tmp_path)
    health = dict(stores.health())
    assert health["canon"] == health["log"] == health["objects"] == "ok"
    assert "made anew" in health["words"]
    assert health["vectors"] == health["words"]
    assert [u.id for u in await stores.canon(Role.NARRATOR).universes()] == [universe_id]
    await stores.close()


async def test_stores_with_a_damaged_library_release_the_lock(tmp_path: Path) -> None:
    write(tmp_path / "library.db", b"no database at all")
    for _ in range(2):
        with pytest.raises(LibraryUnreadable):
            await open_stores(tmp_path)
    assert "index.db" not in names_in(tmp_path)


async def test_library_with_a_damaged_trigger_is_refused_in_words_by_whatever_only_reads(
    tmp_path: Path,
) -> None:
    await asyncio.to_thread(copy_empty_library, tmp_path)
    library = tmp_path / "library.db"
    # Everywhere: the file may have a trigger a second time, in bytes that SQLite uses no more.
    damaged, count = re.subn(
        rb"(CREATE TRIGGER changes_.*?)VALUES", rb"\1VALQES", library.read_bytes(), flags=re.S
    )
    assert count
    library.write_bytes(damaged)
    for open_home in (open_stores, open_stores_for_reading):
        with pytest.raises(LibraryUnreadable, match=r"library\.db is damaged") as error:
            await open_home(tmp_path)
        assert "monitor restore" in error.value.todo


async def test_stores_with_an_impossible_index_leave_nothing_open(tmp_path: Path) -> None:
    write(tmp_path / "index.db" / "something", b"")
    for _ in range(2):
        with pytest.raises(LibraryUnreadable, match=r"index\.db"):
            await open_stores(tmp_path)


async def test_stores_open_removes_unfinished_objects(tmp_path: Path) -> None:
    write(tmp_path / "objects" / ".unfinished" / ".abc.part", b"half")
    await (await open_stores(tmp_path)).close()
    assert names_in(tmp_path / "objects" / ".unfinished") == []


@pytest.mark.slow
def test_stores_import_is_cheap() -> None:
    code = (
        "import sys, stores.open, stores.archive; print([m for m in ('apsw', 'numpy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_store_kinds_default_to_embedded() -> None:
    assert read_store_kinds({}) == dict.fromkeys(Store, StoreKind.EMBEDDED)
    assert read_store_kinds({"MONITOR_STORES": " Servers "}) == dict.fromkeys(Store, StoreKind.SERVERS)
    mixed = read_store_kinds({"MONITOR_STORES": "servers", "MONITOR_OBJECTS": "embedded", "MONITOR_LOG": ""})
    assert [store for store in Store if mixed[store] is StoreKind.EMBEDDED] == [Store.OBJECTS]
    with pytest.raises(InputError, match="MONITOR_WORDS is 'lucene'") as told:
        read_store_kinds({"MONITOR_WORDS": "lucene"})
    assert told.value.todo == "Set it to embedded or servers, or leave it out."


async def test_store_kinds_on_servers_require_addresses(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="MONITOR_NEO4J_URL") as told:
        await open_stores(tmp_path / "home", kinds=read_store_kinds({"MONITOR_CANON": "servers"}))
    assert told.value.kept == "Nothing was opened."
    assert names_in(tmp_path) == []


_WHAT_CAME = """
import sys
from stores.servers import provisioning, server_stores
print(sorted({"neo4j", "pymongo", "qdrant_client", "opensearchpy", "minio"} & {*sys.modules}))
"""


@pytest.mark.slow
def test_server_drivers_are_imported_when_used() -> None:
    done = subprocess.run([sys.executable, "-c", _WHAT_CAME], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_server_driver_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import stores.servers.server_stores as ways

    monkeypatch.setattr(ways, "find_spec", lambda name: None if name == "neo4j" else object())
    kinds = read_store_kinds({"MONITOR_CANON": "servers"})
    with pytest.raises(InputError, match="not installed here: neo4j") as refused:
        await open_stores(tmp_path / "home", kinds=kinds)
    assert "monitor-tui[servers]" in refused.value.todo
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    "remains", ["index.db", "library.db-wal", "objects/originals/ab/cd", "backups/a.backup.zip"]
)
@pytest.mark.parametrize("library", ["gone", "empty"])
async def test_library_that_vanished_is_missed_and_not_made_anew(
    library: str, remains: str, tmp_path: Path
) -> None:
    """A new one would be backed up daily, until the last backup with the campaign was rotated away."""
    (tmp_path / remains).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / remains).write_bytes(b"something")
    if library == "empty":
        (tmp_path / "library.db").touch()
    before = names_in(tmp_path)
    with pytest.raises(LibraryUnreadable, match=library) as refusal:
        await open_stores(tmp_path)
    assert "monitor restore" in refusal.value.todo
    assert names_in(tmp_path) == before
