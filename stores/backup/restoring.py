"""Backups read again: verified, and restored without ever taking the place of anything.

A universe that the library does not have comes back as it was; one that it has comes in beside that, as a
copy. All that is restored at once is written in one load, or nothing of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stores.archive_check import ArchiveReferences, check_records
from stores.archive_zip import open_for_reading
from stores.authority import Role
from stores.backup.campaign_copy import Copy, Derivation, identifiers
from stores.backup.derived_ids import Kin, kin
from stores.backup.file_format import BackupManifest, BackupReader, KeptUniverse, check_seal, damaged
from stores.backup.tally import Tally
from stores.errors import InputError, StoreError
from stores.history import RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id, SystemIdGenerator, utc_now
from stores.records.workflow import Loop
from stores.thread_cancellation import ThreadCancellation

if TYPE_CHECKING:
    from stores.open import Stores

_NOT_COPIED = {"archived_logs"}
"""What of a universe does not go into a copy: what was put away names the turns of the first one. They are
all in the log as well, and can be put away again."""


class Restored(NamedTuple):
    """A universe that came back. `is_copy`: the library has it already, and this one stands beside it."""

    universe_id: Id
    name: str
    is_copy: bool
    counts: dict[str, int]


def verify(path: Path) -> BackupManifest:
    """Read all of a backup: every byte, checksum and record, and whether they agree with each other.

    Raises ArchiveError that says what is wrong.
    """
    with open_for_reading(path, "backup") as file:
        reader = BackupReader(file)
        for universe in reader.manifest.universes:
            _checked(reader, universe)
        for _ in reader.moves():
            pass
        check_seal(file)
        return reader.manifest


async def restore(
    stores: Stores,
    path: Path,
    *,
    only: str | None = None,
    kins: Sequence[Kin] = (),
    clock: Clock = utc_now,
    say: Callable[[str], None] = lambda line: None,
) -> list[Restored]:
    """Bring the backup's universes in (`only`: the one of this name): all that was asked for, or nothing.

    `kins` know of derived identifiers that `backup_kin` does not; `say` hears how it comes along. What came
    in is read back and compared. Raises ArchiveError, InputError, StoreFull, StoreError.
    """
    halt = ThreadCancellation("Restoring was cut short.", kept="Nothing was restored.")
    with await asyncio.to_thread(open_for_reading, path, "backup") as file:
        reader = await asyncio.to_thread(BackupReader, file)
        chosen = _chosen(reader.manifest, only)
        here = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
        moves = only is None and await _is_empty(stores)
        names = _Names({universe.name for universe in here}, clock)
        taken = {universe.id for universe in here}
        plan = _Plan(reader, moves, halt)
        for universe in chosen:
            say(f"Checking “{universe.name}” ({sum(universe.counts.values()):,} records) ...")
            copy_name = names.copy_of(universe.name) if universe.id in taken else None
            await halt.run(asyncio.to_thread(plan.add, universe, copy_name, (kin, *kins)))
        # Objects first: they are known by their content alone, so one too many does no harm.
        for collection, key in plan.objects(everything=only is None):
            halt.raise_if_cancelled()
            await stores.objects(None).put(
                collection, await asyncio.to_thread(reader.object, collection, key)
            )
        say("Writing ...")
        known = await halt.run(stores.history.load(plan.parts(), mentioned_ids=plan.naming))
    if known:
        raise damaged("It names things of another campaign in this library.")
    say("Comparing ...")
    for coming in plan.coming:
        await _compare(stores, coming)
    return [Restored(c.new_id, c.name, c.copy is not None, c.universe.counts) for c in plan.coming]


class _Coming(NamedTuple):
    """One universe on its way: as it was, or as a copy."""

    universe: KeptUniverse
    new_id: Id
    name: str
    copy: Copy | None
    tally: Tally


class _Plan:
    """What is to be written, checked before any of it is."""

    def __init__(self, reader: BackupReader, moves: bool, halt: ThreadCancellation) -> None:
        self.naming: set[Id] = set()
        self.coming: list[_Coming] = []
        self._reader = reader
        self._moves = moves
        self._halt = halt
        self._objects: set[tuple[str, str]] = set()

    def add(self, universe: KeptUniverse, copy_name: str | None, kins: Sequence[Kin]) -> None:
        """Check the universe, and with a `copy_name` give it identifiers of its own."""
        contents = _checked(self._reader, universe)
        self._objects |= contents.object_references
        if copy_name is None:
            self.naming |= contents.mentioned_ids
            self.coming.append(_Coming(universe, universe.id, universe.name, None, Tally()))
            return
        copy = self._copy(universe, copy_name, kins)
        self.naming |= copy.new_ids()
        self.coming.append(_Coming(universe, copy.new_id(universe.id), copy_name, copy, Tally()))

    def parts(self) -> Iterator[CollectionRecords]:
        """Everything, collection by collection."""
        return (
            (collection, self._halt.iterate_until_cancelled(self._records(collection)))
            for collection in RECORD_COLLECTIONS
        )

    def objects(self, *, everything: bool) -> list[tuple[str, str]]:
        """Those that the universes need; or all, cold archives too."""
        return [
            (collection, key)
            for collection, key in self._reader.objects
            if everything or (collection, key) in self._objects
        ]

    def _records(self, collection: str) -> Iterator[Record]:
        for coming in self.coming:
            if coming.copy and collection in _NOT_COPIED:
                continue
            records = self._reader.records(coming.universe.id, collection)
            yield from coming.tally.take(
                collection, map(coming.copy.record, records) if coming.copy else records
            )
        if collection == "transitions" and self._moves:
            yield from self._reader.moves()

    def _copy(self, universe: KeptUniverse, name: str, kins: Sequence[Kin]) -> Copy:
        def read(collection: str) -> Iterator[Record]:
            return self._halt.iterate_until_cancelled(self._reader.records(universe.id, collection))

        known = {
            id
            for collection in RECORD_COLLECTIONS
            for record in read(collection)
            for id in identifiers(record)
        }
        derivations: Iterator[Derivation] = chain.from_iterable(each(read) for each in kins)
        return Copy(SystemIdGenerator().new(), name, known, derivations)


class _Names:
    """Names for copies that nothing in the library has."""

    def __init__(self, taken: set[str], clock: Clock) -> None:
        self._taken = taken
        self._day = clock().astimezone().date()

    def copy_of(self, name: str) -> str:
        copied, number = f"{name} (copy, {self._day})", 1
        while copied in self._taken:
            number += 1
            copied = f"{name} (copy {number}, {self._day})"
        self._taken.add(copied)
        return copied


def _chosen(manifest: BackupManifest, only: str | None) -> list[KeptUniverse]:
    if only is None:
        return list(manifest.universes)
    found = [u for u in manifest.universes if only.casefold() in (u.name.casefold(), u.id)]
    if len(found) == 1:
        return found
    there = ", ".join(f"{u.name} ({u.id})" if len(found) > 1 else u.name for u in found or manifest.universes)
    raise InputError(
        f"This backup holds {'several universes' if found else 'no universe'} called {only!r}.",
        kept="Nothing was changed.",
        todo=f"{'Choose by identifier' if found else 'There are'}: {there}.",
    )


def _checked(reader: BackupReader, universe: KeptUniverse) -> ArchiveReferences:
    parts = ((name, reader.records(universe.id, name)) for name in RECORD_COLLECTIONS)
    contents = check_records(parts, universe.id, damaged)
    missing = {tuple(name.split("/")) for name in reader.manifest.missing}
    if not contents.object_references <= {*reader.objects, *missing}:
        raise damaged("An original or archive that its records name is not in it.")
    return contents


async def _is_empty(stores: Stores) -> bool:
    """Whether nothing was ever played here: then the session comes back as it was left, too."""
    universes = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
    return not universes and not await stores.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=1)


async def _compare(stores: Stores, coming: _Coming) -> None:
    found = Tally()
    await stores.history.dump(coming.new_id, found.drain)
    counts = {name: one.records for name, one in found.sums.items()}
    wanted = {n: c for n, c in coming.universe.counts.items() if not (coming.copy and n in _NOT_COPIED)}
    miscounted = [name for name, count in wanted.items() if counts.get(name, 0) != count]
    if differing := miscounted or coming.tally.differs_from(found):
        raise StoreError(
            f"“{coming.name}” is not as the backup has it: {', '.join(differing)}.",
            kept="The backup is untouched, and so is what was there before.",
            todo="Do not play on in it. Check the disk, and restore again.",
        )
