"""Hearings: an open proposal, all that it meets, and both statements of each conflict with their evidence.

It writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from agents.canon_keeper.assessment import ProposalAssessment, ProposalAssessor
from agents.canon_keeper.conflicts.ruling_drafts import RivalStatement, possible_rulings
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_description import describe_proposal
from agents.canon_keeper.proposal_subjects import named_entities
from agents.proposals.decisions import NOTHING_DECIDED, require_decidable
from agents.views.proposal_views import ConflictView
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity, Evidence, Fact
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange, RulingKind


@dataclass(frozen=True, slots=True)
class FactConflict:
    """Both sides of a conflict. `other_proposal` is set when what it meets is not in canon either.

    `proposal` and its `claim` are the later of two that are proposed, whichever the conflict was read for.

    `rulings` are those that can be made of this pair; `shared` names the entities that both are about,
    by id: one of them may turn out to be two.
    """

    proposal: ProposedChange
    claim: Fact
    other: Fact
    catalogue: Catalogue
    conflict: ConflictView
    claim_evidence: tuple[Evidence, ...] = ()
    other_evidence: tuple[Evidence, ...] = ()
    other_proposal: ProposedChange | None = None
    rulings: tuple[RulingKind, ...] = ()
    shared: Mapping[Id, str] = field(default_factory=dict)

    def statements(self) -> tuple[RivalStatement, RivalStatement]:
        """Return the new one and the one it meets."""
        return (
            RivalStatement(self.claim, self.proposal, self.claim_evidence),
            RivalStatement(self.other, self.other_proposal, self.other_evidence),
        )


@dataclass(frozen=True, slots=True)
class OpenConflicts:
    """All conflicts of a proposal, and those with facts by fact.

    `assessment` covers everything that is open.
    """

    proposal: ProposedChange
    title: str
    conflicts: tuple[ConflictView, ...]
    conflicts_by_fact: Mapping[Id, FactConflict]
    assessment: ProposalAssessment


class ConflictReader:
    """Reads both sides of a conflict."""

    def __init__(self, canon: CanonReader, log: LogReader, assessor: ProposalAssessor) -> None:
        self._canon = canon
        self._log = log
        self._assessor = assessor

    async def read_conflict(self, proposal_id: Id, other_id: Id | None = None) -> FactConflict:
        """Return both sides of a held proposal's conflict: with `other_id`, or its first.

        Raises InputError if the proposal is closed or meets nothing that could be ruled on.
        """
        for met_id, fact_conflict in (await self.read_conflicts(proposal_id)).conflicts_by_fact.items():
            if other_id in (None, met_id):
                return fact_conflict
        raise InputError(
            "No conflict here to resolve.",
            kept=NOTHING_DECIDED,
            todo="Accept it, reject it or edit it.",
        )

    async def read_conflicts(self, proposal_id: Id) -> OpenConflicts:
        """Return all conflicts of an open proposal; those with a fact come with both sides.

        Raises InputError if the proposal is not there or is closed.
        """
        stored_proposals = await self._log.proposals_by_id([proposal_id])
        if proposal_id not in stored_proposals:
            raise InputError(f"There is no proposal {proposal_id}.", kept=NOTHING_DECIDED)
        proposal = stored_proposals[proposal_id]
        require_decidable(proposal, None, alone=True)
        assessment = await self._assessor.assess_open(
            proposal.universe_id, replacements=await self._read_source_rivals(proposal)
        )
        findings = self._assessor.findings_with_doubts(proposal, assessment)
        # A proposal may meet one fact in two ways: the ruling on the first settles both.
        conflicts: dict[object, ConflictView] = {}
        for conflict in (*findings.conflicts, *findings.similar_names):
            conflicts.setdefault(conflict.other_fact.id if conflict.other_fact else id(conflict), conflict)
        conflicts_by_fact = {
            c.other_fact.id: await self._build_conflict(proposal, findings.fact, c.other_fact, c, assessment)
            for c in conflicts.values()
            if c.other_fact is not None and findings.fact is not None
        }
        title = describe_proposal(
            proposal, findings, assessment.contradictions.entities, assessment.policy.catalogue
        ).title
        return OpenConflicts(proposal, title, tuple(conflicts.values()), conflicts_by_fact, assessment)

    async def _read_source_rivals(self, proposal: ProposedChange) -> list[ProposedChange]:
        """Return what the document of a proposal says of the same, which is not among what waits in the universe."""
        if proposal.source_id is None:
            return []
        named = named_entities(proposal.change) | _created_ids(proposal)
        open_proposals = await self._log.proposals(
            ProposalQuery(source_id=proposal.source_id, statuses=OPEN_STATUSES)
        )
        return [p for p in open_proposals if named & (named_entities(p.change) | _created_ids(p))]

    async def _build_conflict(
        self,
        proposal: ProposedChange,
        claim: Fact,
        other: Fact,
        conflict: ConflictView,
        assessment: ProposalAssessment,
    ) -> FactConflict:
        rival_proposal = assessment.contradictions.source_proposals.get(other.id)
        ids = {i.entity_id for i in claim.involves} & {i.entity_id for i in other.involves}
        names = {e.id: e.name for e in (await self._canon.entities_by_id(ids)).values()}
        fact_conflict = FactConflict(
            proposal=proposal,
            claim=claim,
            other=other,
            conflict=conflict,
            claim_evidence=proposal.evidence,
            other_evidence=rival_proposal.evidence
            if rival_proposal
            else tuple(await self._canon.evidence_of(other.id)),
            other_proposal=rival_proposal,
            catalogue=assessment.policy.catalogue,
            shared={i.entity_id: names[i.entity_id] for i in claim.involves if i.entity_id in names},
        )
        if rival_proposal is not None and _line_position(rival_proposal) > _line_position(proposal):
            fact_conflict = _swap_sides(fact_conflict, rival_proposal)
        return replace(
            fact_conflict,
            rulings=possible_rulings(
                conflict.check_name, *fact_conflict.statements(), list(fact_conflict.shared)
            ),
        )


def _line_position(proposal: ProposedChange) -> tuple[int, datetime, Id]:
    """Return what orders two proposals: world time, then when they were proposed."""
    return (proposal.tick or 0, proposal.created_at, proposal.id)


def _swap_sides(fact_conflict: FactConflict, rival_proposal: ProposedChange) -> FactConflict:
    """Return the conflict as the proposal that it was not read for has it."""
    return replace(
        fact_conflict,
        proposal=rival_proposal,
        claim=fact_conflict.other,
        other=fact_conflict.claim,
        claim_evidence=fact_conflict.other_evidence,
        other_evidence=fact_conflict.claim_evidence,
        other_proposal=fact_conflict.proposal,
    )


def _created_ids(proposal: ProposedChange) -> set[Id]:
    return {proposal.change.entity_id} if isinstance(proposal.change, CreateEntity) else set()
