"""Measures keys, verdicts and mode switches while the process behind play indexes and remembers a long campaign.

Nothing of the library is indexed at the start, and without an embedding model the work is all that process's: minutes
of it. The row of its share of a core says that it was at work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import gate, keys, modes
from benchmarks.background_work import BackgroundWork
from benchmarks.libraries import Libraries
from benchmarks.table import Row
from benchmarks.terminal import ENTER, MENU_FILLED, NO_MODEL, SCENE, Terminal, open_monitor

LETTER_AIM = 16
MOVE_AIM = 25
VERDICT_AIM = 33
"""Milliseconds of two frames at 60 Hz."""
ROW_SUFFIX = ", while indexing"


def run(libraries: Libraries) -> Iterator[Row]:
    with _open_unindexed(libraries.make_big("unindexed-keys")) as terminal:
        terminal.press(ENTER, SCENE)
        work = BackgroundWork(terminal)
        yield from keys.time_keys(
            terminal,
            libraries.often(keys.COUNT),
            ROW_SUFFIX,
            letter_aim=LETTER_AIM,
            move_aim=MOVE_AIM,
        )
        yield from work.rows("keys")
    yield from _time_verdicts(libraries)
    with _open_unindexed(libraries.make_big("unindexed-modes")) as terminal:
        work = BackgroundWork(terminal)
        yield from modes.time_switches(terminal, libraries.often(modes.COUNT), ROW_SUFFIX)
        yield from work.rows("mode switches")


def _time_verdicts(libraries: Libraries) -> Iterator[Row]:
    home = libraries.make_big("unindexed-gate")
    asyncio.run(gate.propose(home))
    with _open_unindexed(home) as terminal:
        yield from gate.time_verdicts_beside_work(
            terminal, libraries.often(gate.COUNT), ROW_SUFFIX, VERDICT_AIM
        )


@contextmanager
def _open_unindexed(home: Path) -> Iterator[Terminal]:
    with open_monitor(home, NO_MODEL) as terminal:
        terminal.since_key(MENU_FILLED)
        yield terminal
        terminal.settle()
        terminal.quit()
