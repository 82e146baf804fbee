"""A campaign out of one library and into another, whole: `<name>.monitor.zip`.

Over the ports alone, so any set of stores will do. Source: design/ontology.md ("Campaign archive").
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stores.archive_check import Contents, check, object_of
from stores.archive_file import ArchiveReader, ArchiveWriter, Manifest, missed, not_ours
from stores.archive_zip import open_file, program
from stores.authority import Role
from stores.durable import NewFile, has_no_room
from stores.errors import ArchiveError, StoreError, StoreFull
from stores.history import HISTORY, Part
from stores.records.base import Record
from stores.records.ids import Clock, Id, utc_now
from stores.records.world import Universe

if TYPE_CHECKING:
    from stores.open import Stores


class Exported(NamedTuple):
    """What was written. `missing` are objects that the library no longer has whole."""

    path: Path
    name: str
    counts: dict[str, int]
    missing: tuple[str, ...]


class Imported(NamedTuple):
    """What came in, by collection."""

    universe_id: Id
    name: str
    counts: dict[str, int]


async def export_campaign(stores: Stores, universe_id: Id, path: Path, *, clock: Clock = utc_now) -> Exported:
    """Write all that is true of the universe to `path`, replacing what is there only once it is whole.

    The archive is read back before it gets its name. Raises NotFound, StoreFull, ArchiveError.
    """
    new = await asyncio.to_thread(_begin, path)
    try:
        with ArchiveWriter(new.file) as writer:
            manifest = await _write(stores, universe_id, writer, clock)
        await asyncio.to_thread(_keep, new)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        await asyncio.to_thread(new.drop)
    return Exported(path, manifest.name, manifest.counts, manifest.missing)


async def import_campaign(stores: Stores, path: Path) -> Imported:
    """Bring the archive's campaign in: all of it or nothing, and only if the library does not have it.

    Everything is checked before anything is written. Raises ArchiveError, StoreFull, StoreError.
    """
    with await asyncio.to_thread(open_file, path, "archive") as file:
        reader = await asyncio.to_thread(ArchiveReader, file)
        manifest = reader.manifest
        for universe in await stores.canon(Role.CONTEXT_ASSEMBLY).universes():
            if universe.id == manifest.universe_id:
                raise _here_already(universe.name)
        contents = await asyncio.to_thread(_check, reader)
        # Objects first: they are known by their content alone, so one too many does no harm.
        for collection, key in reader.objects:
            await stores.objects(None).put(
                collection, await asyncio.to_thread(reader.object, collection, key)
            )
        known = await stores.history.load(_parts(reader), naming=contents.naming)
    if known:
        raise not_ours("It names things of another campaign in this library.")
    return Imported(manifest.universe_id, manifest.name, manifest.counts)


def verify_campaign(path: Path) -> Manifest:
    """Read all of an archive: every checksum and record, and whether they agree with each other.

    Raises ArchiveError that says what is wrong.
    """
    with open_file(path, "archive") as file:
        reader = ArchiveReader(file)
        _check(reader)
        return reader.manifest


# --- export -----------------------------------------------------------------------------------------


async def _write(stores: Stores, universe_id: Id, writer: ArchiveWriter, clock: Clock) -> Manifest:
    found = _Found()
    await stores.history.dump(
        universe_id, lambda collection, records: writer.add_records(collection, found.watch(records))
    )
    manifest = Manifest(
        program=program(),
        exported_at=clock(),
        universe_id=universe_id,
        name=found.name,
        missing=await _add_objects(stores, writer, sorted(found.objects)),
        counts=writer.counts,
        members=writer.members,
    )
    await asyncio.to_thread(writer.seal, manifest)
    return manifest


class _Found:
    """What an export notes as the records go by."""

    def __init__(self) -> None:
        self.name = ""
        self.objects: set[tuple[str, str]] = set()

    def watch(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            if isinstance(record, Universe):
                self.name = record.name
            if named := object_of(record):
                self.objects.add(named)
            yield record


async def _add_objects(
    stores: Stores, writer: ArchiveWriter, wanted: list[tuple[str, str]]
) -> tuple[str, ...]:
    """Add those that are there and whole; return the others. A lost page must not cost the campaign."""
    missing = []
    for collection, key in wanted:
        try:
            data = await stores.objects(None).get(collection, key)
        except StoreError:
            missing.append(missed(collection, key))
        else:
            await asyncio.to_thread(writer.add_blob, collection, key, data)
    return tuple(missing)


def _begin(path: Path) -> NewFile:
    try:
        return NewFile(path, path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


def _keep(new: NewFile) -> None:
    ArchiveReader(new.file)
    new.keep(0o600)


def _unwritable(path: Path, error: OSError) -> StoreError | ArchiveError:
    kept = "What was there before is untouched."
    if has_no_room(error):
        return StoreFull("The disk is full.", kept=kept, todo="Free some space and export again.")
    what = f"The archive {path} cannot be written: {error.strerror or error}."
    return ArchiveError(what, kept=kept, todo="Choose another place for it.")


# --- import -----------------------------------------------------------------------------------------


def _parts(reader: ArchiveReader) -> Iterator[Part]:
    return ((collection, reader.records(collection)) for collection in HISTORY)


def _check(reader: ArchiveReader) -> Contents:
    contents = check(_parts(reader), reader.manifest.universe_id)
    there = {missed(*each) for each in reader.objects}
    if {missed(*each) for each in contents.objects} != there | {*reader.manifest.missing}:
        raise not_ours("Its originals and archives are not those that its records name.")
    return contents


def _here_already(name: str) -> ArchiveError:
    return ArchiveError(
        f"This library has the campaign “{name}” already.",
        kept="Nothing was changed.",
        todo="Open it from the menu, or import the archive into another library.",
    )
