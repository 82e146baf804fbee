"""The restore drill: everything comes back as it was, beside what is there, or not at all."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import re
import tempfile
import threading
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stores.authority import Role
from stores.backup.campaign_copy import CampaignCopier, IdDerivation, find_ids
from stores.backup.derived_ids import find_derivations
from stores.backup.file_format import BackupReader
from stores.backup.restoring import RestoredUniverse, restore_backup
from stores.backup.writing import write_backup
from stores.errors import ArchiveError, InputError, StoreError, StoreFull
from stores.open import Stores
from stores.queries import ProposalQuery
from stores.records.ids import Id, derive_id
from stores.records.memory import Memory, Summary
from stores.records.play import Turn
from stores.records.workflow import ProposalStatus
from stores.records.world import Universe
from tests.campaign import play_campaign
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import Told, everything, fill, in_words, library, no_room_beyond, objects, session_of

DAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "here") as stores:
        await fill(stores)
        yield stores


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "there") as stores:
        yield stores


@pytest.fixture
async def backup(here: Stores, tmp_path: Path) -> Path:
    return (await write_backup(here, tmp_path / "backups", library_id="")).path


async def restored(stores: Stores, path: Path, only: str | None = None) -> list[RestoredUniverse]:
    return await restore_backup(stores, path, only_universe=only, clock=lambda: DAY)


# --- into a new library -----------------------------------------------------------------------------


async def test_restore_returns_everything(here: Stores, there: Stores, backup: Path, tmp_path: Path) -> None:
    """Every record in its order, the session as it was left, every object: and a backup of it is the same."""
    back = await restored(there, backup)
    assert [(one.name, one.is_copy) for one in back] == [
        ("The Salt Coast", False),
        ("The Other Coast", False),
    ]
    assert await everything(there) == await everything(here)
    assert len(session_of(await everything(there))) == 2
    assert await objects(there) == await objects(here)
    again = (await write_backup(there, tmp_path / "again", library_id="")).manifest
    assert again.members == (await write_backup(here, tmp_path / "again", library_id="")).manifest.members


async def test_restore_of_one_universe(here: Stores, there: Stores, backup: Path) -> None:
    (back,) = await restored(there, backup, only="the other coast")
    told, before = await everything(there), await everything(here)
    assert [u for u in told if u] == [back.universe_id]
    assert told[back.universe_id] == before[back.universe_id]
    assert session_of(told) == [], "the session was left in another universe"
    assert await objects(there) == await objects(here), "it names both"
    (by_id,) = await restored(there, backup, only=next(u for u in before if u != back.universe_id))
    assert by_id.name == "The Salt Coast"


async def test_restore_of_an_unknown_universe_is_refused(there: Stores, backup: Path) -> None:
    with pytest.raises(InputError, match="no universe called 'Atlantis'") as told:
        await restored(there, backup, only="Atlantis")
    assert told.value.todo == "There are: The Salt Coast, The Other Coast."


async def test_restore_of_an_ambiguous_name_is_refused(here: Stores, there: Stores, tmp_path: Path) -> None:
    twin = await play_campaign(here, name="The Salt Coast")
    path = (await write_backup(here, tmp_path / "b", library_id="")).path
    with pytest.raises(InputError, match="several universes") as told:
        await restored(there, path, only="The Salt Coast")
    assert twin in told.value.todo
    (back,) = await restored(there, path, only=twin)
    assert back.universe_id == twin


async def test_restore_of_a_damaged_backup_writes_nothing(there: Stores, backup: Path) -> None:
    with zipfile.ZipFile(backup) as members:
        largest = max(members.infolist(), key=lambda member: member.compress_size)
    data, middle = backup.read_bytes(), largest.header_offset + largest.compress_size // 2
    backup.write_bytes(data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :])
    with pytest.raises(ArchiveError):
        await restored(there, backup)
    assert await everything(there) == {"": {"transitions": []}}


async def test_restore_on_a_full_disk_writes_nothing(there: Stores, backup: Path, tmp_path: Path) -> None:
    log = tmp_path / "there" / "library.db-wal"
    size = log.stat().st_size if log.exists() else 0
    with no_room_beyond(size + 50_000), pytest.raises(StoreFull):
        await restored(there, backup)
    assert await everything(there) == {"": {"transitions": []}}
    assert len(await restored(there, backup)) == 2


async def test_restore_that_is_cancelled_writes_nothing(
    there: Stores, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, reached, go_on = BackupReader.read_records, threading.Event(), threading.Event()
    reads = iter(range(1_000))

    def held(self: BackupReader, universe_id: Id, collection: str) -> object:
        if collection == "memories" and next(reads) == 2:  # both were checked: now they are written
            reached.set()
            assert go_on.wait(30)
        return reading(self, universe_id, collection)

    monkeypatch.setattr(BackupReader, "read_records", held)
    task = asyncio.create_task(restored(there, backup))
    await asyncio.to_thread(reached.wait)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await everything(there) == {"": {"transitions": []}}


@pytest.mark.parametrize("reads_them", [True, False])
async def test_restore_reports_records_that_differ_when_read_back(
    reads_them: bool, there: Stores, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that loses what it is given."""
    load = type(there.history).load

    def kept(name: str, records: Any) -> Any:
        lost = name == "memories" and (list(records) if reads_them else True)
        return (name, []) if lost else (name, records)

    async def careless(self: object, parts: Any, **rest: Any) -> object:
        return await load(self, (kept(*part) for part in parts), **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(type(there.history), "load", careless)
    with pytest.raises(StoreError, match="“The Salt Coast” is not as the backup has it: memories") as told:
        await restored(there, backup)
    assert told.value.todo


# --- beside what is there ---------------------------------------------------------------------------


async def test_restore_never_changes_what_is_there(here: Stores, backup: Path, tmp_path: Path) -> None:
    before = await everything(here)
    back = await restored(here, backup)
    after = await everything(here)
    assert [(one.name, one.is_copy) for one in back] == [
        ("The Salt Coast (copy, 2026-11-22)", True),
        ("The Other Coast (copy, 2026-11-22)", True),
    ]
    assert {universe: after[universe] for universe in before} == before
    again = await restored(here, backup, only="The Salt Coast")
    assert [one.name for one in again] == ["The Salt Coast (copy 2, 2026-11-22)"]


async def test_restore_copies_one_universe_and_restores_another(
    here: Stores, there: Stores, backup: Path
) -> None:
    (first,) = await restored(there, backup, only="The Salt Coast")
    back = await restored(there, backup)
    assert [one.is_copy for one in back] == [True, False]
    told = await everything(there)
    assert told[first.universe_id] == (await everything(here))[first.universe_id]
    assert len(told) == 4


async def test_restore_copies_a_copy(here: Stores, tmp_path: Path, backup: Path) -> None:
    (first, _) = await restored(here, backup)
    path = (await write_backup(here, tmp_path / "b", library_id="")).path
    (second,) = await restored(here, path, only=first.name)
    told = await everything(here)
    assert second.name == "The Salt Coast (copy, 2026-11-22) (copy, 2026-11-22)"
    assert mapped_back(told, second.universe_id, first.universe_id) == unnamed(told, first.universe_id)


@pytest.mark.slow
@settings(max_examples=examples(12, 4), deadline=None)
@given(st.text(min_size=1, max_size=200) | st.uuids().map(str))
def test_restore_copy_mapped_back_is_its_original(text: str) -> None:
    """Whatever was said in it, even an identifier."""

    async def there_and_back(folder: Path) -> None:
        async with library(folder / "home") as stores:
            universe_id = await play_campaign(stores, text=text)
            path = (await write_backup(stores, folder / "b", library_id="")).path
            (copy,) = await restored(stores, path)
            told = await everything(stores)
            assert mapped_back(told, copy.universe_id, universe_id) == unnamed(told, universe_id)
            assert told[copy.universe_id]["archived_logs"] == []
            ids = {
                u: {
                    i
                    for name, rs in told[u].items()
                    if name not in NOT_COPIED
                    for r in rs
                    for i in find_ids(r)
                }
                for u in told
            }
            assert not ids[universe_id] & ids[copy.universe_id]
            assert len(ids[universe_id]) == len(ids[copy.universe_id])

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(there_and_back(Path(folder)))


async def test_restore_copy_keeps_identifiers_in_prose(tmp_path: Path) -> None:
    async with library(tmp_path / "home") as stores:
        universe_id = await play_campaign(stores)
        story = (await stores.log(Role.CONTEXT_ASSEMBLY).stories())[0]
        scene = (await stores.log(Role.CONTEXT_ASSEMBLY).scenes(story.id))[-1]
        log = stores.log(Role.ORCHESTRATOR)
        (last,) = await log.line_tail(scene.id, 1)
        await log.append_turn(make.turn(scene, last, universe_id, time_text=universe_id, ref=universe_id))
        path = (await write_backup(stores, tmp_path / "b", library_id="")).path
        (copy,) = await restored(stores, path)
        told = await everything(stores)
        turns = [turn for turn in told[copy.universe_id]["turns"] if isinstance(turn, Turn)]
        assert (universe_id,) * 3 in [(turn.text, turn.time_text, turn.ref) for turn in turns]


async def test_restore_copy_is_independent_of_the_original(here: Stores, backup: Path) -> None:
    before = await everything(here)
    (copy, _) = await restored(here, backup)
    log = here.log(Role.ORCHESTRATOR)
    (story,) = await log.stories(copy.universe_id)
    first, _ = await log.scenes(story.id)
    tail = await log.line_tail(first.id, 99)
    assert [turn.depth for turn in tail] == [0, 1]
    assert (await log.redo_target(first.id)) is not None
    await log.append_turn(make.turn(first, tail[-1], "On we go."))
    shown = await log.proposals(ProposalQuery(universe_id=copy.universe_id))
    assert ProposalStatus.WITHDRAWN in {proposal.status for proposal in shown}
    after = await everything(here)
    assert {universe: after[universe] for universe in before} == before


async def test_restore_copy_derives_identifiers_anew(here: Stores, backup: Path) -> None:
    """So that whoever makes it again finds it, and does not make it twice."""
    (copy, _) = await restored(here, backup)
    records = (await everything(here))[copy.universe_id]
    turns = {turn.id for turn in records["turns"]}  # type: ignore[attr-defined]
    (seen, told, askew) = records["memories"]
    assert isinstance(seen, Memory)
    assert isinstance(told, Memory)
    assert isinstance(askew, Memory)
    assert askew.id == derive_id("memory", "misremembered", seen.id)
    assert askew.corrects == seen.id
    people = {entity.id for entity in records["entities"]}  # type: ignore[attr-defined]
    assert seen.turn_id in turns
    assert {told.told_by, *told.about} <= people
    assert told.corrects == seen.id
    (_, so_far) = records["summaries"]
    assert isinstance(so_far, Summary)
    assert so_far.last_turn in turns
    assert so_far.id == derive_id("summary", so_far.kind, so_far.last_turn)
    (heard,) = {turn.hearers for turn in records["turns"] if turn.hearers}  # type: ignore[attr-defined]
    assert len(heard) == 2
    assert set(heard) <= people


def mapped_back(told: Told, copy_id: Id, original_id: Id) -> dict[str, list[str]]:
    """The copy's records under the identifiers of the original, which stand in the same places.

    Collections are in the order of making, by which the two are laid side by side.
    """
    old_of: dict[str, str] = {}
    for collection, records in told[original_id].items():
        if collection not in (
            *NOT_COPIED,
            "supports",
            "supersessions",
            "head_moves",
        ):  # told in the order of identifiers
            for old, new in zip(records, told[copy_id][collection], strict=True):
                pairs = zip(sorted_ids(old), sorted_ids(new), strict=True)
                old_of |= {now: was for was, now in pairs}
    return {
        collection: sorted(_ID.sub(lambda m: old_of.get(m[0], m[0]), line) for line in lines)
        for collection, lines in unnamed(told, copy_id).items()
    }


NOT_COPIED = ("archived_logs",)
"""What was put away names the original's turns, in bytes that nobody may change."""


def sorted_ids(record: object) -> list[str]:
    return list(find_ids(record))  # type: ignore[arg-type]


def unnamed(told: Told, universe_id: Id) -> dict[str, list[str]]:
    """What a copy has of the universe, as lines, without its name, each pair of a ruling in one order."""
    (universe,) = told[universe_id]["universes"]
    assert isinstance(universe, Universe)
    return {
        collection: sorted(line.replace(f'"name":"{universe.name}"', '"name":"-"') for line in lines)
        for collection, lines in in_words(told, universe_id).items()
        if collection not in NOT_COPIED
    }


# --- identifiers ------------------------------------------------------------------------------------


def test_restore_copy_keeps_the_order_of_identifiers() -> None:
    old = [make.new_id() for _ in range(100)]
    copy = CampaignCopier(make.new_id(), "", old, ())
    new = [copy.new_id(id) for id in old]
    assert [UUID(id).version for id in new] == [7] * 100
    assert (sorted(new), len(set(new) | set(old))) == (new, 200)


def test_restore_copier_derives_identifiers_anew() -> None:
    """Through a chain of a thousand scenes, each derived from the one before it."""
    chain = [make.new_id()]
    for _ in range(1_000):
        chain.append(derive_id("scene", chain[-1], "next"))

    def made(before: Id) -> Id:
        return derive_id("scene", before, "next")

    copy = CampaignCopier(make.new_id(), "", chain, [IdDerivation(made, (id,)) for id in chain])
    new = [copy.new_id(id) for id in reversed(chain)][::-1]
    assert all(made(before) == after for before, after in pairwise(new))
    assert not set(new) & set(chain)


def test_restore_copies_share_no_identifiers() -> None:
    known, stranger = [make.new_id(), derive_id("x")], make.new_id()
    copies = [CampaignCopier(make.new_id(), "", known, ()) for _ in range(2)]
    assert not copies[0].new_ids() & copies[1].new_ids()
    assert copies[0].new_id(stranger) == stranger


async def test_restore_finds_every_derivation_of_the_stores(here: Stores) -> None:
    universe_id = await play_campaign(here, name="Derived")
    told = (await everything(here))[universe_id]
    (book,) = told["sources"]
    known = {id for records in told.values() for record in records for id in find_ids(record)}
    made = {d.make(*d.ids) for d in find_derivations(lambda name: told[name])}
    chunks = {derive_id("chunk", book.id, n) for n in range(3)}  # type: ignore[attr-defined]
    assert chunks <= made & known
