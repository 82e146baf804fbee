"""The file format of a campaign archive: `.monitor.zip`.

Members: one JSON-lines file for each of `RECORD_COLLECTIONS`, `objects/<collection>/<sha256>` and the manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO, Literal

from pydantic import Field

from stores.archive_zip import ZipFormat, ZipManifest, ZipReader, ZipWriter
from stores.errors import ArchiveError
from stores.history import OBJECT_COLLECTIONS, OPTIONAL_COLLECTIONS, RECORD_COLLECTIONS
from stores.records.base import Record
from stores.records.ids import Id

FORMAT = 2
"""The version of this format that is written; newer ones are refused, older ones are read.

2: fields of records were renamed (`Record` reads the earlier names)."""

MAX_MEMBERS = 100_000
MAX_BYTES = 16 * 2**30


class CampaignManifest(ZipManifest):
    """What the archive holds.

    `counts` are records by collection; `missing` are the objects (see `missing_object_name`) that the
    library itself had lost or found damaged.
    """

    kind: Literal["monitor-campaign"] = "monitor-campaign"
    format: int = Field(default=FORMAT, ge=1)
    exported_at: datetime
    universe_id: Id
    name: str
    counts: dict[str, int] = Field(default_factory=dict)
    missing: tuple[str, ...] = ()


CAMPAIGN_FORMAT = ZipFormat(
    manifest=CampaignManifest,
    version=FORMAT,
    file_noun="archive",
    display_name="campaign archive",
    advice="Export the campaign again where it came from.",
    record_pattern=re.compile(rf"({'|'.join(RECORD_COLLECTIONS)})\.jsonl"),
    object_pattern=re.compile(rf"objects/({'|'.join(OBJECT_COLLECTIONS)})/([0-9a-f]{{64}})"),
    max_members=MAX_MEMBERS,
    max_bytes=MAX_BYTES,
)


class ArchiveWriter(ZipWriter):
    """Writes an archive to an open file: the collections in order, objects by key, and last the manifest."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.counts: dict[str, int] = {}

    def add_records(self, collection: str, records: Iterator[Record]) -> None:
        self.counts[collection] = self.add_lines(f"{collection}.jsonl", records)


class ArchiveReader:
    """Reads an archive; its members, manifest and checksums are checked at construction.

    `archive_check` checks the records against each other. Raises ArchiveError.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._zip = ZipReader(file, CAMPAIGN_FORMAT)
        self.manifest = self._zip.manifest
        counted_collections = self.manifest.counts.keys()
        if not counted_collections <= RECORD_COLLECTIONS.keys():
            raise campaign_archive_error("It does not hold what its manifest says.")
        if (
            not RECORD_COLLECTIONS.keys() - OPTIONAL_COLLECTIONS <= counted_collections
            or self._zip.record_members != {f"{collection}.jsonl" for collection in counted_collections}
        ):
            raise campaign_archive_error("It does not hold all of a campaign.")
        self._zip.verify_checksums()

    def read_records(self, collection: str) -> Iterator[Record]:
        """Yield the collection's records, each validated; none if the collection is newer than the archive."""
        if collection not in self.manifest.counts:
            return iter(())
        count = self.manifest.counts[collection]
        return self._zip.read_records(
            f"{collection}.jsonl", RECORD_COLLECTIONS[collection].record_type, count
        )

    @property
    def objects(self) -> list[tuple[str, str]]:
        """Return the collection and key of each object."""
        return [(collection, key) for collection, key in self._zip.object_members]

    def read_object(self, collection: str, key: str) -> bytes:
        return self._zip.read_object(collection, key)


def missing_object_name(collection: str, key: str) -> str:
    """Return the name of an object in `missing`: an original by its key alone."""
    return key if collection == "originals" else f"{collection}/{key}"


def campaign_archive_error(problem: str) -> ArchiveError:
    return CAMPAIGN_FORMAT.make_error(problem)
