"""What MONITOR wrote before fields were renamed (`library.db` of format 8) opens, plays on, and goes out again.

The fixture was written by the program at commit 0922662: a played library (`home`), a campaign archive and a
backup of it, and a copy (`replica`) of a library on another machine (`server`) with writes that still wait.
"""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.archive import export_campaign, import_campaign, verify_campaign
from stores.authority import Role, Store
from stores.backup.restoring import restore_backup, verify_backup
from stores.backup.writing import write_backup
from stores.embedded.library import open_library
from stores.embedded.migrations import MIGRATIONS
from stores.open import Stores
from stores.queries import LlmCallQuery
from stores.records.llm import FallbackStep, LlmCall
from stores.records.play import MoveKind, Turn
from stores.records.workflow import Checkpoint
from tests.contract import builders as make
from tests.libraries import everything, library
from tests.program import opened
from tests.replication.fake_servers import (
    ManualSleep,
    open_copy,
    open_fake_servers,
    read_everything,
    wait_until_healthy,
)

FIXTURE = Path(__file__).parent / "fixtures" / "library_of_format_8.zip"


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The folder with what the earlier version wrote."""
    with zipfile.ZipFile(FIXTURE) as packed:
        packed.extractall(tmp_path / "earlier")
    return tmp_path / "earlier"


@pytest.fixture
async def stores(earlier: Path) -> AsyncIterator[Stores]:
    async with library(earlier / "home") as opened_stores:
        yield opened_stores


async def only_universe(stores: Stores, name: str) -> str:
    universes = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
    return next(universe.id for universe in universes if universe.name == name)


async def test_library_of_earlier_version_keeps_renamed_fields(stores: Stores) -> None:
    universe_id = await only_universe(stores, "The Salt Coast")
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)
    (story,) = await log.stories(universe_id)
    first, second = await log.scenes(story.id)

    assert [turn.time_text for turn in await log.line_tail(first.id, 1)] == ["8 May 2023, 13:56"]
    assert [(job.subject_id, job.cursor) for job in await log.jobs() if job.cursor] == [(second.id, "turn 9")]
    (checkpoint,) = await log.checkpoints(second.id)
    (cut_turn,) = await log.line_tail(second.id, 1)
    assert (checkpoint.run_id, checkpoint.step) == (cut_turn.id, "route")
    (call,) = await log.llm_calls(LlmCallQuery(run_id=cut_turn.id))
    assert (call.run_id, call.fallback_step) == (cut_turn.id, FallbackStep.SCHEMA)
    (fact,) = await canon.facts_by_statement(universe_id, ["it was not so"])
    assert fact.statement_key == "it was not so"


async def test_library_of_earlier_version_has_one_format_with_a_new_one(
    earlier: Path, tmp_path: Path
) -> None:
    """Migrated and made anew, a library has the same tables and indexes, but for columns that nothing reads."""
    async with opened(earlier / "home") as old, opened(tmp_path / "new") as new:
        for program in (old, new):
            assert program.stores.health()
    schemas = []
    for home in (earlier / "home", tmp_path / "new"):
        db = await open_library(home / "library.db")
        schemas.append(
            await db.read(
                lambda c: list(c.execute("SELECT type, name FROM sqlite_schema ORDER BY type, name"))
            )
        )
        assert await db.read(lambda c: c.pragma("user_version")) == len(MIGRATIONS)
        await db.close()
    assert schemas[0] == schemas[1]


async def test_library_of_earlier_version_writes_and_reads_both_names(stores: Stores) -> None:
    universe_id = await only_universe(stores, "The Salt Coast")
    log = stores.log(Role.ORCHESTRATOR)
    (story,) = await log.stories(universe_id)
    first, second = await log.scenes(story.id)
    (old_checkpoint,) = await log.checkpoints(second.id)
    await log.save_checkpoint(old_checkpoint.model_copy(update={"step": "resolve"}))
    assert [c.step for c in await log.checkpoints(second.id)] == ["resolve"], "it is the same checkpoint"
    await log.finish_exchange(old_checkpoint.run_id)
    assert await log.checkpoints(second.id) == []

    turn = make.turn(first, (await log.line_tail(first.id, 1))[0], "It is dry now.", time_text="9 May 2023")
    await log.begin_exchange(turn, MoveKind.APPEND, make.checkpoint(turn), [])
    assert [t.time_text for t in await log.line_tail(first.id, 2)] == ["8 May 2023, 13:56", "9 May 2023"]
    new_call = make.call(first, turn, universe_id=universe_id)
    await stores.log(Role.NARRATOR).record_call(new_call)
    assert await log.llm_calls(LlmCallQuery(run_id=turn.id)) == [new_call]

    canon = stores.canon(Role.CANON_KEEPER)
    again = make.fact("It was not so!", universe_id=universe_id)
    await canon.commit(make.batch(universe_id=universe_id, facts=(again,)))
    same_statements = await canon.facts_by_statement(universe_id, ["it was not so"])
    assert len(same_statements) == 2
    assert same_statements[-1] == again


async def test_library_of_earlier_version_plays_on(earlier: Path) -> None:
    async with opened(earlier / "home") as program:
        services = program.services
        await services.stories.recover()
        played = {card.story.title: card for card in await services.stories.stories()}
        scene_id = await services.stories.resume(played["The Ford"].story.id)
        await services.play.submit(scene_id, "I look at the water.")
        await services.play.submit(scene_id, "/npc Tom: the keeper")
        await services.play.submit(scene_id, "/fact Tom ally_of Aldric")
        reply = await services.play.submit(scene_id, "/commit")
        assert reply
        canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        universe_id = played["The Ford"].universe.id
        assert [e.name for e in await canon.find_entity(universe_id, "Tom")] == ["Tom"]


async def test_library_of_earlier_version_is_exported_and_backed_up(
    stores: Stores, earlier: Path, tmp_path: Path
) -> None:
    universe_id = await only_universe(stores, "The Salt Coast")
    exported = await export_campaign(stores, universe_id, tmp_path / "new.monitor.zip")
    assert verify_campaign(exported.path).format == 2
    written = await write_backup(stores, tmp_path / "backups", library_id="")
    assert verify_backup(written.path).format == 2
    async with library(tmp_path / "other") as other, library(tmp_path / "restored") as restored:
        await import_campaign(other, exported.path)
        await restore_backup(restored, written.path)
        assert (await everything(other))[universe_id] == (await everything(stores))[universe_id]
        assert await everything(restored) == await everything(stores)


async def test_archive_of_earlier_version_is_verified_and_imported(
    stores: Stores, earlier: Path, tmp_path: Path
) -> None:
    path = earlier / "salt.monitor.zip"
    assert verify_campaign(path).format == 1
    async with library(tmp_path / "other") as other:
        await import_campaign(other, path)
        universe_id = await only_universe(stores, "The Salt Coast")
        imported = (await everything(other))[universe_id]
        assert imported == (await everything(stores))[universe_id]
        assert any(isinstance(record, Turn) and record.time_text for record in imported["turns"])
        assert all(isinstance(record, Checkpoint) and record.run_id for record in imported["checkpoints"])
        assert any(isinstance(record, LlmCall) and record.run_id for record in imported["llm_calls"])


async def test_backup_of_earlier_version_is_verified_and_restored(
    stores: Stores, earlier: Path, tmp_path: Path
) -> None:
    path = earlier / "salt.backup.zip"
    assert verify_backup(path).format == 1
    async with library(tmp_path / "restored") as restored:
        await restore_backup(restored, path)
        assert await everything(restored) == await everything(stores)


async def test_copy_of_earlier_version_sends_what_waits(earlier: Path) -> None:
    naps = ManualSleep()
    async with open_fake_servers(earlier / "server") as far:
        (scene,) = await far.stores.log(Role.ORCHESTRATOR).scenes(
            (await far.stores.log(Role.ORCHESTRATOR).stories())[0].id
        )
        assert len(await far.stores.log(Role.ORCHESTRATOR).checkpoints(scene.id)) == 1
        async with open_copy(far, earlier / "replica", Store.LOG, sleep=naps) as copy:
            await wait_until_healthy(copy, naps)
            log = far.stores.log(Role.ORCHESTRATOR)
            assert await log.checkpoints(scene.id) == [], "the exchange was finished there, too"
            assert [turn.time_text for turn in await log.line_tail(scene.id, 1)] == ["9 May 2023"]
            assert [call.fallback_step for call in await log.llm_calls()] == [FallbackStep.TOOLS]
            assert [job.cursor for job in await log.jobs()] == ["1"]
            here, there = await read_everything(copy), await read_everything(far.stores)
            assert {k: v for k, v in here.items() if k in there} == {
                k: v for k, v in there.items() if k in here
            }
