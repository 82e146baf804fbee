"""SecantusDB, from PyPI: MongoDB's wire protocol over WiredTiger, with users, roles and transactions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Cache, ServerMissing, python_packages

# It has no "localhost exception": the first user is made while authentication is off, on a port
# of its own, by the very process that then gives the store back.
_FIRST_USER = """
import os
from pymongo import MongoClient
from secantus import SecantusDBServer
with SecantusDBServer(storage_path=os.environ["STORE"], enable_test_commands=False, durable=True) as server:
    with MongoClient(server.uri) as client:
        client.admin.command("createUser", "root", pwd=os.environ["PASSWORD"], roles=["root"])
"""


class Mongo:
    """The narrative log's server."""

    name = "mongo"
    product = f"SecantusDB {pins.MONGO}, MongoDB's protocol on WiredTiger (not mongod itself)"
    kind = Kind.COMPATIBLE
    ports = ("mongo",)
    secrets = ("password",)
    patience = 60.0

    def fetch(self, cache: Cache) -> Sequence[Path]:
        def make(folder: Path) -> None:
            python_packages(cache, self.name, pins.MONGO_REQUIREMENTS, folder)

        return [cache.get(f"secantusdb-{pins.MONGO}", make)]

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        python = str(fetched[0] / "venv" / "bin" / "python")
        store = place.folder / "store"
        has_user = place.folder / "has-user"
        if not has_user.exists():
            self._make_first_user(python, store, place.secrets["password"])
            has_user.touch()
        argv = [python, "-m", "secantus", "--auth", "--host", probe.HOST, "--port", str(place.ports["mongo"])]
        # Flushed at every commit, as a write concern of j:true promises; a play log must survive the plug.
        argv += ["--storage-path", str(store), "--cache-size", "256M", "--sync-on-commit"]
        return Command(argv)

    def _make_first_user(self, python: str, store: Path, password: str) -> None:
        completed = subprocess.run(
            [python, "-c", _FIRST_USER],
            env={**os.environ, "STORE": str(store), "PASSWORD": password},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=self.patience,
        )
        if completed.returncode:
            raise ServerMissing(f"the first user could not be made: {completed.stderr.strip()[-300:]}")

    def healthy(self, place: Place) -> bool:
        return probe.mongo_answers(place.ports["mongo"])

    def env(self, place: Place) -> dict[str, str]:
        host = f"{probe.HOST}:{place.ports['mongo']}"
        return {"MONITOR_MONGO_URL": f"mongodb://root:{place.secrets['password']}@{host}/?authSource=admin"}

    def address(self, place: Place) -> str:
        return f"mongodb://{probe.HOST}:{place.ports['mongo']}"
