"""Exports a whole campaign to an archive (`<name>.monitor.zip`), and imports it into another library.

Uses the ports alone, so it works with any set of stores.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stores.archive_check import ArchiveReferences, check_records, find_object_references
from stores.archive_file import (
    ArchiveReader,
    ArchiveWriter,
    CampaignManifest,
    campaign_archive_error,
    missing_object_name,
)
from stores.archive_zip import open_for_reading, program_version
from stores.authority import Role
from stores.durable_files import AtomicFile, is_disk_full
from stores.errors import ArchiveError, StoreError, StoreFull
from stores.history import RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id, utc_now
from stores.records.world import Universe

if TYPE_CHECKING:
    from stores.open import Stores


class ExportedCampaign(NamedTuple):
    """What was exported. `missing` are objects that the library has lost or found damaged."""

    path: Path
    name: str
    counts: dict[str, int]
    missing: tuple[str, ...]


class ImportedCampaign(NamedTuple):
    """What was imported, by collection."""

    universe_id: Id
    name: str
    counts: dict[str, int]


async def export_campaign(
    stores: Stores, universe_id: Id, path: Path, *, clock: Clock = utc_now
) -> ExportedCampaign:
    """Write the whole universe to `path`, replacing what is there only once the archive is complete.

    The archive is read back before it gets its name. Raises NotFound, StoreFull, ArchiveError.
    """
    archive_file = await asyncio.to_thread(_open_archive_file, path)
    try:
        with ArchiveWriter(archive_file.file) as writer:
            manifest = await _write_archive(stores, universe_id, writer, clock)
        await asyncio.to_thread(_finish_archive_file, archive_file)
    except OSError as error:
        raise _cannot_write_error(path, error) from error
    finally:
        await asyncio.to_thread(archive_file.discard)
    return ExportedCampaign(path, manifest.name, manifest.counts, manifest.missing)


async def import_campaign(stores: Stores, path: Path) -> ImportedCampaign:
    """Import the archive's campaign: all of it or nothing, and only if the library does not have it.

    Everything is checked before anything is written. Raises ArchiveError, StoreFull, StoreError.
    """
    with await asyncio.to_thread(open_for_reading, path, "archive") as file:
        reader = await asyncio.to_thread(ArchiveReader, file)
        manifest = reader.manifest
        for universe in (await stores.canon(Role.CONTEXT_ASSEMBLY).readable_universes()).records:
            if universe.id == manifest.universe_id:
                raise _campaign_exists_error(universe.name)
        references = await asyncio.to_thread(_check_archive, reader)
        # Objects first: they are known by their content alone, so one too many does no harm.
        for collection, key in reader.objects:
            await stores.objects(None).put(
                collection, await asyncio.to_thread(reader.read_object, collection, key)
            )
        existing_ids = await stores.history.load(
            _iter_collections(reader), mentioned_ids=references.mentioned_ids
        )
    if existing_ids:
        raise campaign_archive_error("It names things of another campaign in this library.")
    return ImportedCampaign(manifest.universe_id, manifest.name, manifest.counts)


def verify_campaign(path: Path) -> CampaignManifest:
    """Read all of an archive: every checksum and record, and whether they agree with each other.

    Raises ArchiveError that says what is wrong.
    """
    with open_for_reading(path, "archive") as file:
        reader = ArchiveReader(file)
        _check_archive(reader)
        return reader.manifest


# --- export -----------------------------------------------------------------------------------------


async def _write_archive(
    stores: Stores, universe_id: Id, writer: ArchiveWriter, clock: Clock
) -> CampaignManifest:
    observer = _ExportObserver()
    await stores.history.dump(
        universe_id,
        lambda collection, records: writer.add_records(collection, observer.observe_records(records)),
    )
    manifest = CampaignManifest(
        program=program_version(),
        exported_at=clock(),
        universe_id=universe_id,
        name=observer.universe_name,
        missing=await _add_objects(stores, writer, sorted(observer.object_references)),
        counts=writer.counts,
        members=writer.member_checksums,
    )
    await asyncio.to_thread(writer.write_manifest, manifest)
    return manifest


class _ExportObserver:
    """Collects the universe's name and the object references while records are exported."""

    def __init__(self) -> None:
        self.universe_name = ""
        self.object_references: set[tuple[str, str]] = set()

    def observe_records(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            if isinstance(record, Universe):
                self.universe_name = record.name
            self.object_references.update(find_object_references(record))
            yield record


async def _add_objects(
    stores: Stores, writer: ArchiveWriter, object_references: list[tuple[str, str]]
) -> tuple[str, ...]:
    """Add the objects that are whole; return the others. A lost document must not prevent the export."""
    missing_objects = []
    for collection, key in object_references:
        try:
            data = await stores.objects(None).get(collection, key)
        except StoreError:
            missing_objects.append(missing_object_name(collection, key))
        else:
            await asyncio.to_thread(writer.add_object, collection, key, data)
    return tuple(missing_objects)


def _open_archive_file(path: Path) -> AtomicFile:
    try:
        return AtomicFile(path)
    except OSError as error:
        raise _cannot_write_error(path, error) from error


def _finish_archive_file(archive_file: AtomicFile) -> None:
    ArchiveReader(archive_file.file)
    archive_file.commit(0o600)


def _cannot_write_error(path: Path, error: OSError) -> StoreError | ArchiveError:
    kept_message = "What was there before is untouched."
    if is_disk_full(error):
        return StoreFull("The disk is full.", kept=kept_message, todo="Free some space and export again.")
    message = f"The archive {path} cannot be written: {error.strerror or error}."
    return ArchiveError(message, kept=kept_message, todo="Choose another place for it.")


# --- import -----------------------------------------------------------------------------------------


def _iter_collections(reader: ArchiveReader) -> Iterator[CollectionRecords]:
    return ((collection, reader.read_records(collection)) for collection in RECORD_COLLECTIONS)


def _check_archive(reader: ArchiveReader) -> ArchiveReferences:
    references = check_records(_iter_collections(reader), reader.manifest.universe_id, by_others=True)
    present_objects = {missing_object_name(*each) for each in reader.objects}
    if {missing_object_name(*each) for each in references.object_references} != present_objects | {
        *reader.manifest.missing
    }:
        raise campaign_archive_error("Its originals and archives are not those that its records name.")
    return references


def _campaign_exists_error(name: str) -> ArchiveError:
    return ArchiveError(
        f"This library has the campaign “{name}” already.",
        kept="Nothing was changed.",
        todo="Open it from the menu, or import the archive into another library.",
    )
