"""Starting, watching and stopping one detached process, known by its id and the moment it began."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.servers.base import Command
from tools.servers.fetch import ServerMissing

_POLL = 0.1  # seconds between two looks; each look asks the process, none merely hopes


@dataclass(frozen=True)
class Running:
    """A process that we started. `began` keeps us from ending a stranger that was given the same id later."""

    pid: int
    began: str

    def alive(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return _began(self.pid) == self.began

    def stop(self, *, patience: float = 30.0) -> None:
        """End it in good order; by force when it has not gone after patience seconds."""
        if not self.alive():
            return
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + patience
        while self.alive():
            if time.monotonic() > deadline:
                self.kill()
                return
            time.sleep(_POLL)

    def kill(self) -> None:
        """End it as a power cut would, and wait until it is gone."""
        if self.alive():
            os.kill(self.pid, signal.SIGKILL)
        while self.alive():
            time.sleep(_POLL)


def start(command: Command, folder: Path, healthy: Callable[[], bool], patience: float) -> Running:
    """Start it in its folder, and wait until it is healthy. Raises ServerMissing with the end of its log."""
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(
            list(command.argv),
            cwd=folder,
            env={**os.environ, **command.env},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    running = Running(process.pid, _began(process.pid))
    deadline = time.monotonic() + patience
    while not healthy():
        if process.poll() is not None:
            raise ServerMissing(f"it stopped at once with status {process.returncode}: {_tail(log)}")
        if time.monotonic() > deadline:
            running.stop()
            raise ServerMissing(f"it was not healthy after {patience:.0f} s: {_tail(log)}")
        time.sleep(_POLL)
    return running


def _began(pid: int) -> str:
    """When the process started, as the system tells it; empty for one that is gone or unreaped."""
    told = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    return "" if not told or told[0].startswith("Z") else " ".join(told[1:])


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{' | '.join(lines[-3:])[-500:]} (all of it in {log})"
