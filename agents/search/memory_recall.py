"""Recalls memories of the characters present, ranked by relevance, importance and recency.

Each of the three is scaled to 0..1 among the candidate memories, and they are added, as in Park et al.,
"Generative Agents" (UIST 2023). Recency is the retention of the memory
(agents/memory_manager/memory_decay.py); relevance is the index's similarity, or without an index the share
of common words. Read-only.
"""

from __future__ import annotations

from asyncio import ensure_future, gather
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.memory_manager.memory_decay import FORGOTTEN_RETENTION, compute_retention
from agents.memory_manager.merged_entities import MergedEntities, read_memories_of, read_merged_entities
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.memory_manager.valid_memories import filter_valid
from agents.prose.words import split_sentences
from agents.search.question_cues import content_stems, measure_coverage
from agents.search.retrieval import SEARCH_TIMEOUT_SECONDS, OmittedItem, await_within
from agents.search.search_port import RecordSearch, SearchScope
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.world import Entity

MAX_MEMORIES_SHOWN: Final = 8
"""Memories of one character that are shown."""
MIN_REPEATED_SHARE: Final = 0.5
"""The share of a memory's words in its turn from which it repeats it: names in it may be `I` and `you` there."""
MAX_WEIGHTIEST: Final = 16
MAX_LATEST: Final = 8
MAX_NEAREST: Final = 8
"""Memories of one character that are scored: the most important, the latest and the nearest to the words."""


