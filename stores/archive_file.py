"""The file format of a campaign archive: `.monitor.zip`, written always alike and read with distrust.

Members: one JSON-lines file for each collection of `HISTORY`, `objects/originals/<sha256>`, and last the
manifest, which vouches for the others. Nothing in it depends on when or where it is written but the
manifest's `exported_at` and `program`. An archive that comes in may be hostile: its names, sizes,
checksums and versions are checked before any of it is used, and nothing is ever unpacked to disk.
Source: design/ontology.md ("Campaign archive"), design/authority.md ("Security").
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import BinaryIO, Literal

from pydantic import Field

from stores.errors import ArchiveError
from stores.history import HISTORY, LATER
from stores.records.base import Record
from stores.records.ids import Id

FORMAT = 1
"""The version of this format that is written; newer ones are refused."""

OBJECTS = "originals"
"""The collection of objects that a campaign takes along."""

MOST_MEMBERS = 100_000
MOST_BYTES = 16 * 2**30
"""All members together, unpacked."""
MOST_OBJECT_BYTES = 2**30
MOST_LINE_BYTES = 64 * 2**20
MOST_RATIO = 200
"""How much larger than the archive its content may be; of no interest below `SMALL` bytes."""
SMALL = 64 * 2**20

_MANIFEST = "manifest.json"
_RECORDS = {f"{collection}.jsonl": collection for collection in HISTORY}
_OBJECT = re.compile(rf"objects/{OBJECTS}/([0-9a-f]{{64}})")
_READ_BYTES = 2**20


class Manifest(Record):
    """What the archive holds. `counts` are records by collection, `members` SHA-256 by member name;
    `missing` are the keys of originals that the library itself had lost or found damaged."""

    kind: Literal["monitor-campaign"] = "monitor-campaign"
    format: int = Field(default=FORMAT, ge=1)
    program: str
    exported_at: datetime
    universe_id: Id
    name: str
    counts: dict[str, int] = Field(default_factory=dict)
    members: dict[str, str] = Field(default_factory=dict)
    missing: tuple[str, ...] = ()


class ArchiveWriter(AbstractContextManager["ArchiveWriter"]):
    """Writes an archive to an open file: records in the order of `HISTORY`, objects by key, then `seal`.

    Leaving the context finishes the zip; the file stays open.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self.counts: dict[str, int] = {}
        self.members: dict[str, str] = {}

    def add_records(self, collection: str, records: Iterator[Record]) -> None:
        name = f"{collection}.jsonl"
        digest = hashlib.sha256()
        count = 0
        with self._zip.open(_member(name, zipfile.ZIP_DEFLATED), "w", force_zip64=True) as member:
            for record in records:
                line = record.model_dump_json().encode() + b"\n"
                digest.update(line)
                member.write(line)
                count += 1
        self.counts[collection] = count
        self.members[name] = digest.hexdigest()

    def add_object(self, key: str, data: bytes) -> None:
        """Add an original as it is: documents are packed already, and squeezing them gains nothing."""
        name = f"objects/{OBJECTS}/{key}"
        self._zip.writestr(_member(name, zipfile.ZIP_STORED), data)
        self.members[name] = key

    def seal(self, manifest: Manifest) -> None:
        """Write the manifest, which needs all the rest to be there."""
        text = json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
        self._zip.writestr(_member(_MANIFEST, zipfile.ZIP_DEFLATED), text.encode() + b"\n")

    def __exit__(self, *failure: object) -> None:
        self._zip.close()


