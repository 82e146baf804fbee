"""All that is true from one set of stores into another: each universe whole, compared, and never twice.

Over the ports alone, so any two sets will do. The source is only read. A universe that is in the target
already, and equal, is passed over; one that an earlier migration left half done is finished; one that is
another there is left alone. So a migration that was cut off is begun again, and goes on.
Source: the issue "The five stores", `monitor migrate`.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from stores.archive_check import check
from stores.archive_file import ArchiveReader, ArchiveWriter, Manifest
from stores.archive_zip import program
from stores.authority import Role
from stores.backup_tally import Sum, Tally
from stores.durable import has_no_room
from stores.errors import MonitorError, NotFound, StoreError, StoreFull
from stores.halt import Halt
from stores.history import HISTORY, OBJECTS, Part
from stores.records.base import Record
from stores.records.ids import Id, utc_now
from stores.records.ledger import Loop
from stores.records.world import Universe

if TYPE_CHECKING:
    from stores.stores import Stores

_EVERY = 1_000_000_000

Say = Callable[[str], None]
"""Hears what is going on, line by line."""


class Fate(StrEnum):
    """What became of a universe (of a dry run: what would)."""

    COPIED = "copied"
    FINISHED = "finished"
    EQUAL = "equal"
    OTHER = "other"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Moved:
    """One universe: what it holds in the source, and what the target has of it now. `why` is for OTHER and
    FAILED."""

    id: Id
    name: str
    fate: Fate
    source: dict[str, Sum] = field(default_factory=dict)
    target: dict[str, Sum] = field(default_factory=dict)
    why: str = ""

    @property
    def is_there(self) -> bool:
        return self.fate in (Fate.COPIED, Fate.FINISHED, Fate.EQUAL)


@dataclass(frozen=True, slots=True)
class Migrated:
    """`objects` are those that were brought over, `lost` those that the source no longer has whole."""

    universes: tuple[Moved, ...]
    objects: int
    lost: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return all(moved.is_there for moved in self.universes)


async def migrate(source: Stores, target: Stores, *, dry_run: bool = False, say: Say = print) -> Migrated:
    """Bring everything over, universe by universe; with `dry_run` only look at both sides.

    What stands in the way of one universe is told in its `Moved` and does not stop the others. Raises
    StoreFull, and StoreError if a store cannot be read or written at all.
    """
    objects, lost = await _bring_objects(source, target, dry_run, say)
    reader = source.canon(Role.CONTEXT_ASSEMBLY)
    moved = []
    for universe in await reader.universes():
        one = await _Move(source, target, universe, say).run(dry_run)
        say(_line(one, dry_run))
        moved.append(one)
    if not dry_run:
        await _bring_session(source, target, say)
    return Migrated(tuple(moved), objects, lost)


class _Move:
    """One universe on its way."""

    def __init__(self, source: Stores, target: Stores, universe: Universe, say: Say) -> None:
        self._source = source
        self._target = target
        self._universe = universe
        self._say = say
        self._halt = Halt("The migration was cut short.", kept="The source is unchanged.")

    async def run(self, dry_run: bool) -> Moved:
        try:
            return await self._run(dry_run)
        except StoreFull:
            raise
        except MonitorError as error:
            return Moved(self._universe.id, self._universe.name, Fate.FAILED, why=str(error))

    async def _run(self, dry_run: bool) -> Moved:
        there = await tallied(self._target, self._universe.id)
        fate = Fate.COPIED
        if there is not None:
            here = await self._here()
            if not here.differs_from(there):
                return self._moved(Fate.EQUAL, here, there)
            if differing := await self._not_a_part():
                why = f"The target has it with other {', '.join(differing)}, and it is left as it is there."
                return self._moved(Fate.OTHER, here, there, why)
            fate = Fate.FINISHED
        if dry_run:
            return self._moved(fate, await self._here(), there or Tally())
        self._say(f"{self._universe.name} ...")
        try:
            with tempfile.TemporaryFile() as passing:
                sent, fate = await self._copy(passing, fate)
        except OSError as error:
            raise _no_spool(error) from error
        arrived = await tallied(self._target, self._universe.id) or Tally()
        if differing := sent.differs_from(arrived):
            why = f"What arrived is not what was sent ({', '.join(differing)}): check the target."
            return self._moved(Fate.FAILED, sent, arrived, why)
        return self._moved(fate, sent, arrived)

    async def _here(self) -> Tally:
        return await tallied(self._source, self._universe.id) or Tally()

    async def _copy(self, passing: BinaryIO, fate: Fate) -> tuple[Tally, Fate]:
        """Write the universe to a passing file, as it is at one moment, check it, and load it from there."""
        sent = Tally()
        await self._halt.of(_spool(self._source, self._universe, passing, sent, self._halt))
        reader = await asyncio.to_thread(ArchiveReader, passing)
        contents = await self._halt.of(asyncio.to_thread(check, self._parts(reader), self._universe.id))
        load = partial(self._target.history.load, naming=contents.naming)
        if fate is Fate.COPIED:
            known = await self._halt.of(load(self._parts(reader)))
            # Its universe is not there, but something of it is: what a store that cannot write everything
            # at once was cut off in.
            fate = Fate.FINISHED if known else Fate.COPIED
        if fate is Fate.FINISHED:
            await self._halt.of(load(self._parts(reader), finish=True))
        return sent, fate

    def _parts(self, reader: ArchiveReader) -> Iterator[Part]:
        return ((name, self._halt.checked(reader.records(name))) for name in HISTORY)

    async def _not_a_part(self) -> list[str]:
        """The collections in which the target has what the source has not: it was not left half done."""
        digests = _Digests()
        await self._source.history.dump(self._universe.id, digests.note)
        others = _Digests()
        await self._target.history.dump(self._universe.id, others.note)
        return [name for name in HISTORY if not others.of[name] <= digests.of[name]]

    def _moved(self, fate: Fate, here: Tally, there: Tally, why: str = "") -> Moved:
        return Moved(self._universe.id, self._universe.name, fate, here.sums, there.sums, why)


class _Digests:
    """The checksum of every record, by collection."""

    def __init__(self) -> None:
        self.of: dict[str, set[bytes]] = {name: set() for name in HISTORY}

    def note(self, collection: str, records: Iterable[Record]) -> None:
        found = self.of[collection]
        found.update(hashlib.sha256(record.model_dump_json().encode()).digest() for record in records)


async def tallied(stores: Stores, universe_id: Id) -> Tally | None:
    """Count what the stores have of the universe; None if they do not have it."""
    tally = Tally()
    try:
        await stores.history.dump(universe_id, tally.drain)
    except NotFound:
        return None
    return tally


async def _spool(source: Stores, universe: Universe, passing: BinaryIO, sent: Tally, halt: Halt) -> None:
    with ArchiveWriter(passing) as writer:

        def write(collection: str, records: Iterator[Record]) -> None:
            writer.add_records(collection, halt.checked(sent.take(collection, records)))

        await source.history.dump(universe.id, write)
        manifest = Manifest(
            program=program(),
            exported_at=utc_now(),
            universe_id=universe.id,
            name=universe.name,
            counts=writer.counts,
            members=writer.members,
        )
        await asyncio.to_thread(writer.seal, manifest)


async def _bring_objects(
    source: Stores, target: Stores, dry_run: bool, say: Say
) -> tuple[int, tuple[str, ...]]:
    """Bring over what the target lacks: an object is known by its content, so one too many does no harm."""
    brought, lost = 0, []
    for collection in OBJECTS:
        there = set(await target.objects(None).keys(collection))
        for key in await source.objects(None).keys(collection):
            if key in there:
                continue
            try:
                data = await source.objects(None).get(collection, key)
            except StoreFull:
                raise
            except StoreError as error:
                lost.append(f"{collection}/{key}")
                say(f"{collection}/{key} cannot be brought over: {error.what}")
                continue
            if not dry_run:
                await target.objects(None).put(collection, data)
            brought += 1
    if brought:
        say(f"{brought:,} object{'' if brought == 1 else 's'} {'to bring' if dry_run else 'brought'} over.")
    return brought, tuple(lost)


async def _bring_session(source: Stores, target: Stores, say: Say) -> None:
    """Where the session was left, unless somebody has played in the target already."""
    if await target.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=1):
        return
    moves = await source.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=_EVERY)
    if moves:
        await target.history.load([("transitions", moves)], naming=())
        say(f"{len(moves):,} moves of the session brought over.")


def _line(moved: Moved, dry_run: bool) -> str:
    records = sum(one.records for one in moved.source.values())
    words = {
        Fate.COPIED: "would be copied" if dry_run else "copied, read back and compared",
        Fate.FINISHED: "is half there, and would be finished"
        if dry_run
        else "was half there: finished, compared",
        Fate.EQUAL: "is there already, equal",
        Fate.OTHER: f"NOT COPIED. {moved.why}",
        Fate.FAILED: f"FAILED. {moved.why}",
    }
    return f"{moved.name}: {records:,} records {words[moved.fate]}"


def _no_spool(error: OSError) -> StoreError:
    kept = "The source is unchanged, and what was copied before stands."
    folder = tempfile.gettempdir()
    if has_no_room(error):
        return StoreFull(
            f"The disk is full ({folder}).", kept=kept, todo="Free some space and migrate again."
        )
    return StoreError(f"No passing file can be written to {folder}: {error.strerror or error}.", kept=kept)
