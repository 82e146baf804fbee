"""What those present remember now: their own memories, by relevance, importance and recency.

Each of the three is brought between 0 and 1 among the memories that are weighed, and they are added, as in
Park et al., "Generative Agents" (UIST 2023). Recency is what is left of a memory
(agents/memory_manager/decay.py); relevance what the index says, without one the words it shares. Read-only.
"""

from __future__ import annotations

from asyncio import ensure_future, gather
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.context_assembly.cues import covered, stems
from agents.context_assembly.found_again import PATIENCE, LeftOut, in_time
from agents.context_assembly.recall_port import Recall, Within
from agents.memory_manager.counting import counted
from agents.memory_manager.decay import FORGOTTEN, retention
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.world import Entity

MOST_MEMORIES: Final = 8
"""Memories of one character that are shown."""
WEIGHTIEST: Final = 16
LATEST: Final = 8
NEAREST: Final = 8
"""Memories of one character that are weighed: the most important, the latest, the nearest to the words."""


@dataclass(frozen=True, slots=True)
class Remembered:
    by_whose: Mapping[Id, tuple[Memory, ...]] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()


class Remembering:
    """Reads what each remembers. Stateless. `recall` None: nothing is looked up by meaning; nor is what is
    not found within `patience` seconds."""

    def __init__(self, log: LogReader, recall: Recall | None, patience: float = PATIENCE) -> None:
        self._log = log
        self._recall = recall
        self._patience = patience

    async def of(self, people: Iterable[Entity], words: str, universe_id: Id, tick: int) -> Remembered:
        """Return what each of `people` remembers of what is still on the line. Raises StoreError."""
        who = list(people)
        lists = await gather(*(self._weighed(entity.id, words, universe_id) for entity in who))
        every = await counted(self._log, [m for memories, _ in lists for m in memories])
        standing = {m.id for m in every}
        kept: dict[Id, tuple[Memory, ...]] = {}
        left_out: list[LeftOut] = []
        for entity, (memories, relevance) in zip(who, lists, strict=True):
            own = [m for m in memories if m.id in standing]
            chosen = choose(own, words, relevance, tick)
            if chosen:
                kept[entity.id] = chosen
            if len(own) > len(chosen):
                left_out.append(LeftOut("memories", f"{entity.name}: {len(own)} found, {len(chosen)} shown"))
        return Remembered(kept, tuple(left_out))

    async def _weighed(
        self, entity_id: Id, words: str, universe_id: Id
    ) -> tuple[list[Memory], Mapping[Id, float]]:
        weightiest = await self._log.memories(entity_id, weightiest=WEIGHTIEST)
        if not weightiest:
            return [], {}
        latest, relevance = await gather(
            # Fewer than were asked for are all that there are.
            self._log.memories(entity_id, last=LATEST) if len(weightiest) == WEIGHTIEST else _none(),
            self._relevance(entity_id, words, universe_id),
        )
        found = {m.id: m for m in (*weightiest, *latest)}
        if more := [id for id in relevance if id not in found]:
            # Only its own: what an index says of whose they are is not relied on.
            found |= {m.id: m for m in await self._log.memories(entity_id, ids=more)}
        return list(found.values()), relevance

    async def _relevance(self, entity_id: Id, words: str, universe_id: Id) -> Mapping[Id, float]:
        if self._recall is None or not words.strip():
            return {}
        within = Within(universe_id, entity_id=entity_id)
        looking = ensure_future(self._recall.find("memories", words, within, k=NEAREST))
        found = await in_time(looking, self._patience)
        return {f.id: f.score for f in found.found} if found else {}


def choose(
    memories: Sequence[Memory], words: str, relevance: Mapping[Id, float], tick: int
) -> tuple[Memory, ...]:
    """Return the memories that come to mind, in the order they were made. Pure."""
    replaced = {m.corrects for m in memories if m.corrects}
    left = {m.id: retention(m, tick) for m in memories}
    minded = [m for m in memories if m.id not in replaced and left[m.id] >= FORGOTTEN]
    asked = stems(words)
    bears = {m.id: relevance.get(m.id, 0.0) or 0.5 * covered(asked, stems(m.text), {}) for m in minded}
    terms = (_spread(bears), _spread({m.id: m.importance for m in minded}), _spread(left, bears))
    ordered = sorted(minded, key=lambda m: (sum(term[m.id] for term in terms), m.created_at))
    chosen = {m.id for m in ordered[-MOST_MEMORIES:]}
    return tuple(sorted((m for m in memories if m.id in chosen), key=lambda m: m.created_at))


def _spread(values: Mapping[Id, float], among: Collection[Id] | None = None) -> dict[Id, float]:
    """Return the values between 0 and 1; where all are the same, none of them tells."""
    own = {id: value for id, value in values.items() if among is None or id in among}
    if not own or (most := max(own.values())) <= (least := min(own.values())):
        return dict.fromkeys(own, 0.0)
    return {id: (value - least) / (most - least) for id, value in own.items()}


async def _none() -> list[Memory]:
    return []
