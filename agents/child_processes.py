"""Shared helpers for child processes and the pipes to them. See docs/decisions/0012."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import agents
from agents.secret_masking import is_secret_variable

_NICENESS: Final = 10
"""How much lower the priority of work that can wait is than play's."""

_SESSION_ATTEMPTS: Final = 5


def build_child_environment(more: Mapping[str, str], *, with_secrets: bool = False) -> dict[str, str]:
    """Return our environment for a child, with the folder of our packages first on its path.

    Variables that look like keys and passwords are only for the child that talks to a provider.
    """
    home = str(Path(agents.__file__).parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    environ = {k: v for k, v in os.environ.items() if with_secrets or not is_secret_variable(k)}
    return {**environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **more}


async def end_child(process: asyncio.subprocess.Process, *, seconds: float) -> None:
    """Close the child's input so that it ends; kill it if it has not ended within `seconds`.

    Returns when it has ended, and if this is cancelled meanwhile, raises then.
    """
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.close()
    kill_later = asyncio.get_running_loop().call_later(seconds, _kill, process)
    try:
        await _wait_until_ended(process)
    finally:
        kill_later.cancel()


async def kill_child(process: asyncio.subprocess.Process) -> None:
    """Kill the child if it has not ended; returns when it has, and if this is cancelled meanwhile, raises then."""
    _kill(process)
    await _wait_until_ended(process)


def _kill(process: asyncio.subprocess.Process) -> None:
    # One that has ended is not killed: its number may be another's.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()


async def _wait_until_ended(process: asyncio.subprocess.Process) -> None:
    """Wait for a process that will end soon, however often this is cancelled, as all tasks are when a loop ends."""
    cancellation: asyncio.CancelledError | None = None
    while process.returncode is None:
        try:
            await process.wait()
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation


def lower_own_priority() -> None:
    """In a child whose work can wait: let play go first whenever both want a processor.

    Linux shares processor time out among sessions first (`autogroup` in sched(7)), and only then by the niceness of
    each process. A child that begins a session of its own would have as much as play, so the session is made as nice.
    What the system does not have or allow is left out: the work is done all the same.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.nice(_NICENESS)
    if sys.platform == "linux" and os.getsid(0) == os.getpid():
        with suppress(OSError):
            _lower_priority_of_session()


def _lower_priority_of_session() -> None:
    for _ in range(_SESSION_ATTEMPTS):
        # Of all sessions of the machine, one may be changed in a tenth of a second.
        with suppress(BlockingIOError):
            Path("/proc/self/autogroup").write_text(f"{_NICENESS}\n")
            return
        time.sleep(0.1)


def claim_stdout() -> Any:
    """In a child: reserve stdout for our own lines, unbuffered; anything else that prints goes nowhere."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return out


def write_all(out: Any, data: bytes) -> None:
    """Write all data to an unbuffered pipe, which may take only part of it at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[out.write(rest) :]
