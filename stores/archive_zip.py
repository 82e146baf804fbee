"""Zip files of records and originals, written always alike and read with distrust: campaigns and backups.

Members: files of JSON lines, `objects/<collection>/<sha256>`, and last the manifest, which vouches for the
others. Nothing in it depends on when or where it is written but what the manifest says of that. A file
that comes in may be hostile: its names, sizes, checksums and versions are checked before any of it is
used, and nothing is ever unpacked to disk. Source: design/authority.md ("Security").
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Generic, Self, TypeVar

from pydantic import Field

from stores.errors import ArchiveError
from stores.records.base import Record

MOST_OBJECT_BYTES = 2**30
MOST_LINE_BYTES = 64 * 2**20
MOST_RATIO = 200
"""How much larger than the file its content may be; of no interest below `SMALL` bytes."""
SMALL = 64 * 2**20

_MANIFEST = "manifest.json"
_READ_BYTES = 2**20
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError)
_CONTRADICTION = (RuntimeError, ValueError)
"""What zipfile raises on headers that contradict each other."""


class Manifested(Record):
    """What every manifest says: what it is of, who wrote it, and the SHA-256 of each member by name."""

    kind: str
    format: int = Field(ge=1)
    program: str
    members: dict[str, str] = Field(default_factory=dict)


M = TypeVar("M", bound=Manifested)
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Form(Generic[M]):
    """A kind of file. `records` and `objects` match the names of members, `objects` with the key as its
    last group; `noun` and `todo` are for the words of a refusal; the limits are of the whole, unpacked."""

    manifest: type[M]
    version: int
    noun: str
    name: str
    todo: str
    records: re.Pattern[str]
    objects: re.Pattern[str]
    most_members: int
    most_bytes: int

    def refuse(self, what: str) -> ArchiveError:
        """The one answer to damage and to malice: nothing of it is used."""
        return ArchiveError(
            f"This {self.noun} cannot be used. {what}", kept="Nothing was changed.", todo=self.todo
        )


class ZipWriter:
    """Writes to an open file: records, objects, then `seal`. `members` are the checksums so far.

    Leaving the context finishes the zip (with `comment` at its very end); the file stays open.
    """

    def __init__(self, file: BinaryIO, comment: bytes = b"") -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self._zip.comment = comment
        self.members: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def add_lines(self, name: str, records: Iterable[Record]) -> int:
        """Write the records as JSON lines; returns how many there were."""
        digest = hashlib.sha256()
        count = 0
        with self._zip.open(_member(name, zipfile.ZIP_DEFLATED), "w", force_zip64=True) as member:
            for record in records:
                line = record.model_dump_json().encode() + b"\n"
                digest.update(line)
                member.write(line)
                count += 1
        self.members[name] = digest.hexdigest()
        return count

    def add_blob(self, collection: str, key: str, data: bytes) -> None:
        """Add an object as it is: documents are packed already, and squeezing them gains nothing."""
        name = f"objects/{collection}/{key}"
        self._zip.writestr(_member(name, zipfile.ZIP_STORED), data)
        self.members[name] = key

    def seal(self, manifest: Manifested) -> None:
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


class ZipReader(Generic[M]):
    """A file whose outside is sound: names, sizes and manifest were checked when this was made.

    `check_sums` looks at what every member holds; records are checked one by one as they are read.
    Raises ArchiveError.
    """

    def __init__(self, file: BinaryIO, form: Form[M]) -> None:
        self._form = form
        with self._damage_told():
            self._zip = zipfile.ZipFile(file)
            self._members = self._checked_members(self._zip.infolist(), file.seek(0, 2))
            self.manifest = self._checked_manifest()
        if self.manifest.members.keys() != self._members:
            raise form.refuse("It does not hold what its manifest says.")

    @property
    def record_members(self) -> set[str]:
        """The names of the members that hold records."""
        return {name for name in self._members if self._form.records.fullmatch(name)}

    @property
    def object_members(self) -> list[tuple[str, ...]]:
        """What `Form.objects` found in the name of each object, in order."""
        matches = (self._form.objects.fullmatch(name) for name in sorted(self._members))
        return [match.groups() for match in matches if match]

    def check_sums(self) -> None:
        """Read every member once, and compare it with what the manifest vouches for."""
        with self._damage_told():
            for name, digest in sorted(self.manifest.members.items()):
                self._check_sum(name, digest)

    def lines(self, name: str, model: type[R], count: int | None) -> Iterator[R]:
        """The records of a member, `count` of them, each checked against its model."""
        found = 0
        with self._damage_told(), self._zip.open(name) as lines:
            while line := lines.readline(MOST_LINE_BYTES + 1):
                if len(line) > MOST_LINE_BYTES:
                    raise self._form.refuse(f"A record in {name} is too large.")
                found += 1
                try:
                    yield model.model_validate_json(line)
                except ValueError as error:
                    raise self._form.refuse(f"Line {found} of {name} is no valid record.") from error
        if found != count:
            raise self._form.refuse(f"{name} does not hold as many records as the manifest says.")

    def blob(self, collection: str, key: str) -> bytes:
        with self._damage_told():
            return self._zip.read(f"objects/{collection}/{key}")

    # --- inside -------------------------------------------------------------------------------------

    def _check_sum(self, name: str, expected: str) -> None:
        digest = hashlib.sha256()
        with self._zip.open(name) as member:
            while some := member.read(_READ_BYTES):
                digest.update(some)
        its_object = self._form.objects.fullmatch(name)
        if digest.hexdigest() != expected or (its_object and its_object.groups()[-1] != expected):
            raise self._form.refuse(f"{name} is not what the manifest vouches for.")

    def _checked_members(self, infos: list[zipfile.ZipInfo], file_bytes: int) -> set[str]:
        """Names, kinds and sizes, before anything is unpacked; no member gives more than its size says."""
        refuse, noun = self._form.refuse, self._form.noun
        names = {info.filename for info in infos}
        if _MANIFEST not in names:
            raise refuse(f"It is a zip file, but not a {self._form.name}: it has no manifest.")
        if len(names) != len(infos) or len(infos) > self._form.most_members:
            raise refuse("It has the same member twice, or too many of them.")
        for info in infos:
            is_object = self._form.objects.fullmatch(info.filename)
            known = info.filename == _MANIFEST or self._form.records.fullmatch(info.filename) or is_object
            if not known or info.orig_filename != info.filename:
                raise refuse(f"It has a member that no {noun} has: {info.orig_filename[:80]!r}.")
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise refuse(f"{info.filename} is packed in a way that no {noun} is.")
            if is_object and info.file_size > MOST_OBJECT_BYTES:
                raise refuse(f"{info.filename} is too large.")
        unpacked = sum(info.file_size for info in infos)
        if unpacked > self._form.most_bytes or unpacked > max(SMALL, MOST_RATIO * file_bytes):
            raise refuse(f"It would unpack to {unpacked:,} bytes, which is too much.")
        return names - {_MANIFEST}

    def _checked_manifest(self) -> M:
        if self._zip.getinfo(_MANIFEST).file_size > SMALL:
            raise self._form.refuse("Its manifest is too large.")
        text = self._zip.read(_MANIFEST)
        version = self._version(text)
        if version > self._form.version:
            raise ArchiveError(
                f"A newer MONITOR wrote this {self._form.noun} (its format is {version}; this one knows "
                f"{self._form.version}).",
                kept="Nothing was changed.",
                todo="Update MONITOR, then try again.",
            )
        try:
            return self._form.manifest.model_validate_json(text)
        except ValueError as error:
            raise self._form.refuse("Its manifest is not valid.") from error

    def _version(self, manifest: bytes) -> int:
        """The format's version, read before anything else that a newer one may have changed."""
        try:
            found = json.loads(manifest)
            if found["kind"] == self._form.manifest.model_fields["kind"].default:
                return int(found["format"])
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        name = self._form.name
        raise self._form.refuse(f"It is a zip file, but not a {name}: its manifest says something else.")

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise self._form.refuse(f"It is damaged, or no zip file: {error}.") from error
        except _CONTRADICTION as error:
            raise self._form.refuse("It is damaged, or no zip file.") from error


def open_file(path: Path, noun: str) -> BinaryIO:
    """Open a file to be read. Raises ArchiveError."""
    try:
        return path.open("rb")
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be read: {error.strerror or error}.",
            kept="Nothing was changed.",
            todo=f"Check the name of the {noun}.",
        ) from error


def program() -> str:
    """Who writes it: this distribution and its version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"monitor-tui {version('monitor-tui')}"
    except PackageNotFoundError:
        return "monitor-tui"
