"""The services that keep a story going, which services and slash commands share.

Threads, clocks, people, tension, scene start and end, session zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.context_assembly.scene_context import SceneContextLoader
from agents.solo.npcs import NpcService
from agents.solo.scene_cast import SceneCast
from agents.solo.scene_end import SceneEndActions
from agents.solo.scene_start import SceneStartRules
from agents.solo.session_zero import SessionZero
from agents.solo.story_clocks import ClockService
from agents.solo.story_decisions import DecisionService
from agents.solo.story_journal import StoryJournal
from agents.solo.story_threads import ThreadService
from agents.solo.tension import TensionAdvisor
from agents.views.gate_views import GateView
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class SoloTools:
    """The services that keep a story going."""

    context: SceneContextLoader
    journal: StoryJournal
    threads: ThreadService
    decisions: DecisionService
    clocks: ClockService
    npcs: NpcService
    cast: SceneCast
    tension_advisor: TensionAdvisor
    scene_start: SceneStartRules
    scene_end: SceneEndActions
    session_zero: SessionZero

    async def describe_scene_end(self, scene_id: Id) -> tuple[str, ...]:
        """Return lines on what a scene's end has brought by itself, and what it asks of the GM."""
        return await self.scene_end.describe_scene_end(await self.context.load_context(scene_id))

    async def add_scene_end(self, view: GateView) -> GateView:
        """Return the gate view with what the scene's end has brought, and where it would move the tension."""
        if view.scene is None or not view.is_finalizing:
            return view
        context = await self.context.load_context(view.scene.id)
        suggestion = await self.tension_advisor.suggest_change(context)
        return replace(
            view,
            scene_end_lines=(*view.scene_end_lines, *await self.scene_end.describe_scene_end(context)),
            tension_suggestion=suggestion,
        )

    async def set_tension(self, scene_id: Id, tension: int) -> None:
        """Set the tension; the scene's results are the reason if they would move it there."""
        context = await self.context.load_context(scene_id)
        suggestion = await self.tension_advisor.suggest_change(context)
        reason = suggestion.reason if suggestion is not None and suggestion.after == tension else ""
        await self.journal.set_tension(context, tension, reason)
