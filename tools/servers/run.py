"""One run: a folder with each server's data, ports, random secrets and log, private to its user."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shlex
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.servers import probe, process
from tools.servers.base import Place, Server
from tools.servers.fetch import Cache
from tools.servers.process import OwnedProcess


class Run:
    """Keeps ports and secrets over restarts, so a server that comes back is found where it was.

    The folder is readable by its owner alone. After `forget` the next start is a new run.
    """

    def __init__(self, folder: Path, servers: Sequence[Server], env_file: Path | None = None) -> None:
        self.folder = folder
        self.env_file = env_file or folder / "env"
        self._servers = servers
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)

    def start(self, server: Server, cache: Cache) -> Place:
        """Fetch if need be, start, and wait until healthy; one that runs already is left alone.

        Raises ServerMissing.
        """
        place = self.place(server)
        if self.find_process(server):
            return place
        command = server.prepare(server.fetch(cache), place)
        started_process = process.start(command, place.folder, lambda: server.healthy(place), server.patience)
        with self._state() as state:
            state[server.name]["process"] = {"pid": started_process.pid, "began": started_process.started_at}
        self.write_env()
        return place

    def stop(self, server: Server, *, by_force: bool = False) -> bool:
        """End one server; False when it was not running. By force is a crash: its data stays as it was."""
        running = self.find_process(server)
        if running is None:
            return False
        if by_force:
            running.kill()
        else:
            running.stop()
        with self._state() as state:
            state[server.name].pop("process", None)
        self.write_env()
        return True

    def place(self, server: Server) -> Place:
        """Where the server lives in this run; ports and secrets are drawn the first time."""
        with self._state() as state:
            server_state = state.setdefault(server.name, {})
            if "ports" not in server_state:
                server_state["ports"] = dict(zip(server.ports, _free_ports(len(server.ports)), strict=True))
                server_state["secrets"] = {name: secrets.token_hex(16) for name in server.secrets}
            folder = self.folder / server.name
            folder.mkdir(exist_ok=True, mode=0o700)
            return Place(folder, dict(server_state["ports"]), dict(server_state["secrets"]))

    def find_process(self, server: Server) -> OwnedProcess | None:
        """Its process, if it is alive."""
        with self._state() as state:
            process_state = state.get(server.name, {}).get("process")
        if process_state is None:
            return None
        running = OwnedProcess(process_state["pid"], process_state["began"])
        return running if running.alive() else None

    def env(self) -> dict[str, str]:
        """What the program needs to reach the servers that run now."""
        running_servers = [server for server in self._servers if self.find_process(server)]
        variables = {
            name: value
            for server in running_servers
            for name, value in server.env(self.place(server)).items()
        }
        kinds = " ".join(f"{server.name}={server.kind}" for server in running_servers)
        return {**variables, "MONITOR_TEST_SERVERS": kinds}

    def write_env(self) -> None:
        """Write the environment as lines for a shell, readable by the owner alone, replacing it whole."""
        lines = [f"export {name}={shlex.quote(value)}\n" for name, value in self.env().items()]
        self.env_file.parent.mkdir(parents=True, exist_ok=True)
        new_file = self.env_file.with_name(f"{self.env_file.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with open(new_file, "w", encoding="utf-8", opener=_private) as out:
            out.writelines(lines)
        new_file.replace(self.env_file)

    def forget(self) -> None:
        """Remove the run's folder and its env file. Every server of it must be stopped."""
        shutil.rmtree(self.folder)
        self.env_file.unlink(missing_ok=True)

    @contextmanager
    def _state(self) -> Iterator[dict[str, Any]]:
        """The run's state, read and written under a lock, since servers start side by side."""
        with open(self.folder / "state.json", "a+", encoding="utf-8", opener=_private) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            before = file.read()
            state: dict[str, Any] = json.loads(before or "{}")
            yield state
            after = json.dumps(state, indent=1)
            if after != before:
                file.seek(0)
                file.truncate()
                file.write(after)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _free_ports(count: int) -> list[int]:
    """Ports nobody listens on now, held together until all are known so that none comes twice."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for free_socket in sockets:
            free_socket.bind((probe.HOST, 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for free_socket in sockets:
            free_socket.close()
