"""Remembers what was made of each proposal, so that a gate of thousands is not described anew after each line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from stores.records.ids import Id

T = TypeVar("T")

MAX_REMEMBERED: Final = 5_000
"""Proposals whose results are remembered; beyond them all are made again."""


class RememberedResults(Generic[T]):
    """The last result for each proposal, with all that it was made of."""

    def __init__(self) -> None:
        self._results: dict[Id, tuple[tuple[object, ...], T]] = {}

    def get_or_make(self, proposal_id: Id, inputs: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return the last result if it was made of equal inputs, and else make it."""
        remembered = self._results.get(proposal_id)
        result = remembered[1] if remembered is not None and remembered[0] == inputs else make()
        self.put(proposal_id, inputs, result)  # also equal inputs: the same objects compare at once
        return result

    def put(self, proposal_id: Id, inputs: tuple[object, ...], result: T) -> None:
        if len(self._results) >= MAX_REMEMBERED and proposal_id not in self._results:
            self._results.clear()
        self._results[proposal_id] = inputs, result

    def clear(self) -> None:
        self._results.clear()
