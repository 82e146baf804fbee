"""Compares an index with what it should hold: deletes what is surplus, and returns what is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from agents.indexer.index_writers import IndexWriter
from stores.ports import TextItem
from stores.records.ids import Id

T = TypeVar("T")

IDS_PER_BATCH: Final = 1_000
"""Identifiers that are read or deleted at once."""


async def find_outdated_in_scope(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], scope: Mapping[str, str]
) -> list[TextItem]:
    """Delete the surplus items within `scope`, and return those that are missing or out of date."""
    return await drop_and_find_outdated(
        writer, collection, wanted_items, await writer.read_fingerprints(collection, scope=scope)
    )


async def find_outdated_of_ids(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], ids: Collection[Id]
) -> list[TextItem]:
    """Delete the surplus items of these identifiers, and return those that are missing or out of date."""
    fingerprints: dict[Id, str] = {}
    for id_batch in in_batches(IDS_PER_BATCH, list(ids)):
        fingerprints |= await writer.read_fingerprints(collection, ids=id_batch)
    return await drop_and_find_outdated(writer, collection, wanted_items, fingerprints)


async def drop_and_find_outdated(
    writer: IndexWriter, collection: str, wanted_items: Sequence[TextItem], fingerprints: Mapping[Id, str]
) -> list[TextItem]:
    """Delete the surplus items of these fingerprints, and return those that are missing or out of date."""
    await delete_items(writer, collection, fingerprints.keys() - {item.id for item in wanted_items})
    return [item for item in wanted_items if item.text and fingerprints.get(item.id) != item.fingerprint]


async def delete_items(writer: IndexWriter, collection: str, ids: Collection[Id]) -> None:
    for id_batch in in_batches(IDS_PER_BATCH, list(ids)):
        await writer.delete(collection, id_batch)


def in_batches(batch_size: int, items: Sequence[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, batch_size)):
        yield batch
