"""Making the copy: everything that the servers have, into a new library file beside the old one."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from stores.authority import Store
from stores.durable import make_folders, sync_folder
from stores.embedded.database import Database
from stores.embedded.history import EmbeddedHistory
from stores.embedded.library import open_library
from stores.history import History, Part
from stores.mirror.link import Link
from stores.mirror.loads import read_parts, write_parts
from stores.mirror.outbox import TRUTH, carry_over
from stores.mirror.place import Place, settle_in
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.world import Universe

Tell = Callable[[str], None]
"""Hears, line by line, how far it has come. Called from any thread."""

_FOLDER = "filling"
_OFTEN = 10_000
"""Records of one collection between two words of how far it has come."""


class _Fetched:
    """Files of what the servers handed out: by universe, in the order of `HISTORY`."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self.names: dict[Id, str] = {}
        self._files: dict[Id, list[Path]] = {}
        self._numbers = itertools.count()
        self._folder = folder
        self._tell = tell

    def sink(self, universe_id: Id, collection: str, records: Iterator[Record]) -> None:
        """Write down what `History.dump_all` hands over."""
        path = self._folder / f"{next(self._numbers)}.jsonl"
        write_parts(path, [(collection, self._seen(universe_id, collection, records))], {})
        self._files.setdefault(universe_id, []).append(path)

    def parts(self, universe_id: Id) -> Iterator[Part]:
        """Return what was fetched of it, to be read in order."""
        return itertools.chain.from_iterable(read_parts(path)[1] for path in self._files[universe_id])

    def __iter__(self) -> Iterator[Id]:
        return iter(self._files)

    def _seen(self, universe_id: Id, collection: str, records: Iterator[Record]) -> Iterator[Record]:
        for number, record in enumerate(records, start=1):
            if isinstance(record, Universe):
                self.names[record.id] = record.name
            if number % _OFTEN == 0:
                self._tell(f"Fetching {self.name(universe_id)}: {number} {collection} ...")
            yield record

    def name(self, universe_id: Id) -> str:
        return self.names.get(universe_id, "the library")


async def fill(
    home: Path, old: Database, link: Link, history: History, place: Place, seconds: float, tell: Tell
) -> None:
    """Make a whole library of what `history` has, by way of `link`; the old one is not touched.

    What waits in the old one for stores that are no part of the library comes along.
    What an attempt before this one left behind is cleared away first. Raises what the servers or the disk
    raise.
    """
    folder = home / _FOLDER
    await asyncio.to_thread(_clear, folder)
    fetched = _Fetched(folder, tell)
    tell("Fetching the library from its servers ...")
    await link.run(history.dump_all(fetched.sink), seconds)
    library = await open_library(folder / "library.db")
    try:
        for universe_id in fetched:
            tell(f"Copying {fetched.name(universe_id)} into the home folder ...")
            await EmbeddedHistory(library).load(fetched.parts(universe_id), naming=())
        await carry_over(old, library, set(Store) - set(TRUTH))
        await settle_in(library, place)
    finally:
        await library.close()


def _clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make_folders(folder)


def put_in_place(home: Path, *, aside: bool) -> Path | None:
    """Make the filled library the home folder's own; with `aside`, keep the old one under another name.

    Both must be closed. Returns where the old one is kept.
    """
    library, kept = home / "library.db", None
    if aside and library.exists():
        kept = _free_name(home)
        _move(library, kept)
    _move(home / _FOLDER / "library.db", library)
    shutil.rmtree(home / _FOLDER, ignore_errors=True)
    return kept


def _free_name(home: Path) -> Path:
    """Return a name for a library that is set aside."""
    names = (home / f"library.set-aside-{number}.db" for number in itertools.count(1))
    return next(name for name in names if not name.exists())


def _move(library: Path, to: Path) -> None:
    """Give a closed library another name; what it replaces is gone, with what lay beside it."""
    for path in (library, to):
        for tail in ("-wal", "-shm"):  # of a library that was closed, they hold nothing
            path.with_name(path.name + tail).unlink(missing_ok=True)
    library.replace(to)
    sync_folder(to.parent)
