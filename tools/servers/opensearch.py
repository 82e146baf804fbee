"""OpenSearch with its security plugin, from Maven: users and roles are the server's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Artifact, Cache, ServerMissing, compile_java, maven_jars, maven_zip

_PLUGINS = (
    "org.opensearch.transport.Netty4Plugin",
    "org.opensearch.analysis.common.CommonAnalysisPlugin",
    "org.opensearch.index.reindex.ReindexPlugin",
    "org.opensearch.index.mapper.MapperExtrasPlugin",
    "org.opensearch.painless.PainlessPlugin",
    "org.opensearch.security.OpenSearchSecurityPlugin",
)
_MODULES = (
    "transport-netty4-client",
    "analysis-common",
    "reindex-client",
    "mapper-extras-client",
    "lang-painless",
)

_LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


class OpenSearch:
    """The text index's server."""

    name = "opensearch"
    product = f"OpenSearch {pins.OPENSEARCH} with its security plugin {pins.OPENSEARCH_SECURITY}"
    kind = Kind.REAL
    ports = ("http", "transport")
    secrets = ("password",)
    patience = 240.0

    def fetch(self, cache: Cache) -> Sequence[Path]:
        def make(folder: Path) -> None:
            artifacts = [
                Artifact("org.opensearch", "opensearch", pins.OPENSEARCH),
                *(Artifact("org.opensearch.plugin", module, pins.OPENSEARCH) for module in _MODULES),
                Artifact("org.apache.logging.log4j", "log4j-core", pins.LOG4J_CORE),
            ]
            maven_jars(cache, self.name, artifacts, folder)
            security = Artifact("org.opensearch.plugin", "opensearch-security", pins.OPENSEARCH_SECURITY)
            maven_zip(cache, self.name, security, folder / "security")
            _remove_duplicate_jars(folder / "security", folder / "lib")

        fetched = cache.get(f"opensearch-{pins.OPENSEARCH_SECURITY}", make)
        return [compile_java(cache, "OpenSearchServer.java", fetched / "lib"), fetched]

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        config = place.folder / "config"
        if not (config / "opensearch-security").is_dir():
            self._write_security(fetched, place, config)
        _write(config / "log4j2.properties", _LOGGING)
        _write(config / "opensearch.yml", _settings(place))
        heap = ["-Xms256m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:+ExitOnOutOfMemoryError"]
        argv = ["java", *heap, "-Dlog4j2.disable.jmx=true", f"-Dopensearch.path.conf={config}"]
        argv += ["-cp", _class_path(fetched), "OpenSearchServer", str(place.folder), str(config), *_PLUGINS]
        return Command(argv)

    def _write_security(self, fetched: Sequence[Path], place: Place, config: Path) -> None:
        """Its own certificate, as its transport demands one, and one user, with the run's random password."""
        config.mkdir(parents=True, mode=0o700)
        temporary_folder = config / "making"
        _, artifacts = fetched
        shutil.copytree(artifacts / "security" / "config", temporary_folder)
        for file in temporary_folder.iterdir():
            file.chmod(0o600)
        users = {
            "_meta": {"type": "internalusers", "config_version": 2},
            "admin": {
                "hash": _hash_password(fetched, place.secrets["password"]),
                "reserved": True,
                "backend_roles": ["admin"],
            },
        }
        _write(temporary_folder / "internal_users.yml", probe.compact_json(users))
        _make_certificate(config)
        temporary_folder.rename(config / "opensearch-security")

    def healthy(self, place: Place) -> bool:
        who = probe.basic_auth_header("admin", place.secrets["password"])
        return probe.http_status(place.ports["http"], "/_cluster/health", headers=who) == 200

    def env(self, place: Place) -> dict[str, str]:
        return {
            "MONITOR_OPENSEARCH_URL": self.address(place),
            "MONITOR_OPENSEARCH_USER": "admin",
            "MONITOR_OPENSEARCH_PASSWORD": place.secrets["password"],
        }

    def address(self, place: Place) -> str:
        return f"http://{probe.HOST}:{place.ports['http']}"


def _settings(place: Place) -> str:
    lines = {
        "cluster.name": "monitor",
        "node.name": "monitor",
        "network.host": probe.HOST,
        "http.port": place.ports["http"],
        "transport.port": place.ports["transport"],
        "discovery.type": "single-node",
        "action.auto_create_index": False,
        "cluster.routing.allocation.disk.threshold_enabled": False,
        "plugins.security.allow_default_init_securityindex": True,
        "plugins.security.audit.type": "noop",
        "plugins.security.nodes_dn": ["CN=monitor"],
        "plugins.security.restapi.roles_enabled": ["all_access"],
        "plugins.security.ssl.http.enabled": False,
        "plugins.security.ssl.transport.pemcert_filepath": "node.pem",
        "plugins.security.ssl.transport.pemkey_filepath": "node.key",
        "plugins.security.ssl.transport.pemtrustedcas_filepath": "node.pem",
    }
    return "".join(f"{key}: {probe.compact_json(value)}\n" for key, value in lines.items())


def _class_path(fetched: Sequence[Path]) -> str:
    classes, artifacts = fetched
    return os.pathsep.join(
        str(part) for part in (classes, artifacts / "lib" / "*", artifacts / "security" / "*")
    )


def _hash_password(fetched: Sequence[Path], password: str) -> str:
    completed = subprocess.run(
        ["java", "-cp", _class_path(fetched), "org.opensearch.security.tools.Hasher", "-env", "PASSWORD"],
        env={**os.environ, "PASSWORD": password},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = completed.stdout.split()
    if completed.returncode or not lines or not lines[-1].startswith("$2"):
        raise ServerMissing(
            f"OpenSearch's hasher failed: {(completed.stderr or completed.stdout).strip()[:300]}"
        )
    return lines[-1]


def _make_certificate(config: Path) -> None:
    """A self-signed one for the node's transport, on loopback, for this run only."""
    if shutil.which("openssl") is None:
        raise ServerMissing("OpenSearch needs a certificate, and the command `openssl` is not here")
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=monitor"]
    argv += ["-addext", f"subjectAltName=IP:{probe.HOST}", "-keyout", "node.key", "-out", "node.pem"]
    completed = subprocess.run(argv, cwd=config, capture_output=True, text=True, check=False, timeout=60)
    if completed.returncode:
        raise ServerMissing(f"openssl could not make a certificate: {completed.stderr.strip()[-300:]}")
    for name in ("node.key", "node.pem"):
        (config / name).chmod(0o600)


def _remove_duplicate_jars(security: Path, lib: Path) -> None:
    """One copy of a library on the class path; the plugin and the node agree on versions they share."""
    for jar in security.glob("*.jar"):
        if any(lib.glob(f"*.{jar.name}")):
            jar.unlink()


def _write(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
