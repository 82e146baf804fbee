"""A real process that plays on the real servers is killed again and again; nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from monitor_tui.compose import Program, open_program
from stores.embedded.history import EmbeddedHistory
from stores.embedded.library import open_library
from tests.chaos import player
from tests.chaos.test_kill import entries_of, look_at_everything, wait_for_more
from tests.replication.fake_servers import read_history
from tests.servers.conftest import history_there

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(900)]

KILLS = 6
LONGEST = 8.0
"""Seconds that it plays at most: a line takes a good part of one on servers."""


def test_killed_process_loses_nothing_on_servers(tmp_path: Path, on_servers: dict[str, str]) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_122)
    context = multiprocessing.get_context("spawn")
    for _ in range(KILLS):
        began = notes.stat().st_size if notes.exists() else 0
        process = context.Process(target=player.run, args=(str(home), str(notes), dice.getrandbits(32)))
        process.start()
        try:
            wait_for_more(notes, began)
            _wait_until_ready(process, notes)
            process.join(dice.uniform(0.0, LONGEST))
            assert process.is_alive(), "the player ended by itself: see its error above"
        finally:  # whatever failed: one that plays on would write into the canon of the next tests
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        asyncio.run(_check(home, notes))
    acknowledged = [e for e in entries_of(notes) if e["kind"] == "acknowledged"]
    print(f"{KILLS} kills on servers: {len(acknowledged)} lines acknowledged, none lost")
    assert len(acknowledged) > KILLS


def _wait_until_ready(process: BaseProcess, notes: Path) -> None:
    """Wait until it plays: it has opened its library and recovered what the one before left undone."""
    deadline = time.monotonic() + 240
    while entries_of(notes)[-1]["kind"] == "started":
        assert process.is_alive(), "the player ended by itself: see its error above"
        assert time.monotonic() < deadline, "the player did not open its library"
        time.sleep(0.05)


async def _check(home: Path, notes: Path) -> None:
    """Open again, and look at everything; then see that the servers and the copy at home tell the same."""
    program = await open_program(home)
    try:
        await look_at_everything(program, entries_of(notes))
        await _all_sent(program)
    finally:
        await program.close()
    library = await open_library(home / "library.db")
    try:
        async with history_there() as there:
            assert await read_history(EmbeddedHistory(library)) == await read_history(there)
    finally:
        await library.close()


async def _all_sent(program: Program) -> None:
    # MongoDB ends the transaction of a killed client after 60 s (transactionLifetimeLimitSeconds); until then writes
    # to the same records are refused.
    async with asyncio.timeout(240):
        while not all(state == "ok" for _, state in program.stores.health()):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
