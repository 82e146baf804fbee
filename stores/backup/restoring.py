"""Verifies backups, and restores them without replacing anything.

A universe that the library does not have is restored as it was; one that it has is restored as a copy beside it. All
of a restore is written in one load, or nothing of it.
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
from stores.backup.campaign_copy import CampaignCopier, IdDerivation, find_ids
from stores.backup.derived_ids import DerivationFinder, find_derivations
from stores.backup.file_format import (
    BackedUpUniverse,
    BackupManifest,
    BackupReader,
    damaged_backup_error,
    verify_checksum,
)
from stores.backup.tally import UniverseTally
from stores.errors import InputError, StoreError
from stores.history import RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.ids import Clock, Id, SystemIdGenerator, utc_now
from stores.records.workflow import Loop
from stores.thread_cancellation import ThreadCancellation

if TYPE_CHECKING:
    from stores.open import Stores

_UNCOPIED_COLLECTIONS = {"archived_logs"}
"""Collections that are not copied: archived logs contain the original's identifiers. Their turns are in the log as
well, and can be archived again."""


class RestoredUniverse(NamedTuple):
    """A universe that was restored. `is_copy`: the library has the original, and this one is beside it."""

    universe_id: Id
    name: str
    is_copy: bool
    counts: dict[str, int]


def verify_backup(path: Path) -> BackupManifest:
    """Read all of a backup: every byte, checksum and record, and whether they agree with each other.

    Raises ArchiveError that says what is wrong.
    """
    with open_for_reading(path, "backup") as file:
        reader = BackupReader(file)
        for universe in reader.manifest.universes:
            _check_universe(reader, universe)
        for _ in reader.read_transitions():
            pass
        verify_checksum(file)
        return reader.manifest


async def restore_backup(
    stores: Stores,
    path: Path,
    *,
    only_universe: str | None = None,
    derivation_finders: Sequence[DerivationFinder] = (),
    clock: Clock = utc_now,
    on_progress: Callable[[str], None] = lambda line: None,
) -> list[RestoredUniverse]:
    """Restore the backup's universes (or the one named `only_universe`): all of them, or nothing.

    `derivation_finders` find derived identifiers that `derived_ids` does not know. What was restored is read back
    and compared. Raises ArchiveError, InputError, StoreFull, StoreError.
    """
    cancellation = ThreadCancellation("Restoring was cut short.", kept="Nothing was restored.")
    with await asyncio.to_thread(open_for_reading, path, "backup") as file:
        reader = await asyncio.to_thread(BackupReader, file)
        chosen_universes = _choose_universes(reader.manifest, only_universe)
        existing_universes = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
        includes_transitions = only_universe is None and await _is_library_empty(stores)
        copy_names = _CopyNames({universe.name for universe in existing_universes}, clock)
        existing_ids = {universe.id for universe in existing_universes}
        plan = _RestorePlan(reader, includes_transitions, cancellation)
        for universe in chosen_universes:
            on_progress(f"Checking “{universe.name}” ({sum(universe.counts.values()):,} records) ...")
            copy_name = copy_names.make_copy_name(universe.name) if universe.id in existing_ids else None
            await cancellation.run(
                asyncio.to_thread(
                    plan.add_universe, universe, copy_name, (find_derivations, *derivation_finders)
                )
            )
        # Objects first: they are known by their content alone, so one too many does no harm.
        for collection, key in plan.select_objects(include_all=only_universe is None):
            cancellation.raise_if_cancelled()
            await stores.objects(None).put(
                collection, await asyncio.to_thread(reader.read_object, collection, key)
            )
        on_progress("Writing ...")
        conflicting_ids = await cancellation.run(
            stores.history.load(plan.read_collections(), mentioned_ids=plan.mentioned_ids)
        )
    if conflicting_ids:
        raise damaged_backup_error("It names things of another campaign in this library.")
    on_progress("Comparing ...")
    for planned_universe in plan.planned_universes:
        await _compare_restored(stores, planned_universe)
    return [
        RestoredUniverse(c.new_id, c.name, c.copier is not None, c.universe.counts)
        for c in plan.planned_universes
    ]


class _PlannedUniverse(NamedTuple):
    """One universe to be restored: as it was, or as a copy."""

    universe: BackedUpUniverse
    new_id: Id
    name: str
    copier: CampaignCopier | None
    tally: UniverseTally


class _RestorePlan:
    """What is to be written; all of it is checked before any is written."""

    def __init__(
        self, reader: BackupReader, includes_transitions: bool, cancellation: ThreadCancellation
    ) -> None:
        self.mentioned_ids: set[Id] = set()
        self.planned_universes: list[_PlannedUniverse] = []
        self._reader = reader
        self._includes_transitions = includes_transitions
        self._cancellation = cancellation
        self._needed_objects: set[tuple[str, str]] = set()

    def add_universe(
        self,
        universe: BackedUpUniverse,
        copy_name: str | None,
        derivation_finders: Sequence[DerivationFinder],
    ) -> None:
        """Check the universe and, with a `copy_name`, map it to new identifiers."""
        references = _check_universe(self._reader, universe)
        self._needed_objects |= references.object_references
        if copy_name is None:
            self.mentioned_ids |= references.mentioned_ids
            self.planned_universes.append(
                _PlannedUniverse(universe, universe.id, universe.name, None, UniverseTally())
            )
            return
        copier = self._make_copier(universe, copy_name, derivation_finders)
        self.mentioned_ids |= copier.new_ids()
        self.planned_universes.append(
            _PlannedUniverse(universe, copier.new_id(universe.id), copy_name, copier, UniverseTally())
        )

    def read_collections(self) -> Iterator[CollectionRecords]:
        """Yield all records, collection by collection."""
        return (
            (collection, self._cancellation.iterate_until_cancelled(self._read_records(collection)))
            for collection in RECORD_COLLECTIONS
        )

    def select_objects(self, *, include_all: bool) -> list[tuple[str, str]]:
        """Return the objects that the universes need; or all, archived logs included."""
        return [
            (collection, key)
            for collection, key in self._reader.object_names
            if include_all or (collection, key) in self._needed_objects
        ]

    def _read_records(self, collection: str) -> Iterator[Record]:
        for planned_universe in self.planned_universes:
            if planned_universe.copier and collection in _UNCOPIED_COLLECTIONS:
                continue
            records = self._reader.read_records(planned_universe.universe.id, collection)
            yield from planned_universe.tally.iterate_counted(
                collection,
                map(planned_universe.copier.copy_record, records) if planned_universe.copier else records,
            )
        if collection == "transitions" and self._includes_transitions:
            yield from self._reader.read_transitions()

    def _make_copier(
        self, universe: BackedUpUniverse, name: str, derivation_finders: Sequence[DerivationFinder]
    ) -> CampaignCopier:
        def read_records(collection: str) -> Iterator[Record]:
            return self._cancellation.iterate_until_cancelled(
                self._reader.read_records(universe.id, collection)
            )

        known_ids = {
            id
            for collection in RECORD_COLLECTIONS
            for record in read_records(collection)
            for id in find_ids(record)
        }
        derivations: Iterator[IdDerivation] = chain.from_iterable(
            finder(read_records) for finder in derivation_finders
        )
        return CampaignCopier(SystemIdGenerator().new(), name, known_ids, derivations)


class _CopyNames:
    """Finds unused names for copies."""

    def __init__(self, taken_names: set[str], clock: Clock) -> None:
        self._taken_names = taken_names
        self._day = clock().astimezone().date()

    def make_copy_name(self, name: str) -> str:
        candidate, number = f"{name} (copy, {self._day})", 1
        while candidate in self._taken_names:
            number += 1
            candidate = f"{name} (copy {number}, {self._day})"
        self._taken_names.add(candidate)
        return candidate


def _choose_universes(manifest: BackupManifest, only_universe: str | None) -> list[BackedUpUniverse]:
    if only_universe is None:
        return list(manifest.universes)
    matches = [u for u in manifest.universes if only_universe.casefold() in (u.name.casefold(), u.id)]
    if len(matches) == 1:
        return matches
    names_text = ", ".join(
        f"{u.name} ({u.id})" if len(matches) > 1 else u.name for u in matches or manifest.universes
    )
    raise InputError(
        f"This backup holds {'several universes' if matches else 'no universe'} called {only_universe!r}.",
        kept="Nothing was changed.",
        todo=f"{'Choose by identifier' if matches else 'There are'}: {names_text}.",
    )


def _check_universe(reader: BackupReader, universe: BackedUpUniverse) -> ArchiveReferences:
    collections = ((name, reader.read_records(universe.id, name)) for name in RECORD_COLLECTIONS)
    references = check_records(collections, universe.id, damaged_backup_error)
    missing_objects = {tuple(name.split("/")) for name in reader.manifest.missing}
    if not references.object_references <= {*reader.object_names, *missing_objects}:
        raise damaged_backup_error("An original or archive that its records name is not in it.")
    return references


async def _is_library_empty(stores: Stores) -> bool:
    """Return whether nothing was ever played here; then the state of the session is restored, too."""
    universes = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
    return not universes and not await stores.log(Role.CONTEXT_ASSEMBLY).transitions(loop=Loop.MAIN, limit=1)


async def _compare_restored(stores: Stores, planned_universe: _PlannedUniverse) -> None:
    restored_tally = UniverseTally()
    await stores.history.dump(planned_universe.new_id, restored_tally.count_records)
    counts = {name: one.record_count for name, one in restored_tally.sums.items()}
    expected_counts = {
        n: c
        for n, c in planned_universe.universe.counts.items()
        if not (planned_universe.copier and n in _UNCOPIED_COLLECTIONS)
    }
    miscounted_collections = [name for name, count in expected_counts.items() if counts.get(name, 0) != count]
    if differing_collections := miscounted_collections or planned_universe.tally.differing_collections(
        restored_tally
    ):
        raise StoreError(
            f"“{planned_universe.name}” is not as the backup has it: {', '.join(differing_collections)}.",
            kept="The backup is untouched, and so is what was there before.",
            todo="Do not play on in it. Check the disk, and restore again.",
        )
