"""Finds who and what is off stage: named in the last turns, or of the story and elsewhere now. Read-only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.context_package import ScenePerson
from agents.context_assembly.named_entities_elsewhere import NamedEntityFinder, build_scene_person
from agents.context_assembly.narrative_context import TurnsInView
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import ACTORS, EntityStatus

MAX_OFF_STAGE: Final = 10
"""People of the story that are listed, besides those whom the last turns name."""
LAST_TURNS: Final = 6
"""Turns whose names count as named now: with the player's words alone, a scene's subject came and went."""
LAST_SCENES: Final = 5
"""Scenes whose cast is people of the story."""


@dataclass(frozen=True, slots=True)
class OffStage:
    """Those off stage."""

    named_people: tuple[ScenePerson, ...] = ()
    """Whom and what the last turns name; not people only."""
    story_people: tuple[ScenePerson, ...] = ()
    """People of the story, those who were in it last first."""

    @property
    def people(self) -> tuple[ScenePerson, ...]:
        return (*self.named_people, *self.story_people)


@dataclass(frozen=True, slots=True)
class OffStageReader:
    """Reads who is off stage."""

    canon: CanonReader
    named_entity_finder: NamedEntityFinder

    async def find_off_stage(
        self,
        scene: SceneContext,
        turns_in_view: TurnsInView,
        agenda: StoryAgenda,
        known_ids: Collection[Id],
    ) -> OffStage:
        """Return those off stage without `known_ids`, who are here or listed already. Raises StoreError."""
        turns = (*turns_in_view.previous_scene_turns, *turns_in_view.turns)[-LAST_TURNS:]
        last_words = "\n".join(turn.text for turn in reversed(turns))
        named_people = await self.named_entity_finder.find_elsewhere(scene, last_words, known_ids)
        listed_ids = {*known_ids, *(p.entity.id for p in named_people)}
        story_ids = dict.fromkeys(
            i for i in _list_story_ids(scene, turns_in_view, agenda) if i not in listed_ids
        )
        entities = await self.canon.entities_by_id(story_ids.keys()) if story_ids else {}
        entities |= {i: scene.entities[i] for i in story_ids if i in scene.entities}
        people = [
            entity
            for i in story_ids
            if (entity := entities.get(i))
            and entity.kind in ACTORS
            and entity.status is not EntityStatus.RETCONNED
            and not entity.merged_into
        ]
        return OffStage(
            named_people,
            tuple(build_scene_person(scene, e, is_here=False) for e in people[:MAX_OFF_STAGE]),
        )


def _list_story_ids(scene: SceneContext, turns_in_view: TurnsInView, agenda: StoryAgenda) -> Iterator[Id]:
    """Yield who was in the story, the last first, then whom its open matters are about."""
    yield from (entry.entity_id for entry in reversed(scene.presence_entries()))
    for earlier_scene in turns_in_view.earlier_scenes[: -LAST_SCENES - 1 : -1]:
        yield from earlier_scene.cast
    for thread in agenda.threads:
        if thread.is_open and thread.id in agenda.commitments:
            yield from (i.entity_id for i in agenda.commitments[thread.id].involves)
