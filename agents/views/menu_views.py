"""Values that the menu and the list of stories draw.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from stores.records.play import Scene, Story
from stores.records.world import Universe


@dataclass(frozen=True, slots=True)
class StoryCard:
    """A story that can be continued."""

    story: Story
    universe: Universe
    scene: Scene | None
    state: str
    """State of the story loop."""

    scene_state: str
    scene_count: int
    turn_count: int
    played_at: datetime
    """When its last turn was made, or it was begun, imported or branched off after that."""

    last_line: str = ""
    is_suspended: bool = False
    previously_lines: tuple[str, ...] = ()
    """A recap in lines, for the story that the menu offers."""


@dataclass(frozen=True, slots=True)
class MenuView:
    """The main menu."""

    resume_story: StoryCard | None
    """The story that was played last."""

    story_count: int
    universe_count: int
    fact_count: int
    review_count: int = 0
    """Proposals of documents that wait in their reviews, those of earlier editions among them."""

    is_reading: bool = False
    """Whether a document is being read, or waits to be."""

    health: tuple[tuple[str, str], ...] = ()
    """Name and state of each store."""

    notes: tuple[str, ...] = ()
    """Messages of recovery and of the stores' health."""
