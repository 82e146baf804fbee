"""Builds the local copy: everything on the servers, in a new library file beside the old one."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from stores.authority import Store
from stores.durable_files import make_folders, sync_folder
from stores.embedded.database import Database
from stores.embedded.history import EmbeddedHistory
from stores.embedded.library import open_library
from stores.history import CollectionRecords, History
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.world import Universe
from stores.replication.connection import ServerConnection
from stores.replication.import_files import read_history_file, write_history_file
from stores.replication.outbox import PRIMARY_STORES, copy_pending_entries
from stores.replication.replica_state import ReplicaState, write_replica_state

OnProgress = Callable[[str], None]
"""Called with a line of text about the progress, from any thread."""

_BUILD_FOLDER = "filling"
_PROGRESS_INTERVAL = 10_000
"""Records of one collection between two reports of progress."""


class _FetchedLibrary:
    """Files with the records that the servers returned: by universe, in the order of `RECORD_COLLECTIONS`."""

    def __init__(self, folder: Path, on_progress: OnProgress) -> None:
        self.universe_names: dict[Id, str] = {}
        self._files: dict[Id, list[Path]] = {}
        self._file_numbers = itertools.count()
        self._folder = folder
        self._on_progress = on_progress

    def write_records(self, universe_id: Id, collection: str, records: Iterator[Record]) -> None:
        """Write the records of one collection to a file; the sink of `History.dump_all`."""
        path = self._folder / f"{next(self._file_numbers)}.jsonl"
        write_history_file(path, [(collection, self._observe_records(universe_id, collection, records))], {})
        self._files.setdefault(universe_id, []).append(path)

    def read_collections(self, universe_id: Id) -> Iterator[CollectionRecords]:
        """Return the fetched collections of a universe, to be read in order."""
        return itertools.chain.from_iterable(read_history_file(path)[1] for path in self._files[universe_id])

    def __iter__(self) -> Iterator[Id]:
        return iter(self._files)

    def _observe_records(
        self, universe_id: Id, collection: str, records: Iterator[Record]
    ) -> Iterator[Record]:
        for number, record in enumerate(records, start=1):
            if isinstance(record, Universe):
                self.universe_names[record.id] = record.name
            if number % _PROGRESS_INTERVAL == 0:
                self._on_progress(
                    f"Fetching {self.get_universe_name(universe_id)}: {number} {collection} ..."
                )
            yield record

    def get_universe_name(self, universe_id: Id) -> str:
        return self.universe_names.get(universe_id, "the library")


async def build_copy(
    home: Path,
    old_library: Database,
    connection: ServerConnection[Any],
    history: History,
    replica_state: ReplicaState,
    timeout: float,
    on_progress: OnProgress,
) -> None:
    """Build a whole library from `history`, over `connection`; the old library is not touched.

    Entries in its outbox for stores other than log and canon are copied. Files of an earlier attempt are
    removed first. Raises the errors of the servers and of the disk.
    """
    folder = home / _BUILD_FOLDER
    await asyncio.to_thread(_recreate_folder, folder)
    fetched_library = _FetchedLibrary(folder, on_progress)
    on_progress("Fetching the library from its servers ...")
    await connection.run(history.dump_all(fetched_library.write_records), timeout)
    new_library = await open_library(folder / "library.db")
    try:
        for universe_id in fetched_library:
            on_progress(f"Copying {fetched_library.get_universe_name(universe_id)} into the home folder ...")
            await EmbeddedHistory(new_library).load(
                fetched_library.read_collections(universe_id), mentioned_ids=()
            )
        await copy_pending_entries(old_library, new_library, set(Store) - set(PRIMARY_STORES))
        await write_replica_state(new_library, replica_state)
    finally:
        await new_library.close()


def _recreate_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make_folders(folder)


def install_copy(home: Path, *, set_aside: bool) -> Path | None:
    """Make the new library the home folder's own; with `set_aside`, keep the old one under another name.

    Both must be closed. Returns the path of the old one, if it was kept.
    """
    library, kept_path = home / "library.db", None
    if set_aside and library.exists():
        kept_path = _free_set_aside_path(home)
        _move_library(library, kept_path)
    _move_library(home / _BUILD_FOLDER / "library.db", library)
    shutil.rmtree(home / _BUILD_FOLDER, ignore_errors=True)
    return kept_path


def _free_set_aside_path(home: Path) -> Path:
    """Return an unused path for a library that is set aside."""
    candidate_paths = (home / f"library.set-aside-{number}.db" for number in itertools.count(1))
    return next(candidate_path for candidate_path in candidate_paths if not candidate_path.exists())


def _move_library(library: Path, target: Path) -> None:
    """Rename a closed library, replacing the target and its side files."""
    for path in (library, target):
        for suffix in ("-wal", "-shm"):  # of a library that was closed, they hold nothing
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    library.replace(target)
    sync_folder(target.parent)
