"""The port of canon, forwarded method by method to the server or the copy."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from stores.ports import Neighbourhood
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.readable_records import ReadableRecords
from stores.records.canon import CanonBatch, Evidence, Fact, FactKind
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, EntityNames, SceneNode, StoryNode, Universe
from stores.replication.handle import ReplicatedHandle
from stores.stores import AnyCanon


class ReplicatedCanon(ReplicatedHandle[AnyCanon]):
    """Canon as one role may use it, whether its server is up or down."""

    async def universes(self) -> list[Universe]:
        return await self._read(lambda canon: canon.universes())

    async def readable_universes(self) -> ReadableRecords[Universe]:
        return await self._read(lambda canon: canon.readable_universes())

    async def universe(self, universe_id: Id) -> Universe:
        return await self._read(lambda canon: canon.universe(universe_id))

    async def entity(self, entity_id: Id) -> Entity:
        return await self._read(lambda canon: canon.entity(entity_id))

    async def entities(
        self, universe_id: Id, *, kind: EntityKind | None = None, search: str = "", limit: int = 10000
    ) -> list[Entity]:
        return await self._read(
            lambda canon: canon.entities(universe_id, kind=kind, search=search, limit=limit)
        )

    async def entities_by_id(self, ids: Collection[Id]) -> dict[Id, Entity]:
        return await self._read(lambda canon: canon.entities_by_id(ids))

    async def merged_entities(self, universe_id: Id) -> list[Entity]:
        return await self._read(lambda canon: canon.merged_entities(universe_id))

    async def entity_names(self, universe_id: Id) -> list[str]:
        return await self._read(lambda canon: canon.entity_names(universe_id))

    async def named_entities(self, universe_id: Id) -> list[EntityNames]:
        return await self._read(lambda canon: canon.named_entities(universe_id))

    async def folded_names(self, universe_id: Id) -> list[tuple[str, Id]]:
        return await self._read(lambda canon: canon.folded_names(universe_id))

    async def names_with_words(self, universe_id: Id, words: Collection[str]) -> list[tuple[str, Id]]:
        return await self._read(lambda canon: canon.names_with_words(universe_id, words))

    async def find_entity(self, universe_id: Id, name: str) -> list[Entity]:
        return await self._read(lambda canon: canon.find_entity(universe_id, name))

    async def fact(self, fact_id: Id) -> Fact:
        return await self._read(lambda canon: canon.fact(fact_id))

    async def facts_by_id(self, ids: Collection[Id]) -> dict[Id, Fact]:
        return await self._read(lambda canon: canon.facts_by_id(ids))

    async def facts_about(self, entity_id: Id, query: FactsAboutQuery = FactsAboutQuery()) -> list[Fact]:
        return await self._read(lambda canon: canon.facts_about(entity_id, query))

    async def facts_at(
        self, universe_id: Id, tick: int, *, kind: FactKind | None = None, limit: int = 10000
    ) -> list[Fact]:
        return await self._read(lambda canon: canon.facts_at(universe_id, tick, kind=kind, limit=limit))

    async def count(self, universe_id: Id | None = None) -> tuple[int, int]:
        return await self._read(lambda canon: canon.count(universe_id))

    async def facts(self, universe_id: Id, query: FactQuery = FactQuery()) -> list[Fact]:
        return await self._read(lambda canon: canon.facts(universe_id, query))

    async def entities_named(self, universe_id: Id, names: Collection[str]) -> list[Entity]:
        return await self._read(lambda canon: canon.entities_named(universe_id, names))

    async def facts_of_all(self, universe_id: Id, query: FactsQuery) -> list[Fact]:
        return await self._read(lambda canon: canon.facts_of_all(universe_id, query))

    async def facts_by_statement(self, universe_id: Id, statement_keys: Collection[str]) -> list[Fact]:
        return await self._read(lambda canon: canon.facts_by_statement(universe_id, statement_keys))

    async def neighbourhood(self, roots: Sequence[Id], *, hops: int = 2, limit: int = 50) -> Neighbourhood:
        return await self._read(lambda canon: canon.neighbourhood(roots, hops=hops, limit=limit))

    async def evidence_of(self, subject_id: Id) -> list[Evidence]:
        return await self._read(lambda canon: canon.evidence_of(subject_id))

    async def evidence_of_all(self, subject_ids: Collection[Id]) -> dict[Id, list[Evidence]]:
        return await self._read(lambda canon: canon.evidence_of_all(subject_ids))

    async def supported_by(self, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
        return await self._read(lambda canon: canon.supported_by(turn_ids))

    async def evidence_from(self, source_id: Id) -> list[tuple[Id, Evidence]]:
        return await self._read(lambda canon: canon.evidence_from(source_id))

    async def superseded_by(self, fact_id: Id) -> list[Fact]:
        return await self._read(lambda canon: canon.superseded_by(fact_id))

    async def supersedes(self, fact_id: Id) -> list[Fact]:
        return await self._read(lambda canon: canon.supersedes(fact_id))

    async def appearances(self, entity_id: Id) -> list[Id]:
        return await self._read(lambda canon: canon.appearances(entity_id))

    async def story_nodes(self, universe_id: Id) -> list[StoryNode]:
        return await self._read(lambda canon: canon.story_nodes(universe_id))

    async def scene_nodes(self, story_id: Id) -> list[SceneNode]:
        return await self._read(lambda canon: canon.scene_nodes(story_id))

    async def create_story_node(self, node: StoryNode) -> None:
        await self._write("create_story_node", node=node)

    async def create_scene_node(self, node: SceneNode) -> None:
        await self._write("create_scene_node", node=node)

    async def commit(self, batch: CanonBatch) -> None:
        await self._write("commit", batch=batch)
