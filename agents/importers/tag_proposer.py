"""Proposes what the tags of an imported log say, at the gate of the scene in which the import ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.importers.import_records import StoryImport
from agents.importers.tag_proposals import TagMention, build_tag_proposals, tagged_entity_names
from agents.proposals.proposals import Proposals, ProposalSite
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id, derive_id
from stores.records.play import Story
from stores.records.workflow import Loop, ProposedChange
from stores.records.world import Entity, EntityKind


@dataclass(frozen=True, slots=True)
class TagProposer:
    """Builds and stages the proposals of a log's tags; the same log gives the same ones."""

    log: LogReader
    canon: CanonReader
    proposals: Proposals
    read_catalogue: ReadCatalogue

    async def propose(self, story_import: StoryImport) -> int:
        """Stage the proposals while the last scene is open; return how many.

        What was proposed before is left as it was decided. Only one process or task may call it at a time.
        """
        proposals = await self.build(story_import)
        if not proposals or not await self._is_open(story_import.last_scene_id):
            return 0
        await self.proposals.stage(proposals)
        return len(proposals)

    async def build(self, story_import: StoryImport, *, new_hero: str = "") -> list[ProposedChange]:
        """Return what the tags propose; `new_hero` will be in canon before it is proposed."""
        mentions = await asyncio.to_thread(lambda: list(story_import.tag_mentions()))
        if not mentions:
            return []
        story = story_import.story
        catalogue = await self.read_catalogue(story.universe_id)
        site = ProposalSite(
            story.universe_id, story.id, story_import.last_scene_id, tick=mentions[-1].turn.tick
        )
        known_entities = await self._find_known(story.universe_id, mentions)
        if new_hero:
            known_entities.setdefault(new_hero, _planned_hero(story, new_hero))
        return build_tag_proposals(
            mentions,
            story,
            site,
            known_entities,
            lambda name, is_alive: catalogue.phrase("alive", name, str(is_alive).lower()),
        )

    async def _find_known(self, universe_id: Id, mentions: Sequence[TagMention]) -> dict[str, Entity]:
        known_entities: dict[str, Entity] = {}
        for name in tagged_entity_names(mentions):
            entities = await self.canon.find_entity(universe_id, name)
            if len(entities) == 1:
                known_entities[name] = entities[0]
        return known_entities

    async def _is_open(self, scene_id: Id) -> bool:
        last_transition = await self.log.loop_state(Loop.SCENE, scene_id)
        return last_transition is not None and last_transition.target == "active"


def _planned_hero(story: Story, name: str) -> Entity:
    return Entity(
        id=derive_id("imported hero", story.id),
        universe_id=story.universe_id,
        kind=EntityKind.CHARACTER,
        name=name,
        recorded_at=story.created_at,
    )
