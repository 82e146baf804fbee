"""Neo4j Community, from Maven: the embedded database with its Bolt server and authentication on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Artifact, Cache, compile_java, maven_jars


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
