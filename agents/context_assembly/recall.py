"""Finding again: the record searched by words and by meaning, then along the graph and the line.

Stateless and read-only. What an index gives is looked up in the truth before it is returned, so that nothing
which was taken back is found. A store that is down is a note. Source: design/loops.md, "Memory layers";
AGENT_ORCHESTRATION, ContextAssembly ("Retrieval strategies").
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Mapping
from typing import Final, TypeVar

from agents.context_assembly.cues import MOST_TEXT, Cues, cues_of
from agents.context_assembly.fusion import fused, normalised, ranked
from agents.context_assembly.in_flight import InFlight
from agents.context_assembly.linking import Linked, Links
from agents.context_assembly.recall_port import Findings, Found, InView, Kind, Within
from agents.context_assembly.standing import Standings
from agents.context_assembly.turn_ranking import WEIGHTS, Weights
from agents.context_assembly.turn_search import TurnSearch
from agents.indexer.port import Meaning
from stores.errors import StoreError
from stores.ports import CanonReader, LogReader, TextIndex, VectorIndex
from stores.records.ids import Id

T = TypeVar("T")

POOL: Final = 100
"""Hits of each way of looking that are weighed against each other."""

_SCOPED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "turns": ("universe", "story", "scene"),
    "scenes": ("universe", "story"),
    "memories": ("universe", "entity"),
    "facts": ("universe",),
    "entities": ("universe",),
    "snippets": ("universe",),
}
"""What the items of each collection can be narrowed to."""

_IN_CANON: Final = frozenset({"turns", "facts", "entities"})
"""What canon leads to."""


class Recollector:
    """Searches the record. `meaning` None: by words alone. It keeps nothing but what is being looked up."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        words: TextIndex,
        vectors: VectorIndex,
        meaning: Meaning | None,
        *,
        weights: Weights = WEIGHTS,
    ) -> None:
        self._words = words
        self._vectors = vectors
        self._meaning = meaning
        self._weights = weights
        self._links = Links(canon, words)
        self._linking = InFlight[Linked]()
        self._looking = InFlight[list[tuple[Id, float]]]()
        self._standings = Standings(canon, log)
        self._turns = TurnSearch(canon, log, words, weights)

    async def find(
        self, kind: Kind, question: str, within: Within, *, k: int = 20, without: InView | None = None
    ) -> Findings:
        """Return the `k` best by words, meaning and graph, best first."""
        question = question[:MOST_TEXT].strip()
        if not question or k < 1:
            return Findings()
        cues, notes = cues_of(question), _Notes()
        scope = scope_of(kind, within)
        # Meaning first: the question's vector takes longest, and another process makes it.
        by_meaning, by_words, linked = await gather(
            notes.gone_without("meaning", self._by_meaning(kind, question, scope, notes)),
            notes.gone_without("words", self._by_words(kind, question, scope)),
            notes.gone_without("graph", self._linked(kind, question, cues, within, notes)),
        )
        lists = {"words": normalised(by_words or ()), "meaning": normalised(by_meaning or ())}
        by = fused(lists, {"words": self._weights.words, "meaning": self._weights.meaning})
        try:
            by = await self._weighed(kind, question, cues, by, linked or Linked(), within, k, notes)
        except StoreError as error:
            notes.add(f"not checked against the record: {error.what}")
            by = {}
        taken = set(await without()) if without else set()
        near = {id: max(0.0, min(1.0, cosine)) for id, cosine in by_meaning or ()}
        best = [id for id in ranked(by) if id not in taken][:k]
        return Findings(
            tuple(Found(id, sum(by[id].values()), by[id], near.get(id, 0.0)) for id in best), notes.told()
        )

    async def words(self, kind: Kind, question: str, within: Within, *, k: int = 50) -> Findings:
        """Return the `k` best by words alone, as the index ranks them."""
        question, notes = question[:MOST_TEXT].strip(), _Notes()
        if not question or k < 1:
            return Findings()
        # More than is asked for: what is no longer on the line goes.
        search = self._words.search(kind, question, k=2 * k, scope=scope_of(kind, within))
        hits = await notes.gone_without("words", search) or []
        try:
            counting = await self._standings.of(kind, [hit.id for hit in hits], within)
        except StoreError as error:
            notes.add(f"not checked against the record: {error.what}")
            return Findings((), notes.told())
        found = [Found(hit.id, hit.score, {"words": hit.score}) for hit in hits if counting.get(hit.id)]
        return Findings(tuple(found[:k]), notes.told())

    # --- inside --------------------------------------------------------------------------------------

    async def _linked(self, kind: Kind, question: str, cues: Cues, within: Within, notes: _Notes) -> Linked:
        """Find what of canon bears on the question; whoever asks the same meanwhile waits for the same."""
        if kind not in _IN_CANON:
            return Linked()

        scope = scope_of("facts", within)

        async def near_facts() -> dict[Id, float]:
            looking = self._by_meaning("facts", question, scope, notes)
            return dict(await notes.gone_without("meaning", looking) or ())

        async def by_words() -> list[Id]:
            return [id for id, _ in await self._by_words("facts", question, scope)]

        return await self._linking.of(
            (within.universe_id, question),
            lambda: self._links.of(question, cues, within, by_words, near_facts),
        )

    async def _by_words(self, kind: Kind, question: str, scope: Mapping[str, str]) -> list[tuple[Id, float]]:
        async def look() -> list[tuple[Id, float]]:
            return [(h.id, h.score) for h in await self._words.search(kind, question, k=POOL, scope=scope)]

        return await self._looking.of(("words", kind, question, *sorted(scope.items())), look)

    async def _by_meaning(
        self, kind: Kind, question: str, scope: Mapping[str, str], notes: _Notes
    ) -> list[tuple[Id, float]]:
        if self._meaning is None:
            return []
        asked = await self._meaning.of(question)
        if isinstance(asked, str):
            notes.add(f"meaning: {asked}")
            return []

        async def look() -> list[tuple[Id, float]]:
            found = await self._vectors.search(kind, asked.vector, model=asked.model, k=POOL, scope=scope)
            return [(h.id, h.score) for h in found]

        return await self._looking.of(("meaning", asked.model, kind, question, *sorted(scope.items())), look)

    async def _weighed(
        self,
        kind: Kind,
        question: str,
        cues: Cues,
        by: dict[Id, dict[str, float]],
        linked: Linked,
        within: Within,
        k: int,
        notes: _Notes,
    ) -> dict[Id, dict[str, float]]:
        if kind == "turns":
            found = await self._turns.rank(question, cues, by, linked, within, k)
            if found.lost:
                notes.add(f"{found.lost} found were taken back since: the index is behind")
            return found.by
        for id, score in linked.shares(kind).items():
            found_by = by.setdefault(id, {})
            found_by["graph"] = found_by.get("graph", 0.0) + self._weights.graph * score
        counting = await self._standings.of(kind, list(by), within)
        if lost := sum(1 for id in by if not counting.get(id)):
            notes.add(f"{lost} found no longer hold: the index is behind")
        # What is over ranks below what is so: its share is what is left of it.
        return {
            id: {way: score * counting[id] for way, score in found_by.items()}
            for id, found_by in by.items()
            if counting.get(id)
        }


def scope_of(kind: Kind, within: Within) -> dict[str, str]:
    """Return what the search in an index is narrowed to."""
    all_ = {
        "universe": within.universe_id,
        "story": within.story_id,
        "scene": within.scene_id,
        "entity": within.entity_id,
    }
    return {key: value for key in _SCOPED[kind] if (value := all_[key])}


class _Notes:
    """What could not be done while looking, each said once."""

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    def add(self, note: str) -> None:
        self._notes[note] = None

    def told(self) -> tuple[str, ...]:
        return tuple(self._notes)

    async def gone_without(self, way: str, looking: Awaitable[T]) -> T | None:
        """Await one way of looking; a store that cannot be read is a note, and found nothing."""
        try:
            return await looking
        except StoreError as error:
            self.add(f"{way}: {error.what}")
            return None
