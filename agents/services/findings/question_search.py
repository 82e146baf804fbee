"""One question put to the search of a record, and what the search said of how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.search.question import RecordQuestion
from agents.search.search_port import RecordSearch, SearchHit, SearchKind, SearchScope


@dataclass(frozen=True, slots=True)
class QuestionSearch:
    """A question, where it is asked, and the search that is asked it, kind by kind."""

    question: RecordQuestion
    scope: SearchScope
    record_search: RecordSearch
    _notes: dict[str, None] = field(default_factory=dict)
    """A set that keeps its order: several kinds are searched side by side, and say the same."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the searches so far said of how they went, each once."""
        return tuple(self._notes)

    async def find(self, kind: SearchKind, k: int) -> Sequence[SearchHit]:
        """Return the best hits of one kind, at most `k`, the best first. Raises StoreError."""
        # A record may have but the role of somebody, where the question has the name.
        roles = dict.fromkeys(role.partition(" ")[0] for role in self.question.searched_roles)
        searched_text = " ".join((self.question.text, *roles))
        results = await self.record_search.search(kind, searched_text, self.scope, k=k)
        self._notes.update(dict.fromkeys(results.notes))
        return results.hits

    async def find_by_id(self, kind: SearchKind, k: int) -> dict[str, SearchHit]:
        """Return the best hits of one kind by the id of what was found. Raises StoreError."""
        return {hit.id: hit for hit in await self.find(kind, k)}
