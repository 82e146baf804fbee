"""From one set of stores into another: everything, compared, once; begun again it goes on where it was.

The two sets here are embedded, in two homes; what a server has to do more is in its own contract.
"""

# ruff: noqa: ASYNC220  (a process is looked at while nothing else runs)

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import StoreFull
from stores.history import RECORD_COLLECTIONS, History
from stores.open import Stores
from stores.records.base import Record
from stores.records.ids import Id
from stores.store_migration import MigrationOutcome, MigrationReport, migrate_stores
from tests.campaign import play_campaign
from tests.contract import builders as make
from tests.libraries import everything, fill, library, no_room_beyond, objects
from tests.test_worked_examples import monitor


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "source") as stores:
        await fill(stores)
        yield stores


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "target") as stores:
        yield stores


async def run(source: Stores, target: Stores, **options: Any) -> tuple[MigrationReport, list[str]]:
    """Migrate; the source must be as it was."""
    before = await everything(source), await objects(source)
    said: list[str] = []
    done = await migrate_stores(source, target, on_progress=said.append, **options)
    assert (await everything(source), await objects(source)) == before
    return done, said


def fates(done: MigrationReport) -> list[MigrationOutcome]:
    return [moved.outcome for moved in done.universes]


async def half(source: Stores, target: Stores, universe_id: Id, until: str) -> None:
    """Load only what comes before a collection, as a store would that was cut off there."""
    told = (await everything(source))[universe_id]
    parts = [(name, told[name]) for name in takewhile(lambda name: name != until, RECORD_COLLECTIONS)]
    await target.history.load(parts, mentioned_ids=())


async def test_migrate_copies_and_compares_everything(source: Stores, target: Stores) -> None:
    done, said = await run(source, target)
    assert fates(done) == [MigrationOutcome.COPIED, MigrationOutcome.COPIED]
    assert done.is_complete
    assert await everything(target) == await everything(source)
    assert await objects(target) == await objects(source)
    assert done.copied_objects == 2
    for moved in done.universes:
        assert moved.source_sums == moved.target_sums
        assert sum(one.record_count for one in moved.source_sums.values()) > 50
        assert all(len(one.hex_digest) == 64 for one in moved.source_sums.values())
    assert "copied, read back and compared" in "\n".join(said)


async def test_migrate_again_changes_nothing(source: Stores, target: Stores) -> None:
    await run(source, target)
    before = await everything(target)
    done, said = await run(source, target)
    assert (fates(done), done.copied_objects) == ([MigrationOutcome.EQUAL, MigrationOutcome.EQUAL], 0)
    assert await everything(target) == before
    assert all("is there already, equal" in line for line in said)


async def test_migrate_dry_run_writes_nothing(source: Stores, target: Stores) -> None:
    done, said = await run(source, target, dry_run=True)
    assert fates(done) == [MigrationOutcome.COPIED, MigrationOutcome.COPIED]
    assert done.copied_objects == 2
    assert await everything(target) == {"": {"transitions": []}}
    assert await objects(target) == {"originals": [], "archives": []}
    assert all("would be copied" in line or "to bring over" in line for line in said)
    await run(source, target)
    assert fates((await run(source, target, dry_run=True))[0]) == [
        MigrationOutcome.EQUAL,
        MigrationOutcome.EQUAL,
    ]


@pytest.mark.parametrize("until", ["facts", "stories", "rulings", "snippets"])
async def test_migrate_completes_an_interrupted_universe(until: str, source: Stores, target: Stores) -> None:
    first, _ = [u for u in await everything(source) if u]
    await half(source, target, first, until)
    assert fates((await run(source, target, dry_run=True))[0]) == [
        MigrationOutcome.FINISHED,
        MigrationOutcome.COPIED,
    ]
    done, _ = await run(source, target)
    assert fates(done) == [MigrationOutcome.FINISHED, MigrationOutcome.COPIED]
    told, meant = await everything(target), await everything(source)
    assert {u: told[u] for u in meant} == meant
    canon = target.canon(Role.CONTEXT_ASSEMBLY)
    (mara,) = await canon.find_entity(first, "m.")
    assert len((await canon.neighbourhood([mara.id])).entities) == 2


async def test_migrate_completes_records_without_their_universe(source: Stores, target: Stores) -> None:
    first, _ = [u for u in await everything(source) if u]
    told = (await everything(source))[first]
    await target.history.load(
        [("entities", told["entities"]), ("sources", told["sources"])], mentioned_ids=()
    )
    done, _ = await run(source, target)
    assert fates(done) == [MigrationOutcome.FINISHED, MigrationOutcome.COPIED]
    assert (await everything(target))[first].keys() == told.keys()