def _member(name: str, compression: int) -> zipfile.ZipInfo:
    """The same header on every machine and at any time."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = compression
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


class ArchiveReader:
    """An archive whose outside is sound: that was checked when it was made. Raises ArchiveError.

    Records are checked one by one as they are read; what they say of each other is `archive_check`'s.
    """

    def __init__(self, file: BinaryIO) -> None:
        with _damage_told():
            self._zip = zipfile.ZipFile(file)
            members = _checked_members(self._zip.infolist(), file.seek(0, 2))
            self.manifest = _checked_manifest(self._zip, members)
            for name, digest in sorted(self.manifest.members.items()):
                self._check_sum(name, digest)

    def records(self, collection: str) -> Iterator[Record]:
        """The collection's records, each checked against its model; none of what came after the archive."""
        if collection not in self.manifest.counts:
            return
        model = HISTORY[collection].record
        count = 0
        with _damage_told(), self._zip.open(f"{collection}.jsonl") as lines:
            while line := lines.readline(MOST_LINE_BYTES + 1):
                if len(line) > MOST_LINE_BYTES:
                    raise not_ours(f"A record in {collection}.jsonl is too large.")
                count += 1
                try:
                    yield model.model_validate_json(line)
                except ValueError as error:
                    raise not_ours(f"Line {count} of {collection}.jsonl is no valid record.") from error
        if count != self.manifest.counts.get(collection):
            raise not_ours(f"{collection}.jsonl does not hold as many records as the manifest says.")

    @property
    def objects(self) -> list[str]:
        """The keys of the originals."""
        return [match[1] for name in sorted(self.manifest.members) if (match := _OBJECT.fullmatch(name))]

    def object(self, key: str) -> bytes:
        with _damage_told():
            return self._zip.read(f"objects/{OBJECTS}/{key}")

    def _check_sum(self, name: str, expected: str) -> None:
        digest = hashlib.sha256()
        with self._zip.open(name) as member:
            while some := member.read(_READ_BYTES):
                digest.update(some)
        its_object = _OBJECT.fullmatch(name)
        if digest.hexdigest() != expected or (its_object and its_object[1] != expected):
            raise not_ours(f"{name} is not what the manifest vouches for.")


def _checked_members(infos: list[zipfile.ZipInfo], archive_bytes: int) -> set[str]:
    """Names, kinds and sizes, before anything is unpacked; a member never gives more than its size says."""
    names = {info.filename for info in infos}
    if _MANIFEST not in names:
        raise not_ours("It is a zip file, but not a campaign archive: it has no manifest.")
    if len(names) != len(infos) or len(infos) > MOST_MEMBERS:
        raise not_ours("It has the same member twice, or too many of them.")
    for info in infos:
        known = info.filename == _MANIFEST or info.filename in _RECORDS or _OBJECT.fullmatch(info.filename)
        if not known or info.orig_filename != info.filename:
            raise not_ours(f"It has a member that no archive has: {info.orig_filename[:80]!r}.")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise not_ours(f"{info.filename} is packed in a way that no archive is.")
        if _OBJECT.fullmatch(info.filename) and info.file_size > MOST_OBJECT_BYTES:
            raise not_ours(f"{info.filename} is too large.")
    unpacked = sum(info.file_size for info in infos)
    if unpacked > MOST_BYTES or unpacked > max(SMALL, MOST_RATIO * archive_bytes):
        raise not_ours(f"It would unpack to {unpacked:,} bytes, which is too much.")
    return names


def _checked_manifest(archive: zipfile.ZipFile, members: set[str]) -> Manifest:
    if archive.getinfo(_MANIFEST).file_size > SMALL:
        raise not_ours("Its manifest is too large.")
    text = archive.read(_MANIFEST)
    version = _version(text)
    if version > FORMAT:
        raise ArchiveError(
            f"A newer MONITOR wrote this archive (its format is {version}; this one knows {FORMAT}).",
            kept="Nothing was changed.",
            todo="Update MONITOR, then try again.",
        )
    try:
        manifest = Manifest.model_validate_json(text)
    except ValueError as error:
        raise not_ours("Its manifest is not valid.") from error
    counted = manifest.counts.keys()
    if manifest.members.keys() | {_MANIFEST} != members or not counted <= HISTORY.keys():
        raise not_ours("It does not hold what its manifest says.")
    if not HISTORY.keys() - LATER <= counted or counted != {_RECORDS[n] for n in members & _RECORDS.keys()}:
        raise not_ours("It does not hold all of a campaign.")
    return manifest


def _version(manifest: bytes) -> int:
    """The format's version, read before anything else that a newer one may have changed."""
    try:
        found = json.loads(manifest)
        if found["kind"] == Manifest.model_fields["kind"].default:
            return int(found["format"])
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise not_ours("It is a zip file, but not a campaign archive: its manifest says something else.")


def not_ours(what: str) -> ArchiveError:
    """The one answer to damage and to malice: nothing of it is used."""
    return ArchiveError(
        f"This archive cannot be used. {what}",
        kept="Nothing was changed.",
        todo="Export the campaign again where it came from.",
    )


@contextmanager
def _damage_told() -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError) as error:
        raise not_ours(f"It is damaged, or no zip file: {error}.") from error
    except (RuntimeError, ValueError) as error:  # what zipfile raises on headers that contradict each other
        raise not_ours("It is damaged, or no zip file.") from error
