"""The offer to commit in mid-scene: after a critical proposal, in a long scene, and of anything in autopilot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from agents.canon_keeper.fact_ids import is_open_again
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import (
    SceneContext,
    SceneContextLoader,
    select_effective_proposals,
)
from agents.events import EventBus, ProposalsChanged, TriggerRaised
from agents.orchestrator.commit_offer import CommitOffer, is_lapsed
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.line_order import select_for_next_commit
from agents.views.gate_views import CommitReport
from agents.views.proposal_views import ProposalView
from stores.ports import OrchestratorLog
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode, StoryMode, Turn
from stores.records.workflow import ProposedChange

LONG_SCENE_TURNS = 50
"""Turns without a commit after which one is offered."""

MAX_NAMED_REASONS = 3
"""Critical changes that an offer names; more are counted, and the gate has them all."""


class CommitTriggers:
    """Offers mid-scene commits, without what the player left to the end of the scene."""

    def __init__(
        self,
        log: OrchestratorLog,
        contexts: SceneContextLoader,
        keeper: CanonKeeper,
        scenes: SceneLoop,
        views: SceneViewBuilder,
        events: EventBus,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._keeper = keeper
        self._scenes = scenes
        self._views = views
        self._events = events

    async def find_offer(self, context: SceneContext) -> CommitOffer | None:
        """Return what a commit would write now and why it is offered; None if none is."""
        dismissed_ids = context.scene.passed_offer_ids
        pending_proposals = select_for_next_commit(context.undecided)
        if context.story.mode is StoryMode.AUTOPILOT:
            return await self._find_autopilot_offer(pending_proposals, dismissed_ids)
        critical_proposals = [
            p for p in await self._keeper.find_critical(pending_proposals) if p.id not in dismissed_ids
        ]
        critical_proposals = await self._drop_passed_over(critical_proposals, pending_proposals, context)
        # Rows of all that is staged: a proposal may name someone whom only another one brings in.
        rows = await self._views.build_proposal_rows(pending_proposals) if critical_proposals else ()
        critical_proposals = await self._drop_unwritable(critical_proposals, pending_proposals, rows)
        if not critical_proposals:
            return await self._find_long_scene_offer(context, pending_proposals, dismissed_ids)
        trigger_batch = await self._keeper.select_trigger_batch(pending_proposals, critical_proposals)
        critical_ids = {p.id for p in critical_proposals}
        titles = [
            f"{row.title} is a discovery"
            if isinstance(row.proposal.change, CreateEntity)
            else row.title.rstrip(".")
            for row in rows
            if row.proposal.id in critical_ids
        ]
        reason = f"Critical: {'; '.join(_name_some(titles))}"
        # In rows, as the question counts them that stands beside it.
        batch_ids = {p.id for p in trigger_batch}
        needed_titles = [
            row.title.rstrip(".")
            for row in rows
            if not batch_ids.isdisjoint(row.member_ids) and critical_ids.isdisjoint(row.member_ids)
        ]
        if needed_titles:
            reason += f" (with what this needs: {'; '.join(_name_some(needed_titles))})"
        return CommitOffer(reason, tuple(p.id for p in trigger_batch), is_critical=True)

    async def raise_offer(self, context: SceneContext, offer: CommitOffer) -> CommitReport | None:
        """After something was staged, commit the offer if the story is set so, else announce it.

        What the player took from canon again is offered: it does not become canon by itself a second time.
        """
        story = context.story
        was_taken_back = any(p.id in offer.proposal_ids for p in context.undecided if is_open_again(p))
        commits_at_once = story.critical is CriticalCommitMode.AUTO or story.mode is StoryMode.AUTOPILOT
        if commits_at_once and not was_taken_back:
            return await self._scenes.commit_mid_scene(context, offer.proposal_ids, offer.reason)
        self._events.publish(TriggerRaised(context.scene.id, offer.proposal_ids, offer.reason))
        return None

    async def dismiss_offer(self, scene_id: Id) -> bool:
        """Leave the offered proposals to the end of the scene, also after a restart; return whether any are offered."""
        context = await self._contexts.load_context(scene_id)
        offer = await self.find_offer(context)
        if offer is None:
            return False
        passed_ids = tuple(dict.fromkeys((*context.scene.passed_offer_ids, *offer.proposal_ids)))
        await self._log.update_scene(context.scene.model_copy(update={"passed_offer_ids": passed_ids}))
        self._events.publish(ProposalsChanged(context.universe.id, scene_id))
        return True

    # --- inside --------------------------------------------------------------------------------------

    async def _drop_passed_over(
        self,
        critical_proposals: Sequence[ProposedChange],
        pending_proposals: Sequence[ProposedChange],
        context: SceneContext,
    ) -> list[ProposedChange]:
        """Return the newest of the critical proposals, and older ones that they need.

        What was left undecided as play went on waits for the end of the scene, unless there is nothing newer.
        """
        newest = [p for p in critical_proposals if not is_lapsed(CommitOffer("", (p.id,)), context)]
        if not newest:
            return list(critical_proposals)
        needed_ids = {p.id for p in await self._keeper.select_trigger_batch(pending_proposals, newest)}
        return [p for p in critical_proposals if p.id in needed_ids]

    async def _drop_unwritable(
        self,
        critical_proposals: Sequence[ProposedChange],
        pending_proposals: Sequence[ProposedChange],
        rows: Sequence[ProposalView],
    ) -> list[ProposedChange]:
        """Return the critical proposals that can be written with what each needs.

        No conflict holds it, and nothing of it was rejected or put off, nor resolved against it before.
        """
        held_ids = {i for row in rows if row.mark in ("hold", "reject") for i in row.member_ids}
        batches = [
            (proposal, await self._keeper.select_trigger_batch(pending_proposals, [proposal]))
            for proposal in critical_proposals
        ]
        return [
            proposal
            for proposal, batch in batches
            if held_ids.isdisjoint(p.id for p in batch) and not await self._keeper.find_missing(batch)
        ]

    async def _find_autopilot_offer(
        self, pending_proposals: Sequence[ProposedChange], dismissed_ids: Collection[Id]
    ) -> CommitOffer | None:
        """Return everything that policy accepts: in autopilot it is committed at once, critical or not."""
        accepted_ids = [
            row.proposal.id
            for row in await self._views.build_proposal_rows(pending_proposals)
            if row.mark == "accept" and row.proposal.id not in dismissed_ids
        ]
        return CommitOffer("autopilot", tuple(accepted_ids)) if accepted_ids else None

    async def _find_long_scene_offer(
        self,
        context: SceneContext,
        pending_proposals: Sequence[ProposedChange],
        dismissed_ids: Collection[Id],
    ) -> CommitOffer | None:
        """Return an offer to commit what is ticked of what has gathered, every fifty turns."""
        waiting_proposals = [
            p for p in select_effective_proposals(pending_proposals) if p.id not in dismissed_ids
        ]
        length = context.head.depth + 1 if context.head else 0
        if not waiting_proposals or length < LONG_SCENE_TURNS:
            return None
        turns = await self._log.turns({p.turn_id for p in waiting_proposals if p.turn_id})
        if _count_turns_since_oldest(waiting_proposals, turns, length) < LONG_SCENE_TURNS:
            return None
        rows = await self._views.build_proposal_rows(pending_proposals)
        ticked_rows = [row for row in rows if row.mark == "accept"]
        ticked_ids = {i for row in ticked_rows for i in row.member_ids}
        ticked_proposals = [p for p in waiting_proposals if p.id in ticked_ids]
        turn_count = _count_turns_since_oldest(ticked_proposals, turns, length)
        if turn_count < LONG_SCENE_TURNS:
            return None
        count = len(ticked_rows)
        return CommitOffer(
            f"{turn_count} turns since the oldest of {count} ticked {'proposal' if count == 1 else 'proposals'}",
            tuple(p.id for p in ticked_proposals),
        )


def _count_turns_since_oldest(
    proposals: Sequence[ProposedChange], turns: Mapping[Id, Turn], length: int
) -> int:
    """Return how many turns of a line of `length` follow the oldest turn of the proposals; 0 if none has one."""
    depths = (turns[p.turn_id].depth for p in proposals if p.turn_id and p.turn_id in turns)
    return length - min(depths, default=length)


def _name_some(titles: Sequence[str]) -> Sequence[str]:
    """Return the titles that are named, and how many more there are."""
    more_count = len(titles) - MAX_NAMED_REASONS
    return titles if more_count <= 1 else [*titles[:MAX_NAMED_REASONS], f"{more_count} more"]
