"""Plans what an export writes into a folder: never over a file that the player wrote or changed. Pure.

A manifest in the folder has what the last export wrote, and what the last sync read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import Field, ValidationError

from agents.exports.file_names import fold_file_name
from stores.errors import InputError
from stores.records.base import Record
from stores.records.ids import Id

MANIFEST_NAME: Final = ".monitor-export.json"
MANIFEST_FORMAT: Final = 1

EDITED: Final = "you changed it since it was written"
NOT_WRITTEN: Final = "MONITOR did not write it"


class ManifestFile(Record):
    """A file as it was written last."""

    sha256: str = ""
    """Empty for a note of the player's own, which a sync read."""
    owner: Id | None = None
    """The entity whose note it is, if its edits are read again."""
    stem: str = ""
    """The name that such a note had, if the player gave it another."""
    text: str = ""
    """What was written, of such a note: by that a sync sees what the player changed."""
    proposed: tuple[str, ...] = ()
    """The edits that a sync proposed, so that none is proposed twice."""
    proposals: tuple[Id, ...] = ()
    """Their proposals."""


class Manifest(Record):
    """What is in a folder of an export."""

    format: int = MANIFEST_FORMAT
    form: str = ""
    universe_id: Id = ""
    with_secrets: bool = False
    facts: dict[str, Id] = Field(default_factory=dict)
    """The facts by their footnotes."""
    files: dict[str, ManifestFile] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file that is in the folder; `text` of notes only."""

    sha256: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file that an export left as it is, and why."""

    path: str
    why: str


@dataclass(slots=True)
class FolderPlan:
    """What is written, what is removed, and what is left, by paths with `/` in them."""

    manifest: Manifest
    writes: dict[str, bytes] = field(default_factory=dict)
    removals: list[str] = field(default_factory=list)
    left: list[LeftFile] = field(default_factory=list)
    unchanged_count: int = 0

    def leave(self, path: str, why: str) -> None:
        self.left.append(LeftFile(path, why))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_manifest(data: bytes | None, *, folder: str) -> Manifest | None:
    """Return the manifest; None if there is none. Raises InputError for one that cannot be trusted."""
    if data is None:
        return None
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        raise _unreadable(folder) from error
    if manifest.format > MANIFEST_FORMAT or not all(map(is_inside, manifest.files)):
        raise _unreadable(folder)
    return manifest


def write_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as a file: the same for the same, with a line for each thing."""
    data = manifest.model_dump(mode="json", exclude_defaults=True) | {"format": manifest.format}
    return (json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def is_inside(path: str) -> bool:
    """Return whether a path leads nowhere but into the folder, on every system."""
    parts = path.split("/")
    return (
        bool(path) and "\\" not in path and ":" not in path and all(p not in ("", ".", "..") for p in parts)
    )


def plan_folder(
    files: Mapping[str, bytes],
    manifest: Manifest,
    before: Manifest | None,
    existing: Mapping[str, FolderFile],
    *,
    unedited: Collection[str] = (),
    left: Sequence[LeftFile] = (),
) -> FolderPlan:
    """Plan the export of `files` into a folder that has `existing` ones.

    `unedited` are paths of files that say what was written there, though in other bytes; `left` is left in any case.
    """
    old_files = before.files if before is not None else {}
    plan = FolderPlan(manifest, left=list(left))
    present_by_fold = {fold_file_name(path): path for path in existing}
    kept = {one.path for one in left}

    def is_own(path: str) -> bool:
        is_as_written = path in old_files and old_files[path].sha256 == existing[path].sha256
        return path not in kept and (is_as_written or path in unedited)

    for path, data in sorted(files.items()):
        present = present_by_fold.get(fold_file_name(path))
        if obstacle := _find_obstacle(path, present_by_fold):
            plan.leave(path, f"{obstacle} is no folder")
            continue
        if present == path and existing[path].sha256 == digest(data):
            plan.unchanged_count += 1
        elif present is None or is_own(present):
            plan.writes[path] = data
        elif present not in kept:
            plan.leave(present, EDITED if present in old_files else NOT_WRITTEN)
    kept = {one.path for one in plan.left}
    for path in sorted((old_files.keys() & existing.keys()) - files.keys() - kept):
        if is_own(path):
            plan.removals.append(path)
        else:
            plan.leave(path, EDITED)
    _keep_entries(plan, old_files)
    return plan


def _find_obstacle(path: str, present_by_fold: Mapping[str, str]) -> str:
    """Return the file or link that stands where a folder of the path would be."""
    parts = path.split("/")
    parents = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return next((p for parent in parents if (p := present_by_fold.get(fold_file_name(parent)))), "")


def _keep_entries(plan: FolderPlan, old_files: Mapping[str, ManifestFile]) -> None:
    """Let the manifest say of what was left what it said before, so that it is the player's the next time, too."""
    files = dict(plan.manifest.files)
    for left in plan.left:
        files.pop(left.path, None)
        if left.path in old_files:
            files[left.path] = old_files[left.path]
    plan.manifest = plan.manifest.model_copy(update={"files": files})


def _unreadable(folder: str) -> InputError:
    return InputError(
        f"{MANIFEST_NAME} in {folder} cannot be read.",
        kept="Nothing was written.",
        todo="Export into another folder, or move that file away: then no file that is there is written over.",
    )
