"""Compares whole indexes with log and canon, and writes nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from agents.indexer.index_rebuild import ReportProgress, iter_collections
from agents.indexer.source_reader import SourceReader
from stores.ports import TextItem
from stores.records.ids import Id

ReadFingerprints = Callable[[str, Mapping[str, str]], Awaitable[dict[Id, str]]]
"""Returns what is indexed in a collection within a scope, with its fingerprint."""

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
    source_reader: SourceReader, indexes: Mapping[str, ReadFingerprints], report: ReportProgress
) -> list[IndexDifference]:
    """Compare every item of these indexes, by name; returns where they differ. Raises StoreError."""
    differences: list[IndexDifference] = []
    universe_ids = await source_reader.read_universe_ids()
    for collection, universe_batches in iter_collections(source_reader):
        unexplained_ids = {name: set(await read(collection, {})) for name, read in indexes.items()}
        for universe_id in universe_ids:
            wanted_items = {item.id: item async for batch in universe_batches(universe_id) for item in batch}
            for name, read_fingerprints in indexes.items():
                stored_fingerprints = await read_fingerprints(collection, {"universe": universe_id})
                unexplained_ids[name] -= stored_fingerprints.keys()
                difference = _compare(name, universe_id, collection, wanted_items, stored_fingerprints)
                differences += [difference] if difference else []
        for name, surplus_ids in unexplained_ids.items():
            if surplus_ids:
                examples = tuple(sorted(surplus_ids)[:MAX_EXAMPLES])
                differences.append(
                    IndexDifference(name, NO_UNIVERSE, collection, 0, 0, len(surplus_ids), examples)
                )
        report(f"{collection} compared")
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
