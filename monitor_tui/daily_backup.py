"""A daily backup by itself: when MONITOR starts and the last backup is older than a day.

It begins a while after the first frame, and ends when MONITOR does: in a process of its own, or, of stores on servers,
in a thread and in small steps. Its result is announced once, and shown on the menu; a failure never stops play.
Setting: `[backup] daily`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Literal

from agents.events import Notice
from monitor_tui.backup_notes import BackupNotes
from monitor_tui.backup_process import write_backup_beside_play
from monitor_tui.settings import read_settings
from stores.backup.folder import derive_library_id, is_backup_due
from stores.backup.writing import WrittenBackup, write_backup
from stores.errors import InputError, MonitorError
from stores.open import StoreKind, Stores, read_store_kinds
from stores.records.ids import Clock, Id, utc_now

START_DELAY = 5.0
"""Seconds after the library is open: opening it and the player's first keys come first."""

WORK_SECONDS, REST_SECONDS = 0.004, 0.012
"""Seconds that it works before it rests, and rests: the screen needs the interpreter for each key."""

WriteDailyBackup = Callable[[Path, Id, int], Awaitable[WrittenBackup | None]]
"""Writes a backup into a folder: of which library, and how many are kept. None: there is nothing in the library yet."""

log = logging.getLogger("monitor")


def choose_backup_writer(stores: Stores, home: Path) -> WriteDailyBackup:
    """Return what backs up the stores: a process, if they are files that another process can read."""
    if all(kind is StoreKind.EMBEDDED for kind in read_store_kinds(os.environ).values()):
        return partial(write_backup_beside_play, home)
    return partial(write_backup_in_steps, stores)


async def write_backup_in_steps(
    stores: Stores, folder: Path, library_id: Id, keep: int, *, clock: Clock = utc_now
) -> WrittenBackup | None:
    """Write a backup in this process, at a pace that leaves the keys alone; None: the library is empty.

    Raises what `write_backup` raises.
    """
    try:
        return await write_backup(
            stores, folder, library_id=library_id, keep=keep, clock=clock, on_record=_WorkPacer()
        )
    except InputError:
        return None


class DailyBackup:
    """`start` it once the library is open, and let `closing` stop it before that closes."""

    def __init__(
        self,
        write: WriteDailyBackup,
        home: Path,
        menu_notes: BackupNotes,
        publish_notice: Callable[[Notice], None],
        *,
        clock: Clock = utc_now,
        delay: float = START_DELAY,
    ) -> None:
        self._write = write
        self._home = home
        self._menu_notes = menu_notes
        self._publish_notice = publish_notice
        self._clock = clock
        self._delay = delay
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def wait_until_done(self) -> None:
        """Wait until it is done, or stopped."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """End it, wherever it is; what was half written is gone. Stopping twice is no error."""
        if self._task is not None:
            self._task.cancel()
        await self.wait_until_done()

    def wrap_close(self, close: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Return what closes the library, with this stopped first."""

        async def stop_and_close() -> None:
            await self.stop()
            await close()

        return stop_and_close

    async def _run(self) -> None:
        await asyncio.sleep(self._delay)
        try:
            written_backup = await self._backup_if_due()
        except MonitorError as error:
            log.warning("No daily backup: %s", error)
            self._publish_note(f"No backup was made. {error}", "warning")
        except Exception as error:  # whatever it is, play goes on, and the log has it
            log.exception("No daily backup")
            self._publish_note(f"No backup was made: {error}.", "warning")
        else:
            if written_backup is not None:
                self._publish_note(
                    _backup_summary(written_backup), "warning" if written_backup.left_out else "information"
                )

    async def _backup_if_due(self) -> WrittenBackup | None:
        settings = (await asyncio.to_thread(read_settings, self._home)).backup
        folder, library = settings.place(self._home), await asyncio.to_thread(derive_library_id, self._home)
        if not settings.daily or not await asyncio.to_thread(is_backup_due, folder, library, self._clock()):
            return None
        return await self._write(folder, library, settings.keep)

    def _publish_note(self, text: str, severity: Literal["information", "warning"]) -> None:
        self._menu_notes.set_note(text)
        self._publish_notice(Notice(text, severity))


class _WorkPacer:
    """Works a little and rests a little, in the thread that it is called in."""

    def __init__(self) -> None:
        self._work_until = 0.0

    def __call__(self) -> None:
        if time.perf_counter() >= self._work_until:
            time.sleep(REST_SECONDS)
            self._work_until = time.perf_counter() + WORK_SECONDS


def _backup_summary(written_backup: WrittenBackup) -> str:
    count = len(written_backup.manifest.universes)
    summary = (
        f"Backed up {count} {'universe' if count == 1 else 'universes'} to {written_backup.path.parent}."
    )
    if written_backup.manifest.missing:
        summary += (
            f" {len(written_backup.manifest.missing)} of its documents were lost before: see monitor doctor."
        )
    for universe in written_backup.left_out:
        summary += f" “{universe.name}” is not in it: {universe.problem} See monitor doctor."
    return summary
