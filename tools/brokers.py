"""Starts Redis and RabbitMQ on loopback for tests and measurements, from Debian's packages, without installing them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from tools.servers.fetch import Cache, ServerMissing, cache_folder, debian_package

START_SECONDS: Final = 60.0
_REDIS_PACKAGES: Final = ("redis-server", "redis-tools", "libjemalloc2", "liblzf1")
_ERLANG_PARTS: Final = (
    *("base", "asn1", "crypto", "eldap", "ftp", "inets", "mnesia", "os-mon", "parsetools", "public-key"),
    *("runtime-tools", "snmp", "ssl", "syntax-tools", "tftp", "tools", "xmerl"),
)
_RABBITMQ_PACKAGES: Final = ("rabbitmq-server", *(f"erlang-{part}" for part in _ERLANG_PARTS))


class Broker(Protocol):
    """A broker that can be killed and started again at the same address."""

    @property
    def url(self) -> str: ...

    def start(self) -> None:
        """Start it, and wait until it answers. Raises ServerMissing."""

    def kill(self) -> None:
        """End it as a power cut would."""


class _Processes:
    """Processes of one broker: killed together, in the order in which they were started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        with (self._folder / "log.txt").open("ab") as out:
            process = subprocess.Popen(
                argv,
                cwd=self._folder,
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._running.append(process)

    def wait_until_open(self, port: int) -> None:
        ends_at = time.monotonic() + START_SECONDS
        while not _answers(port):
            if time.monotonic() > ends_at or any(one.poll() is not None for one in self._running):
                self.kill()
                last_words = (self._folder / "log.txt").read_text(encoding="utf-8", errors="replace")[-300:]
                raise ServerMissing(f"the broker did not start: {last_words}")
            time.sleep(0.05)

    def kill(self) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._running.clear()


class Redis:
    """Redis, which keeps nothing of what goes through it."""

    def __init__(self, folder: Path, *, fetch: bool = False) -> None:
        """Raises ServerMissing if it is not on this machine, and not to be fetched."""
        self._processes = _Processes(folder)
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}"
        root = None if shutil.which("redis-server") else _unpacked("redis", _REDIS_PACKAGES, fetch=fetch)
        self._program = str(root / "usr/bin/redis-server") if root else "redis-server"
        self._env = {"LD_LIBRARY_PATH": str(root / "usr/lib/x86_64-linux-gnu")} if root else {}

    def start(self) -> None:
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        self._processes.start([self._program, *options], self._env)
        self._processes.wait_until_open(self._port)

    def kill(self) -> None:
        self._processes.kill()


class RabbitMq:
    """RabbitMQ, with Erlang's port mapper of its own."""

    def __init__(self, folder: Path, *, fetch: bool = False) -> None:
        """Raises ServerMissing if it is not on this machine, and not to be fetched."""
        self._folder = folder
        self._processes = _Processes(folder)
        self._port, self._mapper_port, self._node_port = free_port(), free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self._port}"
        root = _unpacked("rabbitmq", _RABBITMQ_PACKAGES, fetch=fetch)
        self._erlang = root / "usr/lib/erlang"
        (launcher,) = root.glob("usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server")
        self._launcher = launcher
        erl = self._erlang / "bin/erl"  # it names the folder where the package would have been installed
        erl.write_text(erl.read_text().replace("=/usr/lib/erlang", f"={self._erlang}"))
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self._port}\nvm_memory_high_watermark.absolute = 256MB\n"
        )

    def start(self) -> None:
        folder = self._folder
        (mapper,) = self._erlang.glob("erts-*/bin/epmd")
        mapper_env = {"ERL_EPMD_PORT": str(self._mapper_port), "ERL_EPMD_ADDRESS": "127.0.0.1"}
        self._processes.start([str(mapper)], mapper_env)
        env = {
            **mapper_env,
            "PATH": f"{self._erlang / 'bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            "RABBITMQ_NODENAME": "monitor@localhost",
            "RABBITMQ_DIST_PORT": str(self._node_port),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_PLUGINS_EXPAND_DIR": str(folder / "expanded"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        }
        self._processes.start(["sh", str(self._launcher)], env)
        self._processes.wait_until_open(self._port)

    def kill(self) -> None:
        self._processes.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _unpacked(name: str, packages: Sequence[str], *, fetch: bool) -> Path:
    """Return the folder of the unpacked packages. Raises ServerMissing."""

    def make(folder: Path) -> None:
        for package in packages:
            debian_package(cache, package, folder)

    cache = Cache(cache_folder())
    folder = cache_folder() / f"{name}-debian"
    if fetch:
        return cache.get(folder.name, make)
    if not folder.exists():
        raise ServerMissing(f"{name} is not on this machine")
    return folder


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
