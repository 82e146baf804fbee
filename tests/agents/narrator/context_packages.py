"""Builds a context package for tests: Mara in the yard with Old Tam (a stranger) and Sella Brand (an acquaintance)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agents.canon_keeper.predicates import load_catalogue
from agents.context_assembly.context_package import (
    CanonContext,
    ContextPackage,
    RecalledContext,
    ScenePerson,
)
from agents.context_assembly.narrative_context import NarrativeContext
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda
from agents.resolver.working_state import WorkingState
from stores.records.canon import Fact
from stores.records.memory import Memory
from stores.records.play import Speaker, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind
from tests.contract import builders as make

CATALOGUE = load_catalogue()
MARA = make.entity("Mara", is_pc=True, numbers={"hp": 10})
TAM = make.entity("Old Tam", description="keeper of the salt bell", numbers={"hp": 6})
SELLA = make.entity("Sella Brand")
ORC = make.entity("The Orc", kind=EntityKind.CREATURE, tags=("dead",))
LORNE = make.entity("Lorne", tags=("dead",))
JOSS = make.entity("Joss")
YARD = make.entity("Yard", kind=EntityKind.PLACE)
MILL = make.entity("Old Mill", kind=EntityKind.PLACE)
STORY = make.story(pc_id=MARA.id, lines_and_veils="Lines: spiders, harm to children. Veils: torture")
SCENE = make.scene(STORY, cast=(MARA.id, TAM.id, SELLA.id), place_id=YARD.id, tick=600)


def build_turn(text: str, speaker: Speaker = Speaker.GM, **fields: Any) -> Turn:
    return make.turn(SCENE, None, text, speaker=speaker, tick=604, **fields)


def alternate_turns(*texts: str) -> tuple[Turn, ...]:
    """Return turns of the player and the GM, alternating."""
    speakers = (Speaker.PLAYER, Speaker.GM)
    return tuple(
        make.turn(SCENE, None, text, speaker=speakers[n % 2], depth=n, tick=600 + n)
        for n, text in enumerate(texts)
    )


def build_package(
    *facts: Fact,
    turns: Iterable[Turn] = (),
    staged_proposals: Iterable[ProposedChange] = (),
    memories: Iterable[Memory] = (),
    commitments: Iterable[Fact] = (),
    relations: Iterable[Fact] = (),
    assertions: Iterable[Fact] = (),
    acquaintances: Iterable[Entity] = (SELLA,),
    player_text: str = "",
    extra_entities: Iterable[Entity] = (),
) -> ContextPackage:
    present, absent = (MARA, TAM, SELLA), (ORC, LORNE, JOSS)
    scene = SceneContext(
        universe=make.universe(),
        story=STORY,
        scene=SCENE,
        head=None,
        staged_proposals=tuple(staged_proposals),
        entities={e.id: e for e in (*present, *absent, YARD, *extra_entities)},
        place=YARD,
    )
    cast = [
        ScenePerson(
            e, WorkingState(dict(e.numbers), e.tags), is_here=e in (*present, ORC), is_dead="dead" in e.tags
        )
        for e in (*present, *absent)
    ]
    memories_by_entity: dict[str, tuple[Memory, ...]] = {}
    for memory in memories:
        memories_by_entity[memory.entity_id] = (*memories_by_entity.get(memory.entity_id, ()), memory)
    return ContextPackage(
        scene=scene,
        agenda=StoryAgenda(commitments={f.id: f for f in commitments}),
        canonical=CanonContext(
            cast=tuple(cast), facts=facts, relations=tuple(relations), assertions=tuple(assertions)
        ),
        narrative=NarrativeContext(
            recent_turns=tuple(turns), met_before_ids=frozenset(e.id for e in acquaintances)
        ),
        recalled=RecalledContext(memories_by_entity=memories_by_entity),
        player_text=player_text,
    )
