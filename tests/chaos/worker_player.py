"""Plays at random beside a process of workers until killed, and notes which process runs and what is said."""

from __future__ import annotations

import asyncio
import json
import os
import random
from functools import partial
from pathlib import Path
from typing import Any

from agents.events import Event, Notice
from agents.jobs.worker_process import WorkerProcess
from monitor_tui import background_jobs
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program
from tests.chaos.behind_play import open_without_vectors, process_of, until_it_runs
from tests.chaos.player import play_on


def run(home: str, notes: str, seed: int, answer_seconds: float) -> None:
    """Play until killed; a process of workers that has not answered after `answer_seconds` hangs."""
    patient = partial(WorkerProcess, answer_seconds=answer_seconds)
    background_jobs.WorkerProcess = patient  # type: ignore[assignment, attr-defined]
    asyncio.run(_play(Path(home), Path(notes), random.Random(seed)))


async def _play(home: Path, notes: Path, dice: random.Random) -> None:
    sheet = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(**entry: Any) -> None:
        os.write(sheet, (json.dumps(entry) + "\n").encode())

    def note_notice(event: Event) -> None:
        if isinstance(event, Notice):
            note(kind="notice", text=event.text)

    async def open_() -> Program:
        program = await open_without_vectors(home, BackgroundMode.PLAY)
        program.services.events.subscribe(note_notice)
        return program

    noted_pids = set[int]()

    async def note_worker(program: Program, dice: random.Random) -> None:
        if (pid := process_of(program).pid) is None:
            pid = await until_it_runs(program)
        if pid not in noted_pids:
            noted_pids.add(pid)
            note(kind="worker", pid=pid)
        await asyncio.sleep(dice.uniform(0, 0.05))

    await play_on(open_, notes, dice, note_worker)
