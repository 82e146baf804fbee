"""Rules on conflicts: a held proposal against a fact, both with evidence, and six ways to decide.

A ruling becomes an order: decisions on what is proposed and a few proposals of the GM's own. These go through
the same commit as all else; nothing else writes canon. Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.canon_keeper.assessment import ProposalAssessor
from agents.canon_keeper.batch_builder import CommitExtras
from agents.canon_keeper.commit_planning import CommitPlanner
from agents.canon_keeper.commit_results import CommitResult
from agents.canon_keeper.conflicts.conflict_reader import ConflictReader, FactConflict, OpenConflicts
from agents.canon_keeper.conflicts.precedents import pair_key, ruling_id, statement_key
from agents.canon_keeper.conflicts.ruling_drafts import RulingInput, WhichStatement, draft_ruling
from agents.canon_keeper.conflicts.ruling_withdrawal import set_withdrawn
from agents.canon_keeper.proposal_subjects import named_entities
from agents.proposals.decisions import BY_RULING, NOTHING_DECIDED, require_decidable
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonReader
from stores.records.canon import CanonBatch, CreateEntity, Standing
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import (
    OPEN_STATUSES,
    Decision,
    ProposalOutcome,
    ProposedChange,
    Ruling,
    RulingKind,
    Verdict,
)

__all__ = ["FactConflict", "OpenConflicts", "RulingPlan", "RulingPreview", "RulingService"]


@dataclass(frozen=True, slots=True)
class RulingPlan:
    """What a ruling stages, decides and remembers.

    The decisions are on proposals that exist already; what is staged is accepted with them, and comes
    before the proposal `last_proposal_id`, which is checked against the result. `restated_ids` are staged
    proposals that stand for a proposal's own statement.
    """

    ruling: Ruling
    decisions: Mapping[Id, Decision]
    staged_proposals: tuple[ProposedChange, ...]
    last_proposal_id: Id
    restated_ids: frozenset[Id] = frozenset()


@dataclass(frozen=True, slots=True)
class RulingPreview:
    """What a ruling would write, and which of the two statements would still wait.

    They wait for another ruling (`held_ids`), or for the entity that they are about (`dependent_ids`).
    """

    batch: CanonBatch | None
    outcomes: tuple[ProposalOutcome, ...] = ()
    held_ids: frozenset[Id] = frozenset()
    dependent_ids: frozenset[Id] = frozenset()


CommitRuling = Callable[[Sequence[ProposedChange], str, Id], Awaitable[CommitResult]]
"""Commits accepted proposals of a universe for a reason."""


class RulingService:
    """Reads conflicts and rules on them. Rulings are stored in the log."""

    def __init__(
        self,
        canon: CanonReader,
        log: CanonKeeperLog,
        clock: Clock,
        assessor: ProposalAssessor,
        planner: CommitPlanner,
        commit: CommitRuling,
    ) -> None:
        self._canon = canon
        self._log = log
        self._clock = clock
        self._assessor = assessor
        self._planner = planner
        self._commit = commit
        self._conflict_reader = ConflictReader(canon, log, assessor)

    async def read_conflict(self, proposal_id: Id, other_id: Id | None = None) -> FactConflict:
        """Return one conflict with both sides, as `ConflictReader` reads it."""
        return await self._conflict_reader.read_conflict(proposal_id, other_id)

    async def read_conflicts(self, proposal_id: Id) -> OpenConflicts:
        """Return the conflicts of an open proposal, as `ConflictReader` reads them."""
        return await self._conflict_reader.read_conflicts(proposal_id)

    async def plan_ruling(
        self,
        fact_conflict: FactConflict,
        ruling: RulingKind,
        *,
        by: str = "gm",
        reason: str = "",
        tick: int | None = None,
        yielding: WhichStatement | None = None,
        standing: Standing = Standing.RUMOUR,
        entity_id: Id | None = None,
        name: str = "",
    ) -> RulingPlan:
        """Say what a ruling comes to. Stage `order.staged` (the Resolver's handle does), then `rule`.

        `tick`: from when the new one holds (FROM_NOW; the claim's own time if None), or where the
        yielding one ends and the other begins (BOUNDED). `yielding`: "new" or "old", the one that ends,
        becomes a rumour or is about another entity; "old" for BOUNDED and "new" for the others if not
        said. `standing`: what it becomes (BOTH). `entity_id`, `name`: which shared entity is two, and
        what the other is called (SPLIT). Raises InputError if the ruling cannot be made so.
        """
        if ruling not in fact_conflict.rulings:
            raise InputError("These two cannot be resolved that way.", kept=NOTHING_DECIDED)
        now = self._clock()
        catalogue = fact_conflict.catalogue
        pair = pair_key(fact_conflict.claim, fact_conflict.other, catalogue)
        if standing is Standing.TRUE:
            raise InputError("One of the two is a rumour, a lie or disputed.", kept=NOTHING_DECIDED)
        split_entity_id = entity_id or next(iter(fact_conflict.shared), "")
        entity = (
            (await self._canon.entities_by_id([split_entity_id])).get(split_entity_id)
            if split_entity_id in fact_conflict.shared
            else None
        )
        ruling_input = RulingInput(
            ruling=ruling,
            rule=fact_conflict.conflict.check_name,
            ruling_id=ruling_id(fact_conflict.proposal.universe_id, pair),
            now=now,
            tick=tick,
            yielding=yielding or ("old" if ruling is RulingKind.BOUNDED else "new"),
            standing=standing,
            entity=entity,
            name=name or (f"another {entity.name}" if entity else ""),
        )
        draft = draft_ruling(ruling_input, *fact_conflict.statements())
        upheld_fact = fact_conflict.claim if draft.upheld_side == "new" else fact_conflict.other
        ruling_record = Ruling(
            id=ruling_input.ruling_id,
            universe_id=fact_conflict.proposal.universe_id,
            pair=pair,
            upheld=statement_key(upheld_fact, catalogue),
            ruling=ruling,
            standing=standing if ruling is RulingKind.BOTH else None,
            tick=draft.tick,
            proposal_id=fact_conflict.proposal.id,
            fact_id=fact_conflict.other.id,
            by=by,
            reason=reason,
            at=now,
        )
        decisions = {
            proposal_id: Decision(verdict=verdict, by=by, at=now, reason=reason, edited=edited)
            for proposal_id, (verdict, edited) in draft.verdicts.items()
        }
        return RulingPlan(
            ruling_record,
            decisions,
            tuple(draft.staged_proposals),
            fact_conflict.proposal.id,
            frozenset(draft.restated_ids),
        )

    async def preview_ruling(self, ruling_plan: RulingPlan) -> RulingPreview:
        """Say what `rule` would write, with nothing staged and nothing decided. Raises StoreError."""
        stored_proposals = await self._log.proposals_by_id(list(ruling_plan.decisions))
        decided_proposals = _with_decisions(
            ruling_plan, [*ruling_plan.staged_proposals, *stored_proposals.values()]
        )
        held_ids, dependent_ids = await self._find_blocked(ruling_plan, decided_proposals)
        ready_proposals = _select_ready(decided_proposals, held_ids, dependent_ids)
        commit_plan = await self._planner.plan_commit(
            lambda: derive_id("foreseen", ruling_plan.ruling.id),
            ruling_plan.ruling.universe_id,
            ready_proposals,
            "ruling",
            CommitExtras(),
            "leave",
            extra_rulings=[ruling_plan.ruling],
        )
        canonization = commit_plan.canonization
        return RulingPreview(
            canonization.batch if canonization else None,
            canonization.outcomes if canonization else (),
            held_ids,
            dependent_ids,
        )

    async def apply_ruling(self, ruling_plan: RulingPlan) -> CommitResult:
        """Remember the ruling, decide as it says, and commit. Doing it twice is doing it once.

        A statement that wins and still meets something else is not written yet: it waits for a ruling
        on that, changed as this one says. Raises InputError if what the order stages is not there,
        StoreError like any commit.
        """
        ids = [*ruling_plan.decisions, *(p.id for p in ruling_plan.staged_proposals)]
        stored_proposals = await self._log.proposals_by_id(ids)
        if len(stored_proposals) < len(ids):
            raise InputError("What this needs is not proposed yet.", kept=NOTHING_DECIDED)
        decided_proposals = _with_decisions(
            ruling_plan, [stored_proposals[i] for i in ids if stored_proposals[i].status in OPEN_STATUSES]
        )
        for proposal in decided_proposals:
            require_decidable(proposal, proposal.decision, alone=True)
        held_ids, dependent_ids = await self._find_blocked(ruling_plan, decided_proposals)
        await self._log.put_ruling(ruling_plan.ruling)
        await self._log.decide(
            {
                p.id: _deferred_decision(p.decision) if p.id in held_ids else p.decision
                for p in decided_proposals
            }
        )
        ready_proposals = _select_ready(decided_proposals, held_ids, dependent_ids)
        return await self._commit(
            ready_proposals, f"ruling: {ruling_plan.ruling.ruling}", ruling_plan.ruling.universe_id
        )

    async def list_rulings(self, universe_id: Id) -> list[Ruling]:
        """Return the rulings on record, in the order they were made, with those that were withdrawn."""
        return await self._log.rulings(universe_id)

    async def set_withdrawn(
        self, universe_id: Id, decided_at: Collection[datetime], *, is_withdrawn: bool
    ) -> None:
        """Withdraw the rulings that made the decisions of these times, or have them hold again."""
        await set_withdrawn(self._log, universe_id, decided_at, is_withdrawn=is_withdrawn)

    async def _find_blocked(
        self, ruling_plan: RulingPlan, decided_proposals: Sequence[ProposedChange]
    ) -> tuple[frozenset[Id], frozenset[Id]]:
        """Return the accepted statements that still conflict, and the others that need a merely proposed entity."""
        last_ids = [ruling_plan.last_proposal_id]
        assessment = await self._assessor.assess_open(
            ruling_plan.ruling.universe_id,
            replacements=decided_proposals,
            last_ids=last_ids,
            extra_rulings=[ruling_plan.ruling],
        )
        accepted_proposals = [
            p for p in decided_proposals if p.decision and p.decision.verdict is Verdict.ACCEPT
        ]
        statement_ids = ruling_plan.restated_ids | ruling_plan.decisions.keys()
        held_ids = {
            p.id
            for p in accepted_proposals
            if p.id in statement_ids and assessment.policy_decisions[p.id].conflicts
        }
        created_ids = {p.change.entity_id for p in accepted_proposals if isinstance(p.change, CreateEntity)}
        missing_ids = assessment.contradictions.source_proposals.keys() - created_ids
        dependent_ids = {
            p.id
            for p in accepted_proposals
            if p.id not in held_ids and named_entities(p.change) & missing_ids
        }
        return frozenset(held_ids), frozenset(dependent_ids)


def _with_decisions(ruling_plan: RulingPlan, proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Return the proposals as the order decides them, the one that meets what it leaves at the end."""
    ruling = ruling_plan.ruling
    accept = Decision(verdict=Verdict.ACCEPT, by=BY_RULING, at=ruling.at, reason=ruling.reason)
    return [
        p.model_copy(update={"decision": ruling_plan.decisions.get(p.id, accept)})
        for p in sorted(proposals, key=lambda p: p.id == ruling_plan.last_proposal_id)
    ]


def _select_ready(
    proposals: Iterable[ProposedChange], held_ids: Collection[Id], dependent_ids: Collection[Id]
) -> list[ProposedChange]:
    """Return what a ruling writes at once.

    If one side waits for somebody who is only proposed, the other waits with it, so that undo takes back both.
    """
    return [] if dependent_ids else [p for p in proposals if p.id not in held_ids]


def _deferred_decision(decision: Decision | None) -> Decision | None:
    """Return the decision on what waits for another ruling: none, or to keep how it was changed."""
    if decision is None or decision.edited is None:
        return None
    return decision.model_copy(update={"verdict": Verdict.DEFER})
