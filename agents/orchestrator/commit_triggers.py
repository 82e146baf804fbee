"""The offer to commit in mid-scene: after a critical proposal, in a long scene, and of anything in autopilot."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_offer import CommitOffer
from agents.orchestrator.scene_loop import SceneLoop
from agents.views.play_views import CommitReport
from stores.ports import OrchestratorLog
from stores.records.ids import Id


class CommitTriggers:
    """Offers mid-scene commits, without what the player left to the end of the scene."""

    def __init__(
        self, log: OrchestratorLog, contexts: SceneContextLoader, scenes: SceneLoop, events: EventBus
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._scenes = scenes
        self._events = events

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
            passed_ids = tuple(dict.fromkeys((*context.scene.passed_offer_ids, *offer.proposal_ids)))
            await self._log.update_scene(context.scene.model_copy(update={"passed_offer_ids": passed_ids}))
        self._events.publish(ProposalsChanged(context.universe.id, scene_id))
