"""All that keeps a story going beside its line, in one hand: threads, clocks, people, tension, scene start
and end, session zero. What the desk and the slash commands share.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.context_assembly.scene_context import SceneContextLoader
from agents.solo.npcs import People
from agents.solo.scene_end import SceneEndActions
from agents.solo.scene_start import SceneStartRules
from agents.solo.session_zero import SessionZero
from agents.solo.story_clocks import Clocks
from agents.solo.story_journal import Books
from agents.solo.story_threads import Threads
from agents.solo.tension import Tensions
from agents.views.play_views import GateView
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """Stateless."""

    context: SceneContextLoader
    books: Books
    threads: Threads
    clocks: Clocks
    people: People
    tensions: Tensions
    start: SceneStartRules
    end: SceneEndActions
    zero: SessionZero

    async def told_at_end(self, scene_id: Id) -> tuple[str, ...]:
        """Return what a scene's end has brought by itself, and what it asks of the GM."""
        return await self.end.describe_scene_end(await self.context.load_context(scene_id))

    async def at_gate(self, view: GateView) -> GateView:
        """Return the gate with what its scene's end has brought, and where it would move the tension."""
        if view.scene is None or not view.finalizing:
            return view
        context = await self.context.load_context(view.scene.id)
        offer = await self.tensions.offer(context)
        return replace(view, told=await self.end.describe_scene_end(context), tension=offer)

    async def set_tension(self, scene_id: Id, tension: int) -> None:
        """Turn the dial; if it goes where the scene's results would move it, they are the reason."""
        context = await self.context.load_context(scene_id)
        offer = await self.tensions.offer(context)
        why = offer.why if offer is not None and offer.after == tension else ""
        await self.books.set_tension(context, tension, why)
