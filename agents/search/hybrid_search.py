"""Searches the record by words and by meaning, then along the graph and the line.

Read-only. Each hit of an index is checked against canon and log before it is returned, so that nothing that
was taken back is found. A store that is down becomes a note.
"""

from __future__ import annotations

from asyncio import Task, create_task, gather, shield
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Mapping
from typing import Any, Final, Generic, TypeVar

from agents.indexer.embedding_port import QuestionEmbedder, QuestionVector
from agents.search.graph_linking import GraphLinker, GraphLinks
from agents.search.newest_values import put_newest_first
from agents.search.question_cues import MAX_QUESTION_CHARS, QuestionCues, read_cues
from agents.search.result_validity import ValidityChecker
from agents.search.score_fusion import fuse_scores, normalise_scores, rank_ids
from agents.search.search_port import ReadExcludedIds, SearchHit, SearchKind, SearchResults, SearchScope
from agents.search.token_similarity import TokenComparer
from agents.search.turn_neighbours import find_mere_neighbours
from agents.search.turn_ranking import WEIGHTS, RankingWeights, WayScoresById
from agents.search.turn_search import TurnSearch
from stores.errors import StoreError
from stores.ports import CanonReader, LogReader, TextIndex, VectorIndex
from stores.records.ids import Id

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs one task per key at a time; it caches nothing once the task is done."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task[T]] = {}

    async def run_once(self, key: Hashable, start_lookup: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the task under `key`, starting it if none is running.

        A caller that is cancelled does not stop the task for the others.
        """
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = create_task(start_lookup())
            task.add_done_callback(lambda done: self._on_task_done(key, done))
        return await shield(task)

    def _on_task_done(self, key: Hashable, task: Task[T]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report an exception that nobody awaits


POOL_SIZE: Final = 100
"""Hits of each way of searching that are fused."""

_SCOPE_KEYS: Final[Mapping[SearchKind, tuple[str, ...]]] = {
    "turns": ("universe", "story", "scene"),
    "scenes": ("universe", "story"),
    "memories": ("universe", "entity"),
    "facts": ("universe",),
    "entities": ("universe",),
    "snippets": ("universe",),
}
"""The scope keys that each collection can be filtered by."""

_KINDS_IN_CANON: Final = frozenset({"turns", "facts", "entities"})
"""The kinds that the graph of canon leads to."""


class HybridSearch:
    """Searches the record by words, by meaning (if there is a `question_embedder`) and along the graph."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        text_index: TextIndex,
        vector_index: VectorIndex,
        question_embedder: QuestionEmbedder | None,
        *,
        weights: RankingWeights = WEIGHTS,
    ) -> None:
        self._log = log
        self._text_index = text_index
        self._vector_index = vector_index
        self._question_embedder = question_embedder
        self._weights = weights
        self._graph_linker = GraphLinker(canon, text_index)
        self._link_lookups = SingleFlight[GraphLinks]()
        self._index_lookups = SingleFlight[list[tuple[Id, float]]]()
        self._validity_checker = ValidityChecker(canon, log)
        self._turn_search = TurnSearch(canon, log, text_index, weights)
        self._token_comparer = TokenComparer(vector_index, weights.tokens)

    async def search(
        self,
        kind: SearchKind,
        question: str,
        search_scope: SearchScope,
        *,
        k: int = 20,
        read_excluded_ids: ReadExcludedIds | None = None,
    ) -> SearchResults:
        """Return the `k` best hits by words, meaning and graph, best first."""
        question = question[:MAX_QUESTION_CHARS].strip()
        if not question or k < 1:
            return SearchResults()
        cues, notes = read_cues(question), _SearchNotes()
        index_scope = build_index_scope(kind, search_scope)
        # Meaning first: another process computes the question's vector, which takes longest.
        meaning_hits, word_hits, graph_links = await gather(
            notes.await_or_note("meaning", self._search_vectors(kind, question, index_scope, notes)),
            notes.await_or_note("words", self._search_word_index(kind, question, index_scope)),
            notes.await_or_note("graph", self._find_links(kind, question, cues, search_scope, notes)),
        )
        scores_by_way = {
            "words": normalise_scores(word_hits or ()),
            "meaning": normalise_scores(meaning_hits or ()),
        }
        way_scores = fuse_scores(
            scores_by_way, {"words": self._weights.words, "meaning": self._weights.meaning}
        )
        links, earlier_ids = graph_links or GraphLinks(), frozenset[Id]()
        try:
            if kind == "turns":
                turn_ranking = await self._turn_search.rank_turns(
                    question, cues, way_scores, links, search_scope, k
                )
                way_scores = turn_ranking.way_scores
                if turn_ranking.lost_count:
                    notes.add(f"{turn_ranking.lost_count} found were taken back since: the index is behind")
                if meaning_hits:
                    await notes.await_or_note("meaning", self._add_token_scores(way_scores, question))
                if not turn_ranking.is_led_by_canon:
                    earlier_ids = put_newest_first(way_scores, turn_ranking.candidates, cues)
            else:
                way_scores = await self._rank_others(kind, way_scores, links, search_scope, notes)
        except StoreError as error:
            notes.add(f"not checked against the record: {error.what}")
            way_scores = {}
        excluded_ids = set(await read_excluded_ids()) if read_excluded_ids else set()
        similarities = {id: max(0.0, min(1.0, cosine)) for id, cosine in meaning_hits or ()}
        best_ids = [id for id in rank_ids(way_scores) if id not in excluded_ids][:k]
        return SearchResults(
            tuple(
                SearchHit(
                    id,
                    sum(way_scores[id].values()),
                    way_scores[id],
                    similarities.get(id, 0.0),
                    id in earlier_ids,
                )
                for id in best_ids
            ),
            notes.as_tuple(),
        )

    async def search_by_words(
        self, kind: SearchKind, question: str, search_scope: SearchScope, *, k: int = 50
    ) -> SearchResults:
        """Return the `k` best hits by words alone, in the order of the index."""
        question, notes = question[:MAX_QUESTION_CHARS].strip(), _SearchNotes()
        if not question or k < 1:
            return SearchResults()
        # Ask for more than `k`: hits that are no longer on the line are dropped.
        word_search = self._text_index.search(
            kind, question, k=2 * k, scope=build_index_scope(kind, search_scope)
        )
        hits = await notes.await_or_note("words", word_search) or []
        try:
            validity_by_id = await self._validity_checker.weigh_results(
                kind, [hit.id for hit in hits], search_scope
            )
        except StoreError as error:
            notes.add(f"not checked against the record: {error.what}")
            return SearchResults((), notes.as_tuple())
        valid_hits = [
            SearchHit(hit.id, hit.score, {"words": hit.score}) for hit in hits if validity_by_id.get(hit.id)
        ]
        if kind == "turns":
            turns = await self._log.turns([hit.id for hit in valid_hits])
            neighbour_ids = find_mere_neighbours(turns.values(), question)
            valid_hits = [hit for hit in valid_hits if hit.id not in neighbour_ids]
        return SearchResults(tuple(valid_hits[:k]), notes.as_tuple())

    # --- inside --------------------------------------------------------------------------------------

    async def _find_links(
        self,
        kind: SearchKind,
        question: str,
        cues: QuestionCues,
        search_scope: SearchScope,
        notes: _SearchNotes,
    ) -> GraphLinks:
        """Find what canon holds on the question; concurrent calls for the same question share one lookup."""
        if kind not in _KINDS_IN_CANON:
            return GraphLinks()

        index_scope = build_index_scope("facts", search_scope)

        async def read_near_facts() -> dict[Id, float]:
            vector_search = self._search_vectors("facts", question, index_scope, notes)
            return dict(await notes.await_or_note("meaning", vector_search) or ())

        async def read_fact_ids() -> list[Id]:
            return [id for id, _ in await self._search_word_index("facts", question, index_scope)]

        return await self._link_lookups.run_once(
            (search_scope.universe_id, question),
            lambda: self._graph_linker.find_links(
                question, cues, search_scope, read_fact_ids, read_near_facts
            ),
        )

    async def _search_word_index(
        self, kind: SearchKind, question: str, scope: Mapping[str, str]
    ) -> list[tuple[Id, float]]:
        async def run_search() -> list[tuple[Id, float]]:
            return [
                (h.id, h.score)
                for h in await self._text_index.search(kind, question, k=POOL_SIZE, scope=scope)
            ]

        return await self._index_lookups.run_once(
            ("words", kind, question, *sorted(scope.items())), run_search
        )

    async def _search_vectors(
        self, kind: SearchKind, question: str, scope: Mapping[str, str], notes: _SearchNotes
    ) -> list[tuple[Id, float]]:
        if self._question_embedder is None:
            return []
        question_vector = await self._question_embedder.embed_question(question)
        if isinstance(question_vector, str):
            notes.add(f"meaning: {question_vector}")
            return []

        async def run_search() -> list[tuple[Id, float]]:
            vector_hits = await self._vector_index.search(
                kind, question_vector.vector, model=question_vector.model, k=POOL_SIZE, scope=scope
            )
            return [(h.id, h.score) for h in vector_hits]

        return await self._index_lookups.run_once(
            ("meaning", question_vector.model, kind, question, *sorted(scope.items())), run_search
        )

    async def _add_token_scores(self, way_scores: WayScoresById, question: str) -> None:
        """Raise turns by their tokens, once meaning has found some: so the question's vector is cached."""
        if self._question_embedder is not None:
            question_vector = await self._question_embedder.embed_question(question)
            if isinstance(question_vector, QuestionVector):
                await self._token_comparer.add_token_scores(way_scores, question_vector)

    async def _rank_others(
        self,
        kind: SearchKind,
        way_scores: dict[Id, dict[str, float]],
        graph_links: GraphLinks,
        search_scope: SearchScope,
        notes: _SearchNotes,
    ) -> dict[Id, dict[str, float]]:
        """Rank what is no turn by its scores, the graph and whether it still holds."""
        for id, score in graph_links.shares_of_kind(kind).items():
            scores_of_hit = way_scores.setdefault(id, {})
            scores_of_hit["graph"] = scores_of_hit.get("graph", 0.0) + self._weights.graph * score
        validity_by_id = await self._validity_checker.weigh_results(kind, list(way_scores), search_scope)
        if lost_count := sum(1 for id in way_scores if not validity_by_id.get(id)):
            notes.add(f"{lost_count} found no longer hold: the index is behind")
        # An ended fact ranks below a current one: its score is multiplied by its validity.
        return {
            id: {way: score * validity_by_id[id] for way, score in found_by.items()}
            for id, found_by in way_scores.items()
            if validity_by_id.get(id)
        }


def build_index_scope(kind: SearchKind, search_scope: SearchScope) -> dict[str, str]:
    """Return the filter for an index search."""
    all_keys = {
        "universe": search_scope.universe_id,
        "story": search_scope.story_id,
        "scene": search_scope.scene_id,
        "entity": search_scope.entity_id,
    }
    return {key: value for key in _SCOPE_KEYS[kind] if (value := all_keys[key])}


class _SearchNotes:
    """Collects what failed during a search, each note once."""

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    def add(self, note: str) -> None:
        self._notes[note] = None

    def as_tuple(self) -> tuple[str, ...]:
        return tuple(self._notes)

    async def await_or_note(self, way: str, lookup: Awaitable[T]) -> T | None:
        """Await a lookup; if a store cannot be read, note it and return None."""
        try:
            return await lookup
        except StoreError as error:
            self.add(f"{way}: {error.what}")
            return None
