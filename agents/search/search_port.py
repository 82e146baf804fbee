"""Finding again: what those who ask the record know of the search behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from stores.records.ids import Id

SearchKind = Literal["turns", "scenes", "memories", "facts", "entities", "snippets"]
"""What can be found again: the collections of the indexes."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where is looked: a universe, of it one story, of that one scene; for memories, whose."""

    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    entity_id: Id | None = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One thing that was found, best first. `score` is comparable within one answer alone; `by` says what
    each way of looking gave to it (`words`, `meaning`, `graph`, `recent`). `near` (0 ... 1) is its cosine
    to the question, which can be compared between questions (0 where meaning could not be asked)."""

    id: Id
    score: float
    score_by_way: Mapping[str, float] = field(default_factory=dict)
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResults:
    """`notes` say what did not work or was left out, in words for the user (`meaning: it wakes up`)."""

    hits: tuple[SearchHit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """How near the best of it comes (0 ... 1). A weak sign: what has no answer on record comes nearly as
        near (docs/benchmarks.md)."""
        return max((hit.similarity for hit in self.hits[:3]), default=0.0)


ReadExcludedIds = Callable[[], Awaitable[Collection[Id]]]
"""Gives what is in view, and is not to be found again."""


class RecordSearch(Protocol):
    """Read-only and stateless. Nothing that was taken back is ever found."""

    async def search(
        self,
        kind: SearchKind,
        question: str,
        search_scope: SearchScope,
        *,
        k: int = 20,
        read_excluded_ids: ReadExcludedIds | None = None,
    ) -> SearchResults:
        """The `k` best for the question by words, meaning and graph, but for those that `without` gives
        (it is asked last). An index that is down, or behind, is a note and never an error; what `without`
        raises is raised."""
        ...

    async def search_by_words(
        self, kind: SearchKind, question: str, search_scope: SearchScope, *, k: int = 50
    ) -> SearchResults:
        """By words alone."""
        ...
