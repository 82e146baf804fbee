"""The folder that backups stand in: which are ours, when the next one is due, which are given up.

Kept are the newest, as many as asked for, and beyond them the newest of each of the last twelve months in
which there is one. Only a file that bears the name of a backup, opens as one and is of this library is ever
removed, and never the one that was just written and read back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from stores.backup.file_format import BackupManifest, read_manifest
from stores.errors import ArchiveError
from stores.records.ids import Id, derive_id

SUFFIX = ".backup.zip"
FOLDER = "backups"
"""Where backups stand in the home folder, unless another place is named."""

KEEP = 10
MONTHS = 12
EVERY = timedelta(days=1)

_NAME = re.compile(r"monitor-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{8}(?:-\d+)?" + re.escape(SUFFIX))


class Shelved(NamedTuple):
    """A backup that stands in the folder."""

    path: Path
    manifest: BackupManifest


def library_of(home: Path) -> Id:
    """Return what tells this library from others in the same folder of backups."""
    return derive_id("library", home.resolve())


def new_path(folder: Path, library: Id, at: datetime) -> Path:
    """Return a name that nothing in the folder has."""
    stem = f"monitor-{at:%Y-%m-%dT%H-%M-%SZ}-{library[:8]}"
    path, number = folder / f"{stem}{SUFFIX}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{SUFFIX}"
    return path


def shelved(folder: Path, library: Id) -> list[Shelved]:
    """Return this library's backups in the folder, newest first. What is damaged or not ours is left out."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        if not _NAME.fullmatch(path.name) or path.is_symlink() or not path.is_file():
            continue
        try:
            manifest = read_manifest(path)
        except (ArchiveError, OSError):
            continue
        if manifest.library == library:
            found.append(Shelved(path, manifest))
    return sorted(found, key=lambda one: (one.manifest.made_at, one.path.name), reverse=True)


def is_due(folder: Path, library: Id, now: datetime) -> bool:
    """Tell whether the last backup is older than a day, or none is there (or it is from the future)."""
    last = next(iter(shelved(folder, library)), None)
    return last is None or not timedelta() <= now - last.manifest.made_at < EVERY


def given_up(newest_first: Sequence[Shelved], keep: int, just_written: Path) -> list[Path]:
    """Return what is surplus: see the rule at the top of this file."""
    kept = {one.path for one in newest_first[: max(1, keep)]} | {just_written}
    of_month: dict[tuple[int, int], Path] = {}
    for one in newest_first:
        at = one.manifest.made_at
        of_month.setdefault((at.year, at.month), one.path)
    kept |= set(list(of_month.values())[:MONTHS])
    return [one.path for one in newest_first if one.path not in kept]
