"""Child processes end before whoever started them goes on, however often that is cancelled."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from agents.child_processes import build_child_environment, end_child, kill_child

OBEDIENT = "import sys; print('runs', flush=True); sys.stdin.read()"
"""Ends when its input does."""

STUBBORN = "import time; print('runs', flush=True); time.sleep(600)"


async def start(program: str) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"runs\n"
    return process


@pytest.mark.parametrize(
    ("program", "end"),
    [
        (OBEDIENT, partial(end_child, seconds=60)),
        (STUBBORN, partial(end_child, seconds=0.1)),
        (STUBBORN, kill_child),
    ],
)
async def test_child_has_ended_although_the_wait_for_it_was_cancelled_twice(
    program: str, end: Callable[[asyncio.subprocess.Process], Awaitable[None]]
) -> None:
    process = await start(program)
    ending = asyncio.ensure_future(end(process))
    for _ in range(2):
        await asyncio.sleep(0)
        ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert process.returncode is not None


async def test_child_that_has_ended_is_ended_again() -> None:
    process = await start(OBEDIENT)
    await end_child(process, seconds=60)
    assert process.returncode == 0
    await end_child(process, seconds=60)
    await kill_child(process)
    assert process.returncode == 0


@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_child_has_ended_when_the_loop_has(seconds: float) -> None:
    processes: list[asyncio.subprocess.Process] = []

    async def leave_a_wait_behind() -> None:
        processes.append(await start(STUBBORN))
        waits.append(asyncio.create_task(end_child(processes[0], seconds=seconds)))
        await asyncio.sleep(0)

    waits: list[asyncio.Task[None]] = []
    asyncio.run(leave_a_wait_behind())
    assert waits[0].cancelled()
    assert processes[0].returncode is not None


LOWER = "from agents.child_processes import lower_own_priority; lower_own_priority();"

PRINT_PRIORITY_OF_SESSION = """
from pathlib import Path
path = Path("/proc/self/autogroup")
print(path.read_text() if path.exists() else "")
"""

RENEW_PRIORITY_OF_SESSION = """
from contextlib import suppress
from pathlib import Path
path = Path("/proc/self/autogroup")
with suppress(OSError):
    words = path.read_text().split()
    path.write_text(words[-1] if words else "")
    print(*words)
"""
"""Prints nothing where sessions have no priority, or none that may be changed."""


@pytest.mark.parametrize("has_own_session", [True, False])
def test_work_that_can_wait_lowers_its_own_session_and_nobody_elses(has_own_session: bool) -> None:
    before = run_python(RENEW_PRIORITY_OF_SESSION, has_own_session=has_own_session).rpartition(" ")[2]
    if not before:
        pytest.skip("sessions have no priority here that may be changed")
    after = run_python(LOWER + PRINT_PRIORITY_OF_SESSION, has_own_session=has_own_session).rpartition(" ")[2]
    assert after == ("10" if has_own_session else before)


def test_work_that_can_wait_lowers_its_own_priority() -> None:
    assert run_python(LOWER + "import os; print(os.nice(0))") == str(min(19, os.nice(0) + 10))


def run_python(program: str, *, has_own_session: bool = False) -> str:
    command = (sys.executable, "-c", program)
    environ = build_child_environment({})
    return subprocess.check_output(command, start_new_session=has_own_session, env=environ).decode().strip()
