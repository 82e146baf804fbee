"""Compares a universe in two libraries by counts and checksums of each collection."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stores.records.base import Record

_MODULUS = 1 << 256


class CollectionSum(NamedTuple):
    """How many records, and the sum (modulo 2^256) of the SHA-256 of each one's JSON.

    The same in whatever order a store keeps them.
    """

    record_count: int
    digest: int

    @property
    def hex_digest(self) -> str:
        return f"{self.digest:064x}"


class UniverseTally:
    """Counts the records that pass through it."""

    def __init__(self) -> None:
        self.sums: dict[str, CollectionSum] = {}

    def iterate_counted(self, collection: str, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records, and count them."""
        for record in records:
            count, digest = self.sums.get(collection, (0, 0))
            record_digest = hashlib.sha256(record.model_dump_json().encode()).digest()
            self.sums[collection] = CollectionSum(
                count + 1, (digest + int.from_bytes(record_digest, "big")) % _MODULUS
            )
            yield record

    def count_records(self, collection: str, records: Iterable[Record]) -> None:
        """Count the records."""
        for _ in self.iterate_counted(collection, records):
            pass

    def differing_collections(self, other: UniverseTally) -> list[str]:
        """Return the collections that differ."""
        names = dict.fromkeys((*self.sums, *other.sums))
        return [name for name in names if self.sums.get(name) != other.sums.get(name)]
