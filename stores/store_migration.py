"""Copies everything from one set of stores into another, universe by universe, and compares the result.

Uses the ports alone, so it works with any two sets of stores. The source is only read. A universe that the target
has already is skipped if it is equal, completed if an earlier migration was interrupted in it, and left alone if it
differs. So an interrupted migration can be started again.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from stores.archive_check import check_records
from stores.archive_file import ArchiveReader, ArchiveWriter, CampaignManifest
from stores.archive_zip import program_version
from stores.authority import Role
from stores.backup.tally import CollectionSum, UniverseTally
from stores.durable_files import is_disk_full
from stores.errors import MonitorError, NotFound, StoreError, StoreFull
from stores.history import OBJECT_COLLECTIONS, RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.ids import Id, utc_now
from stores.records.workflow import Loop
from stores.records.world import Universe
from stores.thread_cancellation import ThreadCancellation

if TYPE_CHECKING:
    from stores.stores import Stores

_NO_LIMIT = 1_000_000_000

ProgressListener = Callable[[str], None]
"""Called with lines of text about the progress."""


class MigrationOutcome(StrEnum):
    """The result for one universe (in a dry run: what it would be)."""

    COPIED = "copied"
    FINISHED = "finished"
    EQUAL = "equal"
    OTHER = "other"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MigratedUniverse:
    """One universe: what it holds in the source, and what the target has of it now."""

    id: Id
    name: str
    outcome: MigrationOutcome
    source_sums: dict[str, CollectionSum] = field(default_factory=dict)
    target_sums: dict[str, CollectionSum] = field(default_factory=dict)
    reason: str = ""

    @property
    def is_in_target(self) -> bool:
        return self.outcome in (MigrationOutcome.COPIED, MigrationOutcome.FINISHED, MigrationOutcome.EQUAL)


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """The result of a migration: `objects` were copied, `lost` are those that the source no longer has whole."""

    universes: tuple[MigratedUniverse, ...]
    copied_objects: int
    missing_objects: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        return all(migrated_universe.is_in_target for migrated_universe in self.universes)


async def migrate_stores(
    source: Stores, target: Stores, *, dry_run: bool = False, on_progress: ProgressListener = print
) -> MigrationReport:
    """Copy everything, universe by universe; with `dry_run` only compare both sides.

    A problem with one universe is reported in its `MigratedUniverse` and does not stop the others. Raises
    StoreFull, and StoreError if a store cannot be read or written at all.
    """
    copied_objects, missing_objects = await _copy_objects(source, target, dry_run, on_progress)
    reader = source.canon(Role.CONTEXT_ASSEMBLY)
    migrated_universes = []
    for universe in await reader.universes():
        migrated_universe = await _UniverseMigrator(source, target, universe, on_progress).run(dry_run)
        on_progress(_summary_line(migrated_universe, dry_run))
        migrated_universes.append(migrated_universe)
    if not dry_run:
        await _copy_session(source, target, on_progress)
    return MigrationReport(tuple(migrated_universes), copied_objects, missing_objects)


class _UniverseMigrator:
    """Copies one universe."""

    def __init__(
        self, source: Stores, target: Stores, universe: Universe, on_progress: ProgressListener
    ) -> None:
        self._source = source
        self._target = target
        self._universe = universe
        self._on_progress = on_progress
        self._cancellation = ThreadCancellation(
            "The migration was cut short.", kept="The source is unchanged."
        )

    async def run(self, dry_run: bool) -> MigratedUniverse:
        try:
            return await self._migrate(dry_run)
        except StoreFull:
            raise
        except MonitorError as error:
            return MigratedUniverse(
                self._universe.id, self._universe.name, MigrationOutcome.FAILED, reason=str(error)
            )

    async def _migrate(self, dry_run: bool) -> MigratedUniverse:
        target_tally = await tally_universe(self._target, self._universe.id)
        outcome = MigrationOutcome.COPIED
        if target_tally is not None:
            source_tally = await self._tally_source()
            if not source_tally.differing_collections(target_tally):
                return self._make_result(MigrationOutcome.EQUAL, source_tally, target_tally)
            if differing_collections := await self._find_extra_collections():
                reason = (
                    f"The target has it with other {', '.join(differing_collections)}, and it is left as "
                    "it is there."
                )
                return self._make_result(MigrationOutcome.OTHER, source_tally, target_tally, reason)
            outcome = MigrationOutcome.FINISHED
        if dry_run:
            return self._make_result(outcome, await self._tally_source(), target_tally or UniverseTally())
        self._on_progress(f"{self._universe.name} ...")
        try:
            with tempfile.TemporaryFile() as spool_file:
                sent_tally, outcome = await self._copy_universe(cast(BinaryIO, spool_file), outcome)
        except OSError as error:
            raise _spool_file_error(error) from error
        arrived_tally = await tally_universe(self._target, self._universe.id) or UniverseTally()
        if differing_collections := sent_tally.differing_collections(arrived_tally):
            reason = (
                f"What arrived is not what was sent ({', '.join(differing_collections)}): check the target."
            )
            return self._make_result(MigrationOutcome.FAILED, sent_tally, arrived_tally, reason)
        return self._make_result(outcome, sent_tally, arrived_tally)

    async def _tally_source(self) -> UniverseTally:
        return await tally_universe(self._source, self._universe.id) or UniverseTally()

    async def _copy_universe(
        self, spool_file: BinaryIO, outcome: MigrationOutcome
    ) -> tuple[UniverseTally, MigrationOutcome]:
        """Write the universe to a temporary file, as of one moment, check it, and load it from there."""
        sent_tally = UniverseTally()
        await self._cancellation.run(
            _write_spool_file(self._source, self._universe, spool_file, sent_tally, self._cancellation)
        )
        reader = await asyncio.to_thread(ArchiveReader, spool_file)
        references = await self._cancellation.run(
            asyncio.to_thread(check_records, self._iter_collections(reader), self._universe.id)
        )
        load = partial(self._target.history.load, mentioned_ids=references.mentioned_ids)
        if outcome is MigrationOutcome.COPIED:
            existing_ids = await self._cancellation.run(load(self._iter_collections(reader)))
            # The universe is not there, but some of its records are: an interrupted load, on a store that
            # cannot write everything at once.
            outcome = MigrationOutcome.FINISHED if existing_ids else MigrationOutcome.COPIED
        if outcome is MigrationOutcome.FINISHED:
            await self._cancellation.run(load(self._iter_collections(reader), finish_partial=True))
        return sent_tally, outcome

    def _iter_collections(self, reader: ArchiveReader) -> Iterator[CollectionRecords]:
        return (
            (name, self._cancellation.iterate_until_cancelled(reader.read_records(name)))
            for name in RECORD_COLLECTIONS
        )

    async def _find_extra_collections(self) -> list[str]:
        """Return the collections with records that only the target has: then it is no interrupted migration."""
        source_digests = _RecordDigests()
        await self._source.history.dump(self._universe.id, source_digests.add_records)
        target_digests = _RecordDigests()
        await self._target.history.dump(self._universe.id, target_digests.add_records)
        return [
            name
            for name in RECORD_COLLECTIONS
            if not target_digests.by_collection[name] <= source_digests.by_collection[name]
        ]

    def _make_result(
        self,
        outcome: MigrationOutcome,
        source_tally: UniverseTally,
        target_tally: UniverseTally,
        reason: str = "",
    ) -> MigratedUniverse:
        return MigratedUniverse(
            self._universe.id, self._universe.name, outcome, source_tally.sums, target_tally.sums, reason
        )


class _RecordDigests:
    """Collects the checksum of every record, by collection."""

    def __init__(self) -> None:
        self.by_collection: dict[str, set[bytes]] = {name: set() for name in RECORD_COLLECTIONS}

    def add_records(self, collection: str, records: Iterable[Record]) -> None:
        collection_digests = self.by_collection[collection]
        collection_digests.update(
            hashlib.sha256(record.model_dump_json().encode()).digest() for record in records
        )


async def tally_universe(stores: Stores, universe_id: Id) -> UniverseTally | None:
    """Count the records of the universe; None if the stores do not have it."""
    tally = UniverseTally()
    try:
        await stores.history.dump(universe_id, tally.count_records)
    except NotFound:
        return None
    return tally


async def _write_spool_file(
    source: Stores,
    universe: Universe,
    spool_file: BinaryIO,
    sent_tally: UniverseTally,
    cancellation: ThreadCancellation,
) -> None:
    with ArchiveWriter(spool_file) as writer:

        def write_collection(collection: str, records: Iterator[Record]) -> None:
            writer.add_records(
                collection,
                cancellation.iterate_until_cancelled(sent_tally.iterate_counted(collection, records)),
            )

        await source.history.dump(universe.id, write_collection)
        manifest = CampaignManifest(
            program=program_version(),
            exported_at=utc_now(),
            universe_id=universe.id,
            name=universe.name,
            counts=writer.counts,
            members=writer.member_checksums,
        )
        await asyncio.to_thread(writer.write_manifest, manifest)


async def _copy_objects(
    source: Stores, target: Stores, dry_run: bool, on_progress: ProgressListener
) -> tuple[int, tuple[str, ...]]:
    """Copy the objects that the target lacks. They are named by content, so one too many does no harm."""
    copied_count, missing_objects = 0, []
    for collection in OBJECT_COLLECTIONS:
        target_keys = set(await target.objects(None).keys(collection))
        for key in await source.objects(None).keys(collection):
            if key in target_keys:
                continue
            try:
                data = await source.objects(None).get(collection, key)
            except StoreFull:
                raise
            except StoreError as error:
                missing_objects.append(f"{collection}/{key}")
                on_progress(f"{collection}/{key} cannot be brought over: {error.what}")
                continue
            if not dry_run:
                await target.objects(None).put(collection, data)
            copied_count += 1
    if copied_count:
        on_progress(
            f"{copied_count:,} object{'' if copied_count == 1 else 's'} {'to bring' if dry_run else 'brought'} over."
        )
    return copied_count, tuple(missing_objects)


async def _copy_session(source: Stores, target: Stores, on_progress: ProgressListener) -> None:
    """Copy the state of the session, unless somebody has played in the target already."""
    if await target.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=1):
        return
    transitions = await source.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=_NO_LIMIT)
    if transitions:
        await target.history.load([("transitions", transitions)], mentioned_ids=())
        on_progress(f"{len(transitions):,} moves of the session brought over.")


def _summary_line(migrated_universe: MigratedUniverse, dry_run: bool) -> str:
    record_count = sum(
        collection_sum.record_count for collection_sum in migrated_universe.source_sums.values()
    )
    outcome_texts = {
        MigrationOutcome.COPIED: "would be copied" if dry_run else "copied, read back and compared",
        MigrationOutcome.FINISHED: "is half there, and would be finished"
        if dry_run
        else "was half there: finished, compared",
        MigrationOutcome.EQUAL: "is there already, equal",
        MigrationOutcome.OTHER: f"NOT COPIED. {migrated_universe.reason}",
        MigrationOutcome.FAILED: f"FAILED. {migrated_universe.reason}",
    }
    return f"{migrated_universe.name}: {record_count:,} records {outcome_texts[migrated_universe.outcome]}"


def _spool_file_error(error: OSError) -> StoreError:
    kept_message = "The source is unchanged, and what was copied before stands."
    folder = tempfile.gettempdir()
    if is_disk_full(error):
        return StoreFull(
            f"The disk is full ({folder}).", kept=kept_message, todo="Free some space and migrate again."
        )
    return StoreError(
        f"No passing file can be written to {folder}: {error.strerror or error}.", kept=kept_message
    )
