"""Fetches pinned packages into the cache once, through the registries' own clients."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.servers import pins

JAVA_SOURCES = Path(__file__).parent / "java"


class ServerMissing(Exception):
    """A server that cannot be fetched or started here; the message says why."""


@dataclass(frozen=True)
class Artifact:
    """A Maven artifact."""

    group: str
    name: str
    version: str

    def dependency(self) -> str:
        return (
            f"<dependency><groupId>{self.group}</groupId><artifactId>{self.name}</artifactId>"
            f"<version>{self.version}</version></dependency>"
        )


def cache_folder() -> Path:
    """Where fetched servers are kept: `$MONITOR_CACHE/servers`, else `~/.cache/monitor/servers`."""
    root = os.environ.get("MONITOR_CACHE")
    return (Path(root) if root else Path.home() / ".cache" / "monitor") / "servers"


class Cache:
    """A folder of finished fetches.

    Each is made beside its place and moved there when complete, under a lock.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the folder of this name, made by `make` if it is missing.

        Raises ServerMissing if that fails.
        """
        place = self._folder / name
        with self._locked(name):
            if place.is_dir():
                return place
            partial = self._folder / f"{name}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            make(partial)
            partial.rename(place)
        return place

    def run(
        self, label: str, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        """Run a client at low priority, with its output in a log. Raises ServerMissing with its message."""
        if shutil.which(argv[0]) is None:
            raise ServerMissing(f"{label}: the command `{Path(argv[0]).name}` is not on this machine")
        log = self._folder / f"fetch-{label}.log"
        with log.open("w", encoding="utf-8") as out:
            completed = subprocess.run(
                ["nice", "-n", "10", *argv],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if completed.returncode:
            raise ServerMissing(f"{label}: {_error_excerpt(log)} (all of it in {log})")

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        with (self._folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _error_excerpt(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    output_lines = [line for line in lines if line] or ["it said nothing"]
    return next((line for line in output_lines if "error" in line.lower()), output_lines[0])[:300]


def maven_jars(cache: Cache, what: str, artifacts: Sequence[Artifact], into: Path) -> None:
    """All jars that artifacts need at run time."""
    work = into / "maven"
    work.mkdir()
    dependencies = "".join(artifact.dependency() for artifact in artifacts)
    (work / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"<groupId>monitor</groupId><artifactId>{what}</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n",
        encoding="utf-8",
    )
    goal = f"{pins.MAVEN_DEPENDENCY_PLUGIN}:copy-dependencies"
    options = [f"-DoutputDirectory={into / 'lib'}", "-DincludeScope=runtime", "-Dmdep.prependGroupId=true"]
    cache.run(what, ["mvn", "-B", "-q", "-C", goal, *options], cwd=work)


def maven_zip(cache: Cache, what: str, artifact: Artifact, into: Path) -> None:
    """Unpack one artifact that is published as a zip."""
    work = into.parent / "maven"
    work.mkdir(exist_ok=True)
    coordinates = f"{artifact.group}:{artifact.name}:{artifact.version}:zip"
    goal = f"{pins.MAVEN_DEPENDENCY_PLUGIN}:copy"
    options = [f"-Dartifact={coordinates}", f"-DoutputDirectory={work}"]
    cache.run(f"{what}-{artifact.name}", ["mvn", "-B", "-q", "-C", goal, *options], cwd=work)
    with zipfile.ZipFile(work / f"{artifact.name}-{artifact.version}.zip") as archive:
        archive.extractall(into)


def compile_java(cache: Cache, source: str, jars: Path) -> Path:
    """The folder of one of our launchers' classes, compiled anew whenever its source or the jars change."""
    text = (JAVA_SOURCES / source).read_bytes()
    version = hashlib.sha256(text + str(jars).encode()).hexdigest()[:16]
    path = os.pathsep.join(str(jar) for jar in sorted(jars.glob("*.jar")))

    def make(folder: Path) -> None:
        argv = ["javac", "-nowarn", "-d", str(folder), "-cp", path, str(JAVA_SOURCES / source)]
        cache.run(f"javac-{source}", argv, cwd=folder)

    return cache.get(f"{Path(source).stem}-{version}", make)


def go_install(cache: Cache, what: str, package: str, version: str, into: Path) -> None:
    """Build one Go command at a pinned version; Go checks it against its own checksum database."""
    env = {"GOBIN": str(into / "bin"), "GOFLAGS": "-trimpath -buildvcs=false"}
    cache.run(what, ["go", "install", "-ldflags=-s -w", f"{package}@{version}"], cwd=into, env=env)


def debian_package(cache: Cache, package: str, into: Path) -> None:
    """Unpack a Debian package without installing it: nothing of the machine is changed, and nothing is started."""
    cache.run(f"{package}-download", ["apt-get", "download", "-qq", package], cwd=into)
    (archive,) = into.glob("*.deb")
    cache.run(f"{package}-unpack", ["dpkg-deb", "-x", archive.name, "."], cwd=into)
    archive.unlink()


def python_packages(cache: Cache, what: str, requirements: Sequence[str], into: Path) -> None:
    """A virtual environment of its own, so that a server's packages never meet the program's."""
    venv = into / "venv"
    cache.run(f"{what}-venv", [sys.executable, "-m", "venv", str(venv)], cwd=into)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    cache.run(what, [*pip, "--only-binary=:all:", *requirements], cwd=into)
