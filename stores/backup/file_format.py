"""The file format of a backup: everything that is true in a library, in one zip.

Members: `universes/<id>/<collection>.jsonl` for each universe, `library/transitions.jsonl` (those of
the Main Loop, which belong to no universe), `objects/<collection>/<sha256>` and the manifest. The last 64
bytes are the SHA-256 of all before them, so that a changed byte is found wherever it is.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field

from stores.archive_zip import ZipFormat, ZipManifest, ZipReader, ZipWriter
from stores.errors import ArchiveError
from stores.history import OBJECT_COLLECTIONS, OPTIONAL_COLLECTIONS, RECORD_COLLECTIONS
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.workflow import Transition

FORMAT = 2
"""The version of this format that is written; newer ones are refused, older ones are read.

2: fields of records were renamed (`Record` reads the earlier names)."""

MAX_MEMBERS = 2_000_000
MAX_BYTES = 2**40

_TRANSITIONS_MEMBER = "library/transitions.jsonl"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_CHECKSUM_BYTES = 64
_CHUNK_BYTES = 2**20


class BackedUpUniverse(Record):
    """One universe of a backup; `counts` are its records by collection."""

    id: Id
    name: str
    counts: dict[str, int]


class BackupManifest(ZipManifest):
    """What the backup holds.

    `library` identifies the library, `moves` counts the transitions of the Main Loop; `missing` are objects
    that the library had lost or found damaged, and `one_moment` says whether all of it is of one moment, or
    each universe of its own.
    """

    kind: Literal["monitor-backup"] = "monitor-backup"
    format: int = Field(default=FORMAT, ge=1)
    made_at: datetime
    library: Id
    one_moment: bool
    universes: tuple[BackedUpUniverse, ...]
    moves: int
    missing: tuple[str, ...] = ()


BACKUP_FORMAT = ZipFormat(
    manifest=BackupManifest,
    version=FORMAT,
    file_noun="backup",
    display_name="backup of a library",
    advice="Use another backup: `monitor verify` on their folder says which are whole.",
    record_pattern=re.compile(
        rf"universes/{_UUID}/({'|'.join(RECORD_COLLECTIONS)})\.jsonl|{re.escape(_TRANSITIONS_MEMBER)}"
    ),
    object_pattern=re.compile(rf"objects/({'|'.join(OBJECT_COLLECTIONS)})/([0-9a-f]{{64}})"),
    max_members=MAX_MEMBERS,
    max_bytes=MAX_BYTES,
)


class BackupWriter(ZipWriter):
    """Writes a backup to an open file: collections, transitions, objects, and last the manifest."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, comment=b"0" * _CHECKSUM_BYTES)
        self.record_counts: dict[Id, dict[str, int]] = {}
        self.transition_count = 0

    def add_collection(self, universe_id: Id, collection: str, records: Iterator[Record]) -> None:
        counts = self.record_counts.setdefault(universe_id, {})
        counts[collection] = self.add_lines(_member_name(universe_id, collection), records)

    def add_transitions(self, transitions: Iterator[Record]) -> None:
        self.transition_count = self.add_lines(_TRANSITIONS_MEMBER, transitions)


def write_checksum(file: BinaryIO) -> None:
    """Write the checksum of the file over the placeholder at its end, after the writer was closed."""
    digest = _hash_file(file).encode()
    file.seek(-_CHECKSUM_BYTES, os.SEEK_END)
    file.write(digest)


class BackupReader:
    """Reads a backup; members, manifest and checksums are checked at construction. Raises ArchiveError."""

    def __init__(self, file: BinaryIO) -> None:
        self._zip = ZipReader(file, BACKUP_FORMAT)
        self.manifest = self._zip.manifest
        self._counts = {universe.id: universe.counts for universe in self.manifest.universes}
        expected_members = {_member_name(id, name) for id, counts in self._counts.items() for name in counts}
        if len(self._counts) < len(
            self.manifest.universes
        ) or self._zip.record_members != expected_members | {_TRANSITIONS_MEMBER}:
            raise damaged_backup_error("It does not hold what its manifest says.")
        for counts in self._counts.values():
            if (
                not RECORD_COLLECTIONS.keys() - OPTIONAL_COLLECTIONS
                <= counts.keys()
                <= RECORD_COLLECTIONS.keys()
            ):
                raise damaged_backup_error("It does not hold all of a universe.")
        self._zip.verify_checksums()

    def read_records(self, universe_id: Id, collection: str) -> Iterator[Record]:
        """Yield the universe's records, each validated; none if the collection is newer than the backup."""
        counts = self._counts[universe_id]
        if collection not in counts:
            return iter(())
        model = RECORD_COLLECTIONS[collection].record_type
        return self._zip.read_records(_member_name(universe_id, collection), model, counts[collection])

    def read_transitions(self) -> Iterator[Transition]:
        """Yield the transitions of the Main Loop."""
        return self._zip.read_records(_TRANSITIONS_MEMBER, Transition, self.manifest.moves)

    @property
    def object_names(self) -> list[tuple[str, str]]:
        """Return each object's collection and key."""
        return [(collection, key) for collection, key in self._zip.object_members]

    def read_object(self, collection: str, key: str) -> bytes:
        return self._zip.read_object(collection, key)


def verify_checksum(file: BinaryIO) -> None:
    """Raise ArchiveError unless every byte of the file is as it was written."""
    file.seek(-_CHECKSUM_BYTES, os.SEEK_END)
    if file.read() != _hash_file(file).encode():
        raise damaged_backup_error("It is not as it was written: its checksum is wrong.")


def read_manifest(path: Path) -> BackupManifest:
    """Read a backup's manifest, and nothing else. Raises ArchiveError or OSError."""
    with path.open("rb") as file:
        return ZipReader(file, BACKUP_FORMAT).manifest


def damaged_backup_error(problem: str) -> ArchiveError:
    return BACKUP_FORMAT.make_error(problem)


def _member_name(universe_id: Id, collection: str) -> str:
    return f"universes/{universe_id}/{collection}.jsonl"


def _hash_file(file: BinaryIO) -> str:
    """Return the SHA-256 of everything before the checksum."""
    digest = hashlib.sha256()
    bytes_left = file.seek(0, os.SEEK_END) - _CHECKSUM_BYTES
    file.seek(0)
    while bytes_left > 0 and (chunk := file.read(min(bytes_left, _CHUNK_BYTES))):
        digest.update(chunk)
        bytes_left -= len(chunk)
    return digest.hexdigest()
