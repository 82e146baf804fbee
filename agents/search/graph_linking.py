"""Links a question to the graph.

The entities that it names, the facts within two hops, and the turns those facts rest on.

Read-only. Entities are found by the entity index and by exact name; facts by the indexes and along
relations.
"""

from __future__ import annotations

import math
from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from agents.prose.names import find_names
from agents.search.question_cues import QuestionCues, content_stems, measure_coverage, split_words
from agents.search.result_validity import is_ended
from agents.search.search_port import SearchKind, SearchScope
from stores.ports import CanonReader, TextIndex
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus

MAX_HOPS: Final = 2
MAX_SUCCESSIONS: Final = 6
"""How many changes of a value are followed from an old value to the current one."""
MAX_NEAR_ENTITIES: Final = 30
"""Entities around the named ones that are read, the nearest first."""
MAX_FACTS_READ: Final = 40
"""Facts that are scored, per way of finding them: the newest of each entity, the best by words."""
MAX_EVIDENCE_FACTS: Final = 12
"""Facts whose evidence turns are read."""
MAX_NAMES: Final = 6
MAX_NAMESAKES: Final = 3
MAX_INDEX_ENTITIES: Final = 12
"""Entities that the index is asked for."""
ENDED_FACT_SHARE: Final = 0.4
"""Factor on the share of an ended fact, when the question asks about the present."""
MEANING_WEIGHT: Final = 0.6
FAR_COSINE: Final = 0.2
NEAR_COSINE: Final = 0.7
MIN_LINK_SHARE: Final = 0.15
"""The least share of a fact that joins two named entities, even if it shares no word with the question."""


ReadNearFacts = Callable[[], Awaitable[Mapping[Id, float]]]
"""Reads the facts nearest in meaning, with their cosines."""

ReadFactsByWords = Callable[[], Awaitable[Sequence[Id]]]
"""Reads the facts that share words with the question, best first."""


@dataclass(frozen=True, slots=True)
class GraphLinks:
    """The entities, facts and turns of the graph that bear on a question, each with its share (0 to 1)."""

    entity_shares: Mapping[Id, float] = field(default_factory=dict)
    fact_shares: Mapping[Id, float] = field(default_factory=dict)
    turn_shares: Mapping[Id, float] = field(default_factory=dict)
    """Turns that are evidence of these facts."""
    ended_only_turn_ids: frozenset[Id] = frozenset()
    """Those of the turns that are evidence of ended facts only."""
    bridge_names: tuple[str, ...] = ()
    """Names that the facts lead on to and the question does not have."""

    def shares_of_kind(self, kind: SearchKind) -> Mapping[Id, float]:
        """Return the shares of the items of this kind."""
        match kind:
            case "entities":
                return self.entity_shares
            case "facts":
                return self.fact_shares
            case "turns":
                return self.turn_shares
            case "scenes" | "memories" | "snippets":
                return {}
            case _:
                assert_never(kind)


