"""MinIO, built from its Go module: users and policies over its admin API."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.servers import pins, probe
from tools.servers.base import Command, Kind, Place
from tools.servers.fetch import Cache, go_install


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