@dataclass(frozen=True, slots=True)
class RecalledMemories:
    by_entity: Mapping[Id, tuple[Memory, ...]] = field(default_factory=dict)
    omitted_items: tuple[OmittedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryRecall:
    """Reads what each character remembers.

    Without a `record_search` nothing is looked up by meaning; the same holds for what is not found within
    the timeout.
    """

    canon: CanonReader
    log: LogReader
    record_search: RecordSearch | None
    search_timeout: float = SEARCH_TIMEOUT_SECONDS

    async def recall_memories(
        self,
        people: Iterable[Entity],
        player_text: str,
        universe_id: Id,
        tick: int,
        *,
        read_shown_texts: Callable[[], Awaitable[Mapping[Id, str]]],
        left_turn_ids: Collection[Id] = (),
    ) -> RecalledMemories:
        """Return the memories of each of `people` that are still on the line. Raises StoreError.

        Those of the `left` turns, which are narrated again, do not count.

        A memory that says what its turn does is left out if that turn is among `read_shown_texts`, texts by turn.
        """
        entities = list(people)
        merged_entities = await read_merged_entities(self.canon, universe_id)
        candidate_lists = await gather(
            *(
                self._read_candidates(entity.id, merged_entities, player_text, universe_id)
                for entity in entities
            )
        )
        counting_memories = await filter_valid(
            self.log, [m for memories, _ in candidate_lists for m in memories], left_turn_ids
        )
        shown_texts = await read_shown_texts()
        counting_memories = [
            statement
            for m in counting_memories
            if not _repeats_turn(m, shown_texts) and (statement := _without_questions(m)) is not None
        ]
        current_memories = await drop_outdated(self.canon, self.log, counting_memories, left_turn_ids)
        current_by_id = {m.id: m for m in current_memories}
        chosen_by_entity: dict[Id, tuple[Memory, ...]] = {}
        omitted_items: list[OmittedItem] = []
        for entity, (memories, relevance) in zip(entities, candidate_lists, strict=True):
            own_memories = [m for memory in memories if (m := current_by_id.get(memory.id))]
            chosen = choose_memories(own_memories, player_text, relevance, tick)
            if chosen:
                chosen_by_entity[entity.id] = chosen
            if len(own_memories) > len(chosen):
                omitted_items.append(
                    OmittedItem("memories", f"{entity.name}: {len(own_memories)} found, {len(chosen)} shown")
                )
        return RecalledMemories(chosen_by_entity, tuple(omitted_items))

    async def _read_candidates(
        self, entity_id: Id, merged_entities: MergedEntities, player_text: str, universe_id: Id
    ) -> tuple[list[Memory], Mapping[Id, float]]:
        weightiest = await read_memories_of(
            self.log, merged_entities, entity_id, most_important=MAX_WEIGHTIEST
        )
        if not weightiest:
            return [], {}
        latest, relevance = await gather(
            # Fewer than the limit: these are all there are.
            read_memories_of(self.log, merged_entities, entity_id, last=MAX_LATEST)
            if len(weightiest) >= MAX_WEIGHTIEST
            else _no_memories(),
            self._search_relevance(merged_entities.ids_of(entity_id), player_text, universe_id),
        )
        candidates = {m.id: m for m in (*weightiest, *latest)}
        if further_ids := [id for id in relevance if id not in candidates]:
            # The index may be wrong about whose memory it is, so the owner is checked.
            further_memories = await read_memories_of(self.log, merged_entities, entity_id, ids=further_ids)
            candidates |= {m.id: m for m in further_memories}
        return list(candidates.values()), relevance

    async def _search_relevance(
        self, entity_ids: Sequence[Id], player_text: str, universe_id: Id
    ) -> Mapping[Id, float]:
        if self.record_search is None or not player_text.strip():
            return {}
        search_scopes = [SearchScope(universe_id, entity_id=i) for i in entity_ids]
        search_tasks = [
            ensure_future(self.record_search.search("memories", player_text, scope, k=MAX_NEAREST))
            for scope in search_scopes
        ]
        results = await gather(*(await_within(task, self.search_timeout) for task in search_tasks))
        return {f.id: f.score for search_results in results if search_results for f in search_results.hits}


def choose_memories(
    memories: Sequence[Memory], player_text: str, relevance: Mapping[Id, float], tick: int
) -> tuple[Memory, ...]:
    """Return the memories that come to mind, oldest first."""
    replaced_ids = {m.corrects for m in memories if m.corrects}
    retention_by_id = {m.id: compute_retention(m, tick) for m in memories}
    recallable_memories = [
        m for m in memories if m.id not in replaced_ids and retention_by_id[m.id] >= FORGOTTEN_RETENTION
    ]
    asked_stems = content_stems(player_text)
    relevance_by_id = {
        m.id: relevance.get(m.id, 0.0) or 0.5 * measure_coverage(asked_stems, content_stems(m.text), {})
        for m in recallable_memories
    }
    scaled_terms = (
        _scale_to_unit(relevance_by_id),
        _scale_to_unit({m.id: m.importance for m in recallable_memories}),
        _scale_to_unit(retention_by_id, relevance_by_id),
    )
    ranked_memories = sorted(
        recallable_memories, key=lambda m: (sum(term[m.id] for term in scaled_terms), m.created_at)
    )
    chosen_ids = {m.id for m in ranked_memories[-MAX_MEMORIES_SHOWN:]}
    return tuple(sorted((m for m in memories if m.id in chosen_ids), key=lambda m: m.created_at))


def _repeats_turn(memory: Memory, shown_texts: Mapping[Id, str]) -> bool:
    """Say whether a memory says what its turn does. What was concluded, or is mistaken, is said nowhere else."""
    if memory.how is MemoryOrigin.INFERRED or memory.mistaken or memory.corrects is not None:
        return False
    turn_text = shown_texts.get(memory.turn_id or "", "")
    return measure_coverage(content_stems(memory.text), content_stems(turn_text), {}) >= MIN_REPEATED_SHARE


def _without_questions(memory: Memory) -> Memory | None:
    """Return the memory without the questions in it, which nobody needs to remember; None if it is nothing else."""
    sentences = split_sentences(memory.text)
    statements = [s for s in sentences if not s.rstrip("”\"’'») ").endswith("?")]
    if len(statements) == len(sentences):
        return memory
    return memory.model_copy(update={"text": " ".join(statements)}) if statements else None


def _scale_to_unit(values: Mapping[Id, float], among: Collection[Id] | None = None) -> dict[Id, float]:
    """Scale the values to 0..1; if all are equal, every one becomes 0."""
    selected_values = {id: value for id, value in values.items() if among is None or id in among}
    if not selected_values or (highest := max(selected_values.values())) <= (
        lowest := min(selected_values.values())
    ):
        return dict.fromkeys(selected_values, 0.0)
    return {id: (value - lowest) / (highest - lowest) for id, value in selected_values.items()}


async def _no_memories() -> list[Memory]:
    return []