@dataclass(frozen=True, slots=True)
class GraphLinker:
    """Finds the part of the graph that bears on a question."""

    canon: CanonReader
    index: TextIndex

    async def find_links(
        self,
        question: str,
        cues: QuestionCues,
        search_scope: SearchScope,
        read_facts_by_words: ReadFactsByWords,
        read_near_facts: ReadNearFacts,
    ) -> GraphLinks:
        """Return what bears on the question; `read_near_facts` may give nothing. Raises StoreError."""
        named_entities, fact_ids_by_words, near_fact_cosines = await gather(
            self._find_named_entities(question, cues, search_scope.universe_id),
            read_facts_by_words(),
            read_near_facts(),
        )
        fact_ids = {*fact_ids_by_words[:MAX_FACTS_READ], *near_fact_cosines}
        if not named_entities and not fact_ids:
            return GraphLinks()
        neighbourhood, hit_facts, facts_by_entity = await gather(
            self.canon.neighbourhood(list(named_entities), hops=MAX_HOPS, limit=MAX_NEAR_ENTITIES),
            self.canon.facts_by_id(fact_ids),
            gather(
                *(
                    self.canon.facts_about(id, FactsAboutQuery(history=True, newest=MAX_FACTS_READ))
                    for id in named_entities
                )
            ),
        )
        facts = {
            f.id: f
            for f in (
                *neighbourhood.facts,
                *hit_facts.values(),
                *(f for facts in facts_by_entity for f in facts),
            )
        }
        fact_shares = _weigh_facts(facts.values(), cues, named_entities, near_fact_cosines)
        if cues.asks_about_present:
            facts |= await self._add_successors(fact_shares, facts)
        best_fact_shares = dict(
            sorted(fact_shares.items(), key=lambda each: (-each[1], each[0]))[:MAX_EVIDENCE_FACTS]
        )
        turn_shares, ended_only_turn_ids = await self._read_evidence_turns(best_fact_shares, facts)
        entity_shares = dict.fromkeys(named_entities, 1.0) | {
            e.id: 0.3 for e in neighbourhood.entities if e.id not in named_entities
        }
        names_by_id = {e.id: e.name for e in (*neighbourhood.entities, *named_entities.values())}
        bridge_ids = dict.fromkeys(
            i.entity_id
            for id in list(best_fact_shares)[:5]
            for i in facts[id].involves
            if i.entity_id not in named_entities
        )
        bridge_names = tuple(names_by_id[id] for id in bridge_ids if id in names_by_id)
        return GraphLinks(entity_shares, fact_shares, turn_shares, ended_only_turn_ids, bridge_names)

    async def _find_named_entities(
        self, question: str, cues: QuestionCues, universe_id: Id
    ) -> dict[Id, Entity]:
        """Find the entities that the question names, by exact name or by a distinctive word of it."""
        entity_hits, exact_matches = await gather(
            self.index.search("entities", question, k=MAX_INDEX_ENTITIES, scope={"universe": universe_id}),
            gather(*(self.canon.find_entity(universe_id, n) for n in find_names(question)[:MAX_NAMES])),
        )
        entities_by_id = await self.canon.entities_by_id([hit.id for hit in entity_hits])
        hit_entities = [entities_by_id[hit.id] for hit in entity_hits if hit.id in entities_by_id]
        hit_entities = [entity for entity in hit_entities if entity.status is EntityStatus.CANONICAL]
        whole_name_matches = [entity for entity in hit_entities if _is_named(entity, cues)]
        named_entities = {
            e.id: e for e in (*(e for entities in exact_matches for e in entities), *whole_name_matches)
        }
        for entities in _entities_by_name_word(hit_entities, cues).values():
            # A word that many names contain (captain, house) identifies nobody.
            if len(entities) <= MAX_NAMESAKES:
                named_entities |= {e.id: e for e in entities}
        return dict(list(named_entities.items())[:MAX_NAMES])

    async def _add_successors(self, fact_shares: dict[Id, float], facts: Mapping[Id, Fact]) -> dict[Id, Fact]:
        """Move the share of each ended fact to the fact that replaced it, and lower its own.

        When a question asks about the present, finding the old value should lead to the new one. Returns
        the facts that had to be read.
        """
        best_ids = sorted(fact_shares, key=lambda id: (-fact_shares[id], id))[:MAX_EVIDENCE_FACTS]
        known_facts, newly_read_facts = dict(facts), dict[Id, Fact]()
        for old_id in [id for id in best_ids if is_ended(known_facts[id])]:
            share, frontier_ids = fact_shares[old_id], [old_id]
            for _ in range(MAX_SUCCESSIONS):
                newer_facts = [f for id in frontier_ids for f in await self.canon.superseded_by(id)]
                newly_read_facts |= {f.id: f for f in newer_facts if f.id not in known_facts}
                known_facts |= newly_read_facts
                frontier_ids = [f.id for f in newer_facts if is_ended(f)]
                for fact in newer_facts:
                    if not is_ended(fact):
                        fact_shares[fact.id] = max(fact_shares.get(fact.id, 0.0), share)
                if not frontier_ids:
                    break
            fact_shares[old_id] = share * ENDED_FACT_SHARE
        return newly_read_facts

    async def _read_evidence_turns(
        self, fact_shares: Mapping[Id, float], facts: Mapping[Id, Fact]
    ) -> tuple[dict[Id, float], frozenset[Id]]:
        if not fact_shares:
            return {}, frozenset()
        evidence_by_fact = await self.canon.evidence_of_all(list(fact_shares))
        turn_shares: dict[Id, float] = {}
        current_turn_ids: set[Id] = set()
        for fact_id, evidence_pieces in evidence_by_fact.items():
            for turn_id in (piece.turn_id for piece in evidence_pieces if piece.turn_id):
                turn_shares[turn_id] = max(turn_shares.get(turn_id, 0.0), fact_shares[fact_id])
                if not is_ended(facts[fact_id]):
                    current_turn_ids.add(turn_id)
        return turn_shares, frozenset(set(turn_shares) - current_turn_ids)


