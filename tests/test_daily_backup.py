"""The backup that is made by itself: once a day, beside play, told, and never in the way."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from agents.events import Notice
from monitor_tui import daily_backup
from monitor_tui.backup_notes import BackupNotes
from monitor_tui.backup_process import write_backup_beside_play
from monitor_tui.daily_backup import DailyBackup, write_backup_in_steps
from stores.backup.folder import derive_library_id
from stores.backup.restoring import verify_backup
from stores.errors import ArchiveError, StoreError
from stores.open import Stores
from tests.campaign import play_campaign
from tests.libraries import fill, library
from tests.screens.screen_driver import real_services, started_app

DAY = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def stores(home: Path) -> AsyncIterator[Stores]:
    async with library(home) as opened:
        yield opened


async def at_start(stores: Stores, home: Path, at: datetime = DAY) -> tuple[list[Notice], tuple[str, ...]]:
    """Run it as a start of the program does; returns what was said, and what the menu has of it."""
    heard: list[Notice] = []
    told = BackupNotes()
    write = partial(write_backup_in_steps, stores, clock=lambda: at)
    backup = DailyBackup(write, home, told, heard.append, clock=lambda: at, delay=0)
    backup.start()
    await backup.wait_until_done()
    return heard, told.notes()


def backups(home: Path) -> list[Path]:
    return sorted((home / "backups").glob("*.backup.zip"))


async def test_daily_backup_runs_once_a_day(stores: Stores, home: Path) -> None:
    await fill(stores)
    (heard,), notes = await at_start(stores, home)
    assert heard == Notice(f"Backed up 2 universes to {home / 'backups'}.")
    assert notes == (heard.text,)
    (path,) = backups(home)
    assert [universe.name for universe in verify_backup(path).universes] == [
        "The Salt Coast",
        "The Other Coast",
    ]

    assert await at_start(stores, home, DAY + timedelta(hours=23)) == ([], ())
    assert backups(home) == [path]
    assert await at_start(stores, home, DAY + timedelta(hours=25))
    assert len(backups(home)) == 2


async def test_daily_backup_is_silent_for_an_empty_library(stores: Stores, home: Path) -> None:
    assert await at_start(stores, home) == ([], ())
    assert backups(home) == []


@pytest.mark.parametrize("off", ["settings.toml", "MONITOR_BACKUP_DAILY"])
async def test_daily_backup_can_be_turned_off(
    off: str, stores: Stores, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(stores)
    if off == "settings.toml":
        (home / off).write_text("[backup]\ndaily = false\n")
    else:
        monkeypatch.setenv(off, "false")
    assert await at_start(stores, home) == ([], ())
    assert backups(home) == []


async def test_daily_backup_failure_is_reported_and_stops_nothing(stores: Stores, home: Path) -> None:
    await fill(stores)
    (home / "backups").write_text("a letter")
    (heard,), notes = await at_start(stores, home)
    assert heard.severity == "warning"
    assert heard.text.startswith("No backup was made. A backup cannot be written to")
    assert notes == (heard.text,)
    (home / "settings.toml").write_text("[backup]\nkeep = 0\n")
    (heard,), _ = await at_start(stores, home)
    assert "settings.toml" in heard.text
    await play_campaign(stores, name="Play goes on")


async def test_daily_backup_unexpected_error_is_reported(
    stores: Stores, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("nobody knows why")

    monkeypatch.setattr(daily_backup, "write_backup", broken)
    (heard,), _ = await at_start(stores, home)
    assert heard.text == "No backup was made: nobody knows why."


async def test_daily_backup_ends_when_the_program_closes(
    stores: Stores, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is cut short before the library closes, and leaves nothing half written."""
    await fill(stores)
    steps: list[str] = []
    going = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slowly() -> Callable[[], None]:
        def note() -> None:
            loop.call_soon_threadsafe(going.set)

        return note

    monkeypatch.setattr(daily_backup, "_WorkPacer", slowly)

    async def close() -> None:
        steps.append("closed")

    write = partial(write_backup_in_steps, stores)
    backup = DailyBackup(write, home, BackupNotes(), lambda _: None, clock=lambda: DAY, delay=0)
    backup.start()
    await going.wait()
    await backup.wrap_close(close)()
    assert steps == ["closed"]
    whole = backups(home)  # it may have been done already
    assert [path for path in home.rglob("*") if path.parent.name.startswith(".unfinished")] == []
    assert all(verify_backup(path) for path in whole)
    await backup.stop()


async def test_daily_backup_not_begun_does_not_delay_closing(stores: Stores, home: Path) -> None:
    await fill(stores)
    write = partial(write_backup_in_steps, stores)
    backup = DailyBackup(write, home, BackupNotes(), lambda _: None, delay=3_600)
    backup.start()
    await backup.stop()
    assert backups(home) == []


async def test_daily_backup_is_shown_in_the_menu(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path)) as ui:
        await ui.press("down")
        ui.services.events.publish(Notice("Backed up [2] universes."))
        await ui.settle()
        assert ui.shows("Backed up [2] universes.")
        highlighted = ui.app.screen.query_one("#modes").highlighted  # type: ignore[attr-defined]
        assert highlighted == 1, "what was chosen stays chosen"


@pytest.mark.slow
async def test_daily_backup_is_written_by_a_process_beside_play(stores: Stores, home: Path) -> None:
    """What is written meanwhile is in none or all of it: it reads one moment of a library that is open."""
    await fill(stores)
    heard: list[Notice] = []
    backup = DailyBackup(partial(write_backup_beside_play, home), home, BackupNotes(), heard.append, delay=0)
    backup.start()
    await play_campaign(stores, name="Played meanwhile")
    await backup.wait_until_done()
    assert [notice.severity for notice in heard] == ["information"]
    (path,) = backups(home)
    names = [universe.name for universe in verify_backup(path).universes]
    assert names[:2] == ["The Salt Coast", "The Other Coast"]
    assert set(names[2:]) <= {"Played meanwhile"}


@pytest.mark.slow
async def test_daily_backup_of_an_empty_library_by_a_process_is_silent(stores: Stores, home: Path) -> None:
    heard: list[Notice] = []
    backup = DailyBackup(partial(write_backup_beside_play, home), home, BackupNotes(), heard.append, delay=0)
    backup.start()
    await backup.wait_until_done()
    assert (heard, backups(home)) == ([], [])


@pytest.mark.slow
async def test_daily_backup_process_that_cannot_write_says_why(stores: Stores, home: Path) -> None:
    await fill(stores)
    (home / "backups").write_text("a letter")
    with pytest.raises(ArchiveError, match="A backup cannot be written to"):
        await write_backup_beside_play(home, home / "backups", derive_library_id(home), 10)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 0.3, 0.6])
async def test_daily_backup_process_ends_with_the_program_and_leaves_nothing(
    stores: Stores, home: Path, seconds: float
) -> None:
    await fill(stores)
    folder = home / "backups"
    backup = asyncio.create_task(write_backup_beside_play(home, folder, derive_library_id(home), 10))
    await asyncio.wait([backup], timeout=seconds)
    backup.cancel()
    await asyncio.wait([backup])
    assert all(verify_backup(path) for path in backups(home))
    assert [path for path in home.rglob("*") if path.parent.name.startswith(".unfinished")] == []


@pytest.mark.slow
async def test_daily_backup_process_that_is_killed_is_said(
    stores: Stores, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(stores)
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(StoreError, match="The process that writes it ended"):
        await write_backup_beside_play(home, home / "backups", derive_library_id(home), 10)
