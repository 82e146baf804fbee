"""Tests that the child process ends however MONITOR ends."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

PARENT_PROGRAM = """
import asyncio, signal
from agents.llm.child_client import ChildModel

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started to ignore it

async def main():
    model = ChildModel()
    await model.warm()
    print(model.pid, flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT])
async def test_child_does_not_outlive_its_parent(signal_number: signal.Signals) -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT_PROGRAM),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert parent.stdout is not None
    child = Path("/proc") / (await parent.stdout.readline()).decode().strip()
    assert _is_running(child)
    parent.send_signal(signal_number)
    await parent.wait()
    async with asyncio.timeout(30):
        while _is_running(child):  # noqa: ASYNC110 - nothing signals the end of another's child process
            await asyncio.sleep(0.05)


def _is_running(child: Path) -> bool:
    try:
        return b"agents.llm.child" in (child / "cmdline").read_bytes()
    except OSError:
        return False
