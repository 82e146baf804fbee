"""What an exported world consists of, and what of it players may see. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from agents.canon_keeper.fact_readings import ALIVE, LOCATED_IN, SUBJECT
from agents.diagrams.grid_map_views import ShownGridMap
from agents.exports.story_values import StoryRecord, strike_secret_facts, without_secrets
from agents.prose.struck_words import strike_statements
from agents.views.card_views import EntityCard, FactView
from agents.views.world_views import CommitmentView, TimelineEvent
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.world import ACTORS, Entity, Universe


@dataclass(frozen=True, slots=True)
class ExportedEntity:
    """An entity with what canon says of it, what it remembers, and the scenes that it was in."""

    card: EntityCard
    memories: Sequence[Memory] = ()
    scene_ids: Sequence[Id] = ()

    @property
    def entity(self) -> Entity:
        return self.card.entity

    @property
    def place(self) -> Entity | None:
        """Where it is, as far as canon says."""
        for _, other, view in self.card.relations:
            if view.fact.predicate == LOCATED_IN and view.fact.entity(SUBJECT) == self.entity.id:
                return other
        return None

    @property
    def status(self) -> str:
        """Return whether somebody lives; empty for what does not live."""
        if self.entity.kind not in ACTORS:
            return ""
        is_dead = any(view.fact.predicate == ALIVE and view.fact.value is False for view in self.card.facts)
        return "dead" if is_dead else "alive"


@dataclass(frozen=True, slots=True)
class ExportedPicture:
    """The picture of an entity as it was attached, and what the name of its file ends in."""

    ending: str
    data: bytes


NO_PICTURES: Final[Mapping[Id, ExportedPicture]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class WorldRecord:
    """All that an export of a world contains; entities and stories in the order in which they were made."""

    universe: Universe
    entities: Sequence[ExportedEntity] = ()
    stories: Sequence[StoryRecord] = ()
    world_facts: Sequence[FactView] = ()
    """What is said of nobody in particular: rules of the world and lore."""
    commitments: Sequence[CommitmentView] = ()
    clocks: Sequence[ProgressClock] = ()
    timeline: Sequence[TimelineEvent] = ()
    grid_maps: Sequence[ShownGridMap] = ()


def without_world_secrets(record: WorldRecord, secrets: Sequence[str]) -> WorldRecord:
    """Return the world as players may see it: without secrets, in canon, in memories or in their very words."""
    description = strike_statements(record.universe.description, secrets)
    return replace(
        record,
        universe=record.universe.model_copy(update={"description": description}),
        entities=[_strike_entity(entity, secrets) for entity in record.entities],
        stories=[without_secrets(story, secrets) for story in record.stories],
        world_facts=strike_secret_facts(record.world_facts, secrets),
        commitments=[c for c in record.commitments if not c.fact.fact.is_secret],
        timeline=[e for e in (_strike_event(event, secrets) for event in record.timeline) if e is not None],
    )


def _strike_entity(exported: ExportedEntity, secrets: Sequence[str]) -> ExportedEntity:
    card = exported.card
    description = strike_statements(card.entity.description, secrets)
    # A secret of somebody is found by its fact, also where a memory words it otherwise.
    secret_ids = {view.fact.id for view in (*card.facts, *card.history) if view.fact.is_secret}
    secret_ids |= {view.fact.id for _, _, view in card.relations if view.fact.is_secret}
    struck_memories = [
        memory.model_copy(update={"text": strike_statements(memory.text, secrets)})
        for memory in exported.memories
        if memory.linked_fact_id not in secret_ids
    ]
    return replace(
        exported,
        card=replace(
            card,
            entity=card.entity.model_copy(update={"description": description}),
            facts=tuple(strike_secret_facts(card.facts, secrets)),
            relations=tuple(
                (label, other, struck_view)
                for label, other, view in card.relations
                for struck_view in strike_secret_facts([view], secrets)
            ),
            history=tuple(strike_secret_facts(card.history, secrets)),
        ),
        memories=[memory for memory in struck_memories if memory.text.strip()],
    )


def _strike_event(event: TimelineEvent, secrets: Sequence[str]) -> TimelineEvent | None:
    if isinstance(event.mentioned, FactView) and event.mentioned.fact.is_secret:
        return None
    return replace(event, note=strike_statements(event.note, secrets))
