"""From a question to the graph: whom and what it names, the facts within two hops, what turns they rest on.

Read-only. Names are found by the index of entities and by exact name; facts by the index and along relations.
Source: AGENT_ORCHESTRATION, ContextAssembly ("Canonical: graph traversal from scene entities (1-2 hops)").
"""

from __future__ import annotations

import math
from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.context_assembly.cues import Cues, covered, stems, words
from agents.context_assembly.recall_port import Kind, Within
from agents.context_assembly.standing import is_over
from agents.prose.names import names_in
from stores.ports import CanonReader, TextIndex
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus

HOPS: Final = 2
CHAIN: Final = 6
"""How often a value may have changed since, for the last one to be found by the first."""
NEAR: Final = 30
"""Entities around those that are named, the nearest."""
FACTS: Final = 40
"""Facts that are weighed, of each way to find them: the newest of one entity, the best by words."""
BEST: Final = 12
"""Facts whose evidence counts."""
MOST_NAMES: Final = 6
NAMESAKES: Final = 3
LISTED: Final = 12
"""Entities that the index is asked for."""
OVER: Final = 0.4
"""What is left of the share of a fact that is over, where it is asked how it is now."""
BY_MEANING: Final = 0.6
FAR: Final = 0.2
NEAR_ENOUGH: Final = 0.7
BARE: Final = 0.15
"""What a fact is worth that joins two who are named and shares no word with the question."""


NearFacts = Callable[[], Awaitable[Mapping[Id, float]]]
"""Gives the facts that are nearest in meaning, with their cosines."""

FactsByWords = Callable[[], Awaitable[Sequence[Id]]]
"""Gives the facts that share the question's words, best first."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What of the graph bears on a question, each with its share (0 ... 1). `turns` are what the facts rest
    on, `over` those of them that bear out only what is over; `bridges` the names that facts lead on to."""

    entities: Mapping[Id, float] = field(default_factory=dict)
    facts: Mapping[Id, float] = field(default_factory=dict)
    turns: Mapping[Id, float] = field(default_factory=dict)
    over: frozenset[Id] = frozenset()
    bridges: tuple[str, ...] = ()

    def shares(self, kind: Kind) -> Mapping[Id, float]:
        """Return the shares of what is of this kind."""
        match kind:
            case "entities":
                return self.entities
            case "facts":
                return self.facts
            case "turns":
                return self.turns
            case _:
                return {}


