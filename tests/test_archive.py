"""Archives: what goes out comes in again, whole, once, or not at all."""

from __future__ import annotations

import asyncio
import json
import tempfile
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stores.archive import export_campaign, import_campaign
from stores.archive_file import ArchiveReader, ArchiveWriter
from stores.authority import COLLECTIONS, Role, Store
from stores.durable_files import AtomicFile
from stores.errors import ArchiveError, NotFound, StoreFull
from stores.history import RECORD_COLLECTIONS
from stores.open import Stores
from stores.queries import FactsAboutQuery, ProposalQuery
from stores.records.ids import Id
from stores.records.play import MoveKind
from stores.records.workflow import ProposalStatus
from tests.campaign import BOOK, LEDGER, ODD, play_campaign
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import library

DAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "here") as stores:
        yield stores


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "there") as stores:
        yield stores


async def exported(stores: Stores, universe_id: Id, path: Path) -> bytes:
    await export_campaign(stores, universe_id, path, clock=lambda: DAY)
    return content(path)


def content(path: Path) -> bytes:
    return path.read_bytes()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def everything(stores: Stores, universe_id: Id) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    await stores.history.dump(universe_id, lambda name, records: found.update({name: list(records)}))
    return found


async def test_archive_round_trips_byte_for_byte(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    out = await exported(here, universe_id, tmp_path / "out.monitor.zip")
    imported = await import_campaign(there, tmp_path / "out.monitor.zip")
    assert imported.universe_id == universe_id
    assert imported.name == "The Salt Coast"
    assert await exported(there, universe_id, tmp_path / "back.monitor.zip") == out
    assert await everything(there, universe_id) == await everything(here, universe_id)


async def test_archive_written_twice_differs_only_in_its_date(here: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    paths = tmp_path / "a.zip", tmp_path / "b.zip"
    for day, path in enumerate(paths, 1):
        await export_campaign(here, universe_id, path, clock=lambda day=day: DAY.replace(day=day))  # type: ignore[misc]
    members = []
    for path in paths:
        with zipfile.ZipFile(path) as opened:
            members.append({name: opened.read(name) for name in opened.namelist()})
    manifests = [json.loads(each.pop("manifest.json")) for each in members]
    assert members[0] == members[1]
    assert manifests[0] | {"exported_at": ""} == manifests[1] | {"exported_at": ""}


async def test_archive_has_records_of_every_collection(here: Stores, tmp_path: Path) -> None:
    """So that a collection that gets lost on the way is noticed here."""
    universe_id = await play_campaign(here)
    counts = (await export_campaign(here, universe_id, tmp_path / "out.zip")).counts
    assert list(counts) == list(RECORD_COLLECTIONS)
    assert all(counts.values())


def test_archive_covers_every_collection_that_is_not_derived() -> None:
    derived = {"entity_names", "involvements", "relations", "line"}
    stays_behind, without_records_yet = {"jobs"}, {"source_nodes"}
    truth = {*COLLECTIONS[Store.CANON], *COLLECTIONS[Store.LOG]}
    assert truth == RECORD_COLLECTIONS.keys() | derived | stays_behind | without_records_yet


async def test_archive_import_continues_play(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    old, new = here.log(Role.ORCHESTRATOR), there.log(Role.ORCHESTRATOR)
    story = (await new.stories(universe_id))[0]
    first, _ = await new.scenes(story.id)
    assert await new.line_tail(first.id, 99) == await old.line_tail(first.id, 99)
    assert await new.redo_target(first.id) == await old.redo_target(first.id) is not None
    await new.move_head(first.id, await new.redo_target(first.id), MoveKind.REDO)
    tail = await new.line_tail(first.id, 1)
    await new.append_turn(make.turn(first, tail[0], "On we go."))
    assert [turn.depth for turn in await new.line_tail(first.id, 99)] == [0, 1, 2, 3]
    assert [c.run_id for s in await new.scenes(story.id) for c in await new.checkpoints(s.id)]


async def test_archive_import_keeps_proposals_withdrawn(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    shown = [
        await s.log(Role.CONTEXT_ASSEMBLY).proposals(ProposalQuery(universe_id=universe_id))
        for s in (here, there)
    ]
    assert shown[0] == shown[1]
    assert ProposalStatus.WITHDRAWN in {proposal.status for proposal in shown[1]}


async def test_archive_import_rebuilds_canon_lookups(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    old, new = here.canon(Role.CONTEXT_ASSEMBLY), there.canon(Role.CONTEXT_ASSEMBLY)
    (mara,) = await new.find_entity(universe_id, "m.")
    assert (mara.name, mara.numbers) == (ODD, {"hp": 7, "luck": 0.1})
    assert len((await new.neighbourhood([mara.id])).entities) == 2
    assert await new.neighbourhood([mara.id]) == await old.neighbourhood([mara.id])
    assert await new.entities(universe_id) == await old.entities(universe_id)
    assert await new.facts_about(mara.id, FactsAboutQuery(history=True)) == await old.facts_about(
        mara.id, FactsAboutQuery(history=True)
    )


async def test_archive_has_originals(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    (key,) = await there.objects(Role.INGEST).keys("originals")
    assert await there.objects(Role.INGEST).get("originals", key) == BOOK


async def test_archive_has_archived_logs_but_no_jobs(here: Stores, there: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    (archived,) = await there.log(Role.ARCHIVIST).archived_logs(universe_id=universe_id)
    assert [archived] == await here.log(Role.ARCHIVIST).archived_logs()
    assert await there.objects(Role.ARCHIVIST).get("archives", archived.object_key) == LEDGER
    assert len(await here.log(Role.ORCHESTRATOR).jobs()) == 1
    assert await there.log(Role.ORCHESTRATOR).jobs() == []


@pytest.mark.parametrize(("collection", "prefix"), [("originals", ""), ("archives", "archives/")])
async def test_archive_export_with_a_lost_object_has_the_rest(
    collection: str, prefix: str, here: Stores, there: Stores, tmp_path: Path
) -> None:
    universe_id = await play_campaign(here)
    (lost,) = (tmp_path / "here" / "objects" / collection).glob("??/*")
    lost.unlink()
    report = await export_campaign(here, universe_id, tmp_path / "out.zip")
    assert report.missing == (prefix + lost.parent.name + lost.name,)
    await import_campaign(there, tmp_path / "out.zip")
    assert await there.objects(Role.INGEST).keys(collection) == []


async def test_archive_import_refuses_an_existing_campaign(
    here: Stores, there: Stores, tmp_path: Path
) -> None:
    universe_id = await play_campaign(here)
    out = await exported(here, universe_id, tmp_path / "out.zip")
    await import_campaign(there, tmp_path / "out.zip")
    with pytest.raises(ArchiveError, match="has the campaign “The Salt Coast” already") as told:
        await import_campaign(there, tmp_path / "out.zip")
    assert told.value.kept == "Nothing was changed."
    assert await exported(there, universe_id, tmp_path / "back.zip") == out


async def test_archive_import_keeps_other_campaigns(here: Stores, there: Stores, tmp_path: Path) -> None:
    one, two = await play_campaign(here), await play_campaign(here, name="The Other Coast")
    first = await exported(here, one, tmp_path / "one.zip")
    second = await exported(here, two, tmp_path / "two.zip")
    await import_campaign(there, tmp_path / "two.zip")
    await import_campaign(there, tmp_path / "one.zip")
    assert await exported(there, one, tmp_path / "one-back.zip") == first
    assert await exported(there, two, tmp_path / "two-back.zip") == second


async def test_archive_export_of_an_unknown_universe_writes_nothing(here: Stores, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        await export_campaign(here, make.new_id(), tmp_path / "out.zip")
    assert names_in(tmp_path) == ["here"]


async def test_archive_export_that_fails_keeps_the_old_file(
    here: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    universe_id = await play_campaign(here)
    before = await exported(here, universe_id, tmp_path / "out.zip")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ArchiveWriter, "write_manifest", full)
    with pytest.raises(StoreFull):
        await export_campaign(here, universe_id, tmp_path / "out.zip")
    assert content(tmp_path / "out.zip") == before
    assert names_in(tmp_path) == ["here", "out.zip"]


async def test_archive_export_removes_what_a_killed_export_left(here: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    folder = tmp_path / "out"
    folder.mkdir()
    killed = AtomicFile(folder / "a[1].zip")
    other = AtomicFile(folder / "b.zip")
    (folder / ".a[1].zip.notes.part").write_bytes(b"somebody else's")
    await exported(here, universe_id, folder / "a[1].zip")
    killed.file.close()
    other.file.close()
    assert len(names_in(folder)) == 3
    assert {"a[1].zip", ".a[1].zip.notes.part"} < set(names_in(folder))


async def test_archive_export_to_an_impossible_path_is_refused(here: Stores, tmp_path: Path) -> None:
    universe_id = await play_campaign(here)
    with pytest.raises(ArchiveError, match="cannot be written"):
        await export_campaign(here, universe_id, tmp_path / "no such folder" / "out.zip")
    with pytest.raises(ArchiveError, match="cannot be read"):
        await import_campaign(here, tmp_path / "no such archive.zip")


async def test_archive_import_that_fails_writes_nothing(
    here: Stores, there: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All or nothing, also when reading fails after most of it was written."""
    universe_id = await play_campaign(here)
    out = await exported(here, universe_id, tmp_path / "out.zip")
    reading = ArchiveReader.read_records
    passes = iter(range(2))

    def failing(self: ArchiveReader, collection: str) -> object:
        if collection == "snippets" and next(passes):
            raise OSError(5, "Input/output error")
        return reading(self, collection)

    with monkeypatch.context() as patched:
        patched.setattr(ArchiveReader, "read_records", failing)
        with pytest.raises(OSError, match="Input/output"):
            await import_campaign(there, tmp_path / "out.zip")
    assert await there.canon(Role.CONTEXT_ASSEMBLY).universes() == []
    assert await there.log(Role.CONTEXT_ASSEMBLY).stories() == []
    await import_campaign(there, tmp_path / "out.zip")
    assert await exported(there, universe_id, tmp_path / "back.zip") == out


@pytest.mark.slow
@settings(max_examples=examples(12, 4), deadline=None)
@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=40))
def test_archive_preserves_any_text(text: str, name: str) -> None:
    async def there_and_back(folder: Path) -> None:
        async with library(folder / "here") as here, library(folder / "there") as there:
            universe_id = await play_campaign(here, name=name, text=text)
            out = await exported(here, universe_id, folder / "out.zip")
            assert (await import_campaign(there, folder / "out.zip")).name == name
            assert await exported(there, universe_id, folder / "back.zip") == out

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(there_and_back(Path(folder)))
