"""What every child process of MONITOR has in common, on both ends of its pipes.

Source: design/architecture.md ("The model lives in a child process"); docs/decisions/0012.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import agents


def child_environ(more: Mapping[str, str]) -> dict[str, str]:
    """Ours, with the folder in front that our packages were found in."""
    home = str(Path(agents.__file__).parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **more}


async def end_child(process: asyncio.subprocess.Process, *, seconds: float) -> None:
    """Ask a child to end, by ending its input; if it has not within `seconds`, end it."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def own_pipe() -> Any:
    """In a child: keep stdout for our own lines alone, unbuffered; whatever else prints, prints nowhere."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return out


def write_all(out: Any, data: bytes) -> None:
    """Write everything to an unbuffered pipe, which takes what fits."""
    rest = memoryview(data)
    while rest:
        rest = rest[out.write(rest) :]
