"""What of earlier play, of canon and of the rule books bears on the player's words: the package's `recalled`.

Read-only. It has a patience: what is not found in time is gone without, and said.
"""

from __future__ import annotations

import asyncio
from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agents.search.result_validity import is_ended
from agents.search.search_port import ReadExcludedIds, RecordSearch, SearchHit, SearchResults, SearchScope
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.play import Scene, Turn

T = TypeVar("T")

MAX_PASSAGES: Final = 6
MAX_FACTS: Final = 6
MAX_RULES: Final = 3
"""How much of each is shown at most; the best."""
TURNS_SEARCHED: Final = 12
"""Turns that are found for it: more than are shown, so that what was left out can be counted."""
MIN_SIMILARITY: Final = 0.3
"""What comes less near than this is not shown: it was only the best of nothing."""
SEARCH_TIMEOUT_SECONDS: Final = 0.4
"""Seconds that a telling waits for what is found again. Most of it is ready in a tenth of that."""


@dataclass(frozen=True, slots=True)
class RecalledPassage:
    """A turn of earlier play that was found again: who says what, in which scene, at what world time."""

    turn: Turn
    scene: Scene
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """Something of a section that is not shown, and why."""

    section: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """`facts` hold now, or are marked as over; `rules` are in the words of their source."""

    passages: tuple[RecalledPassage, ...] = ()
    facts: tuple[Fact, ...] = ()
    rule_texts: tuple[str, ...] = ()
    omitted_items: tuple[OmittedItem, ...] = ()


class ContextRetriever:
    """Finds it. Stateless."""

    def __init__(self, record_search: RecordSearch, canon: CanonReader, log: LogReader) -> None:
        self._record_search = record_search
        self._canon = canon
        self._log = log

    async def retrieve(
        self, question: str, universe_id: Id, *, read_excluded_ids: ReadExcludedIds
    ) -> RetrievedContext:
        """Return what bears on the question, but for the turns `in_view`, which are read while the rest is
        looked for."""
        if not question.strip():
            return RetrievedContext()
        search_scope = SearchScope(universe_id)
        turn_results, fact_results, snippet_results = await gather(
            self._record_search.search(
                "turns", question, search_scope, k=TURNS_SEARCHED, read_excluded_ids=read_excluded_ids
            ),
            self._record_search.search("facts", question, search_scope, k=MAX_FACTS),
            self._record_search.search("snippets", question, search_scope, k=MAX_RULES),
        )
        passages, shown_facts, rule_texts = await gather(
            self._read_passages(filter_near_hits(turn_results)[:MAX_PASSAGES]),
            self._read_facts(filter_near_hits(fact_results)),
            self._read_rules(filter_near_hits(snippet_results)),
        )
        notes = dict.fromkeys((*turn_results.notes, *fact_results.notes, *snippet_results.notes))
        omitted_items = [OmittedItem("recalled", note) for note in notes]
        if len(turn_results.hits) > len(passages):
            omitted_items.append(
                OmittedItem("recalled", f"{len(turn_results.hits)} found, {len(passages)} shown")
            )
        return RetrievedContext(tuple(passages), tuple(shown_facts), tuple(rule_texts), tuple(omitted_items))

    async def _read_passages(self, hits: Sequence[SearchHit]) -> list[RecalledPassage]:
        """Read the turns with their scenes, in the order they were played."""
        if not hits:
            return []
        turns = await self._log.turns([f.id for f in hits])
        scenes = await self._log.scenes_by_id({t.scene_id for t in turns.values()})
        passages = [
            RecalledPassage(turn, scenes[turn.scene_id], f.score)
            for f in hits
            if (turn := turns.get(f.id)) and turn.scene_id in scenes
        ]
        return sorted(passages, key=lambda p: (p.turn.tick, p.scene.order, p.turn.depth))

    async def _read_facts(self, hits: Sequence[SearchHit]) -> list[Fact]:
        """Read the facts: what holds stands above what is over."""
        facts = await self._canon.facts_by_id([f.id for f in hits]) if hits else {}
        return sorted((facts[f.id] for f in hits if f.id in facts), key=is_ended)

    async def _read_rules(self, hits: Sequence[SearchHit]) -> list[str]:
        if not hits:
            return []
        snippets = await self._log.snippets_by_id([f.id for f in hits])
        return [snippets[f.id].text for f in hits if f.id in snippets]


def filter_near_hits(search_results: SearchResults) -> list[SearchHit]:
    """Return what comes near enough; without a model's vectors, all that share the question's words."""
    has_similarity = any("meaning" in hit.score_by_way for hit in search_results.hits)
    return [f for f in search_results.hits if not has_similarity or f.similarity >= MIN_SIMILARITY]


async def await_within(task: asyncio.Future[T] | asyncio.Task[T], timeout_seconds: float) -> T | None:
    """Return what the work comes to, or None (and stop it) if that takes longer than `patience` seconds."""
    try:
        done_tasks, _ = await asyncio.wait([task], timeout=timeout_seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done_tasks:
        return task.result()
    task.cancel()
    return None
