"""The offer to commit in mid-scene, made after a critical proposal or in a long scene."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.scene_loop import CommitOffer, SceneLoop
from agents.views.play_views import CommitReport
from stores.records.ids import Id


class CommitTriggers:
    """Offers mid-scene commits, and remembers until the program ends which ones the player dismissed."""

    def __init__(self, contexts: SceneContextLoader, scenes: SceneLoop, events: EventBus) -> None:
        self._contexts = contexts
        self._scenes = scenes
        self._events = events
        self._dismissed_ids: set[Id] = set()

    async def find_offer(self, context: SceneContext) -> CommitOffer | None:
        """Return the commit that is offered in the scene now, or None."""
        return await self._scenes.find_offer(context, self._dismissed_ids)

    async def raise_offer(self, context: SceneContext, offer: CommitOffer) -> CommitReport | None:
        """Announce an offer after something was staged.

        If the story is set to commit at once, commit it and return what was written.
        """
        return await self._scenes.raise_offer(context, offer)

    async def dismiss_offer(self, scene_id: Id) -> None:
        """Leave the offered proposals to the end of the scene."""
        context = await self._contexts.load_context(scene_id)
        if offer := await self.find_offer(context):
            self._dismissed_ids.update(offer.proposal_ids)
        self._events.publish(ProposalsChanged(context.universe.id, scene_id))
