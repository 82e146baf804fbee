"""Rules whether a proposed entity with a name already in use is the same entity or another.

If it is the same, it is created and merged at once, so that its proposals apply to the existing entity.
Different: remembered of these two, and nothing is held for it any more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.batch_builder import CommitExtras
from agents.canon_keeper.commit_planning import CommitPlanner
from agents.canon_keeper.commit_results import CommitResult
from agents.canon_keeper.conflicts.precedents import entity_pair_key, ruling_id
from agents.proposals.decisions import BY_RULING, NOTHING_DECIDED, require_decidable
from agents.proposals.evidence import manual_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonReader
from stores.queries import ProposalQuery
from stores.records.canon import Authority, CanonBatch, CreateEntity, MergeEntities
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import OPEN_STATUSES, Decision, ProposedChange, Ruling, RulingKind, Verdict

CommitUnion = Callable[[Sequence[ProposedChange], str, Id], Awaitable[CommitResult]]


@dataclass(frozen=True, slots=True)
class EntityUnion:
    """What makes the two one: creations that are proposed, to be accepted, and then the merge."""

    creations: tuple[ProposedChange, ...]
    merge: ProposedChange


class NamesakeService:
    """Rules on entities of one name. Rulings are stored in the log."""

    def __init__(
        self,
        canon: CanonReader,
        log: CanonKeeperLog,
        clock: Clock,
        planner: CommitPlanner,
        commit: CommitUnion,
    ) -> None:
        self._canon = canon
        self._log = log
        self._clock = clock
        self._planner = planner
        self._commit = commit

    async def plan_union(self, proposal_id: Id, entity_id: Id) -> EntityUnion:
        """Say what taking the new one for the known one comes to. Stage `merge`, then `unite`.

        Raises InputError if the proposal brings nothing in or is closed, or if the other is not there.
        """
        proposal, change = await self._read_creation(proposal_id)
        known_entity = (await self._canon.entities_by_id([entity_id])).get(entity_id)
        open_proposals = await self._log.proposals(
            ProposalQuery(
                universe_id=proposal.universe_id,
                statuses=OPEN_STATUSES,
                kind="create_entity",
                with_sources=proposal.source_id is not None,
            )
        )
        rival_creations = [
            p
            for p in open_proposals
            if isinstance(p.change, CreateEntity) and p.change.entity_id == entity_id
        ]
        if known_entity is None and not rival_creations:
            raise InputError("The other one no longer exists.", kept=NOTHING_DECIDED)
        kept_name = known_entity.name if known_entity else rival_creations[0].change.name  # type: ignore[union-attr]
        merge_id = derive_id("united", proposal_id, entity_id)
        merge = build_proposal(
            merge_id,
            MergeEntities(kept_id=entity_id, absorbed_id=change.entity_id),
            [manual_evidence(merge_id, f"{change.name} is {kept_name}.")],
            Authority.GM,
            ProposalSite(proposal.universe_id, tick=proposal.tick),
            self._clock(),
        )
        creations = (proposal,) if known_entity else (rival_creations[0], proposal)
        return EntityUnion(creations, merge)

    async def preview_union(self, union: EntityUnion) -> CanonBatch | None:
        """Return what `unite` would write, with nothing staged and nothing decided."""
        accept = self._acceptance("gm")
        decided_proposals = [
            p.model_copy(update={"decision": self._acceptance_with_edits(p, accept)})
            for p in (*union.creations, union.merge)
        ]
        commit_plan = await self._planner.plan_commit(
            lambda: derive_id("foreseen", union.merge.id),
            union.merge.universe_id,
            decided_proposals,
            "ruling",
            CommitExtras(),
            "leave",
        )
        return commit_plan.canonization.batch if commit_plan.canonization else None

    async def apply_union(self, union: EntityUnion, *, by: str = "gm") -> CommitResult:
        """Bring the new one in as the known one. Raises InputError if the merge is not staged."""
        stored_proposals = await self._log.proposals_by_id([*(p.id for p in union.creations), union.merge.id])
        if union.merge.id not in stored_proposals:
            raise InputError("What this needs is not proposed yet.", kept=NOTHING_DECIDED)
        open_proposals = [
            stored_proposals[p.id]
            for p in (*union.creations, union.merge)
            if stored_proposals[p.id].status in OPEN_STATUSES
        ]
        accept = self._acceptance(by)
        ruling_acceptance = accept.model_copy(update={"by": BY_RULING})
        await self._log.decide(
            {
                p.id: ruling_acceptance if p.id == union.merge.id else self._acceptance_with_edits(p, accept)
                for p in open_proposals
            }
        )
        return await self._commit(open_proposals, "ruling: the same", union.merge.universe_id)

    async def rule_different(self, proposal_id: Id, entity_id: Id, *, by: str = "gm") -> Ruling:
        """Remember that the two are two; nothing is written to canon. Returns the ruling."""
        proposal, change = await self._read_creation(proposal_id)
        pair = entity_pair_key(change.entity_id, entity_id)
        ruling = Ruling(
            id=ruling_id(proposal.universe_id, pair),
            universe_id=proposal.universe_id,
            pair=pair,
            upheld=change.entity_id,
            ruling=RulingKind.SPLIT,
            proposal_id=proposal.id,
            by=by,
            at=self._clock(),
        )
        await self._log.put_ruling(ruling)
        return ruling

    async def _read_creation(self, proposal_id: Id) -> tuple[ProposedChange, CreateEntity]:
        proposal = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if proposal is None:
            raise InputError(f"There is no proposal {proposal_id}.", kept=NOTHING_DECIDED)
        require_decidable(proposal, None, alone=True)
        if not isinstance(proposal.change, CreateEntity):
            raise InputError("It adds nobody and nothing.", kept=NOTHING_DECIDED)
        return proposal, proposal.change

    def _acceptance(self, by: str) -> Decision:
        return Decision(verdict=Verdict.ACCEPT, by=by, at=self._clock(), reason="The same, by another name.")

    def _acceptance_with_edits(self, proposal: ProposedChange, accept: Decision) -> Decision:
        """Return the acceptance, with what the GM had edited."""
        edited = proposal.decision.edited if proposal.decision else None
        return accept.model_copy(update={"edited": edited})
