"""Finds Prometheus and promtool on this machine, or unpacks Debian's package of them into the cache of servers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from tools.servers.fetch import Cache, ServerMissing, cache_folder, debian_package

_PACKAGE: Final = "prometheus"


def find_program(name: str, *, fetch: bool = False) -> Path:
    """Return `prometheus` or `promtool`: the machine's, or the cache's. Raises ServerMissing with the reason.

    Only with `fetch` is the package asked for.
    """
    if on_path := shutil.which(name):
        return Path(on_path)
    folder = cache_folder() / f"{_PACKAGE}-debian"
    if fetch:

        def make(folder: Path) -> None:
            debian_package(cache, _PACKAGE, folder)

        cache = Cache(cache_folder())
        folder = cache.get(folder.name, make)
    program = folder / "usr" / "bin" / name
    if not program.exists():
        raise ServerMissing(f"{name} is not on this machine")
    return program
