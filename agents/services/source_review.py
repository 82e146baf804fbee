"""Decides what documents propose, and commits it on decision.

What is undecided waits: "later" is the default, and nothing of a document reaches the gates of play.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.canon_policy import PolicyDecision
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.proposal_subjects import named_entities
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_reports import publish_commit
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.verdict_undo import VerdictUndo
from agents.proposals.decisions import (
    NOTHING_DECIDED,
    SETTLING_VERDICTS,
    gm_decision,
    is_rejected,
)
from agents.services.review_groups import group_key_of
from agents.services.review_reader import ReviewReader
from agents.views.gate_views import CommitReport, LeftOpen
from agents.views.ingest_views import AcceptableProposals, GroupDecisionCounts, ReviewOrder
from agents.views.proposal_views import UndoneDecision
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.canon import CreateEntity, MergeEntities
from stores.records.ids import Clock, Id
from stores.records.workflow import Decision, ProposedChange, Verdict

MERGE_REASON: Final = "It makes two one."
MAX_NAMED_LEFT: Final = 3
"""Rows that a group's verdict leaves and that are named with why."""


class SourceReview:
    """Decides the proposals of documents. Raises InputError and StoreError."""

    def __init__(
        self,
        log: LogReader,
        reader: ReviewReader,
        keeper: CanonKeeper,
        verdict_undo: VerdictUndo,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._reader = reader
        self._keeper = keeper
        self._verdict_undo = verdict_undo
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        before_storing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Set a verdict; None removes it. Accepting also accepts the undecided entities that are named.

        An edit that was made before stays, whatever the verdict.
        `before_storing` is awaited once it is this decision's turn.
        """
        async with self._dispatcher.exclusive():
            if before_storing is not None:
                await before_storing()
            proposals = await self._log.proposals_by_id(proposal_ids)
            if set(proposal_ids) - proposals.keys():
                raise InputError("That proposal is gone.", kept=NOTHING_DECIDED)
            await self._decide([proposals.values()], verdict)

    async def undo_last_decision(self, source_id: Id) -> UndoneDecision:
        """Undo what was decided last of the document, and is not committed. Raises InputError if nothing was."""
        source = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            return await self._verdict_undo.undo_last_of(await self._reader.read_open(source))

    async def find_undecided(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder
    ) -> tuple[Id, ...]:
        """Return what is undecided in groups: all of it can be rejected at once."""
        return tuple(p.id for p in await self._read_undecided(source_id, group_keys, order))

    async def find_acceptable(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder
    ) -> AcceptableProposals:
        """Return what is undecided in groups and can be accepted unseen: no merge, and in no conflict."""
        undecided = await self._read_undecided(source_id, group_keys, order)
        decisions = await self._assess_with_named(undecided)
        ids = tuple(
            p.id
            for p in undecided
            if not isinstance(p.change, MergeEntities) and decisions[p.id].mark in ("accept", "defer")
        )
        return AcceptableProposals(ids, left_count=len(undecided) - len(ids))

    async def accept_named(self, proposal_ids: Collection[Id]) -> None:
        """Accept the undecided entities that these proposals name, as they were edited."""
        async with self._dispatcher.exclusive():
            proposals = (await self._log.proposals_by_id(proposal_ids)).values()
            await self._decide([await self._find_needed(proposals)], Verdict.ACCEPT)

    async def decide_groups(
        self, source_id: Id, group_keys: Collection[str], verdict: Verdict | None, order: ReviewOrder
    ) -> GroupDecisionCounts:
        """Set a verdict on what is undecided in groups, or (None) take all verdicts back.

        Merges and what meets a conflict are accepted one by one alone: nobody looks at each row of a group. Each group
        is a decision of its own, which is undone by itself.
        """
        source = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            concerned = [
                p
                for p in await self._reader.read_groups(source, group_keys, order)
                if (gm_decision(p) is None) is (verdict is not None)
            ]
            reasons: dict[Id, str] = {}
            if verdict is Verdict.ACCEPT:
                reasons = {p.id: MERGE_REASON for p in concerned if isinstance(p.change, MergeEntities)}
                policy_decisions = await self._assess_with_named(
                    [p for p in concerned if p.id not in reasons]
                )
                held_ids = _select_held(concerned, policy_decisions)
                reasons |= {i: next(iter(policy_decisions[i].reasons), "") for i in held_ids}
            by_group: defaultdict[str, list[ProposedChange]] = defaultdict(list)
            for proposal in concerned:
                if proposal.id not in reasons:
                    by_group[group_key_of(proposal, order)].append(proposal)
            await self._decide([by_group[key] for key in group_keys if key in by_group], verdict)
        left = [p for p in concerned if p.id in reasons]
        rows = await self._keeper.build_views(left[:MAX_NAMED_LEFT]) if left else ()
        left_lines = tuple(f"{row.title.rstrip('.')}: {reasons[row.proposal.id]}" for row in rows)
        return GroupDecisionCounts(len(concerned) - len(left), len(left), left_lines)

    async def commit(self, source_id: Id) -> CommitReport:
        """Write what is accepted and close what is rejected; the rest waits.

        What was accepted and meets a conflict waits for a ruling on it, and what is protected is never changed: many
        are accepted at once, and nobody looked at each.
        """
        source = await self._log.source(source_id)
        async with self._dispatcher.exclusive():
            decided = [p for p in await self._reader.read_open(source) if _is_settled(p)]
            if not decided:
                raise InputError(
                    "Nothing is decided.",
                    kept="All of it waits in the review.",
                    todo="Accept or reject something first.",
                )
            held_ids = await self._find_held(
                [p for p in decided if (d := gm_decision(p)) is not None and d.verdict is Verdict.ACCEPT]
            )
            await self._keeper.restore_decisions(dict.fromkeys(held_ids))
            report = await self._keeper.commit(
                [p for p in decided if p.id not in held_ids],
                reason=f"review of {source.title}",
                universe_id=source.universe_id,
                undecided="leave",
            )
        publish_commit(self._events, source.universe_id, None, report)
        return replace(
            report,
            held_count=len(held_ids),
            left_open=LeftOpen(conflict_count=len(held_ids)),
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _decide(self, batches: Sequence[Collection[ProposedChange]], verdict: Verdict | None) -> None:
        """Set one verdict on all batches in one write; each of them is undone by itself, with whom it needed."""
        proposals = [p for batch in batches for p in batch]
        if not proposals:
            return
        needed = await self._find_needed(proposals) if verdict is Verdict.ACCEPT else []
        decision = Decision(verdict=verdict, by="gm", at=self._clock()) if verdict else None
        await self._keeper.decide({p.id for p in (*proposals, *needed)}, decision)
        for batch in batches:
            step = {p.id: p for p in (*batch, *_select_needed(batch, needed))}
            self._verdict_undo.remember(step, decision)
        for universe_id in {p.universe_id for p in proposals}:
            self._events.publish(ProposalsChanged(universe_id, None))

    async def _read_undecided(
        self, source_id: Id, group_keys: Collection[str], order: ReviewOrder
    ) -> list[ProposedChange]:
        source = await self._log.source(source_id)
        proposals = await self._reader.read_groups(source, group_keys, order)
        return [p for p in proposals if gm_decision(p) is None]

    async def _find_held(self, proposals: Sequence[ProposedChange]) -> set[Id]:
        """Return the proposals that no commit may write: they meet a conflict, or something protected."""
        return _select_held(proposals, await self._keeper.assess(proposals) if proposals else {})

    async def _assess_with_named(self, proposals: Sequence[ProposedChange]) -> Mapping[Id, PolicyDecision]:
        """Return what policy says of proposals that would be accepted.

        Whom one names may stand in another group, decided or not: without them it would seem to be about nobody.
        """
        if not proposals:
            return {}
        creations = await self._reader.read_creations(proposals)
        ids = {p.id for p in proposals}
        named = [p for p in creations if p.id not in ids and not is_rejected(p)]
        return await self._keeper.assess([*proposals, *named])

    async def _find_needed(self, proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
        """Return the undecided proposals that create what these name."""
        return [p for p in await self._reader.read_creations(proposals) if gm_decision(p) is None]


def _select_held(
    proposals: Iterable[ProposedChange], policy_decisions: Mapping[Id, PolicyDecision]
) -> set[Id]:
    """Return those that meet a conflict, or something protected."""
    marks = {p.id: d for p in proposals if (d := policy_decisions.get(p.id)) is not None}
    return {i for i, d in marks.items() if d.mark == "hold" or (d.mark == "reject" and not d.by_rule)}


def _select_needed(batch: Iterable[ProposedChange], needed: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Return those of the needed proposals that create what the batch names."""
    named_ids = {entity_id for proposal in batch for entity_id in named_entities(proposal.change)}
    return [p for p in needed if isinstance(p.change, CreateEntity) and p.change.entity_id in named_ids]


def _is_settled(proposal: ProposedChange) -> bool:
    """Return whether the next commit of the review closes the proposal."""
    decision = gm_decision(proposal)
    return decision is not None and decision.verdict in SETTLING_VERDICTS
