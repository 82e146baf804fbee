"""Backups: what is written is whole, read back and kept; what is damaged is found; nothing half done stays."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import json
import random
import stat
import tempfile
import threading
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.backup import file_format as backup_file
from stores.backup.file_format import BackedUpUniverse, BackupManifest
from stores.backup.folder import StoredBackup, choose_surplus, derive_library_id, is_backup_due, list_backups
from stores.backup.restoring import verify_backup
from stores.backup.writing import WrittenBackup, write_backup
from stores.embedded.permissions import allow_all_writes
from stores.errors import ArchiveError, InputError, LibraryUnreadable, StoreError, StoreFull
from stores.history import RECORD_COLLECTIONS
from stores.open import Stores
from stores.records.ids import Id, derive_id
from tests.campaign import LEDGER
from tests.examples import examples, first_few
from tests.libraries import fill, library, no_room_beyond, objects

DAY = datetime(2026, 5, 1, 12, tzinfo=UTC)
OURS, OTHERS = derive_id("library", "ours"), derive_id("library", "others")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "here") as stores:
        await fill(stores)
        yield stores


@pytest.fixture
async def backup(here: Stores, tmp_path: Path) -> Path:
    return (await backed_up(here, tmp_path / "backups")).path


async def backed_up(stores: Stores, folder: Path, at: datetime = DAY, keep: int = 10) -> WrittenBackup:
    return await write_backup(stores, folder, library_id=OURS, keep=keep, clock=lambda: at)


def files_in(folder: Path) -> list[str]:
    """What stands in the folder, half-written files in folders of it too."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def remove_statement(home: Path, universe_id: Id) -> None:
    """Make the first fact of the universe one that no program can read."""
    connection = apsw.Connection(str(home / "library.db"))
    allow_all_writes(connection)
    connection.execute(
        """UPDATE canon_facts SET body = json_remove(body, '$.statement')
           WHERE made = (SELECT min(made) FROM canon_facts WHERE universe_id = ?)""",
        (universe_id,),
    )
    connection.close()


# --- writing ----------------------------------------------------------------------------------------


async def test_backup_has_everything_and_is_private(here: Stores, tmp_path: Path) -> None:
    done = await backed_up(here, tmp_path / "deep" / "backups")
    manifest = verify_backup(done.path)
    assert manifest == done.manifest
    assert [universe.name for universe in manifest.universes] == ["The Salt Coast", "The Other Coast"]
    assert all(
        list(universe.counts) and set(universe.counts) == set(RECORD_COLLECTIONS)
        for universe in manifest.universes
    )
    assert all(all(universe.counts.values()) for universe in manifest.universes)
    assert (manifest.moves, manifest.one_moment, manifest.missing) == (2, True, ())
    with zipfile.ZipFile(done.path) as opened:
        kept = {name for name in opened.namelist() if name.startswith("objects/")}
    held = await objects(here)
    assert kept == {f"objects/{collection}/{key}" for collection, keys in held.items() for key in keys}
    assert len(kept) == 2
    assert done.size == done.path.stat().st_size
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(done.path.parent.stat().st_mode) == 0o700
    assert done.path.name == f"monitor-2026-05-01T12-00-00Z-{OURS[:8]}.backup.zip"


async def test_backup_twice_in_one_second_makes_two_files(here: Stores, tmp_path: Path) -> None:
    first, second = [await backed_up(here, tmp_path / "b") for _ in range(2)]
    assert first.path != second.path
    assert verify_backup(first.path) == verify_backup(second.path)
    assert files_in(tmp_path / "b") == sorted((first.path.name, second.path.name))


async def test_backup_of_an_empty_library_is_refused(tmp_path: Path) -> None:
    async with library(tmp_path / "empty") as stores:
        with pytest.raises(InputError, match="nothing in this library to back up"):
            await backed_up(stores, tmp_path / "b")
    assert files_in(tmp_path / "b") == []


