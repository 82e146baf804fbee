"""Compares whole indexes with log and canon, and writes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from agents.indexer.index_rebuild import ReportProgress, UniverseBatches, iter_collections
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.source_reader import SourceReader
from stores.ports import TextItem
from stores.records.ids import Id

ReadFingerprints = Callable[[str, Mapping[str, str]], Awaitable[dict[Id, str]]]
"""Returns what is indexed in a collection within a scope, with its fingerprint."""


class CheckedIndex(NamedTuple):
    """An index to compare."""

    name: str
    neighbours: TurnNeighbours
    """The turns whose text it holds with a turn's own."""
    read_fingerprints: ReadFingerprints


NO_UNIVERSE = ""
"""Stands for items in an index whose universe is not in the library."""

MAX_EXAMPLES = 3
MAX_EXAMPLE_CHARACTERS = 60


class IndexDifference(NamedTuple):
    """How one collection of an index differs from what one universe should have there."""

    index_name: str
    universe_id: Id
    collection: str
    missing: int
    outdated: int
    surplus: int
    examples: tuple[str, ...]
    """The beginnings of some texts that are missing or out of date, else the identifiers of surplus items."""


async def check_indexes(
    source_reader: SourceReader, indexes: Sequence[CheckedIndex], report: ReportProgress
) -> list[IndexDifference]:
    """Compare every item of these indexes; returns where they differ. Raises StoreError."""
    differences: list[IndexDifference] = []
    universe_ids = await source_reader.read_universe_ids()
    for neighbours in TurnNeighbours:
        alike_indexes = [index for index in indexes if index.neighbours is neighbours]
        for collection, universe_batches in iter_collections(source_reader, neighbours):
            if alike_indexes:
                differences += await _check_collection(
                    collection, universe_batches, universe_ids, alike_indexes
                )
                report(f"{collection} compared")
    return differences


async def _check_collection(
    collection: str,
    universe_batches: UniverseBatches,
    universe_ids: Sequence[Id],
    indexes: Sequence[CheckedIndex],
) -> list[IndexDifference]:
    """Compare one collection of indexes that should hold the same."""
    differences: list[IndexDifference] = []
    unexplained_ids = {index.name: set(await index.read_fingerprints(collection, {})) for index in indexes}
    for universe_id in universe_ids:
        wanted_items = {item.id: item async for batch in universe_batches(universe_id) for item in batch}
        for index in indexes:
            stored_fingerprints = await index.read_fingerprints(collection, {"universe": universe_id})
            unexplained_ids[index.name] -= stored_fingerprints.keys()
            difference = _compare(index.name, universe_id, collection, wanted_items, stored_fingerprints)
            differences += [difference] if difference else []
    for name, surplus_ids in unexplained_ids.items():
        if surplus_ids:
            examples = tuple(sorted(surplus_ids)[:MAX_EXAMPLES])
            differences.append(
                IndexDifference(name, NO_UNIVERSE, collection, 0, 0, len(surplus_ids), examples)
            )
    return differences


def _compare(
    index_name: str,
    universe_id: Id,
    collection: str,
    wanted_items: Mapping[Id, TextItem],
    stored_fingerprints: Mapping[Id, str],
) -> IndexDifference | None:
    missing_ids = [id for id, item in wanted_items.items() if item.text and id not in stored_fingerprints]
    outdated_ids = [
        id
        for id, item in wanted_items.items()
        if id in stored_fingerprints and stored_fingerprints[id] != item.fingerprint
    ]
    surplus_ids = sorted(stored_fingerprints.keys() - wanted_items.keys())
    if not (missing_ids or outdated_ids or surplus_ids):
        return None
    texts = [_shorten(wanted_items[id].text) for id in (*missing_ids, *outdated_ids)[:MAX_EXAMPLES]]
    return IndexDifference(
        index_name,
        universe_id,
        collection,
        len(missing_ids),
        len(outdated_ids),
        len(surplus_ids),
        tuple(texts or surplus_ids[:MAX_EXAMPLES]),
    )


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_EXAMPLE_CHARACTERS else f"{line[: MAX_EXAMPLE_CHARACTERS - 1]}…"
