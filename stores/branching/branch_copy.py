"""Makes a branch: a universe of its own, copied beside the one that it leaves, as that was at one turn.

A universe's records are never shared with another's, so that nothing of one branch can reach a prompt, a search or
the canon of another. The copy is checked like an archive, and written whole or not at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from stores.archive_check import check_records
from stores.backup.campaign_copy import CampaignCopier, find_ids
from stores.backup.derived_ids import DerivationFinder, find_derivations
from stores.branching.cut import BranchPoint, cut_records
from stores.errors import ArchiveError, StoreError
from stores.history import RECORD_COLLECTIONS, History
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.world import BranchOrigin
from stores.thread_cancellation import ThreadCancellation


class CopiedBranch(NamedTuple):
    """A branch that was made: its universe, and the scene in which play goes on."""

    universe_id: Id
    story_id: Id
    scene_id: Id
    scene_ids: tuple[Id, ...]
    """Every scene that it has."""


async def copy_branch(
    history: History,
    universe_id: Id,
    point: BranchPoint,
    *,
    name: str,
    origin: BranchOrigin,
    derivation_finders: Sequence[DerivationFinder] = (),
) -> CopiedBranch:
    """Copy the universe as it was at the point, under new identifiers. `name` is the new universe's.

    Raises NotFound, StoreFull, StoreError; then nothing was written.
    """
    cancellation = ThreadCancellation("Branching was cut short.", kept="Nothing was changed.")
    records = await cancellation.run(_read_records(history, universe_id, cancellation))
    copier, copied_records = await cancellation.run(
        asyncio.to_thread(
            _copy_records, records, point, name, origin, (find_derivations, *derivation_finders), cancellation
        )
    )
    existing_ids = await cancellation.run(
        history.load(
            ((n, cancellation.iterate_until_cancelled(r)) for n, r in copied_records.items()),
            mentioned_ids=copier.new_ids(),
        )
    )
    if existing_ids:
        raise _uncopied_error("it names things of another world")
    scene = next(s for s in records["scenes"] if s.id == point.scene_id)
    return CopiedBranch(
        copier.new_id(universe_id),
        copier.new_id(scene.story_id),
        copier.new_id(scene.id),
        tuple(s.id for s in copied_records["scenes"]),  # type: ignore[attr-defined]
    )


async def _read_records(
    history: History, universe_id: Id, cancellation: ThreadCancellation
) -> Mapping[str, list[Any]]:
    records: dict[str, list[Any]] = {}

    def keep_records(collection: str, read_records: Iterator[Record]) -> None:
        records[collection] = list(cancellation.iterate_until_cancelled(read_records))

    await history.dump(universe_id, keep_records)
    return records


def _copy_records(
    records: Mapping[str, list[Any]],
    point: BranchPoint,
    name: str,
    origin: BranchOrigin,
    derivation_finders: Sequence[DerivationFinder],
    cancellation: ThreadCancellation,
) -> tuple[CampaignCopier, dict[str, list[Record]]]:
    cut = cut_records(records, point)
    known_ids = {
        id
        for collection in RECORD_COLLECTIONS
        for record in cancellation.iterate_until_cancelled(cut[collection])
        for id in find_ids(record)
    }
    derivations = chain.from_iterable(finder(cut.__getitem__) for finder in derivation_finders)
    copier = CampaignCopier(origin.copy_key, name, known_ids, derivations, branch=origin)
    copied_records = {
        collection: list(map(copier.copy_record, cancellation.iterate_until_cancelled(cut[collection])))
        for collection in RECORD_COLLECTIONS
    }
    new_universe_id = copied_records["universes"][0].id  # type: ignore[attr-defined]
    try:
        check_records(copied_records.items(), new_universe_id)
    except ArchiveError as error:
        raise _uncopied_error(error.what) from error
    return copier, copied_records


def _uncopied_error(problem: str) -> StoreError:
    return StoreError(
        f"The branch could not be made: {problem}",
        kept="Nothing was changed.",
        todo="monitor doctor says what is wrong with the library.",
    )
