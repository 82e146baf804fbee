"""A backup by itself: when MONITOR starts and the last one is older than a day, beside whatever is done.

It begins a while after the first frame, takes its time, and ends when MONITOR does. What came of it is told
once, and stands on the menu; that it failed never stops play. Setting: `[backup] daily`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from agents.events import Notice
from monitor_tui.settings import read_settings
from stores.backup import BackedUp, back_up
from stores.backup_shelf import is_due, library_of
from stores.errors import InputError, MonitorError
from stores.open import Stores
from stores.records.ids import Clock, utc_now

DELAY = 5.0
"""Seconds after the library is open: opening it and the player's first keys come first."""

WORK, REST = 0.004, 0.012
"""Seconds that it works before it rests, and rests: the screen needs the interpreter for each key."""

log = logging.getLogger("monitor")


class Told:
    """What there is to say of it on the menu."""

    def __init__(self) -> None:
        self._notes: tuple[str, ...] = ()

    def notes(self) -> tuple[str, ...]:
        return self._notes

    def say(self, words: str) -> None:
        self._notes = (words,)


class DailyBackup:
    """`start` it once the library is open, and let `closing` stop it before that closes."""

    def __init__(
        self,
        stores: Stores,
        home: Path,
        told: Told,
        tell: Callable[[Notice], None],
        *,
        clock: Clock = utc_now,
        delay: float = DELAY,
    ) -> None:
        self._stores = stores
        self._home = home
        self._told = told
        self._tell = tell
        self._clock = clock
        self._delay = delay
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def done(self) -> None:
        """Wait until it is done, or stopped."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """End it, wherever it is; what was half written is gone. Stopping twice is no error."""
        if self._task is not None:
            self._task.cancel()
        await self.done()

    def closing(self, close: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Return what closes the library, with this stopped first."""

        async def stop_and_close() -> None:
            await self.stop()
            await close()

        return stop_and_close

    async def _run(self) -> None:
        await asyncio.sleep(self._delay)
        try:
            done = await self._if_due()
        except MonitorError as error:
            log.warning("No daily backup: %s", error)
            self._say(f"No backup was made. {error}", "warning")
        except Exception as error:  # whatever it is, play goes on, and the log has it
            log.exception("No daily backup")
            self._say(f"No backup was made: {error}.", "warning")
        else:
            if done is not None:
                self._say(_in_words(done), "information")

    async def _if_due(self) -> BackedUp | None:
        settings = (await asyncio.to_thread(read_settings, self._home)).backup
        folder, library = settings.place(self._home), await asyncio.to_thread(library_of, self._home)
        if not settings.daily or not await asyncio.to_thread(is_due, folder, library, self._clock()):
            return None
        with suppress(InputError):  # there is nothing in the library yet
            return await back_up(
                self._stores, folder, library=library, keep=settings.keep, clock=self._clock, breath=_Pace()
            )
        return None

    def _say(self, words: str, severity: Literal["information", "warning"]) -> None:
        self._told.say(words)
        self._tell(Notice(words, severity))


class _Pace:
    """Works a little and rests a little, in the thread that it is called in."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self) -> None:
        if time.perf_counter() >= self._until:
            time.sleep(REST)
            self._until = time.perf_counter() + WORK


def _in_words(done: BackedUp) -> str:
    count = len(done.manifest.universes)
    words = f"Backed up {count} {'universe' if count == 1 else 'universes'} to {done.path.parent}."
    if done.manifest.missing:
        words += f" {len(done.manifest.missing)} of its documents were lost before: see monitor doctor."
    return words
