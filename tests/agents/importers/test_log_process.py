"""A long log is read in a process of its own: with the same result, the same words, and gone when it is cancelled."""

from __future__ import annotations

import asyncio
import sys

import pytest

from agents.importers import log_process
from agents.importers.log_process import MIN_BYTES, read_log_beside_play
from agents.importers.log_reading import read_log
from stores.errors import InputError
from tests.processes import child_pids

pytestmark = pytest.mark.slow

SCENE = (
    "## Scene {0}: The harbour\n\nI go down to the water and ask for Vess.\n"
    "> Nobody looks up. [N:Vess|captain; wary]\n\nd: 2d6={0} -> Success\n\n"
)


@pytest.fixture(scope="module")
def long_log() -> bytes:
    text = ""
    number = 0
    while len(text) < MIN_BYTES:
        number += 1
        text += SCENE.format(number)
    return text.encode()


def refuse_here(*_: object, **__: object) -> None:
    raise AssertionError("a long log is not read in the process that plays")


async def test_long_log_is_read_in_a_process_as_it_is_read_here(
    long_log: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected_log = read_log(long_log, hero="Mara")
    children = child_pids()
    monkeypatch.setattr(log_process, "read_log", refuse_here)
    assert await read_log_beside_play(long_log, form=None, hero="Mara") == expected_log
    assert len(expected_log.entries) > 2 * log_process.ENTRIES_PER_PIECE
    assert child_pids() == children


async def test_long_file_that_is_no_log_is_refused_in_the_same_words() -> None:
    binary = bytes(range(256)) * (MIN_BYTES // 256 + 1)
    with pytest.raises(InputError) as here:
        read_log(binary)
    with pytest.raises(InputError) as beside:
        await read_log_beside_play(binary, form=None, hero="")
    assert str(beside.value) == str(here.value)


async def test_cancelled_import_leaves_no_process(long_log: bytes) -> None:
    children = child_pids()
    reading = asyncio.create_task(read_log_beside_play(long_log, form=None, hero=""))
    async with asyncio.timeout(60):
        while child_pids() == children:  # noqa: ASYNC110 - nothing tells of its start
            await asyncio.sleep(0.001)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert child_pids() == children


async def test_process_that_dies_says_what_was_kept(long_log: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(InputError, match="Nothing was imported") as failure:
        await read_log_beside_play(long_log, form=None, hero="")
    assert "Try again" in failure.value.todo
