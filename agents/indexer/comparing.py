"""What is in an index held against what should be there. It takes out what is surplus; what is missing it
returns, for whoever calls to put in pieces."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar

from agents.indexer.shelves import Shelf
from stores.ports import TextItem
from stores.records.ids import Id

T = TypeVar("T")

AT_ONCE: Final = 1_000
"""Identifiers that are asked for or taken out in one go."""


async def differing(
    shelf: Shelf, collection: str, wanted: Sequence[TextItem], scope: Mapping[str, str]
) -> list[TextItem]:
    """Within `scope`, take out what is not wanted, and return what is not there as it is wanted."""
    return await compared(shelf, collection, wanted, await shelf.marks(collection, scope=scope))


async def differing_of(
    shelf: Shelf, collection: str, wanted: Sequence[TextItem], ids: Collection[Id]
) -> list[TextItem]:
    """The same for these identifiers: those that are not wanted are taken out."""
    marks: dict[Id, str] = {}
    for some in by_the(AT_ONCE, list(ids)):
        marks |= await shelf.marks(collection, ids=some)
    return await compared(shelf, collection, wanted, marks)


async def compared(
    shelf: Shelf, collection: str, wanted: Sequence[TextItem], marks: Mapping[Id, str]
) -> list[TextItem]:
    """The same for what has these marks."""
    await take_out(shelf, collection, marks.keys() - {item.id for item in wanted})
    return [item for item in wanted if item.text and marks.get(item.id) != item.mark]


async def take_out(shelf: Shelf, collection: str, ids: Collection[Id]) -> None:
    for some in by_the(AT_ONCE, list(ids)):
        await shelf.delete(collection, some)


def by_the(count: int, things: Sequence[T]) -> Iterator[list[T]]:
    rest = iter(things)
    while some := list(islice(rest, count)):
        yield some