async def test_backup_with_a_lost_original_has_the_rest(here: Stores, tmp_path: Path) -> None:
    (lost,) = (tmp_path / "here" / "objects" / "originals").glob("??/*")
    lost.unlink()
    (damaged,) = (tmp_path / "here" / "objects" / "archives").glob("??/*")
    damaged.chmod(0o600)
    damaged.write_bytes(b"?" + LEDGER)
    done = await backed_up(here, tmp_path / "b")
    assert done.manifest.missing == (f"archives/{damaged.parent.name}{damaged.name}",)
    with pytest.raises(ArchiveError, match="An original or archive that its records name is not in it"):
        verify_backup(done.path)


async def test_backup_leaves_out_a_universe_with_a_damaged_record(tmp_path: Path) -> None:
    async with library(tmp_path / "home") as stores:
        damaged_id, whole_id = await fill(stores)
    remove_statement(tmp_path / "home", damaged_id)
    async with library(tmp_path / "home") as stores:
        written = await backed_up(stores, tmp_path / "b")
    assert [universe.id for universe in written.manifest.universes] == [whole_id]
    (left_out,) = written.left_out
    assert left_out.problem.startswith("The fact ")
    assert verify_backup(written.path).universes == written.manifest.universes


async def test_backup_without_a_readable_universe_is_refused(tmp_path: Path) -> None:
    async with library(tmp_path / "home") as stores:
        ids = await fill(stores)
    for universe_id in ids:
        remove_statement(tmp_path / "home", universe_id)
    async with library(tmp_path / "home") as stores:
        with pytest.raises(LibraryUnreadable, match="No universe can be read whole: The fact "):
            await backed_up(stores, tmp_path / "b")
    assert files_in(tmp_path / "b") == []


@pytest.mark.parametrize("room", [0.0, 0.05, 0.6, 0.95])
async def test_backup_on_a_full_disk_keeps_older_backups(room: float, here: Stores, tmp_path: Path) -> None:
    done = await backed_up(here, tmp_path / "b")
    with no_room_beyond(int(done.size * room)), pytest.raises(StoreFull) as told:
        await backed_up(here, tmp_path / "b", DAY + timedelta(days=1))
    assert "no backup was written" in told.value.what
    assert "older backups too" in told.value.kept
    assert files_in(tmp_path / "b") == [done.path.name]
    assert verify_backup(done.path) == done.manifest
    assert len({(await backed_up(here, tmp_path / "b")).path, done.path}) == 2


