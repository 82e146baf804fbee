"""Zip files of records and objects, for campaign archives and backups.

Members: files of JSON lines, `objects/<collection>/<sha256>`, and last the manifest with the checksums of the
others. The same content gives the same file, but for the manifest's dates. A file may be hostile: names, sizes,
checksums and versions are checked before any of it is used, and nothing is unpacked to disk.
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

MAX_OBJECT_BYTES = 2**30
MAX_LINE_BYTES = 64 * 2**20
MAX_COMPRESSION_RATIO = 200
"""How many times larger than the file its content may be, above `RATIO_EXEMPT_BYTES`."""
RATIO_EXEMPT_BYTES = 64 * 2**20

_MANIFEST_MEMBER = "manifest.json"
_READ_BYTES = 2**20
_DAMAGE_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError)
_HEADER_ERRORS = (RuntimeError, ValueError)
"""What zipfile raises on headers that contradict each other."""


class ZipManifest(Record):
    """The fields of every manifest: the kind of file, who wrote it, and the SHA-256 of each member by name."""

    kind: str
    format: int = Field(ge=1)
    program: str
    members: dict[str, str] = Field(default_factory=dict)


M = TypeVar("M", bound=ZipManifest)
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class ZipFormat(Generic[M]):
    """A kind of file.

    `object_pattern` has the key as its last group; `file_noun`, `display_name` and `advice` are for error
    messages; the limits are for all members, unpacked.
    """

    manifest: type[M]
    version: int
    file_noun: str
    display_name: str
    advice: str
    record_pattern: re.Pattern[str]
    object_pattern: re.Pattern[str]
    max_members: int
    max_bytes: int

    def make_error(self, problem: str) -> ArchiveError:
        """Build the error for a file that is damaged or hostile."""
        return ArchiveError(
            f"This {self.file_noun} cannot be used. {problem}", kept="Nothing was changed.", todo=self.advice
        )


class ZipWriter:
    """Writes to an open file: records, objects, and last the manifest. `member_checksums` are those so far.

    Leaving the context finishes the zip (with `comment` at its very end); the file stays open.
    """

    def __init__(self, file: BinaryIO, comment: bytes = b"") -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self._zip.comment = comment
        self.member_checksums: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def add_lines(self, name: str, records: Iterable[Record]) -> int:
        """Write the records as JSON lines; returns how many there were."""
        digest = hashlib.sha256()
        count = 0
        with self._zip.open(_member_header(name, zipfile.ZIP_DEFLATED), "w", force_zip64=True) as member:
            for record in records:
                line = record.model_dump_json().encode() + b"\n"
                digest.update(line)
                member.write(line)
                count += 1
        self.member_checksums[name] = digest.hexdigest()
        return count

    def add_object(self, collection: str, key: str, data: bytes) -> None:
        """Add an object uncompressed, as documents are compressed already."""
        name = f"objects/{collection}/{key}"
        self._zip.writestr(_member_header(name, zipfile.ZIP_STORED), data)
        self.member_checksums[name] = key

    def write_manifest(self, manifest: ZipManifest) -> None:
        """Write the manifest, after all other members."""
        text = json.dumps(manifest.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False)
        self._zip.writestr(_member_header(_MANIFEST_MEMBER, zipfile.ZIP_DEFLATED), text.encode() + b"\n")

    def __exit__(self, *failure: object) -> None:
        self._zip.close()


def _member_header(name: str, compression: int) -> zipfile.ZipInfo:
    """Return a header that is the same on every machine and at any time."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = compression
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


