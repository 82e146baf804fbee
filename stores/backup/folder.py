"""The folder of backups: which are of this library, when the next one is due, and which are removed.

The newest ones are kept, as many as configured, the newest of each of the last twelve months, and the fullest of
every universe: a library that lost something never pushes out the last backup that has it. Backups that a wrong
clock dated into the future are counted apart. Only a file that has the name of a backup, opens as one and is of
this library is removed, and never the one that was just written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from stores.backup.file_format import BackupManifest, read_manifest
from stores.errors import ArchiveError
from stores.records.ids import Id, derive_id

BACKUP_SUFFIX = ".backup.zip"
BACKUP_FOLDER = "backups"
"""The folder of backups in the home folder, unless another one is given."""

DEFAULT_KEEP = 10
KEPT_MONTHS = 12
BACKUP_INTERVAL = timedelta(days=1)

_NAME_PATTERN = re.compile(
    r"monitor-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{8}(?:-\d+)?" + re.escape(BACKUP_SUFFIX)
)


class StoredBackup(NamedTuple):
    """A backup in the folder."""

    path: Path
    manifest: BackupManifest


def derive_library_id(home: Path) -> Id:
    """Return an identifier of this library among others with the same folder of backups."""
    return derive_id("library", home.resolve())


def choose_backup_path(folder: Path, library_id: Id, made_at: datetime) -> Path:
    """Return an unused path for a new backup."""
    stem = f"monitor-{made_at:%Y-%m-%dT%H-%M-%SZ}-{library_id[:8]}"
    path, number = folder / f"{stem}{BACKUP_SUFFIX}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{BACKUP_SUFFIX}"
    return path


def list_backups(folder: Path, library_id: Id) -> list[StoredBackup]:
    """Return this library's backups in the folder, newest first, without damaged files."""
    backups = []
    for path in folder.glob(f"*{BACKUP_SUFFIX}"):
        if not _NAME_PATTERN.fullmatch(path.name) or path.is_symlink() or not path.is_file():
            continue
        try:
            manifest = read_manifest(path)
        except (ArchiveError, OSError):
            continue
        if manifest.library == library_id:
            backups.append(StoredBackup(path, manifest))
    return sorted(backups, key=lambda one: (one.manifest.made_at, one.path.name), reverse=True)


def is_backup_due(folder: Path, library_id: Id, now: datetime) -> bool:
    """Return whether the last backup is older than a day, in the future, or missing."""
    last_backup = next(iter(list_backups(folder, library_id)), None)
    return last_backup is None or not timedelta() <= now - last_backup.manifest.made_at < BACKUP_INTERVAL


def choose_surplus(newest_first: Sequence[StoredBackup], keep: int, just_written: Path) -> list[Path]:
    """Return the backups to remove, by the rule at the top of this file."""
    now = next((one.manifest.made_at for one in newest_first if one.path == just_written), None)
    from_future = [one for one in newest_first if now is not None and one.manifest.made_at > now]
    up_to_now = [one for one in newest_first if one not in from_future]
    newest_by_month: dict[tuple[int, int], Path] = {}
    for one in up_to_now:
        newest_by_month.setdefault((one.manifest.made_at.year, one.manifest.made_at.month), one.path)
    kept_paths = {
        just_written,
        *(one.path for one in (*from_future[: max(1, keep)], *up_to_now[: max(1, keep)])),
        *list(newest_by_month.values())[:KEPT_MONTHS],
        *_fullest_of_each_universe(newest_first),
    }
    return [one.path for one in newest_first if one.path not in kept_paths]


def _fullest_of_each_universe(newest_first: Sequence[StoredBackup]) -> Iterator[Path]:
    """Yield the backup that has most of a universe (the newest of equals), for every universe there ever was.

    Nothing in a library is ever deleted: a later backup that lacks records is of a library that lost them.
    """
    fullest: dict[Id, tuple[int, Path]] = {}
    for one in newest_first:
        for universe in one.manifest.universes:
            record_count = sum(universe.counts.values())
            if universe.id not in fullest or record_count > fullest[universe.id][0]:
                fullest[universe.id] = record_count, one.path
    return (path for _, path in fullest.values())
