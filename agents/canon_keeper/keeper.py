"""The CanonKeeper: the one agent that writes what is true.

How a commit is written whole or not at all is in `commit_journal.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from agents.canon_keeper import critical_proposals
from agents.canon_keeper.assessment import ProposalAssessor
from agents.canon_keeper.batch_builder import CommitExtras
from agents.canon_keeper.canon_history import CanonHistoryReader
from agents.canon_keeper.canon_policy import NO_RULES, KindRules, PolicyDecision
from agents.canon_keeper.commit_journal import CommitJournal
from agents.canon_keeper.commit_planning import CommitPlanner
from agents.canon_keeper.commit_results import (
    CommitResult,
    combine_results,
    describe_replaced,
    find_repeating,
    find_replacing,
)
from agents.canon_keeper.commitments import CommitmentReader
from agents.canon_keeper.conflicts.namesakes import NamesakeService
from agents.canon_keeper.conflicts.ruling_service import RulingService
from agents.canon_keeper.entity_merges import MergePreviewer
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.model_doubts import ModelDoubts
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_outcomes import UndecidedHandling
from agents.canon_keeper.proposal_subjects import named_entities
from agents.canon_keeper.proposal_undo import UndoPlanner
from agents.canon_keeper.retcon_impact import RetconPreviewer
from agents.canon_keeper.universe_policy import PolicyStore
from agents.proposals.decisions import (
    NOTHING_DECIDED,
    decision_before_undo,
    keep_edit,
    require_decidable,
    undo_decision,
)
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from agents.views.proposal_views import ProposalView
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonWriter, CommitWriter
from stores.records.canon import ChangeSecrecy, CreateEntity, EndFact, MergeEntities, RetconFact, UpdateEntity
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Scene
from stores.records.workflow import (
    OPEN_STATUSES,
    Canonization,
    Decision,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Ruling,
)
from stores.records.world import EntityStatus, SceneStatus, Universe

__all__ = ["CanonKeeper", "CommitResult"]


CHANGES_OF_CANON: Final = (UpdateEntity, MergeEntities, EndFact, RetconFact, ChangeSecrecy)
"""Changes that make no record of their own: they change what canon has already."""


class CanonKeeper:
    """Assesses, decides and commits proposals. All its data is in the stores."""

    def __init__(
        self,
        canon: CanonWriter,
        log: CanonKeeperLog,
        catalogue: Catalogue,
        ids: IdGenerator,
        clock: Clock,
        telemetry: Telemetry = NO_TELEMETRY,
        commits: CommitWriter | None = None,
    ) -> None:
        self._canon = canon
        self._log = log
        self._telemetry = telemetry
        self._journal = CommitJournal(canon, log, commits, telemetry)
        self._ids = ids
        self._clock = clock
        self.policies = PolicyStore(log, catalogue, clock)
        self.retcon_previews = RetconPreviewer(canon, log, self.policies.read_policy, clock)
        self.history = CanonHistoryReader(canon, log, self.policies.read_policy)
        self.merges = MergePreviewer(canon, log, self.policies.read_policy, clock)
        self.commitments = CommitmentReader(canon)
        self.undo_planner = UndoPlanner(canon, log, self.merges, ids, clock)
        self.model_doubts = ModelDoubts()
        self._assessor = ProposalAssessor(
            canon, log, self.policies, self.merges, self._journal, self.model_doubts
        )
        self._planner = CommitPlanner(self._assessor, clock)
        self.rulings = RulingService(canon, log, clock, self._assessor, self._planner, self._commit_ruling)
        self.namesake_rulings = NamesakeService(canon, log, clock, self._planner, self._commit_ruling)

    # --- weighing -----------------------------------------------------------------------------------

    async def assess(
        self, proposals: Sequence[ProposedChange], *, rules: KindRules | None = None
    ) -> dict[Id, PolicyDecision]:
        """Say of each proposal what a commit would do with it if it stayed undecided, and why.

        `rules` by kind are the universe's own if none are given.
        """
        if not proposals:
            return {}
        proposals = await self._assessor.read_by_present_names(proposals)
        assessment = await self._assessor.assess(proposals, proposals[0].universe_id, rules=rules)
        return dict(assessment.policy_decisions)

    async def build_views(
        self,
        proposals: Sequence[ProposedChange],
        *,
        turn_numbers: Mapping[Id, int] | None = None,
        numbers: Mapping[Id, int] | None = None,
        row_ids: Collection[Id] | None = None,
        is_numbered: bool = True,
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, with their `numbers`, or numbered from 1 in the order given.

        Unless `is_numbered`, a number says nothing.
        Proposals that a commit closed are shown with their outcome and are not assessed again. All are compared
        with each other; with `row_ids` only those have a row.
        """
        return await self._assessor.build_views(
            proposals,
            turn_numbers=turn_numbers,
            numbers=numbers,
            row_ids=row_ids,
            is_numbered=is_numbered,
        )

    async def find_critical(self, proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
        """Return the staged proposals that ask to be committed at once."""
        return (
            critical_proposals.find_critical(proposals, await self._read_catalogue(proposals))
            if proposals
            else []
        )

    async def select_trigger_batch(
        self, proposals: Sequence[ProposedChange], critical: Sequence[ProposedChange]
    ) -> list[ProposedChange]:
        """Return `critical` and what they need, in order."""
        if not critical:
            return []
        return critical_proposals.select_trigger_batch(
            proposals, critical, await self._read_catalogue(proposals)
        )

    async def find_missing(self, proposals: Sequence[ProposedChange]) -> set[Id]:
        """Return whom and what these proposals are about that neither canon has nor one of them brings."""
        created_ids = {p.change.entity_id for p in proposals if isinstance(p.change, CreateEntity)}
        named_ids = {i for p in proposals for i in named_entities(p.change)} - created_ids
        entities = await self._canon.entities_by_id(named_ids) if named_ids else {}
        return {i for i in named_ids if i not in entities or entities[i].status is EntityStatus.RETCONNED}

    # --- deciding -----------------------------------------------------------------------------------

    async def decide(self, ids: Collection[Id], decision: Decision | None) -> None:
        """Set a decision, or with None take it back. An edit that was made before stays.

        Raises InputError for a proposal that is unknown, off the line or closed by a commit, and for an
        edit that is of another kind or meant for several; StoreError.
        """
        proposals = await self._log.proposals_by_id(ids)
        if await self._journal.settle_unfinished({p.universe_id for p in proposals.values()}):
            proposals = await self._log.proposals_by_id(ids)
        if unknown_ids := set(ids) - proposals.keys():
            raise InputError(f"There is no proposal {min(unknown_ids)}.", kept=NOTHING_DECIDED)
        for proposal in proposals.values():
            require_decidable(proposal, decision, alone=len(proposals) == 1)
        await self._log.decide({p.id: keep_edit(p.decision, decision) for p in proposals.values()})

    async def undo_proposals(self, proposals: Sequence[ProposedChange], at: datetime) -> None:
        """Have open proposals count as not proposed, until they are redone. Raises StoreError."""
        await self._log.decide({p.id: undo_decision(p.decision, at) for p in proposals})

    async def redo_proposals(self, proposals: Sequence[ProposedChange]) -> None:
        """Bring back undone proposals, with what was decided of them before. Raises StoreError."""
        await self._log.decide({p.id: decision_before_undo(p.decision) for p in proposals})

    async def restore_decisions(self, decisions: Mapping[Id, Decision | None]) -> None:
        """Set open proposals back to decisions that were made of them before. Raises StoreError."""
        await self._log.decide(decisions)

    # --- committing ---------------------------------------------------------------------------------

    async def commit(
        self,
        proposals: Sequence[ProposedChange],
        *,
        reason: str,
        scene: Scene | None = None,
        story_id: Id | None = None,
        universe_id: Id | None = None,
        close_scene: bool = False,
        scene_statuses: Mapping[Id, SceneStatus] = MappingProxyType({}),
        complete_story: bool = False,
        undecided: UndecidedHandling = "defer",
        rules: KindRules | None = None,
        undoes: Id | None = None,
        decisions: Mapping[Id, Decision] | None = None,
        further_outcomes: Sequence[ProposalOutcome] = (),
        rulings: Sequence[Ruling] = (),
        after: Awaitable[object] | None = None,
    ) -> CommitResult:
        """Write what is accepted or pre-ticked, whole or not at all.

        `undoes` is the commit that it takes back. `further_outcomes` say how proposals end that are not written: what
        that commit had closed waits again, and steps that come to nothing are closed.
        `rulings` are withdrawn ones that hold again with it.
        `scene_statuses` says how far other scenes are from then on.
        Nothing of it is written before what `after` stores is; what that raises is raised.
        `decisions` are made by this commit itself: unless it is written, the proposals stay as they were.

        What a commit before this one left half written is finished first and is in the result too.
        Raises StoreError if a store fails: everything is kept, and committing again goes on from there.
        """
        if universe_id is None:
            universe_id = scene.universe_id if scene else await self._find_universe_id(proposals, story_id)
        closing = CommitExtras(
            scene=scene,
            close_scene=close_scene,
            scene_statuses=scene_statuses,
            complete_story=story_id if complete_story else None,
            undoes=undoes,
            further_outcomes=tuple(further_outcomes),
            rulings=tuple(rulings),
        )
        return await self._commit(
            universe_id, proposals, reason, story_id, closing, undecided, rules, decisions or {}, after
        )

    async def create_universe(
        self, universe: Universe, proposals: Sequence[ProposedChange] = ()
    ) -> CommitResult:
        """Create the universe's node and commit what it begins with (staged before), in one commit.

        What meets no conflict is accepted: a world that is brought in is brought in whole.
        Raises StoreError like `commit`.
        """
        reason = f"founding of {universe.name}"
        closing = CommitExtras(universe=universe)
        return await self._commit(universe.id, proposals, reason, None, closing, "accept", NO_RULES)

    async def update_universe(self, universe: Universe, reason: str) -> None:
        """Write another form of the universe's record, in a commit of its own. Raises StoreError like `commit`."""
        await self._commit(universe.id, [], reason, None, CommitExtras(universe=universe), "leave", NO_RULES)

    async def _commit(
        self,
        universe_id: Id,
        proposals: Sequence[ProposedChange],
        reason: str,
        story_id: Id | None,
        closing: CommitExtras,
        undecided: UndecidedHandling,
        rules: KindRules | None,
        decisions: Mapping[Id, Decision] = MappingProxyType({}),
        after: Awaitable[object] | None = None,
    ) -> CommitResult:
        """Finish what is half written, and commit; the result is of both."""
        scene = closing.scene
        records = SpanRecords(
            universe_id, story_id or (scene.story_id if scene else ""), scene.id if scene else ""
        )
        with self._telemetry.span(MeasuredOperation.COMMIT, closing.kind, records) as span:
            proposal_ids = [p.id for p in proposals]
            # Read meanwhile: a commit is seldom half written.
            finished_results, stored_proposals = await asyncio.gather(
                self._journal.settle_unfinished([universe_id]), self._log.proposals_by_id(proposal_ids)
            )
            if finished_results:
                stored_proposals = await self._log.proposals_by_id(proposal_ids)
            stored_in_order = [stored_proposals[i] for i in proposal_ids if i in stored_proposals]
            result = await self._plan_and_write(
                universe_id, stored_in_order, reason, story_id, closing, undecided, rules, decisions, after
            )
            span.amount = result.accepted_count
            return combine_results([*finished_results, result])

    async def _plan_and_write(
        self,
        universe_id: Id,
        proposals: Sequence[ProposedChange],
        reason: str,
        story_id: Id | None,
        closing: CommitExtras,
        undecided: UndecidedHandling,
        rules: KindRules | None,
        decisions: Mapping[Id, Decision],
        after: Awaitable[object] | None,
    ) -> CommitResult:
        decided_proposals = [
            p.model_copy(update={"status": ProposalStatus.PENDING, "decision": decisions[p.id]})
            if p.id in decisions
            else p
            for p in proposals
        ]
        open_proposals = [p for p in decided_proposals if p.status in OPEN_STATUSES]
        plan = await self._planner.plan_commit(
            self._ids.new,
            universe_id,
            open_proposals,
            reason,
            closing,
            undecided,
            story_id=story_id,
            rules=rules,
        )
        if plan.canonization is None:
            return replace(combine_results([]), held_count=plan.held_count)
        changes, repeated = await self._describe_changes(plan.canonization, open_proposals)
        changes = (*changes, *await self._describe_replaced(plan.canonization))
        if after is not None:
            await after
        result = await self._journal.write_commit(plan.canonization)
        statements = {fact.statement.removesuffix(".") for fact in result.facts}
        result = replace(
            result,
            changes=tuple(change for change in changes if change.removesuffix(".") not in statements),
            repeated=tuple(title for title in repeated if title.removesuffix(".") not in statements),
        )
        held_as_deferred = plan.held_count if undecided != "leave" else 0
        return replace(
            result, held_count=plan.held_count, deferred_count=result.deferred_count - held_as_deferred
        )

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; a line for the user for each. Never raises StoreError.

        A scene's commit that canon never saw is dropped: its gate opens again, with every decision.
        """
        return await self._journal.recover()

    # --- reading ------------------------------------------------------------------------------------

    async def _describe_changes(
        self, canonization: Canonization, proposals: Sequence[ProposedChange]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the titles of what a planned commit changes of what canon has, and of what canon says already."""
        accepted_ids = {o.proposal_id for o in canonization.outcomes if o.status is ProposalStatus.ACCEPTED}
        accepted_proposals = [p for p in proposals if p.id in accepted_ids]
        reported_ids = {fact.proposal_id for fact in canonization.batch.facts}
        changing_ids = {
            p.id
            for p in accepted_proposals
            if isinstance(p.change, CHANGES_OF_CANON)
            # A new name or description is among the facts, in a sentence.
            and not (isinstance(p.change, UpdateEntity) and p.id in reported_ids)
        }
        repeating_ids = find_repeating(accepted_proposals, canonization.batch)
        ended_ids = {p.change.fact_id for p in accepted_proposals if isinstance(p.change, EndFact)}
        row_ids = changing_ids | repeating_ids
        absorbed_ids = {
            p.change.absorbed_id for p in accepted_proposals if isinstance(p.change, MergeEntities)
        }
        # What is ended or merged may be new itself: its words are in proposals that have no row here.
        changes_what_is_new = any(
            fact_id_of(p) in ended_ids
            or (isinstance(p.change, CreateEntity) and p.change.entity_id in absorbed_ids)
            for p in accepted_proposals
        )
        described_proposals = [p for p in accepted_proposals if changes_what_is_new or p.id in row_ids]
        views = await self.build_views(described_proposals, row_ids=row_ids) if row_ids else ()
        return (
            tuple(view.title for view in views if view.proposal.id in changing_ids),
            tuple(view.title for view in views if view.proposal.id in repeating_ids),
        )

    async def _describe_replaced(self, canonization: Canonization) -> tuple[str, ...]:
        """Return in words what leaves canon because something else replaces it."""
        newer_by_older_id = find_replacing(canonization.batch)
        if not newer_by_older_id:
            return ()
        older_facts = await self._canon.facts_by_id(newer_by_older_id.keys())
        return describe_replaced(older_facts, newer_by_older_id)

    async def _find_universe_id(self, proposals: Sequence[ProposedChange], story_id: Id | None) -> Id:
        if proposals:
            return proposals[0].universe_id
        if story_id is None:
            raise InputError("There is nothing to commit.", kept=NOTHING_DECIDED)
        return (await self._log.story(story_id)).universe_id

    async def _read_catalogue(self, proposals: Sequence[ProposedChange]) -> Catalogue:
        """Return the predicates of the universe that the proposals are of."""
        return await self.policies.read_catalogue(proposals[0].universe_id)

    async def _commit_ruling(
        self, proposals: Sequence[ProposedChange], reason: str, universe_id: Id
    ) -> CommitResult:
        return await self.commit(proposals, reason=reason, universe_id=universe_id, undecided="leave")
