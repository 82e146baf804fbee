"""The canon gate: what waits for a decision, the decisions, and the commits that write them to canon."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContextLoader
from agents.declarations.entity_lookup import scene_entity_finder, universe_entity_finder
from agents.declarations.reader import FindEntity
from agents.declarations.rewording import update_involved
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_loop import SceneLoop
from agents.proposals.editing import apply_text_edit
from agents.services.scene_views import SceneViewBuilder
from agents.services.universe_gate import UniverseGate
from agents.solo.solo_tools import Bookkeeping
from agents.views.play_views import CommitReport, GateView, Reply
from stores.errors import InputError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import Payload
from stores.records.ids import Clock, Id
from stores.records.workflow import Decision, ProposedChange, Verdict


class GateService:
    """Shows and decides proposals. Raises `stores.errors.MonitorError` with words for the player."""

    def __init__(
        self,
        *,
        log: OrchestratorLog,
        canon: CanonReader,
        keeper: CanonKeeper,
        context: SceneContextLoader,
        scenes: SceneLoop,
        guard: SceneGuard,
        triggers: CommitTriggers,
        solo_tools: Bookkeeping,
        views: SceneViewBuilder,
        universe_gate: UniverseGate,
        session_lock: asyncio.Lock,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._context = context
        self._scenes = scenes
        self._guard = guard
        self._triggers = triggers
        self._solo_tools = solo_tools
        self._views = views
        self._universe_gate = universe_gate
        self._session_lock = session_lock
        self._clock = clock
        self._events = events

    async def commit_trigger(self, scene_id: Id) -> CommitReport:
        """Write what the mid-scene offer is about, and what that needs; the scene goes on."""
        return await self._triggers.commit(scene_id)

    async def dismiss_trigger(self, scene_id: Id) -> None:
        """Leave what is critical to the scene's end."""
        await self._triggers.dismiss(scene_id)

    async def end_scene(self, scene_id: Id, summary: str = "") -> Reply:
        """Active -> Finalizing; `summary` becomes a proposed event, and clocks act. The reply's `goto` is
        the gate; its lines tell what the end brought by itself.
        """
        async with self._session_lock:
            await self._guard.require_playing(scene_id, "end what happens")
            await self._scenes.end_scene(scene_id, summary)
            end_lines = await self._solo_tools.told_at_end(scene_id)
        return Reply("operation", ("The scene is at the gate.", *end_lines), goto="gate", subject=scene_id)

    async def rename_scene(self, scene_id: Id, title: str, goal: str = "") -> None:
        """Give the scene another title, and a goal if one is named."""
        async with self._session_lock:
            await self._scenes.rename_scene(scene_id, title, goal)

    async def reopen_scene(self, scene_id: Id) -> None:
        """Finalizing -> Active: back to play with every decision kept."""
        async with self._session_lock:
            await self._scenes.reopen_scene(scene_id)

    async def gate(self, scene_id: Id | None, universe_id: Id | None = None) -> GateView:
        """Return what waits at a scene's gate; without a scene, what waits in the universe and comes to
        no scene's gate: the GM's own edits, what was deferred, what failed.
        """
        if scene_id is not None:
            return await self._solo_tools.at_gate(await self._views.build_gate_view(scene_id))
        if universe_id is None:
            raise InputError("Whose gate is it?", kept="Nothing was changed.")
        return await self._universe_gate.view(universe_id)

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
    ) -> None:
        """Set a verdict (None takes it back). `edited` goes with ACCEPT of one proposal."""
        decision = (
            Decision(verdict=verdict, by="gm", at=self._clock(), reason=reason, edited=edited)
            if verdict
            else None
        )
        async with self._session_lock:
            if edited is None:
                proposal_ids = await self._views.ids_in_same_rows(proposal_ids)
            await self._keeper.decide(proposal_ids, decision)
            proposals = await self._log.proposals_by_id(proposal_ids)
        for universe_id, scene_id in dict.fromkeys((p.universe_id, p.scene_id) for p in proposals.values()):
            self._events.publish(ProposalsChanged(universe_id, scene_id))

    async def edit_text(self, proposal_id: Id, text: str) -> None:
        """Accept the proposal with its words changed: the statement, name or value it is about."""
        proposals = await self._log.proposals_by_id([proposal_id])
        if proposal_id not in proposals:
            raise InputError("That proposal is gone.", kept="Nothing was changed.")
        proposal = proposals[proposal_id]
        change = await update_involved(
            apply_text_edit(proposal.change, text), proposal.change, await self._entity_finder(proposal)
        )
        await self.decide([proposal_id], Verdict.ACCEPT, reason="edited", edited=change)

    async def commit(self, scene_id: Id, only_ids: Sequence[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked. In a Finalizing scene this closes it, and
        `next_scene_id` names the scene that play goes on in.
        """
        async with self._session_lock:
            await self._guard.require_open_story(scene_id)
            return await self._scenes.commit(scene_id, only_ids, reason="by hand")

    async def commit_universe(self, universe_id: Id, only_ids: Collection[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked at the gate of a universe without a scene (of `only`, if
        given); what is undecided waits on.
        """
        async with self._session_lock:
            return await self._universe_gate.commit(universe_id, only_ids)

    async def _entity_finder(self, proposal: ProposedChange) -> FindEntity:
        """Return what finds whom a proposal names: in its scene, or in its universe if it is of none."""
        if proposal.scene_id is None:
            return await universe_entity_finder(proposal.universe_id, self._canon, self._log)
        return scene_entity_finder(
            await self._context.load_context(proposal.scene_id), self._context, guess=True
        )
