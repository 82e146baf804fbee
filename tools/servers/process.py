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
class OwnedProcess:
    """A process that we started. `began` keeps us from ending a stranger that was given the same id later."""

    pid: int
    started_at: str

    def alive(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)
        return _read_start_time(self.pid) == self.started_at

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


def start(command: Command, folder: Path, healthy: Callable[[], bool], patience: float) -> OwnedProcess:
    """Start it in its folder, and wait until it is healthy. Raises ServerMissing with the end of its log."""
    log = folder / "log.txt"
    pid = _spawn(command, folder, log)
    running = OwnedProcess(pid, _read_start_time(pid))
    deadline = time.monotonic() + patience
    while not healthy():
        ended_pid, status = os.waitpid(pid, os.WNOHANG)
        if ended_pid:
            code = os.waitstatus_to_exitcode(status)
            raise ServerMissing(f"it stopped at once with status {code}: {_tail(log)}")
        if time.monotonic() > deadline:
            running.stop()
            raise ServerMissing(f"it was not healthy after {patience:.0f} s: {_tail(log)}")
        time.sleep(_POLL)
    return running


def _spawn(command: Command, folder: Path, log: Path) -> int:
    """A process in a session of its own, so it outlives us; a Popen would rightly complain of that."""
    into_folder = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *command.argv]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    env = {**os.environ, **command.env}
    return os.posix_spawnp("sh", into_folder, env, file_actions=actions, setsid=True)


def _read_start_time(pid: int) -> str:
    """When the process started, as the system tells it; empty for one that is gone or unreaped."""
    ps_fields = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split()
    return "" if not ps_fields or ps_fields[0].startswith("Z") else " ".join(ps_fields[1:])


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{' | '.join(lines[-3:])[-500:]} (all of it in {log})"