def _is_named(entity: Entity, cues: QuestionCues) -> bool:
    """Say whether a whole name of the entity is in the question."""
    names = (_distinctive_words(name) for name in (entity.name, *entity.aliases))
    return any(name_words and all(word in cues.words for word in name_words) for name_words in names)


def _entities_by_name_word(entities: Iterable[Entity], cues: QuestionCues) -> dict[str, list[Entity]]:
    """Group the entities by each word of the question that is part of their name and longer than 3 letters."""
    entities_by_word: dict[str, list[Entity]] = {}
    for entity in entities:
        name_words = {word for name in (entity.name, *entity.aliases) for word in _distinctive_words(name)}
        for word in name_words & cues.words:
            if len(word) > 3:
                entities_by_word.setdefault(word, []).append(entity)
    return entities_by_word


def _distinctive_words(name: str) -> list[str]:
    return [word for word in split_words(name) if word not in ("the", "of", "a", "an")]


def _weigh_facts(
    facts: Iterable[Fact], cues: QuestionCues, named_ids: Collection[Id], cosines: Mapping[Id, float]
) -> dict[Id, float]:
    """Score each fact for the question, by shared words (rarer words count more) and by similarity of meaning."""
    stemmed_facts = [(fact, content_stems(fact.statement)) for fact in facts]
    stem_rarity = _measure_stem_rarity([fact_stems for _, fact_stems in stemmed_facts])
    fact_shares: dict[Id, float] = {}
    for fact, fact_stems in stemmed_facts:
        if fact.status is FactStatus.RETCONNED:
            continue
        share = measure_coverage(cues.stems, fact_stems, stem_rarity)
        if cosines:
            share = (1 - MEANING_WEIGHT) * share + MEANING_WEIGHT * _cosine_to_share(
                cosines.get(fact.id, 0.0)
            )
        if len({i.entity_id for i in fact.involves}.intersection(named_ids)) > 1:
            share = max(share, MIN_LINK_SHARE)
        if share:
            fact_shares[fact.id] = share
    highest_share = max(fact_shares.values(), default=1.0)
    return (
        {id: share / highest_share for id, share in fact_shares.items()}
        if highest_share < MIN_LINK_SHARE
        else fact_shares
    )


def _cosine_to_share(cosine: float) -> float:
    """Map a cosine to a share: 0 at FAR_COSINE (nothing in common), 1 at NEAR_COSINE (a paraphrase)."""
    return min(1.0, max(0.0, (cosine - FAR_COSINE) / (NEAR_COSINE - FAR_COSINE)))


def _measure_stem_rarity(stem_lists: Sequence[Sequence[str]]) -> dict[str, float]:
    stem_counts = Counter(stem for fact_stems in stem_lists for stem in fact_stems)
    return {stem: math.log(1 + len(stem_lists) / (n + 0.5)) for stem, n in stem_counts.items()}
