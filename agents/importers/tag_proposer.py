"""Builds what the tags of an imported log propose, at the gate of the scene in which the import ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.importers.import_records import StoryImport
from agents.importers.tag_proposals import TaggedSubject, build_tag_proposals, fold_tags
from agents.proposals.proposals import ProposalSite
from stores.ports import CanonReader
from stores.records.ids import Id, derive_id
from stores.records.play import Story
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind


@dataclass(frozen=True, slots=True)
class TagProposer:
    """Builds the proposals of a log's tags; the same log gives the same ones."""

    canon: CanonReader
    read_catalogue: ReadCatalogue

    async def build(self, story_import: StoryImport, *, new_hero: str = "") -> list[ProposedChange]:
        """Return what the tags propose; `new_hero` will be in canon before it is proposed."""
        subjects = await asyncio.to_thread(lambda: fold_tags(story_import.tag_mentions()))
        if not subjects:
            return []
        story = story_import.story
        catalogue = await self.read_catalogue(story.universe_id)
        site = ProposalSite(
            story.universe_id,
            story.id,
            story_import.last_scene_id,
            tick=max(s.last_turn.tick for s in subjects),
        )
        known_entities = await self._find_known(story.universe_id, subjects)
        if new_hero:
            known_entities.setdefault(new_hero, _planned_hero(story, new_hero))
        return build_tag_proposals(
            subjects,
            story,
            site,
            known_entities,
            lambda name, is_alive: catalogue.phrase("alive", name, str(is_alive).lower()),
        )

    async def _find_known(self, universe_id: Id, subjects: Sequence[TaggedSubject]) -> dict[str, Entity]:
        known_entities: dict[str, Entity] = {}
        for name in dict.fromkeys(subject.name for subject in subjects if subject.is_entity):
            entities = await self.canon.find_entity(universe_id, name)
            if len(entities) == 1:
                known_entities[name] = entities[0]
        return known_entities


def _planned_hero(story: Story, name: str) -> Entity:
    return Entity(
        id=derive_id("imported hero", story.id),
        universe_id=story.universe_id,
        kind=EntityKind.CHARACTER,
        name=name,
        recorded_at=story.created_at,
    )
