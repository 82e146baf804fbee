"""Lists the servers, and defines those with a simple set-up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place, Server
from tools.servers.fetch import (
    Artifact,
    Cache,
    ServerMissing,
    compile_java,
    go_install,
    maven_jars,
    python_packages,
)
from tools.servers.opensearch import OpenSearch


class Minio:
    """The object store's server."""

    name = "minio"
    product = f"MinIO {pins.MINIO.split('-')[1][:8]}"
    kind = Kind.REAL
    ports = ("api",)
    secrets = ("access_key", "secret_key")
    patience = 60.0

    def fetch(self, cache: Cache) -> Sequence[Path]:
        def make(folder: Path) -> None:
            go_install(cache, self.name, "github.com/minio/minio", pins.MINIO, folder)

        return [cache.get(f"minio-{pins.MINIO}", make)]

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        data = place.folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        argv = [str(fetched[0] / "bin" / "minio"), "server", str(data), "--address", self._host(place)]
        env = {
            "MINIO_ROOT_USER": place.secrets["access_key"],
            "MINIO_ROOT_PASSWORD": place.secrets["secret_key"],
            "MINIO_BROWSER": "off",
            "MINIO_UPDATE": "off",
            "MINIO_CALLHOME_ENABLE": "off",
            "GOMEMLIMIT": "256MiB",
            "GOMAXPROCS": "2",
        }
        return Command(argv, env)

    def healthy(self, place: Place) -> bool:
        return probe.http_status(place.ports["api"], "/minio/health/ready") == 200

    def env(self, place: Place) -> dict[str, str]:
        return {
            "MONITOR_MINIO_ENDPOINT": self._host(place),
            "MONITOR_MINIO_ACCESS_KEY": place.secrets["access_key"],
            "MONITOR_MINIO_SECRET_KEY": place.secrets["secret_key"],
        }

    def address(self, place: Place) -> str:
        return f"http://{self._host(place)}"

    def _host(self, place: Place) -> str:
        return f"{probe.HOST}:{place.ports['api']}"


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


class Neo4j:
    """The canon graph's server."""

    name = "neo4j"
    product = f"Neo4j Community {pins.NEO4J}"
    kind = Kind.REAL
    ports = ("bolt",)
    secrets = ("password",)
    patience = 180.0

    def fetch(self, cache: Cache) -> Sequence[Path]:
        def make(folder: Path) -> None:
            maven_jars(cache, self.name, [Artifact("org.neo4j", "neo4j", pins.NEO4J)], folder)

        fetched = cache.get(f"neo4j-{pins.NEO4J}", make)
        return [compile_java(cache, "Neo4jServer.java", fetched / "lib"), fetched]

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        classes, artifacts = fetched
        home = place.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        config = place.folder / "neo4j.conf"
        config.write_text(
            "server.bolt.enabled=true\n"
            f"server.bolt.listen_address={probe.HOST}:{place.ports['bolt']}\n"
            "dbms.security.auth_enabled=true\n"
            "server.memory.pagecache.size=64m\n"
            "dbms.memory.transaction.total.max=256m\n"
            "dbms.usage_report.enabled=false\n",
            encoding="utf-8",
        )
        path = os.pathsep.join([str(classes), str(artifacts / "lib" / "*")])
        heap = ["-Xms128m", "-Xmx1g", "-XX:MaxDirectMemorySize=512m", "-XX:+ExitOnOutOfMemoryError"]
        argv = ["java", *heap, "-cp", path, "Neo4jServer", str(home), str(config)]
        return Command(argv, {"NEO4J_PASSWORD": place.secrets["password"]})

    def healthy(self, place: Place) -> bool:
        # Bolt opens before the launcher has set the password; its last line says that both are done.
        log_text = (place.folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        return "Neo4j is ready." in log_text and probe.bolt_answers(place.ports["bolt"])

    def env(self, place: Place) -> dict[str, str]:
        return {
            "MONITOR_NEO4J_URL": self.address(place),
            "MONITOR_NEO4J_USER": "neo4j",
            "MONITOR_NEO4J_PASSWORD": place.secrets["password"],
        }

    def address(self, place: Place) -> str:
        return f"bolt://{probe.HOST}:{place.ports['bolt']}"


_REPOSITORY = Path(__file__).resolve().parents[2]


class Qdrant:
    """The vector index's server."""

    name = "qdrant"
    product = (
        f"Qdrant's engine (qdrant-edge {pins.QDRANT_EDGE}) behind our own REST front, not Qdrant's server"
    )
    kind = Kind.STAND_IN
    ports = ("http",)
    secrets = ("api_key", "read_only_api_key")
    patience = 60.0

    def fetch(self, cache: Cache) -> Sequence[Path]:
        def make(folder: Path) -> None:
            python_packages(cache, self.name, pins.QDRANT_REQUIREMENTS, folder)

        return [cache.get(f"qdrant-edge-{pins.QDRANT_EDGE}", make)]

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        python = str(fetched[0] / "venv" / "bin" / "python")
        store = str(place.folder / "store")
        argv = [python, "-m", "tools.servers.qdrant_front", store, str(place.ports["http"])]
        env = {
            "PYTHONPATH": str(_REPOSITORY),
            "QDRANT_API_KEY": place.secrets["api_key"],
            "QDRANT_READ_ONLY_API_KEY": place.secrets["read_only_api_key"],
        }
        return Command(argv, env)

    def healthy(self, place: Place) -> bool:
        key = {"api-key": place.secrets["api_key"]}
        return probe.http_status(place.ports["http"], "/collections", headers=key) == 200

    def env(self, place: Place) -> dict[str, str]:
        return {
            "MONITOR_QDRANT_URL": self.address(place),
            "MONITOR_QDRANT_API_KEY": place.secrets["api_key"],
            "MONITOR_QDRANT_READ_ONLY_API_KEY": place.secrets["read_only_api_key"],
        }

    def address(self, place: Place) -> str:
        return f"http://{probe.HOST}:{place.ports['http']}"


# The quickest to be had first; MinIO is built from source.
SERVERS: Final[tuple[Server, ...]] = (Neo4j(), Mongo(), Qdrant(), OpenSearch(), Minio())
