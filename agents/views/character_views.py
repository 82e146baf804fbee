"""Values that the characters screen draws: who lives in a universe, their sheets, memories and histories."""

from __future__ import annotations

from dataclasses import dataclass

from agents.views.card_views import EntityCard
from agents.views.sheet_views import SheetView
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """One character in the list."""

    entity: Entity
    memory_count: int = 0
    """Number of memories."""

    last_seen: str = ""
    """Where they were last, in words."""

    is_dead: bool = False
    """Whether canon says that they died and do not live again."""


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory, with what canon says of the same."""

    memory: Memory
    retention: float
    """How much of it is left, from 0 to 1; it is not recalled below `memory_decay.FORGOTTEN_RETENTION`."""

    is_forgotten: bool = False
    canon_statement: str = ""
    """What canon says of the same; empty if nothing."""

    canon_standing: Standing = Standing.TRUE
    """As what canon has that: a lie is no truth that somebody has wrong."""

    is_settled: bool = False
    """Whether canon has it as a promise, debt or question that came to its end since."""

    agrees_with_canon: bool | None = None
    """Whether it agrees with canon; None if canon says nothing."""

    is_never_true: bool = False
    """Whether a retcon took from canon what `canon_statement` says."""

    origin: str = ""
    """Where it is from, in words."""

    original_text: str = ""
    """How it was experienced, if the GM has it misremembered."""


@dataclass(frozen=True, slots=True)
class KnowledgeView:
    """Who knows of a fact: since when, how, and from whom."""

    entity_id: Id
    name: str
    since: str
    how: str
    from_whom: str = ""
    mistaken: bool = False
    """Whether they have it wrong."""

    forgotten: bool = False
    memory_id: Id | None = None


@dataclass(frozen=True, slots=True)
class CharacterView:
    """A character's card, sheet, memories and history."""

    card: EntityCard
    sheet: SheetView | None = None
    memories: tuple[MemoryView, ...] = ()
    scene_history: tuple[str, ...] = ()
    """The scenes they were in, in words, oldest first."""

    scene_id: Id | None = None
    """The scene that the sheet is played in; None: the sheet is canon's own."""
