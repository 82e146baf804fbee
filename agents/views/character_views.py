"""The part of the desk that is about who lives in a universe: their sheets, memories and histories."""

from __future__ import annotations

from dataclasses import dataclass

from agents.views.play_views import EntityCard, SheetView
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """`seen` says in words where they were last, `memories` how many they have."""

    entity: Entity
    memories: int = 0
    seen: str = ""


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory beside the truth. `retention` is how much of it is left (0 ... 1; under `FORGOTTEN` of
    `agents/memory_manager/decay.py` it is not recalled); `truth` is what canon says of the same, empty if it
    says nothing; `where` tells where it is from, `lived` how it was lived, if the GM has it misremembered."""

    memory: Memory
    retention: float
    forgotten: bool = False
    truth: str = ""
    agrees: bool | None = None
    where: str = ""
    lived: str = ""


@dataclass(frozen=True, slots=True)
class KnownView:
    """Somebody knows of a fact: since when, how, from whom, and whether they have it right."""

    entity_id: Id
    name: str
    since: str
    how: str
    from_whom: str = ""
    mistaken: bool = False
    forgotten: bool = False
    memory_id: Id | None = None


@dataclass(frozen=True, slots=True)
class CharacterView:
    """`history` are the scenes they were in, in words, oldest first; `scene_id` is the one that the sheet is
    played in (None: it is canon's own)."""

    card: EntityCard
    sheet: SheetView | None = None
    memories: tuple[MemoryView, ...] = ()
    history: tuple[str, ...] = ()
    scene_id: Id | None = None