class Links:
    """Finds what of the graph bears on a question. Stateless."""

    def __init__(self, canon: CanonReader, index: TextIndex) -> None:
        self._canon = canon
        self._index = index

    async def of(
        self, question: str, cues: Cues, within: Within, by_words: FactsByWords, by_meaning: NearFacts
    ) -> Linked:
        """Return what bears on it; `by_meaning` gives the facts that are near, as far as can be had. Raises
        StoreError."""
        roots, worded, near_facts = await gather(
            self._named(question, cues, within.universe_id), by_words(), by_meaning()
        )
        hits = {*worded[:FACTS], *near_facts}
        if not roots and not hits:
            return Linked()
        near, said, lists = await gather(
            self._canon.neighbourhood(list(roots), hops=HOPS, limit=NEAR),
            self._canon.facts_by_id(hits),
            gather(*(self._canon.facts_about(id, history=True, newest=FACTS) for id in roots)),
        )
        facts = {f.id: f for f in (*near.facts, *said.values(), *(f for facts in lists for f in facts))}
        weighed = _weighed(facts.values(), cues, roots, near_facts)
        if cues.present:
            facts |= await self._successors(weighed, facts)
        best = dict(sorted(weighed.items(), key=lambda each: (-each[1], each[0]))[:BEST])
        turns, over = await self._evidence(best, facts)
        entities = dict.fromkeys(roots, 1.0) | {e.id: 0.3 for e in near.entities if e.id not in roots}
        names = {e.id: e.name for e in (*near.entities, *roots.values())}
        led_to = dict.fromkeys(
            i.entity_id for id in list(best)[:5] for i in facts[id].involves if i.entity_id not in roots
        )
        bridges = tuple(names[id] for id in led_to if id in names)
        return Linked(entities, weighed, turns, over, bridges)

    async def _named(self, question: str, cues: Cues, universe_id: Id) -> dict[Id, Entity]:
        """Return whom and what the question names: by exact name, or by a telling word of it."""
        hits, exact = await gather(
            self._index.search("entities", question, k=LISTED, scope={"universe": universe_id}),
            gather(*(self._canon.find_entity(universe_id, n) for n in names_in(question)[:MOST_NAMES])),
        )
        listed = await self._canon.entities_by_id([hit.id for hit in hits])
        near = [listed[hit.id] for hit in hits if hit.id in listed]
        near = [entity for entity in near if entity.status is EntityStatus.CANONICAL]
        whole = [entity for entity in near if _is_named(entity, cues)]
        found = {e.id: e for e in (*(e for entities in exact for e in entities), *whole)}
        for entities in _by_one_word(near, cues).values():
            # A word that many bear (a captain, a house) names nobody.
            if len(entities) <= NAMESAKES:
                found |= {e.id: e for e in entities}
        return dict(list(found.items())[:MOST_NAMES])

    async def _successors(self, weighed: dict[Id, float], facts: Mapping[Id, Fact]) -> dict[Id, Fact]:
        """Give what took the place of a fact that is over the share that the fact has, and the fact less of
        it: asked how it is, whoever finds the old value wants the new one. Returns those it had to read."""
        best = sorted(weighed, key=lambda id: (-weighed[id], id))[:BEST]
        known, read = dict(facts), dict[Id, Fact]()
        for old_id in [id for id in best if is_over(known[id])]:
            share, reached = weighed[old_id], [old_id]
            for _ in range(CHAIN):
                newer = [f for id in reached for f in await self._canon.superseded_by(id)]
                read |= {f.id: f for f in newer if f.id not in known}
                known |= read
                reached = [f.id for f in newer if is_over(f)]
                for fact in newer:
                    if not is_over(fact):
                        weighed[fact.id] = max(weighed.get(fact.id, 0.0), share)
                if not reached:
                    break
            weighed[old_id] = share * OVER
        return read

    async def _evidence(
        self, best: Mapping[Id, float], facts: Mapping[Id, Fact]
    ) -> tuple[dict[Id, float], frozenset[Id]]:
        if not best:
            return {}, frozenset()
        resting = await self._canon.evidence_of_all(list(best))
        turns: dict[Id, float] = {}
        standing: set[Id] = set()
        for fact_id, pieces in resting.items():
            for turn_id in (piece.turn_id for piece in pieces if piece.turn_id):
                turns[turn_id] = max(turns.get(turn_id, 0.0), best[fact_id])
                if not is_over(facts[fact_id]):
                    standing.add(turn_id)
        return turns, frozenset(set(turns) - standing)


def _is_named(entity: Entity, cues: Cues) -> bool:
    """Say whether a whole name of it stands in the question."""
    names = (_telling(name) for name in (entity.name, *entity.aliases))
    return any(own and all(word in cues.spoken for word in own) for own in names)


def _by_one_word(entities: Iterable[Entity], cues: Cues) -> dict[str, list[Entity]]:
    """Return the entities by each word of the question that is part of their name and long enough to tell."""
    bearers: dict[str, list[Entity]] = {}
    for entity in entities:
        own = {word for name in (entity.name, *entity.aliases) for word in _telling(name)}
        for word in own & cues.spoken:
            if len(word) > 3:
                bearers.setdefault(word, []).append(entity)
    return bearers


def _telling(name: str) -> list[str]:
    return [word for word in words(name) if word not in ("the", "of", "a", "an")]


def _weighed(
    facts: Iterable[Fact], cues: Cues, roots: Collection[Id], near: Mapping[Id, float]
) -> dict[Id, float]:
    """Return what each fact is worth for the question: by the words they share, the rarer the more, and by
    how near it comes in meaning."""
    listed = [(fact, stems(fact.statement)) for fact in facts]
    rarity = _rarity([own for _, own in listed])
    weighed: dict[Id, float] = {}
    for fact, own in listed:
        if fact.status is FactStatus.RETCONNED:
            continue
        share = covered(cues.stems, own, rarity)
        if near:
            share = (1 - BY_MEANING) * share + BY_MEANING * _nearness(near.get(fact.id, 0.0))
        if len({i.entity_id for i in fact.involves}.intersection(roots)) > 1:
            share = max(share, BARE)
        if share:
            weighed[fact.id] = share
    most = max(weighed.values(), default=1.0)
    return {id: share / most for id, share in weighed.items()} if most < BARE else weighed


def _nearness(cosine: float) -> float:
    """Return a cosine as a share: from FAR (nothing in common) to NEAR_ENOUGH (the same said otherwise)."""
    return min(1.0, max(0.0, (cosine - FAR) / (NEAR_ENOUGH - FAR)))


def _rarity(lists: Sequence[Sequence[str]]) -> dict[str, float]:
    counts = Counter(stem for own in lists for stem in own)
    return {stem: math.log(1 + len(lists) / (n + 0.5)) for stem, n in counts.items()}
