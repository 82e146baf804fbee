"""Imports on their way to the servers: each a file, for a universe may be larger than the memory.

A file is whole before a letter names it, and goes when the letter has. Its lines are JSON: first what it
names, then a record each with its collection, in the order of `HISTORY`.
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

from stores.durable import NewFile, make_folders
from stores.embedded.database import Transactions
from stores.embedded.history import EmbeddedHistory
from stores.errors import InputError
from stores.history import HISTORY, History, Part
from stores.mirror.link import Link
from stores.mirror.outbox import Letter
from stores.records.base import Record
from stores.records.ids import Id

LOAD: Final = "load"
"""The method of a letter that brings a whole history; its argument is a file's name."""

_PRIVATE = 0o600


class Loads:
    """The files in `folder`. `history` is the servers' door for them, None if they have none together."""

    def __init__(self, folder: Path, history: Callable[[], History] | None, seconds: float) -> None:
        self._folder = folder
        self._history = history
        self._seconds = seconds

    async def keep(self, parts: Iterable[Part], naming: Collection[Id], *, finish: bool) -> str:
        """Write the parts down durably, and return the arguments of a letter."""
        if self._history is None:
            raise InputError(
                "Log and canon are of two kinds, and a history goes into both at once.",
                kept="Nothing was brought in.",
                todo="Put both on servers, or neither.",
            )
        name = f"{secrets.token_hex(8)}.jsonl"
        await asyncio.to_thread(
            write_parts, self._folder / name, parts, {"naming": list(naming), "finish": finish}
        )
        return json.dumps({"file": name})

    async def here(self, letter: Letter, db: Transactions, *, finish: bool) -> set[Id]:
        """Load it into the library; return what of it is known already, and then nothing is written."""
        head, parts = read_parts(self._file(letter))
        return await EmbeddedHistory(db).load(parts, naming=head["naming"], finish=finish or head["finish"])

    async def there(self, letter: Letter, link: Link, *, again: bool) -> set[Id]:
        """Load it into the servers, by way of `link`. What is there `again` is what went there before."""
        assert self._history is not None
        head, parts = read_parts(self._file(letter))
        job = self._history().load(parts, naming=head["naming"], finish=again or head["finish"])
        known: set[Id] = await link.run(job, self._seconds)
        return known

    def drop(self, letter: Letter) -> None:
        """Remove the file of a letter that is gone."""
        if letter.method == LOAD:
            self._file(letter).unlink(missing_ok=True)

    def sweep(self, *, busy: bool) -> None:
        """Remove what a crash left behind: every file, unless a letter may name one (`busy`)."""
        if not busy and self._folder.is_dir():
            for file in self._folder.glob("*.jsonl"):
                file.unlink()

    def _file(self, letter: Letter) -> Path:
        return self._folder / Path(str(json.loads(letter.arguments)["file"])).name


def write_parts(path: Path, parts: Iterable[Part], head: dict[str, Any]) -> None:
    """Write a history to a file that is whole and durable when it has its name."""
    make_folders(path.parent)
    new = NewFile(path, path.parent)
    try:
        new.file.write(json.dumps(head).encode() + b"\n")
        for collection, records in parts:
            for record in records:
                line = json.dumps(collection) + "\t" + record.model_dump_json() + "\n"
                new.file.write(line.encode())
        new.keep(_PRIVATE)
    finally:
        new.drop()


def read_parts(path: Path) -> tuple[dict[str, Any], Iterator[Part]]:
    """Return the head of such a file and, to be read in order, its parts."""
    with path.open("rb") as file:
        head: dict[str, Any] = json.loads(file.readline())
    return head, _parts(path)


def _parts(path: Path) -> Iterator[Part]:
    def records() -> Iterator[tuple[str, Record]]:
        with path.open("rb") as file:
            next(file)
            for line in file:
                collection, _, body = line.partition(b"\t")
                name = str(json.loads(collection))
                yield name, HISTORY[name].record.model_validate_json(body)

    for collection, group in groupby(records(), key=itemgetter(0)):
        yield collection, (record for _, record in group)
