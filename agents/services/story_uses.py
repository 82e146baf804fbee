"""Says which stories use an entity: as hero, cast or place of a scene, or by name in a turn. Read-only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from stores.ports import LogReader
from stores.records.canon import Fact, normalize_statement
from stores.records.ids import Id
from stores.records.play import Scene, Story
from stores.records.world import Entity

_WORD: Final = re.compile(r"[^\W_]+")

StoryUses = Mapping[Id, tuple[str, ...]]
"""Titles of the stories that use an entity or a fact, by its identifier; those that none uses are left out."""


async def read_story_uses(
    log: LogReader, universe_id: Id, entities: Sequence[Entity], facts: Sequence[Fact]
) -> StoryUses:
    """Return which of these entities and facts the stories of a universe use.

    A story uses a fact that involves an entity which it uses, and whatever else such a fact involves: else one that
    stays would be about somebody who does not.
    """
    titles_by_id: defaultdict[Id, dict[str, None]] = defaultdict(dict)
    for story in (await log.readable_stories(universe_id)).records:
        used_ids = await _read_used_ids(log, story, entities)
        involved_ids = {fact.id: {i.entity_id for i in fact.involves} for fact in facts}
        used_facts = {fact_id for fact_id, ids in involved_ids.items() if ids & used_ids}
        for id in used_ids.union(used_facts, *(involved_ids[fact_id] for fact_id in used_facts)):
            titles_by_id[id][story.title] = None
    return {id: tuple(titles) for id, titles in titles_by_id.items()}


def name_stories(titles: Iterable[str]) -> str:
    """Return `“The lamp”, “The bell”`."""
    return ", ".join(f"“{title}”" for title in titles)


async def _read_used_ids(log: LogReader, story: Story, entities: Sequence[Entity]) -> set[Id]:
    """Return the entities that the story has in a scene, and those of `entities` that a turn of it names."""
    used_ids = {story.pc_id} if story.pc_id else set()
    for scene in await log.scenes(story.id):
        used_ids |= _ids_in_scene(scene)
        unnamed = [entity for entity in entities if entity.id not in used_ids]
        turns = await log.line_slice(scene.id, 0, await log.line_length(scene.id)) if unnamed else []
        used_ids |= find_named((scene.title, scene.goal, *(turn.text for turn in turns)), unnamed)
    return used_ids


def _ids_in_scene(scene: Scene) -> set[Id]:
    return {*scene.cast, *filter(None, (scene.place_id, scene.opening_place_id))}


def find_named(texts: Iterable[str], entities: Collection[Entity]) -> set[Id]:
    """Return the entities that a text has by name or other name, in any case, as whole words."""
    named_by_word: defaultdict[str, list[tuple[str, Id]]] = defaultdict(list)
    for entity in entities:
        for name in filter(None, map(normalize_statement, (entity.name, *entity.aliases))):
            named_by_word[name.split()[0]].append((f" {name} ", entity.id))
    named_ids: set[Id] = set()
    for text in texts:
        words = [word.casefold() for word in _WORD.findall(text)]
        spaced_text = f" {' '.join(words)} "
        for word in named_by_word.keys() & set(words):
            named_ids |= {id for name, id in named_by_word[word] if name in spaced_text}
    return named_ids
