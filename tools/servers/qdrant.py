"""Qdrant's engine behind our own REST front: a stand-in, as no package registry carries Qdrant's server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Cache, python_packages

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
