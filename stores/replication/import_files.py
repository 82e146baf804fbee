"""Files with imported universes that are to be sent to the servers; a universe may not fit into memory.

A file is complete before an outbox entry names it, and is removed with the entry. Its lines are JSON: first
the head, then one record a line with its collection, in the order of `RECORD_COLLECTIONS`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from stores.durable_files import AtomicFile, make_folders
from stores.embedded.database import Transactions
from stores.embedded.history import EmbeddedHistory
from stores.errors import InputError
from stores.history import RECORD_COLLECTIONS, CollectionRecords, History
from stores.records.base import Record
from stores.records.ids import Id
from stores.replication.connection import ServerConnection
from stores.replication.outbox import OutboxEntry

IMPORT_METHOD: Final = "load"
"""The method of an outbox entry that imports a history; its argument is the name of a file."""

_PRIVATE = 0o600


class ImportFiles:
    """Writes, loads and removes the files in `folder`. `history` is None if only one of log and canon is on servers."""

    def __init__(self, folder: Path, history: Callable[[], History] | None, timeout: float) -> None:
        self._folder = folder
        self._history = history
        self._timeout = timeout

    async def write_file(
        self, parts: Iterable[CollectionRecords], mentioned_ids: Collection[Id], *, finish_partial: bool
    ) -> str:
        """Write the parts to a durable file, and return the arguments of its outbox entry."""
        if self._history is None:
            raise InputError(
                "Log and canon are of two kinds, and a history goes into both at once.",
                kept="Nothing was brought in.",
                todo="Put both on servers, or neither.",
            )
        name = f"{secrets.token_hex(8)}.jsonl"
        await asyncio.to_thread(
            write_history_file,
            self._folder / name,
            parts,
            {"naming": list(mentioned_ids), "finish": finish_partial},
        )
        return json.dumps({"file": name})

    async def load_locally(self, entry: OutboxEntry, db: Transactions, *, finish_partial: bool) -> set[Id]:
        """Load a file into the copy. Returns identifiers that exist already; then nothing is written."""
        head, parts = read_history_file(self._file_path(entry))
        return await EmbeddedHistory(db).load(
            parts, mentioned_ids=head["naming"], finish_partial=finish_partial or head["finish"]
        )

    async def load_on_servers(
        self, entry: OutboxEntry, connection: ServerConnection[Any], *, is_retry: bool
    ) -> set[Id]:
        """Load a file into the servers. With `is_retry`, records that are there came from an earlier attempt."""
        assert self._history is not None
        head, parts = read_history_file(self._file_path(entry))
        load_operation = self._history().load(
            parts, mentioned_ids=head["naming"], finish_partial=is_retry or head["finish"]
        )
        existing_ids: set[Id] = await connection.run(load_operation, self._timeout)
        return existing_ids

    def remove_file(self, entry: OutboxEntry) -> None:
        """Remove the file of an outbox entry that was removed."""
        if entry.method == IMPORT_METHOD:
            self._file_path(entry).unlink(missing_ok=True)

    def remove_leftovers(self, *, has_pending: bool) -> None:
        """Remove the files that a crash left behind, unless entries are pending that may name them."""
        if not has_pending and self._folder.is_dir():
            for file in self._folder.glob("*.jsonl"):
                file.unlink()

    def _file_path(self, entry: OutboxEntry) -> Path:
        return self._folder / Path(str(json.loads(entry.arguments)["file"])).name


def write_history_file(path: Path, parts: Iterable[CollectionRecords], head: dict[str, Any]) -> None:
    """Write a history to a file that is complete and durable once it has its name."""
    make_folders(path.parent)
    new_file = AtomicFile(path)
    try:
        new_file.file.write(json.dumps(head).encode() + b"\n")
        for collection, records in parts:
            for record in records:
                line = json.dumps(collection) + "\t" + record.model_dump_json() + "\n"
                new_file.file.write(line.encode())
        new_file.commit(_PRIVATE)
    finally:
        new_file.discard()


def read_history_file(path: Path) -> tuple[dict[str, Any], Iterator[CollectionRecords]]:
    """Return the head of a file and its parts, which must be read in order."""
    with path.open("rb") as file:
        head: dict[str, Any] = json.loads(file.readline())
    return head, _iter_collections(path)


def _iter_collections(path: Path) -> Iterator[CollectionRecords]:
    def iter_records() -> Iterator[tuple[str, Record]]:
        with path.open("rb") as file:
            next(file)
            for line in file:
                collection, _, body = line.partition(b"\t")
                name = str(json.loads(collection))
                yield name, RECORD_COLLECTIONS[name].record_type.model_validate_json(body)

    for collection, group in groupby(iter_records(), key=itemgetter(0)):
        yield collection, (record for _, record in group)
