"""The interface of the search over the record, with its results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from stores.records.ids import Id

SearchKind = Literal["turns", "scenes", "memories", "facts", "entities", "snippets"]
"""What can be searched: the collections of the indexes."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where to search: a universe, one of its stories, one scene; for memories, whose."""

    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    entity_id: Id | None = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit of a search."""

    id: Id
    score: float
    """Comparable only within one result."""
    score_by_way: Mapping[str, float] = field(default_factory=dict)
    """The part of the score that each way of searching gave: `words`, `meaning`, `graph`, `recent`,
    `length`, `tokens`."""
    similarity: float = 0.0
    """Cosine to the question, 0 to 1; comparable between questions, and 0 where vectors were not available.
    """
    is_earlier: bool = False
    """Whether a newer turn is on the same matter, where the question asks how it is now."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The hits of a search, best first, and notes to the user on what did not work or was left out."""

    hits: tuple[SearchHit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """How near the best hits come (0 to 1).

        A weak sign: a question without an answer on record comes nearly as near (docs/benchmarks.md).
        """
        return max((hit.similarity for hit in self.hits[:3]), default=0.0)


ReadExcludedIds = Callable[[], Awaitable[Collection[Id]]]
"""Reads the ids of the items that are already in view and not to be found again."""


class RecordSearch(Protocol):
    """Searches the record, read-only. Nothing that was taken back is ever found."""

    async def search(
        self,
        kind: SearchKind,
        question: str,
        search_scope: SearchScope,
        *,
        k: int = 20,
        read_excluded_ids: ReadExcludedIds | None = None,
    ) -> SearchResults:
        """Return the `k` best hits by words, meaning and graph, without the excluded ids (which are read last).

        An index that is down or out of date becomes a note, never an error; what `read_excluded_ids` raises
        is raised.
        """
        ...

    async def search_by_words(
        self, kind: SearchKind, question: str, search_scope: SearchScope, *, k: int = 50
    ) -> SearchResults:
        """Return the best hits by words alone."""
        ...
