"""Backups: everything that is true in a library in one file, read back before it counts as one.

Over the ports alone, so any set of stores will do; what is of one moment, the manifest says. The way back is
`backup_restore`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stores.archive_zip import program_version
from stores.backup.file_format import (
    BackupManifest,
    BackupReader,
    BackupWriter,
    KeptUniverse,
    check_seal,
    put_seal,
)
from stores.backup.folder import KEEP, given_up, new_path, shelved
from stores.durable_files import AtomicFile, is_disk_full, make_folders
from stores.errors import ArchiveError, InputError, StoreError, StoreFull
from stores.history import NO_UNIVERSE, OBJECT_COLLECTIONS
from stores.records.base import Record
from stores.records.ids import Clock, Id, utc_now
from stores.records.world import Universe
from stores.thread_cancellation import ThreadCancellation

if TYPE_CHECKING:
    from stores.open import Stores

_UNFINISHED = ".unfinished-"
_KEPT = "What was there before is untouched, older backups too."

Breath = Callable[[], None]
"""Called at each record, in the thread that writes: it may take its time, or raise to end the backup."""


class BackedUp(NamedTuple):
    """What was written. `missing` are objects that the library no longer has whole; `removed` are older
    backups that made room, `unremoved` those that could not be removed."""

    path: Path
    size: int
    manifest: BackupManifest
    removed: tuple[Path, ...] = ()
    unremoved: tuple[Path, ...] = ()


async def back_up(
    stores: Stores,
    folder: Path,
    *,
    library: Id,
    keep: int = KEEP,
    clock: Clock = utc_now,
    breath: Breath = lambda: None,
) -> BackedUp:
    """Write a backup of all that is true into `folder` (made if absent), and give up what is surplus there.

    The file is read back before it gets its name; one that is cut short leaves nothing behind that looks
    like a backup. Raises InputError if there is nothing to back up, StoreFull, StoreError, ArchiveError.
    """
    at = clock()
    halt = ThreadCancellation("The backup was cut short.", kept=_KEPT)

    def step() -> None:
        breath()
        halt.raise_if_cancelled()

    try:
        new = await asyncio.to_thread(_begin, folder, library, at)
        try:
            manifest = await halt.run(_write(stores, new, library, at, step))
            size = await halt.run(asyncio.to_thread(_keep, new, step))
        finally:
            await asyncio.to_thread(_drop, new)
    except OSError as error:
        raise _unwritable(folder, error) from error
    removed, unremoved = await asyncio.to_thread(_make_room, folder, library, keep, new.target)
    return BackedUp(new.target, size, manifest, removed, unremoved)


async def _write(stores: Stores, new: AtomicFile, library: Id, at: datetime, step: Breath) -> BackupManifest:
    names: dict[Id, str] = {}
    with BackupWriter(new.file) as writer:

        def take(universe_id: Id, collection: str, records: Iterator[Record]) -> None:
            watched = _watched(records, names, step)
            if universe_id == NO_UNIVERSE:
                writer.add_moves(watched)
            else:
                writer.add(universe_id, collection, watched)

        await stores.history.dump_all(take)
        if not writer.counts:
            raise InputError(
                "There is nothing in this library to back up yet.",
                kept="No backup was written.",
                todo="Begin a story, or import a campaign.",
            )
        # After the records: an object is never changed, and is there before anything names it.
        missing = await _add_objects(stores, writer, step)
        manifest = BackupManifest(
            program=program_version(),
            made_at=at,
            library=library,
            one_moment=stores.history.is_single_snapshot,
            universes=tuple(
                KeptUniverse(id=id, name=names[id], counts=counts) for id, counts in writer.counts.items()
            ),
            moves=writer.moves,
            missing=missing,
            members=writer.member_checksums,
        )
        await asyncio.to_thread(writer.write_manifest, manifest)
    return manifest


def _watched(records: Iterator[Record], names: dict[Id, str], step: Breath) -> Iterator[Record]:
    for record in records:
        if isinstance(record, Universe):
            names[record.id] = record.name
        step()
        yield record


async def _add_objects(stores: Stores, writer: BackupWriter, step: Breath) -> tuple[str, ...]:
    """Add those that are whole; return the others. A lost page must not cost the backup."""
    objects, missing = stores.objects(None), []
    for collection in OBJECT_COLLECTIONS:
        for key in await objects.keys(collection):
            await asyncio.to_thread(step)
            try:
                data = await objects.get(collection, key)
            except StoreError:
                missing.append(f"{collection}/{key}")
            else:
                await asyncio.to_thread(writer.add_object, collection, key, data)
    return tuple(missing)


# --- the file ---------------------------------------------------------------------------------------


def _begin(folder: Path, library: Id, at: datetime) -> AtomicFile:
    """Clear away what an earlier one left half written (a library is open once), and make the file."""
    unfinished = folder / f"{_UNFINISHED}{library[:8]}"
    make_folders(unfinished)
    for left in unfinished.glob("*.part"):
        left.unlink()
    return AtomicFile(new_path(folder, library, at), unfinished)


def _drop(new: AtomicFile) -> None:
    new.discard()
    with suppress(OSError):  # what else is in there is for the next backup to clear away
        new.temporary_folder.rmdir()


def _keep(new: AtomicFile, step: Breath) -> int:
    """Seal the file, read back what the disk has of it, and give it its name; returns its bytes."""
    put_seal(new.file)
    new.file.flush()
    os.fsync(new.file.fileno())
    if hasattr(os, "posix_fadvise"):  # or the system would answer from its memory
        os.posix_fadvise(new.file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    step()
    BackupReader(new.file)
    step()
    check_seal(new.file)
    step()
    size = new.file.seek(0, os.SEEK_END)
    new.commit(0o600)
    return size


def _make_room(
    folder: Path, library: Id, keep: int, written: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    removed, unremoved = [], []
    for path in given_up(shelved(folder, library), keep, written):
        try:
            path.unlink()
        except OSError:
            unremoved.append(path)
        else:
            removed.append(path)
    return tuple(removed), tuple(unremoved)


def _unwritable(folder: Path, error: OSError) -> StoreError | ArchiveError:
    if is_disk_full(error):
        return StoreFull(
            "The disk is full: no backup was written.", kept=_KEPT, todo="Free some space and back up again."
        )
    what = f"A backup cannot be written to {folder}: {error.strerror or error}."
    return ArchiveError(what, kept=_KEPT, todo="Choose another folder for backups.")
