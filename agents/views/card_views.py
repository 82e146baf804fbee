"""Values of one fact, entity or turn with its evidence, as cards show them.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.views.proposal_views import ProposalView
from stores.records.canon import Evidence, Fact
from stores.records.ids import Id
from stores.records.play import Resolution, Scene, Story, Turn
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with its evidence."""

    fact: Fact
    is_current: bool
    """False if it was superseded, ended or retconned."""

    when: str
    """Its time in words."""

    evidence: tuple[Evidence, ...] = ()
    superseded_by: str = ""
    secret_note: str = ""
    """That it is a secret, and who may know it."""


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity with what canon says of it."""

    entity: Entity
    facts: tuple[FactView, ...]
    relations: tuple[tuple[str, Entity, FactView], ...]
    """Relation in words, the other entity, and the fact."""

    history: tuple[FactView, ...]
    """Facts that no longer hold."""

    evidence: tuple[Evidence, ...]
    appearance_titles: tuple[str, ...]
    """Titles of its scenes."""


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """Where a turn stands, and what came of it."""

    turn: Turn
    scene: Scene
    story: Story
    is_on_line: bool
    """Whether it is on the scene's current line of turns."""

    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    declared_ids: frozenset[Id] = frozenset()
    """Those of its facts, entities and proposals that were declared after it, and do not rest on its words."""

    proposals: tuple[ProposalView, ...] = ()
    """What it proposes, and what was declared after it; withdrawn if the turn is off the line."""

    resolution: Resolution | None = None
    """The sealed result that the turn shows."""

    rejected_effects: tuple[int, ...] = ()
    """Indexes of the result's effects that the GM rejected."""