class ZipReader(Generic[M]):
    """Reads a file; names, sizes and manifest are checked at construction.

    `verify_checksums` checks the content of every member; records are validated one by one as they are read.
    Raises ArchiveError.
    """

    def __init__(self, file: BinaryIO, zip_format: ZipFormat[M]) -> None:
        self._format = zip_format
        with self._report_damage():
            self._zip = zipfile.ZipFile(file)
            self._members = self._check_members(self._zip.infolist(), file.seek(0, 2))
            self.manifest = self._read_manifest()
        if self.manifest.members.keys() != self._members:
            raise zip_format.make_error("It does not hold what its manifest says.")

    @property
    def record_members(self) -> set[str]:
        """Return the names of the members with records."""
        return {name for name in self._members if self._format.record_pattern.fullmatch(name)}

    @property
    def object_members(self) -> list[tuple[str, ...]]:
        """Return the groups of `object_pattern` in the name of each object, in order."""
        matches = (self._format.object_pattern.fullmatch(name) for name in sorted(self._members))
        return [match.groups() for match in matches if match]

    def verify_checksums(self) -> None:
        """Read every member once, and compare it with its checksum in the manifest."""
        with self._report_damage():
            for name, digest in sorted(self.manifest.members.items()):
                self._verify_checksum(name, digest)

    def read_records(self, name: str, model: type[R], count: int | None) -> Iterator[R]:
        """Yield the `count` records of a member, each validated."""
        line_number = 0
        with self._report_damage(), self._zip.open(name) as member_file:
            while line := member_file.readline(MAX_LINE_BYTES + 1):
                if len(line) > MAX_LINE_BYTES:
                    raise self._format.make_error(f"A record in {name} is too large.")
                line_number += 1
                try:
                    yield model.model_validate_json(line)
                except ValueError as error:
                    raise self._format.make_error(
                        f"Line {line_number} of {name} is no valid record."
                    ) from error
        if line_number != count:
            raise self._format.make_error(f"{name} does not hold as many records as the manifest says.")

    def read_object(self, collection: str, key: str) -> bytes:
        with self._report_damage():
            return self._zip.read(f"objects/{collection}/{key}")

    # --- inside -------------------------------------------------------------------------------------

    def _verify_checksum(self, name: str, expected: str) -> None:
        digest = hashlib.sha256()
        with self._zip.open(name) as member:
            while chunk := member.read(_READ_BYTES):
                digest.update(chunk)
        object_match = self._format.object_pattern.fullmatch(name)
        if digest.hexdigest() != expected or (object_match and object_match.groups()[-1] != expected):
            raise self._format.make_error(f"{name} is not what the manifest vouches for.")

    def _check_members(self, infos: list[zipfile.ZipInfo], file_bytes: int) -> set[str]:
        """Check names, kinds and sizes before anything is unpacked, and return the names but for the manifest's."""
        make_error, file_noun = self._format.make_error, self._format.file_noun
        member_names = {info.filename for info in infos}
        if _MANIFEST_MEMBER not in member_names:
            raise make_error(f"It is a zip file, but not a {self._format.display_name}: it has no manifest.")
        if len(member_names) != len(infos) or len(infos) > self._format.max_members:
            raise make_error("It has the same member twice, or too many of them.")
        for info in infos:
            is_object = self._format.object_pattern.fullmatch(info.filename)
            is_allowed = (
                info.filename == _MANIFEST_MEMBER
                or self._format.record_pattern.fullmatch(info.filename)
                or is_object
            )
            if not is_allowed or info.orig_filename != info.filename:
                raise make_error(f"It has a member that no {file_noun} has: {info.orig_filename[:80]!r}.")
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise make_error(f"{info.filename} is packed in a way that no {file_noun} is.")
            if is_object and info.file_size > MAX_OBJECT_BYTES:
                raise make_error(f"{info.filename} is too large.")
        unpacked_bytes = sum(info.file_size for info in infos)
        if unpacked_bytes > self._format.max_bytes or unpacked_bytes > max(
            RATIO_EXEMPT_BYTES, MAX_COMPRESSION_RATIO * file_bytes
        ):
            raise make_error(f"It would unpack to {unpacked_bytes:,} bytes, which is too much.")
        return member_names - {_MANIFEST_MEMBER}

    def _read_manifest(self) -> M:
        if self._zip.getinfo(_MANIFEST_MEMBER).file_size > RATIO_EXEMPT_BYTES:
            raise self._format.make_error("Its manifest is too large.")
        text = self._zip.read(_MANIFEST_MEMBER)
        version = self._read_format_version(text)
        if version > self._format.version:
            raise ArchiveError(
                f"A newer MONITOR wrote this {self._format.file_noun} (its format is {version}; this one knows "
                f"{self._format.version}).",
                kept="Nothing was changed.",
                todo="Update MONITOR, then try again.",
            )
        try:
            return self._format.manifest.model_validate_json(text)
        except ValueError as error:
            raise self._format.make_error("Its manifest is not valid.") from error

    def _read_format_version(self, manifest: bytes) -> int:
        """Read the version before anything else that a newer version may have changed."""
        try:
            manifest_data = json.loads(manifest)
            if manifest_data["kind"] == self._format.manifest.model_fields["kind"].default:
                return int(manifest_data["format"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            pass
        display_name = self._format.display_name
        raise self._format.make_error(
            f"It is a zip file, but not a {display_name}: its manifest says something else."
        )

    @contextmanager
    def _report_damage(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE_ERRORS as error:
            raise self._format.make_error(f"It is damaged, or no zip file: {error}.") from error
        except _HEADER_ERRORS as error:
            raise self._format.make_error("It is damaged, or no zip file.") from error


def open_for_reading(path: Path, file_noun: str) -> BinaryIO:
    """Open a file to be read from any place in it. Raises ArchiveError."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may have no end
            raise OSError("it is not a file")
        return path.open("rb")
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be read: {error.strerror or error}.",
            kept="Nothing was changed.",
            todo=f"Check the name of the {file_noun}.",
        ) from error


def program_version() -> str:
    """Return the name and version of this program."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"monitor-tui {version('monitor-tui')}"
    except PackageNotFoundError:
        return "monitor-tui"
