"""The offer to commit in mid-scene: after a critical proposal, in a long scene, and of anything in autopilot."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.commit_offer import CommitOffer
from agents.orchestrator.passed_offers import PassedOffers
from agents.orchestrator.scene_loop import SceneLoop
from agents.views.play_views import CommitReport
from stores.records.ids import Id


class CommitTriggers:
    """Offers mid-scene commits, without what the player left to the end of the scene."""

    def __init__(self, contexts: SceneContextLoader, scenes: SceneLoop, passed_offers: PassedOffers) -> None:
        self._contexts = contexts
        self._scenes = scenes
        self._passed_offers = passed_offers

    async def find_offer(self, context: SceneContext) -> CommitOffer | None:
        """Return the commit that is offered in the scene now, or None."""
        return await self._scenes.find_offer(context, context.scene.passed_offer_ids)

    async def raise_offer(self, context: SceneContext, offer: CommitOffer) -> CommitReport | None:
        """Announce an offer after something was staged.

        If the story is set to commit at once, commit it and return what was written.
        """
        return await self._scenes.raise_offer(context, offer)

    async def dismiss_offer(self, scene_id: Id) -> None:
        """Leave the offered proposals to the end of the scene, also after a restart."""
        context = await self._contexts.load_context(scene_id)
        if offer := await self.find_offer(context):
            await self._passed_offers.leave(context, offer.proposal_ids)
