"""Retrieves what earlier play, canon and the rule books hold on the player's words, within a time limit.

Read-only. What is not found in time is left out, and the omission is reported.
"""

from __future__ import annotations

import asyncio
from asyncio import gather
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agents.search.result_validity import is_ended
from agents.search.scene_recall import RecalledScene, read_recalled_scenes
from agents.search.search_port import ReadExcludedIds, RecordSearch, SearchHit, SearchResults, SearchScope
from agents.search.source_texts import read_source_texts
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id
from stores.records.play import Scene, Turn

T = TypeVar("T")

MAX_PASSAGES: Final = 6
MAX_FACTS: Final = 6
MAX_RULES: Final = 3
MAX_SCENES: Final = 3
"""Limits on what is shown; the best are taken."""
SCENES_SEARCHED: Final = 8
"""Scenes that are searched for; the last ones may be in the story's summary already."""
TURNS_SEARCHED: Final = 12
"""Turns that are searched for; more than are shown, so that omissions can be counted."""
MIN_SIMILARITY: Final = 0.3
"""Hits with less similarity than this are not shown."""
SEARCH_TIMEOUT_SECONDS: Final = 0.4
"""Seconds that a narration waits for the search. Most searches take a tenth of a second."""


@dataclass(frozen=True, slots=True)
class RecalledPassage:
    """A turn of earlier play that a search found, with its scene."""

    turn: Turn
    scene: Scene
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class OmittedItem:
    """Something that is left out of a section, and the reason."""

    section: str
    reason: str


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """What a search found for a context package."""

    passages: tuple[RecalledPassage, ...] = ()
    facts: tuple[Fact, ...] = ()
    """Current facts, and ended ones that are marked as ended."""
    rule_texts: tuple[str, ...] = ()
    """Rules in the words of their source, each after the book and page in brackets."""
    scenes: tuple[RecalledScene, ...] = ()
    """Earlier scenes, the best first; more than are shown, for some may be in view already."""
    omitted_items: tuple[OmittedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextRetriever:
    """Searches earlier play, canon and rule sources for a context package."""

    record_search: RecordSearch
    canon: CanonReader
    log: LogReader

    async def retrieve(
        self,
        question: str,
        universe_id: Id,
        *,
        read_excluded_ids: ReadExcludedIds,
        left_turn_ids: Collection[Id] = (),
    ) -> RetrievedContext:
        """Return what bears on the question, without the excluded turns, whose ids are read during the search.

        Nor are there summaries that end with one of the `left` turns, which are narrated again.
        """
        if not question.strip():
            return RetrievedContext()
        search_scope = SearchScope(universe_id)
        turn_results, fact_results, snippet_results, scene_results = await gather(
            self.record_search.search(
                "turns", question, search_scope, k=TURNS_SEARCHED, read_excluded_ids=read_excluded_ids
            ),
            self.record_search.search("facts", question, search_scope, k=MAX_FACTS),
            self.record_search.search("snippets", question, search_scope, k=MAX_RULES),
            self.record_search.search("scenes", question, search_scope, k=SCENES_SEARCHED),
        )
        passages, shown_facts, rule_texts, scenes = await gather(
            self._read_passages(filter_near_hits(turn_results)[:MAX_PASSAGES]),
            self._read_facts(filter_near_hits(fact_results)),
            self._read_rules(filter_near_hits(snippet_results)),
            read_recalled_scenes(self.log, filter_near_hits(scene_results), question, left_turn_ids),
        )
        all_results = (turn_results, fact_results, snippet_results, scene_results)
        notes = dict.fromkeys(note for results in all_results for note in results.notes)
        omitted_items = [OmittedItem("recalled", note) for note in notes]
        if len(turn_results.hits) > len(passages):
            omitted_items.append(
                OmittedItem("recalled", f"{len(turn_results.hits)} found, {len(passages)} shown")
            )
        return RetrievedContext(
            tuple(passages), tuple(shown_facts), tuple(rule_texts), tuple(scenes), tuple(omitted_items)
        )

    async def _read_passages(self, hits: Sequence[SearchHit]) -> list[RecalledPassage]:
        """Read the turns with their scenes, in the order of play."""
        if not hits:
            return []
        turns = await self.log.turns([f.id for f in hits])
        scenes = await self.log.scenes_by_id({t.scene_id for t in turns.values()})
        passages = [
            RecalledPassage(turn, scenes[turn.scene_id], f.score)
            for f in hits
            if (turn := turns.get(f.id)) and turn.scene_id in scenes
        ]
        return sorted(passages, key=lambda p: (p.turn.tick, p.scene.order, p.turn.depth))

    async def _read_facts(self, hits: Sequence[SearchHit]) -> list[Fact]:
        """Read the facts: current ones before ended ones. Lore entries stand in a prompt by their keys alone."""
        facts = await self.canon.facts_by_id([f.id for f in hits]) if hits else {}
        return sorted(
            (facts[f.id] for f in hits if f.id in facts and facts[f.id].kind is not FactKind.LORE),
            key=is_ended,
        )

    async def _read_rules(self, hits: Sequence[SearchHit]) -> list[str]:
        """Read the passages of rule sources, each after the book and page that it stands in.

        The texts of character cards are none.
        """
        texts = await read_source_texts(self.log, [f.id for f in hits])
        return [f"({texts[f.id].citation}) {texts[f.id].snippet.text}" for f in hits if f.id in texts]


def filter_near_hits(search_results: SearchResults) -> list[SearchHit]:
    """Keep the hits that are near enough; without vectors, all hits by words."""
    has_similarity = any("meaning" in hit.score_by_way for hit in search_results.hits)
    return [f for f in search_results.hits if not has_similarity or f.similarity >= MIN_SIMILARITY]


async def await_within(task: asyncio.Future[T] | asyncio.Task[T], timeout_seconds: float) -> T | None:
    """Return the task's result, or cancel it and return None if it takes longer than the timeout."""
    try:
        done_tasks, _ = await asyncio.wait([task], timeout=timeout_seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done_tasks:
        return task.result()
    task.cancel()
    return None