async def test_backup_to_a_read_only_folder_is_refused(here: Stores, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a letter")
    with pytest.raises(ArchiveError, match="cannot be written to") as told:
        await backed_up(here, tmp_path / "file")
    assert told.value.todo == "Choose another folder for backups."


async def test_backup_that_is_cancelled_leaves_nothing(here: Stores, tmp_path: Path) -> None:
    """At every record in turn: while it is read, while it is read back, before it gets its name."""
    full = Steps(stop_at=0)
    await write_backup(here, tmp_path / "full", library_id=OURS, on_record=full)
    for stop_at in (*random.Random(7).sample(range(1, full.taken), 12), full.taken):
        steps = Steps(stop_at)
        task = asyncio.create_task(write_backup(here, tmp_path / "b", library_id=OURS, on_record=steps))
        await asyncio.to_thread(steps.reached.wait)
        task.cancel()
        await asyncio.sleep(0)
        steps.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert files_in(tmp_path / "b") == []
    assert verify_backup((await backed_up(here, tmp_path / "b")).path)


class Steps:
    """Counts the breaths of a backup, and holds it at one of them."""

    def __init__(self, stop_at: int) -> None:
        self.taken = 0
        self.reached, self.go_on = threading.Event(), threading.Event()
        self._stop_at = stop_at

    def __call__(self) -> None:
        self.taken += 1
        if self.taken == self._stop_at:
            self.reached.set()
            assert self.go_on.wait(30)


async def test_backup_ends_when_its_callback_raises(here: Stores, tmp_path: Path) -> None:
    def out_of_breath() -> None:
        raise StoreError("Enough.")

    with pytest.raises(StoreError, match="Enough"):
        await write_backup(here, tmp_path / "b", library_id=OURS, on_record=out_of_breath)
    assert files_in(tmp_path / "b") == []


async def test_backup_during_play_is_of_one_moment(here: Stores, tmp_path: Path) -> None:
    from tests.campaign import play_campaign

    steps = Steps(stop_at=10)
    task = asyncio.create_task(write_backup(here, tmp_path / "b", library_id=OURS, on_record=steps))
    await asyncio.to_thread(steps.reached.wait)
    await play_campaign(here, name="Begun meanwhile")
    steps.go_on.set()
    done = await task
    assert [u.name for u in done.manifest.universes] == ["The Salt Coast", "The Other Coast"]
    assert verify_backup(done.path) == done.manifest


async def test_backup_removes_leftovers_of_a_crash(here: Stores, tmp_path: Path) -> None:
    ours, theirs = (tmp_path / "b" / f".unfinished-{of[:8]}" / ".x.part" for of in (OURS, OTHERS))
    for left in (ours, theirs):
        left.parent.mkdir(parents=True)
        left.write_bytes(b"half")
    await backed_up(here, tmp_path / "b")
    assert not ours.exists()
    assert theirs.exists(), "another library may be writing it now"


# --- verifying --------------------------------------------------------------------------------------


async def test_backup_with_a_flipped_byte_in_a_member_is_damaged(backup: Path) -> None:
    sound = backup.read_bytes()
    with zipfile.ZipFile(backup) as opened:
        places = [
            (i.filename, i.header_offset + 30 + len(i.filename), i.compress_size) for i in opened.infolist()
        ]
    assert len(places) > 2 * len(RECORD_COLLECTIONS)
    for name, start, size in places:
        backup.write_bytes(flipped(sound, start + size // 2))
        with pytest.raises(ArchiveError, match="This backup cannot be used"):
            verify_backup(backup)
        assert size > 0, name
    backup.write_bytes(sound)
    verify_backup(backup)


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.floats(0, 1, exclude_max=True))
def test_backup_with_any_flipped_byte_is_damaged(backup: Path, place: float) -> None:
    """In headers that no reader looks at, too."""
    sound = backup.read_bytes()
    try:
        backup.write_bytes(flipped(sound, int(len(sound) * place)))
        with pytest.raises(ArchiveError):
            verify_backup(backup)
    finally:
        backup.write_bytes(sound)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99, 0.9999])
async def test_backup_that_is_truncated_is_damaged(part: float, backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[: int(backup.stat().st_size * part)])
    with pytest.raises(ArchiveError, match="This backup cannot be used") as told:
        verify_backup(backup)
    assert told.value.kept == "Nothing was changed."
    assert "monitor verify" in told.value.todo


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :]


