"""A small cache that drops the least recently used entry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

DEFAULT_CAPACITY: Final = 16


class PackageCache(Generic[T]):
    """Keeps the last few values by key; a key must name a state that cannot change."""

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._values_by_key: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """Return the value under the key, or None."""
        if key in self._values_by_key:
            self._values_by_key.move_to_end(key)
        return self._values_by_key.get(key)

    def put(self, key: Hashable, value: T) -> None:
        self._values_by_key[key] = value
        self._values_by_key.move_to_end(key)
        while len(self._values_by_key) > self._capacity:
            self._values_by_key.popitem(last=False)
