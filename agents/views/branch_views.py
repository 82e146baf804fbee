"""Values that the map of branches and the comparison of two branches draw."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agents.views.card_views import FactView
from stores.records.ids import Id
from stores.records.world import Entity, Universe


class MapRowKind(StrEnum):
    BRANCH = "branch"
    STORY = "story"
    SCENE = "scene"
    WAY = "way"
    """Another way that a scene went, which play left."""
    TAKE = "take"
    """Another take of one turn."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """A row of the map, below those with a smaller `depth` before it."""

    kind: MapRowKind
    depth: int
    title: str
    universe: Universe
    note: str = ""
    story_id: Id | None = None
    """The story that play goes on in; of a branch, the one that was branched."""
    scene_id: Id | None = None
    turn_id: Id | None = None
    """The last turn of a scene or way, or the take."""
    is_here: bool = False
    """Whether play stands on this branch, or in this scene."""
    is_played: bool = False
    """Whether the scene can be played on; a take or way then is a turn to go on from."""

    @property
    def key(self) -> str:
        return f"{self.kind} {self.universe.id} {self.scene_id or self.story_id or ''} {self.turn_id or ''}"


@dataclass(frozen=True, slots=True)
class BranchMap:
    """The main line of a world and its branches, with their scenes, as rows from top to bottom."""

    world_name: str
    branch_count: int
    rows: tuple[MapRow, ...]


@dataclass(frozen=True, slots=True)
class ComparedScene:
    """A scene of either line beside the other's of the same number; empty where one has none."""

    here: str
    other: str


@dataclass(frozen=True, slots=True)
class BranchComparison:
    """What is in canon of one branch and not of the other, and their scenes since they parted."""

    here: Universe
    other: Universe
    here_name: str
    other_name: str
    only_here: tuple[FactView, ...]
    only_other: tuple[FactView, ...]
    new_entities_here: tuple[Entity, ...]
    new_entities_other: tuple[Entity, ...]
    scenes: tuple[ComparedScene, ...]
