"""What was read once, kept for as long as it may be read again: a few, the least used go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

DEFAULT_CAPACITY: Final = 16


class PackageCache(Generic[T]):
    """Keeps the last few by their keys. Whoever asks makes the key such that what it names cannot change."""

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._values_by_key: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """Return what is kept under the key, if anything is."""
        if key in self._values_by_key:
            self._values_by_key.move_to_end(key)
        return self._values_by_key.get(key)

    def put(self, key: Hashable, value: T) -> None:
        self._values_by_key[key] = value
        self._values_by_key.move_to_end(key)
        while len(self._values_by_key) > self._capacity:
            self._values_by_key.popitem(last=False)
