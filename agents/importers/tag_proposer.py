"""Builds what the tags and links of an imported log propose, at the gate of the scene in which the import ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.importers.import_records import StoryImport
from agents.importers.log_entries import TagKind
from agents.importers.tag_proposals import TaggedSubject, TagMention, build_tag_proposals, fold_tags
from agents.proposals.proposals import ProposalSite
from stores.ports import CanonReader
from stores.records.ids import Id, derive_id
from stores.records.play import Story
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind

ReadKinds = Callable[[str], Mapping[str, EntityKind]]
"""Returns the kinds of the names that a prose text says something of, by the name."""


class TagProposals(NamedTuple):
    """What the tags and links of a log propose."""

    changes: list[ProposedChange]
    undecided_names: tuple[str, ...] = ()
    """Those proposed as concepts because nothing says what they are."""


@dataclass(frozen=True, slots=True)
class TagProposer:
    """Builds the proposals of a log's tags; the same log gives the same ones."""

    canon: CanonReader
    read_catalogue: ReadCatalogue
    read_kinds: ReadKinds

    async def build(self, story_import: StoryImport, *, new_hero: str = "") -> TagProposals:
        """Return what the tags propose; `new_hero` will be in canon before it is proposed."""
        subjects = await asyncio.to_thread(self._read_subjects, story_import)
        if not subjects:
            return TagProposals([])
        story = story_import.story
        catalogue = await self.read_catalogue(story.universe_id)
        site = ProposalSite(
            story.universe_id,
            story.id,
            story_import.last_scene_id,
            tick=max(s.last_turn.tick for s in subjects),
        )
        hero = await self._find_hero(story, new_hero)
        known_entities = await self._find_known(story.universe_id, subjects, hero)
        if hero is not None:
            known_entities.setdefault(hero.name, hero)
        changes = build_tag_proposals(
            subjects,
            story,
            site,
            known_entities,
            lambda name, is_alive: catalogue.phrase("alive", name, str(is_alive).lower()),
        )
        undecided = (s for s in subjects if s.kind is TagKind.LINK and s.entity_kind is None)
        return TagProposals(changes, tuple(s.name for s in undecided if s.name not in known_entities))

    def _read_subjects(self, story_import: StoryImport) -> list[TaggedSubject]:
        """Return the things that tags and links name, with what is known of the kind of each."""
        mentions = list(story_import.tag_mentions())
        subjects = fold_tags(mentions)
        undecided = {s.name.casefold(): s for s in subjects if s.kind is TagKind.LINK and not s.entity_kind}
        if not undecided:
            return subjects
        for scene in story_import.scenes:
            for entry in scene.entries:
                if subject := undecided.get(entry.speaker.casefold()):
                    subject.entity_kind = EntityKind.CHARACTER
        kinds = self.read_kinds("\n\n".join(_named_texts(mentions)))
        for name, kind in kinds.items():
            if (subject := undecided.get(name.casefold())) and subject.entity_kind is None:
                subject.entity_kind = kind
        return subjects

    async def _find_hero(self, story: Story, new_hero: str) -> Entity | None:
        if story.pc_id is None:
            return _planned_hero(story, new_hero) if new_hero else None
        return (await self.canon.entities_by_id([story.pc_id])).get(story.pc_id)

    async def _find_known(
        self, universe_id: Id, subjects: Sequence[TaggedSubject], hero: Entity | None
    ) -> dict[str, Entity]:
        """Return the entities of canon by the names in the tags; a link that may be of several is of the first."""
        known_entities: dict[str, Entity] = {}
        for subject in subjects:
            if not subject.is_entity:
                continue
            entities = await self.canon.find_entity(universe_id, subject.name)
            is_link = subject.kind is TagKind.LINK
            if is_link and not entities and hero is not None and _is_part_of(subject.name, hero.name):
                entities = [hero]
            if len(entities) == 1 or (is_link and entities):
                known_entities[subject.name] = entities[0]
        return known_entities


def _named_texts(mentions: Sequence[TagMention]) -> list[str]:
    """Return the texts of the turns with links, once each, in which each link reads as the name that it leads to."""
    texts: dict[Id, str] = {}
    for tag, turn in mentions:
        if tag.kind is TagKind.LINK:
            text = texts.get(turn.id, turn.text)
            texts[turn.id] = text if tag.shown == tag.name else text.replace(tag.shown, tag.name, 1)
    return list(texts.values())


def _is_part_of(name: str, full_name: str) -> bool:
    return set(name.casefold().split()) <= set(full_name.casefold().split())


def _planned_hero(story: Story, name: str) -> Entity:
    return Entity(
        id=derive_id("imported hero", story.id),
        universe_id=story.universe_id,
        kind=EntityKind.CHARACTER,
        name=name,
        recorded_at=story.created_at,
    )
