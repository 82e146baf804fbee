"""Decisions and commits at the gate. The dispatcher runs them and holds the session lock."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_offer import CommitOffer
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.verdict_undo import VerdictUndo
from agents.proposals.decisions import gm_decision
from agents.proposals.line_order import sort_in_line_order
from agents.solo.solo_tools import SoloTools
from agents.views.gate_views import CommitReport
from agents.views.proposal_views import UndoneDecision
from agents.views.replies import Reply
from stores.ports import OrchestratorLog
from stores.records.canon import Payload
from stores.records.ids import Clock, Id
from stores.records.play import StoryMode
from stores.records.workflow import Decision, ProposedChange, Verdict


class GateActions:
    """Decides proposals, commits them, and moves a scene to its gate and back."""

    def __init__(
        self,
        log: OrchestratorLog,
        contexts: SceneContextLoader,
        keeper: CanonKeeper,
        scenes: SceneLoop,
        guard: SceneGuard,
        triggers: CommitTriggers,
        solo_tools: SoloTools,
        views: SceneViewBuilder,
        verdict_undo: VerdictUndo,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._keeper = keeper
        self._scenes = scenes
        self._guard = guard
        self._triggers = triggers
        self._solo_tools = solo_tools
        self._views = views
        self._verdict_undo = verdict_undo
        self._clock = clock
        self._events = events

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
    ) -> None:
        """Set a verdict on proposals; None removes it. `edited` replaces a single accepted proposal.

        An edit that was made before stays, whatever the verdict.
        """
        decision = None
        if verdict:
            decision = Decision(verdict=verdict, by="gm", at=self._clock(), reason=reason, edited=edited)
        if edited is None:
            proposal_ids = await self._views.ids_in_same_rows(proposal_ids)
        proposals = await self._log.proposals_by_id(proposal_ids)
        await self._keeper.decide(proposal_ids, decision)
        self._verdict_undo.remember(proposals, decision)
        for universe_id, scene_id in dict.fromkeys((p.universe_id, p.scene_id) for p in proposals.values()):
            self._events.publish(ProposalsChanged(universe_id, scene_id))

    async def undo_last_decision(self, proposals: Sequence[ProposedChange]) -> UndoneDecision:
        """Undo the last decision on these open proposals. Raises InputError if there is none."""
        return await self._verdict_undo.undo_last_of(proposals)

    async def commit_scene(self, context: SceneContext, only_ids: Sequence[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked; in a Finalizing scene this closes it and opens the next."""
        await self._guard.require_open_story(context.story.id)
        return await self._scenes.commit(context, only_ids, reason="by hand")

    async def commit_offer(self, context: SceneContext) -> CommitReport:
        """Accept the critical proposals of the mid-scene offer and what they need, and write them; the scene goes on.

        An offer of a long scene writes what is accepted or pre-ticked.
        """
        offer = await self._triggers.find_offer(context) or CommitOffer("", ())
        if offer.is_critical:
            context = await self._accept_offered(context, offer)
        return await self._scenes.commit(context, offer.proposal_ids, reason=offer.reason)

    async def _accept_offered(self, context: SceneContext, offer: CommitOffer) -> SceneContext:
        """Accept what is undecided of the offer, and return the scene as it is then."""
        offered = [p for p in context.undecided if p.id in offer.proposal_ids]
        undecided_ids = [p.id for p in sort_in_line_order(offered) if gm_decision(p) is None]
        if not undecided_ids:
            return context
        decision = Decision(verdict=Verdict.ACCEPT, by="gm", at=self._clock(), reason=offer.reason)
        await self._keeper.decide(undecided_ids, decision)
        return await self._contexts.load_context(context.scene.id)

    async def dismiss_offer(self, scene_id: Id) -> bool:
        """Leave the critical proposals to the end of the scene; return whether any are offered."""
        return await self._triggers.dismiss_offer(scene_id)

    async def end_scene(self, context: SceneContext, summary: str) -> Outcome:
        """Move from Active to Finalizing; the summary becomes a proposed event, and clocks act.

        In autopilot the scene passes its gate at once: what policy accepts is written, the rest waits at the next
        gate. The reply says what the end brought by itself.
        """
        scene_id = context.scene.id
        await self._scenes.end_scene(context, summary)
        end_lines = await self._solo_tools.describe_scene_end(scene_id)
        if context.story.mode is StoryMode.AUTOPILOT:
            ended_context = await self._contexts.load_context(scene_id)
            report = await self._scenes.commit(ended_context, None, reason="autopilot")
            left_open_lines = filter(None, (report.left_open.describe_after_end(),))
            lines = (*commit_lines(report), *end_lines, *left_open_lines) or ("The scene has ended.",)
            return Outcome(Reply("operation", lines, goto="scene", subject=report.next_scene_id))
        return Outcome(
            Reply("operation", ("The scene is at the gate.", *end_lines), goto="gate", subject=scene_id)
        )

    async def reopen_scene(self, scene_id: Id) -> None:
        """Move from Finalizing back to Active, with every decision kept."""
        await self._scenes.reopen_scene(scene_id)

    async def rename_scene(self, context: SceneContext, title: str, goal: str = "") -> None:
        """Give the scene another title and, if one is given, a goal."""
        await self._scenes.rename_scene(context.scene, title, goal)