async def test_migrate_leaves_a_played_universe_alone(source: Stores, target: Stores) -> None:
    await run(source, target)
    first, second = [u for u in await everything(source) if u]
    log = target.log(Role.ORCHESTRATOR)
    (story,) = await log.stories(first)
    scene = (await log.scenes(story.id))[1]
    (last,) = await log.line_tail(scene.id, 1)
    await log.append_turn(make.turn(scene, last, "Played in the target."))
    before = await everything(target)
    await play_campaign(source, name="New here")
    done, said = await run(source, target)
    assert fates(done) == [MigrationOutcome.OTHER, MigrationOutcome.EQUAL, MigrationOutcome.COPIED]
    assert not done.is_complete
    assert "other scenes, turns, head_moves" in done.universes[0].reason
    assert "NOT COPIED" in "\n".join(said)
    after = await everything(target)
    assert {u: after[u] for u in (first, second)} == {u: before[u] for u in (first, second)}


async def test_migrate_continues_after_a_failed_universe(
    source: Stores, target: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = [u for u in await everything(source) if u]
    load = type(target.history).load

    async def careless(
        self: History, parts: Any, *, mentioned_ids: set[Id], finish_partial: bool = False
    ) -> object:
        def kept(name: str, records: Iterator[Record]) -> list[Record]:
            return [] if name == "memories" and first in mentioned_ids else list(records)

        return await load(
            self,
            ((n, kept(n, r)) for n, r in parts),
            mentioned_ids=mentioned_ids,
            finish_partial=finish_partial,
        )

    with monkeypatch.context() as patched:
        patched.setattr(type(target.history), "load", careless)
        done, said = await run(source, target)
    assert fates(done) == [MigrationOutcome.FAILED, MigrationOutcome.COPIED]
    assert "What arrived is not what was sent (memories)" in done.universes[0].reason
    assert "FAILED" in "\n".join(said)
    done, _ = await run(source, target)
    assert fates(done) == [MigrationOutcome.FINISHED, MigrationOutcome.EQUAL]


async def test_migrate_with_a_lost_document_copies_the_rest(
    source: Stores, target: Stores, tmp_path: Path
) -> None:
    (lost,) = (tmp_path / "source" / "objects" / "originals").glob("??/*")
    lost.chmod(0o600)
    lost.write_bytes(b"something else")
    done, _ = await run(source, target)
    assert done.missing_objects == (f"originals/{lost.parent.name}{lost.name}",)
    assert done.is_complete
    assert len((await objects(target))["archives"]) == 1


async def test_migrate_on_a_full_disk_can_be_resumed(source: Stores, target: Stores) -> None:
    with no_room_beyond(200_000), pytest.raises(StoreFull):
        await run(source, target)
    done, _ = await run(source, target)
    assert done.is_complete
    assert await everything(target) == await everything(source)


# --- as a command -----------------------------------------------------------------------------------


def migrated(source: Path, target: Path, *words: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    sides = ("--from", "embedded", "--to", "embedded", "--to-home", str(target))
    return monitor(source, "migrate", *sides, *words, expect=expect)


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    async with library(tmp_path / "filled") as stores:
        await fill(stores)
        for number in range(6):
            await play_campaign(stores, name=f"Campaign {number}")
    return tmp_path / "filled"


@pytest.mark.slow
async def test_migrate_command_reports_universes(filled: Path, tmp_path: Path) -> None:
    done = migrated(filled, tmp_path / "new", "--dry-run")
    assert done.stdout == "8 universes looked at.\n"
    assert "Campaign 5: " in done.stderr
    told = json.loads(migrated(filled, tmp_path / "new", "--json").stdout)
    assert told["complete"]
    assert all(u["source"] == u["target"] and u["fate"] == "copied" for u in told["universes"])
    assert migrated(filled, tmp_path / "new").stdout == "8 universes there, equal in both.\n"


@pytest.mark.slow
async def test_migrate_command_refuses_bad_input(filled: Path) -> None:
    assert "the same home" in migrated(filled, filled, expect=1).stderr
    words = ("migrate", "--from", "embedded", "--to", "sqlserver", "--to-home", str(filled / "new"))
    assert "there are no such stores" in monitor(filled, *words, expect=1).stderr
    assert monitor(filled, "migrate", "--from", "embedded", expect=2).stderr


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="asks for a signal that cannot be caught")
async def test_migrate_resumes_after_a_kill(filled: Path, tmp_path: Path) -> None:
    """A real process is killed as soon as it has said that a universe is over; the next one goes on."""
    target = tmp_path / "new"
    words = ["--home", str(filled), "migrate", "--from", "embedded", "--to", "embedded"]
    there = 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "monitor_tui", *words, "--to-home", str(target)],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={**os.environ},
        )
        assert process.stderr is not None
        copied = next((line for line in process.stderr if "copied" in line), "")
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
        assert copied
        there += 1
    told = json.loads(migrated(filled, target, "--json").stdout)
    fate_of = [universe["fate"] for universe in told["universes"]]
    assert told["complete"]
    assert fate_of[:there] == ["equal"] * there
    assert set(fate_of) <= {"equal", "copied"}
    async with library(filled) as before, library(target) as after:
        assert await everything(after) == await everything(before)
        assert await objects(after) == await objects(before)
