"""The offer to commit in the middle of a scene, when something critical was proposed or the scene is long."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.scene_loop import CommitOffer, SceneLoop
from agents.views.play_views import CommitReport
from stores.records.ids import Id


class CommitTriggers:
    """Offers mid-scene commits, and remembers until the program ends which ones the player put off."""

    def __init__(self, contexts: SceneContextLoader, scenes: SceneLoop, events: EventBus) -> None:
        self._contexts = contexts
        self._scenes = scenes
        self._events = events
        self._dismissed_ids: set[Id] = set()

    async def find_offer(self, context: SceneContext) -> CommitOffer | None:
        """Return the commit that is offered in the scene now; None when none is."""
        return await self._scenes.find_offer(context, self._dismissed_ids)

    async def raise_offer(self, context: SceneContext, offer: CommitOffer) -> CommitReport | None:
        """Announce an offer after something was staged.

        Commits it at once if the story is set to do that, and returns what was written then.
        """
        return await self._scenes.raise_offer(context, offer)

    async def commit_offer(self, context: SceneContext) -> CommitReport:
        """Commit what is offered, and what that needs; the scene goes on."""
        offer = await self.find_offer(context) or CommitOffer("", ())
        return await self._scenes.commit(context.scene.id, offer.proposal_ids, reason=offer.reason)

    async def dismiss_offer(self, scene_id: Id) -> None:
        """Leave what is offered to the scene's end."""
        context = await self._contexts.load_context(scene_id)
        if offer := await self.find_offer(context):
            self._dismissed_ids.update(offer.proposal_ids)
        self._events.publish(ProposalsChanged(context.universe.id, scene_id))