async def test_backup_verify_refuses_other_files(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify_backup(tmp_path / "nowhere.backup.zip")
    with zipfile.ZipFile(tmp_path / "holiday.zip", "w") as other:
        other.writestr("holiday.jpg", b"x")
    with pytest.raises(ArchiveError, match="not a backup of a library: it has no manifest"):
        verify_backup(tmp_path / "holiday.zip")


Spoil = Callable[[dict[str, bytes], dict[str, Any]], Any]
HOSTILE: dict[str, tuple[str, Spoil]] = {
    "a path out of it": ("no backup has", lambda members, _: members.update({"../../evil": b"x"})),
    "a universe that is a path": (
        "no backup has",
        lambda members, _: members.update({"universes/../turns.jsonl": b"x"}),
    ),
    "a member too many": (
        "not hold what its manifest",
        lambda members, _: members.update({f"universes/{OURS}/turns.jsonl": b""}),
    ),
    "a member too few": (
        "not hold what its manifest",
        lambda members, _: members.pop(next(name for name in members if name.endswith("/facts.jsonl"))),
    ),
    "other records than vouched for": (
        "not what the manifest vouches for",
        lambda members, _: members.update(
            {next(name for name in members if name.endswith("/facts.jsonl")): b"{}\n"}
        ),
    ),
    "the same universe twice": (
        "not hold what its manifest",
        lambda _, manifest: manifest["universes"].append(manifest["universes"][0]),
    ),
    "a newer format": ("newer MONITOR wrote this backup", lambda _, manifest: manifest.update(format=3)),
    "another kind": ("not a backup", lambda _, manifest: manifest.update(kind="monitor-campaign")),
    "no valid manifest": ("manifest is not valid", lambda _, manifest: manifest.update(made_at="yesterday")),
}


@pytest.mark.parametrize("case", first_few(HOSTILE))
async def test_backup_verify_refuses_hostile_files(
    case: str, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, spoil = HOSTILE[case]
    with zipfile.ZipFile(backup) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    spoil(members, manifest)
    forge(backup, members, manifest)
    with pytest.raises(ArchiveError, match=words):
        verify_backup(backup)


async def test_backup_verify_refuses_a_zip_bomb(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_file, "BACKUP_FORMAT", replace(backup_file.BACKUP_FORMAT, max_bytes=1_000))
    with pytest.raises(ArchiveError, match="would unpack to"):
        verify_backup(backup)


def forge(path: Path, members: dict[str, bytes], manifest: object) -> None:
    """Write it as one would who knows the format."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in {**members, "manifest.json": json.dumps(manifest).encode()}.items():
            new.writestr(name, data)
        new.comment = b"0" * 64
    with path.open("r+b") as file:
        backup_file.write_checksum(file)


# --- the shelf --------------------------------------------------------------------------------------


def stands(folder: Path, at: datetime, of: str = OURS) -> Path:
    """A backup that says it was made then, with nothing in it."""
    path = folder / f"monitor-{at:%Y-%m-%dT%H-%M-%SZ}-{of[:8]}.backup.zip"
    manifest = BackupManifest(
        program="test", made_at=at, library=of, one_moment=True, universes=(), moves=0, members={}
    )
    forge(path, {}, manifest.model_dump(mode="json"))
    return path


async def test_backup_rotation_keeps_the_newest_and_one_a_month(here: Stores, tmp_path: Path) -> None:
    months = [stands(tmp_path, DAY - timedelta(days=30 * n)) for n in range(15)]
    days = [stands(tmp_path, DAY - timedelta(days=n, hours=1)) for n in range(8)]
    done = await backed_up(here, tmp_path, DAY + timedelta(hours=1), keep=5)
    # The new one, the noon of this day, and three days; April to the June before last have one each.
    newest = sorted((*months, *days), reverse=True)[:4]
    kept = {done.path, *newest}
    assert kept <= set(tmp_path.glob("*.zip"))
    assert set(done.removed_paths) == {*months, *days} - set(tmp_path.glob("*.zip"))
    of_months = {path.name[8:15] for path in tmp_path.glob("*.zip")}
    assert len(of_months) == 12
    assert len(list(tmp_path.glob("*.zip"))) <= 5 + 12


async def test_backup_rotation_never_removes_other_files(here: Stores, tmp_path: Path) -> None:
    old = DAY - timedelta(days=900)
    another_library = stands(tmp_path, old, of=OTHERS)
    renamed = stands(tmp_path, old).rename(tmp_path / "my precious.backup.zip")
    damaged = stands(tmp_path, old)
    damaged.write_bytes(damaged.read_bytes()[:-100])
    link = tmp_path / another_library.name.replace(OTHERS[:8], OURS[:8]).replace("T12", "T13")
    link.symlink_to(another_library)
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader")
    for n in range(3):
        await backed_up(here, tmp_path, DAY + timedelta(minutes=n), keep=1)
    left = {another_library, renamed, damaged, link, letter}
    assert left <= set(tmp_path.iterdir())
    assert len(list_backups(tmp_path, OURS)) == 1


async def test_backup_rotation_keeps_the_new_backup_after_a_wrong_clock(here: Stores, tmp_path: Path) -> None:
    future = [stands(tmp_path, DAY + timedelta(days=300 + n)) for n in range(3)]
    done = await backed_up(here, tmp_path, DAY, keep=1)
    assert done.path.exists()
    assert not all(path.exists() for path in future)


@given(
    days=st.lists(st.floats(0, 2_000), max_size=60, unique=True),
    keep=st.integers(0, 12),
    written=st.integers(0, 59),
)
def test_backup_rotation_rule(days: list[float], keep: int, written: int) -> None:
    made = sorted((DAY - timedelta(days=day) for day in (*days, 0.5)), reverse=True)
    shelf = [StoredBackup(Path(f"{n}"), _said(at)) for n, at in enumerate(made)]
    just_written = shelf[min(written, len(shelf) - 1)].path
    gone = set(choose_surplus(shelf, keep, just_written))
    kept = [one for one in shelf if one.path not in gone]
    assert just_written not in gone
    assert shelf[: max(1, keep)] == kept[: max(1, keep)]
    assert len(kept) <= 2 * max(1, keep) + 12 + 1
    # Giving up again gives up nothing more, and every month of the last twelve keeps one.
    assert choose_surplus(kept, keep, just_written) == []
    now = next(one.manifest.made_at for one in shelf if one.path == just_written)
    months = list(dict.fromkeys((at.year, at.month) for at in made if at <= now))
    assert {(k.manifest.made_at.year, k.manifest.made_at.month) for k in kept} >= set(months[:12])


def _said(at: datetime, *universes: BackedUpUniverse) -> BackupManifest:
    return BackupManifest(
        program="test", made_at=at, library=OURS, one_moment=True, universes=universes, moves=0, members={}
    )


def test_backup_rotation_keeps_the_last_backup_of_a_universe_that_later_ones_lack() -> None:
    campaign = BackedUpUniverse(id="campaign", name="The Salt Coast", counts={"turns": 3_000})
    emptied = campaign.model_copy(update={"counts": {"turns": 0}})
    new = BackedUpUniverse(id="new", name="New", counts={"turns": 1})
    shelf = [StoredBackup(Path(f"day {n}"), _said(DAY - timedelta(days=n), new)) for n in range(20)]
    shelf += [StoredBackup(Path("emptied"), _said(DAY - timedelta(days=20), emptied))]
    shelf += [StoredBackup(Path("whole"), _said(DAY - timedelta(days=21), campaign))]
    shelf += [StoredBackup(Path("older"), _said(DAY - timedelta(days=22), campaign))]
    gone = choose_surplus(shelf, 2, shelf[0].path)
    assert Path("whole") not in gone
    assert Path("older") in gone


def test_backup_rotation_leaves_backups_from_the_future_out_of_the_count() -> None:
    future = [StoredBackup(Path(f"2030-{n}"), _said(DAY + timedelta(days=1_400 - n))) for n in range(11)]
    true_ones = [StoredBackup(Path(f"day {n}"), _said(DAY - timedelta(days=n))) for n in range(4)]
    assert choose_surplus([*future, *true_ones], 10, true_ones[0].path) == [Path("2030-10")]


def test_backup_is_due_a_day_after_the_last(tmp_path: Path) -> None:
    assert is_backup_due(tmp_path / "nowhere", OURS, DAY)
    stands(tmp_path, DAY)
    stands(tmp_path, DAY - timedelta(days=3))
    assert not is_backup_due(tmp_path, OURS, DAY + timedelta(hours=23))
    assert is_backup_due(tmp_path, OURS, DAY + timedelta(hours=24))
    assert is_backup_due(tmp_path, OTHERS, DAY)
    assert is_backup_due(tmp_path, OURS, DAY - timedelta(hours=1)), "the clock was wrong when it was made"


def test_backup_library_id_depends_on_the_home_folder() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (Path(folder) / "link").symlink_to(home)
        assert (
            derive_library_id(home)
            == derive_library_id(Path(folder) / "link")
            != derive_library_id(Path(folder))
        )
