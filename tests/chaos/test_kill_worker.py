"""The process behind play is killed 200 times while one program plays on: nothing is lost, and it is said once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest

from agents.events import Event, Notice
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program
from tests.chaos.behind_play import (
    LOST_TEXT,
    WAIT_SECONDS,
    assert_derived_like,
    catch_up,
    child_pids_behind,
    count_surplus_rows,
    derive_anew,
    open_without_vectors,
    pids_behind,
    process_of,
    read_derived,
    retry_given_up,
)
from tests.chaos.player import play_on
from tests.chaos.test_kill import entries_of, look_at_everything
from tests.processes import child_pids

KILLS = int(os.environ.get("MONITOR_CHAOS_KILLS", "200"))

MAX_SECONDS_ALIVE = 1.0
"""Seconds until a process is killed, at most: from its start, or from when it is ready."""

MAX_PAUSE = 0.2
"""Seconds between two lines that are typed, at most."""

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1_800)]  # two minutes on an idle machine


class KillsDoneError(Exception):
    """Ends play between two lines."""


async def test_worker_kills_disturb_no_exchange_and_lose_nothing(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_124)
    children = child_pids()
    program = await open_without_vectors(home, BackgroundMode.PLAY)
    published: list[Event] = []
    program.services.events.subscribe(published.append)
    try:
        killer = asyncio.create_task(kill_workers(program, home, dice))

        async def open_() -> Program:
            return program

        async def pause(program: Program, dice: random.Random) -> None:
            await asyncio.sleep(dice.uniform(0, MAX_PAUSE))
            if killer.done():
                raise KillsDoneError

        with pytest.raises(KillsDoneError):
            await play_on(open_, notes, dice, pause)
        killed = await killer
        await retry_given_up(program)
        await catch_up(program)
        await look_at_everything(program, entries_of(notes))
        await catch_up(program)
        derived = await read_derived(program)
    finally:
        await program.close()
    kinds = Counter(str(entry["kind"]) for entry in entries_of(notes))
    refusals = Counter(str(entry["why"]) for entry in entries_of(notes) if entry["kind"] == "refused")
    print(f"killed: {dict(killed)}; lines: {dict(kinds)}; {[len(part) for part in derived]}; {refusals}")
    assert killed.total() == KILLS
    assert min(killed["ready"], killed["starting"]) > KILLS // 20, "the test would show too little"
    assert kinds["typed"] == kinds["acknowledged"] + kinds["refused"], "an exchange was disturbed"
    assert kinds["acknowledged"] > KILLS
    notices = [event.text for event in published if isinstance(event, Notice)]
    assert [text for text in notices if "unexpectedly" in text] == [LOST_TEXT]
    assert child_pids() == children
    assert pids_behind(home) == []
    assert count_surplus_rows(home) == 0
    assert_derived_like(derived, await derive_anew(home, tmp_path / "anew"))


async def kill_workers(program: Program, home: Path, dice: random.Random) -> Counter[str]:
    """Kill whatever runs or starts behind play, again and again; returns how often which."""
    killed = Counter[str]()
    last_pid = 0
    while killed.total() < KILLS:
        is_ready_awaited = dice.random() < 0.6
        async with asyncio.timeout(WAIT_SECONDS):
            while (pid := _find_pid(program, home, is_ready_awaited)) in (None, last_pid):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        await asyncio.sleep(MAX_SECONDS_ALIVE * dice.random() ** 3)
        assert pid is not None
        killed["ready" if process_of(program).pid == pid else "starting"] += 1
        os.kill(pid, signal.SIGKILL)
        last_pid = pid
    return killed


def _find_pid(program: Program, home: Path, is_ready_awaited: bool) -> int | None:
    return process_of(program).pid if is_ready_awaited else next(iter(child_pids_behind(home)), None)
