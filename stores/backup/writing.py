"""Writes backups: everything in a library in one file, which is read back before it counts.

Uses the ports alone, so it works with any set of stores. The manifest says whether everything is of one moment.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from stores.archive_zip import program_version
from stores.backup.file_format import (
    BackedUpUniverse,
    BackupManifest,
    BackupReader,
    BackupWriter,
    verify_checksum,
    write_checksum,
)
from stores.backup.folder import DEFAULT_KEEP, choose_backup_path, choose_surplus, list_backups
from stores.durable_files import AtomicFile, is_disk_full, make_folders
from stores.errors import RESTORE_ADVICE, ArchiveError, InputError, LibraryUnreadable, StoreError, StoreFull
from stores.history import NO_UNIVERSE, OBJECT_COLLECTIONS
from stores.records.base import Record
from stores.records.ids import Clock, Id, utc_now
from stores.records.world import Universe
from stores.thread_cancellation import ThreadCancellation

if TYPE_CHECKING:
    from stores.authority import Role
    from stores.history import History
    from stores.ports import ObjectStore

_TEMPORARY_FOLDER_PREFIX = ".unfinished-"
_KEPT_MESSAGE = "What was there before is untouched, older backups too."

OnRecord = Callable[[], None]
"""Called at each record, in the thread that writes; it may block, or raise to end the backup."""


class BackedUpStores(Protocol):
    """What of the stores a backup is made of; they may be open for reading alone."""

    @property
    def history(self) -> History: ...

    @property
    def objects(self) -> Callable[[Role | None], ObjectStore]: ...


class WrittenBackup(NamedTuple):
    """What was written. `manifest.missing` are objects that the library has lost or found damaged."""

    path: Path
    size: int
    manifest: BackupManifest
    removed_paths: tuple[Path, ...] = ()
    """Older backups that were removed."""
    unremovable_paths: tuple[Path, ...] = ()
    """Older backups that should have been removed and could not be."""
    left_out: tuple[LeftOutUniverse, ...] = ()
    """Universes that could not be backed up; the older backups that have them are kept."""


class LeftOutUniverse(NamedTuple):
    """A universe with a record that cannot be read."""

    name: str
    problem: str


class _UnreadableUniverse(Exception):
    """A record of the universe cannot be read."""

    def __init__(self, universe_id: Id, left_out: LeftOutUniverse) -> None:
        super().__init__(left_out.problem)
        self.universe_id = universe_id
        self.left_out = left_out


async def write_backup(
    stores: BackedUpStores,
    folder: Path,
    *,
    library_id: Id,
    keep: int = DEFAULT_KEEP,
    clock: Clock = utc_now,
    on_record: OnRecord = lambda: None,
) -> WrittenBackup:
    """Write a backup of the library into `folder` (created if absent), and remove surplus backups there.

    The file is read back before it gets its name; an interrupted backup leaves nothing that looks like one. A
    universe with a record that cannot be read is left out. Raises InputError if there is nothing to back up,
    LibraryUnreadable if no universe can be read, StoreFull, StoreError, ArchiveError.
    """
    left_out: dict[Id, LeftOutUniverse] = {}
    while True:
        try:
            return await _write_readable(stores, folder, left_out, library_id, keep, clock(), on_record)
        except _UnreadableUniverse as unreadable:
            left_out[unreadable.universe_id] = unreadable.left_out


async def _write_readable(
    stores: BackedUpStores,
    folder: Path,
    left_out: Mapping[Id, LeftOutUniverse],
    library_id: Id,
    keep: int,
    made_at: datetime,
    on_record: OnRecord,
) -> WrittenBackup:
    """Write the backup without the universes `left_out`. Raises _UnreadableUniverse at the next one."""
    cancellation = ThreadCancellation("The backup was cut short.", kept=_KEPT_MESSAGE)

    def on_each_record() -> None:
        on_record()
        cancellation.raise_if_cancelled()

    try:
        new_file = await asyncio.to_thread(_create_file, folder, library_id, made_at)
        try:
            manifest = await cancellation.run(
                _write_contents(stores, new_file, left_out, library_id, made_at, on_each_record)
            )
            size = await cancellation.run(asyncio.to_thread(_finish_file, new_file, on_each_record))
        finally:
            await asyncio.to_thread(_discard_file, new_file)
    except OSError as error:
        raise _cannot_write_error(folder, error) from error
    removed_paths, unremovable_paths = await asyncio.to_thread(
        _remove_surplus, folder, library_id, keep, new_file.target
    )
    return WrittenBackup(
        new_file.target, size, manifest, removed_paths, unremovable_paths, tuple(left_out.values())
    )


async def _write_contents(
    stores: BackedUpStores,
    new_file: AtomicFile,
    left_out: Mapping[Id, LeftOutUniverse],
    library_id: Id,
    made_at: datetime,
    on_record: OnRecord,
) -> BackupManifest:
    universe_names: dict[Id, str] = {}
    with BackupWriter(new_file.file) as writer:

        def add_records(universe_id: Id, collection: str, records: Iterator[Record]) -> None:
            if universe_id in left_out:
                return
            observed_records = _observe_records(records, universe_names, on_record)
            if universe_id == NO_UNIVERSE:
                writer.add_transitions(observed_records)
                return
            try:
                writer.add_collection(universe_id, collection, observed_records)
            except LibraryUnreadable as error:
                name = universe_names.get(universe_id, universe_id)
                raise _UnreadableUniverse(universe_id, LeftOutUniverse(name, error.what)) from error

        await stores.history.dump_all(add_records)
        if left_out and not writer.record_counts:
            raise LibraryUnreadable(
                f"No universe can be read whole: {next(iter(left_out.values())).problem}",
                kept=f"No backup was written. {_KEPT_MESSAGE}",
                todo=RESTORE_ADVICE,
            )
        if not writer.record_counts:
            raise InputError(
                "There is nothing in this library to back up yet.",
                kept="No backup was written.",
                todo="Begin a story, or import a campaign.",
            )
        # After the records: an object is stored before a record names it, and never changes.
        missing_objects = await _add_objects(stores, writer, on_record)
        manifest = BackupManifest(
            program=program_version(),
            made_at=made_at,
            library=library_id,
            one_moment=stores.history.is_single_snapshot,
            universes=tuple(
                BackedUpUniverse(id=id, name=universe_names[id], counts=counts)
                for id, counts in writer.record_counts.items()
            ),
            moves=writer.transition_count,
            missing=missing_objects,
            members=writer.member_checksums,
        )
        await asyncio.to_thread(writer.write_manifest, manifest)
    return manifest


def _observe_records(
    records: Iterator[Record], universe_names: dict[Id, str], on_record: OnRecord
) -> Iterator[Record]:
    for record in records:
        if isinstance(record, Universe):
            universe_names[record.id] = record.name
        on_record()
        yield record


async def _add_objects(stores: BackedUpStores, writer: BackupWriter, on_record: OnRecord) -> tuple[str, ...]:
    """Add the objects that are whole; return the others. A lost document must not prevent the backup."""
    objects, missing_objects = stores.objects(None), []
    for collection in OBJECT_COLLECTIONS:
        for key in await objects.keys(collection):
            await asyncio.to_thread(on_record)
            try:
                data = await objects.get(collection, key)
            except StoreError:
                missing_objects.append(f"{collection}/{key}")
            else:
                await asyncio.to_thread(writer.add_object, collection, key, data)
    return tuple(missing_objects)


# --- the file ---------------------------------------------------------------------------------------


def _create_file(folder: Path, library_id: Id, made_at: datetime) -> AtomicFile:
    """Remove the unfinished file of an earlier backup (a library is open once), and create the new one."""
    temporary_folder = folder / f"{_TEMPORARY_FOLDER_PREFIX}{library_id[:8]}"
    make_folders(temporary_folder)
    for leftover in temporary_folder.glob("*.part"):
        leftover.unlink()
    return AtomicFile(choose_backup_path(folder, library_id, made_at), temporary_folder)


def _discard_file(new_file: AtomicFile) -> None:
    new_file.discard()
    with suppress(OSError):  # anything else in it is removed by the next backup
        new_file.temporary_folder.rmdir()


def _finish_file(new_file: AtomicFile, on_record: OnRecord) -> int:
    """Write the checksum, read the file back from the disk, and rename it; return its size in bytes."""
    write_checksum(new_file.file)
    new_file.file.flush()
    os.fsync(new_file.file.fileno())
    if sys.platform == "linux":  # else the system would answer from its cache
        os.posix_fadvise(new_file.file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    on_record()
    BackupReader(new_file.file)
    on_record()
    verify_checksum(new_file.file)
    on_record()
    size = new_file.file.seek(0, os.SEEK_END)
    new_file.commit(0o600)
    return size


def _remove_surplus(
    folder: Path, library_id: Id, keep: int, written_path: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    removed_paths, unremovable_paths = [], []
    for path in choose_surplus(list_backups(folder, library_id), keep, written_path):
        try:
            path.unlink()
        except OSError:
            unremovable_paths.append(path)
        else:
            removed_paths.append(path)
    return tuple(removed_paths), tuple(unremovable_paths)


def _cannot_write_error(folder: Path, error: OSError) -> StoreError | ArchiveError:
    if is_disk_full(error):
        return StoreFull(
            "The disk is full: no backup was written.",
            kept=_KEPT_MESSAGE,
            todo="Free some space and back up again.",
        )
    message = f"A backup cannot be written to {folder}: {error.strerror or error}."
    return ArchiveError(message, kept=_KEPT_MESSAGE, todo="Choose another folder for backups.")
