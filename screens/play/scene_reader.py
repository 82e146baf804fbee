"""Reads what the play screen draws: the scene, the end of its timeline, the scene before, and what the story cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.llm.budget import format_dollars
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.gate_views import SceneEnd
    from agents.views.scene_views import SceneView
    from agents.views.turn_views import TurnView

REREAD_ROWS = 4
"""Rows before the new ones that are read again: a roll or a take may have been added to them."""

CONTEXT_TURNS = 4
"""Turns of the scene before that stand above a scene's own."""


@dataclass(frozen=True, slots=True)
class SceneReading:
    """The scene as it is, the end of its timeline and, the first time, that of the scene before."""

    view: SceneView
    tail: list[TurnView]
    previous_end: SceneEnd | None
    cost_text: str


class SceneViewReader:
    """Reads a scene for the screen. It keeps nothing."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def read_scene(self, scene_id: Id, view: SceneView | None, shown_count: int | None) -> SceneReading:
        """Read the scene, if no `view` of it came with a reply, and the rows after `shown_count`.

        None: nothing is shown yet.
        """
        play = self._services.play
        if view is None:
            view = await play.scene(scene_id)
        loaded_count = view.turn_count if shown_count is None else shown_count
        start = max(0, min(loaded_count, view.turn_count) - REREAD_ROWS)
        tail = await play.transcript(scene_id, start, view.turn_count - start)
        follows_scene = shown_count is None and view.scene.order > 1
        previous_end = await play.previous_end(scene_id, CONTEXT_TURNS) if follows_scene else None
        return SceneReading(view, tail, previous_end, await self.read_cost_text(view.story.id))

    async def read_names(self, view: SceneView) -> list[str]:
        """Return the names that `@` completes: of those in the scene, then of everybody in the world."""
        cast_names = [member.name for member in view.cast]
        other_names = await self._services.world.list_entity_names(view.universe.id)
        return list(dict.fromkeys((*cast_names, *other_names)))

    async def read_table_names(self, view: SceneView) -> list[str]:
        """Return the names of the tables that `/table` completes."""
        return list(await self._services.world.list_table_names(view.universe.id))

    async def read_cost_text(self, story_id: Id) -> str:
        """Return what the story has cost; empty while no model is set up."""
        if not self._services.llm.is_on:
            return ""
        micros, is_cost_known = await self._services.llm.read_story_cost(story_id)
        return format_dollars(micros) if is_cost_known else f"{format_dollars(micros)}+?"
