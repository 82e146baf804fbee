"""The context package: everything on record that bears on one exchange.

`canonical` comes from canon, `narrative` from the log, `recalled` from memories and search.
`agents/context_assembly/prompt_sections.py` turns the package into the text of prompts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agents.context_assembly.narrative_context import NarrativeContext
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda
from agents.resolver.working_state import WorkingState
from agents.search.retrieval import (
    OmittedItem,
    RecalledPassage,
)
from agents.search.scene_recall import RecalledScene
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Turn
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class ScenePerson:
    """A character of the scene with working state, present or not."""

    entity: Entity
    state: WorkingState
    is_here: bool = True
    """Whether they are present by the scene's arrivals and departures."""
    is_dead: bool = False
    """Whether they are dead in the working state."""


@dataclass(frozen=True, slots=True)
class KnownSecret:
    """A secret that somebody present may know."""

    fact: Fact
    knower_names: tuple[str, ...]
    """All who may know it, present or not."""


@dataclass(frozen=True, slots=True)
class CanonContext:
    """What canon holds for this exchange."""

    cast: tuple[ScenePerson, ...] = ()
    """Characters of the scene with working state (staged changes folded in); those who left are marked."""
    named_elsewhere: tuple[ScenePerson, ...] = ()
    """Others whom the player's words name."""
    off_stage: tuple[ScenePerson, ...] = ()
    """Others whom the last turns name, and people of the story who are elsewhere."""
    stays: tuple[Fact, ...] = ()
    """Where those off stage are."""
    facts: tuple[Fact, ...] = ()
    """Facts within one hop of the cast, the named, the place, and the things that they have; so are `relations`."""
    relations: tuple[Fact, ...] = ()
    encounters: tuple[Fact, ...] = ()
    """Encounters of those present; so are `assertions`."""
    assertions: tuple[Fact, ...] = ()
    axioms: tuple[Fact, ...] = ()
    """Rules of the world that are in scope."""
    settled_commitments: tuple[Fact, ...] = ()
    """Promises, debts and questions of those in view that are kept, paid or answered."""
    nearby_relations: tuple[Fact, ...] = ()
    """Relations one hop further out."""
    lore: tuple[Fact, ...] = ()
    """Lore entries that are always on, or whose keys stand in the last turns, as far as their budget goes."""
    secrets: tuple[KnownSecret, ...] = ()
    """Secrets that somebody present may know; most other lists are without secrets, and none has one they may not."""


@dataclass(frozen=True, slots=True)
class RecalledContext:
    """What was recalled or found by search; empty without a search."""

    memories_by_entity: Mapping[Id, tuple[Memory, ...]] = field(default_factory=dict)
    """Memories by the character who has them."""
    passages: tuple[RecalledPassage, ...] = ()
    """Turns of earlier play."""
    facts: tuple[Fact, ...] = ()
    """Facts of canon that are not in view; current ones before ended ones."""
    rule_texts: tuple[str, ...] = ()
    """Passages of rule sources."""
    scenes: tuple[RecalledScene, ...] = ()
    """Summaries of earlier scenes that are not in the narrative's summary, the best first."""


@dataclass(frozen=True, slots=True)
class PackageMetadata:
    """What a package was built from."""

    universe_id: Id
    story_id: Id
    scene_id: Id
    head_turn_id: Id | None
    """The head of the scene's line at that time."""
    tick: int
    canon_version: str = ""
    """The version of canon at that time."""
    created_at: datetime | None = None
    """When it was built, in wall-clock time."""


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """Everything on record that bears on one exchange."""

    scene: SceneContext
    """The scene as it stands: ids, world time, staged changes."""
    agenda: StoryAgenda = field(default_factory=StoryAgenda)
    canonical: CanonContext = field(default_factory=CanonContext)
    narrative: NarrativeContext = field(default_factory=NarrativeContext)
    recalled: RecalledContext = field(default_factory=RecalledContext)
    player_text: str = ""
    """The player's words, in which names were looked up."""
    is_stale: bool = False
    """Whether this is an older package, because a new one could not be built."""
    unrecorded_narrations: tuple[Turn, ...] = ()
    """Narrations on the line of which it is not recorded yet who came and left in them, and what they changed."""
    omitted_items: tuple[OmittedItem, ...] = ()
    """What was not found or not shown, by section, with the reason. A prompt's budget adds what it drops."""
    metadata: PackageMetadata | None = None

    @property
    def player_character(self) -> Entity | None:
        return self.scene.player_character()

    def present_npcs(self) -> list[ScenePerson]:
        """Return those present who can act, without the player character and the dead."""
        pc_id = self.scene.story.pc_id
        return [p for p in self.canonical.cast if p.is_here and not p.is_dead and p.entity.id != pc_id]

    def settled_commitments(self) -> list[Fact]:
        """Return the settled commitments: in canon, and by what is staged on the line."""
        staged_payoffs = (self.agenda.commitments[fact_id] for fact_id in self.agenda.payoff_proposal_ids)
        return [*self.canonical.settled_commitments, *staged_payoffs]

    def memories_of(self, entity_id: Id) -> tuple[Memory, ...]:
        """Return this character's memories, and nobody else's."""
        return self.recalled.memories_by_entity.get(entity_id, ())
