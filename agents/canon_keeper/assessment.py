"""Assesses proposals: reads canon and the universe's rules once, runs every check and applies policy.

It writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from agents.canon_keeper.canon_policy import KindRules, PolicyDecision, ProposalFindings, decide_by_policy
from agents.canon_keeper.canon_snapshot import CanonSnapshot, read_snapshot, with_cited_evidence
from agents.canon_keeper.checked_proposals import ProposalCheckMemory
from agents.canon_keeper.checks.contradictions import ContradictionReport, check_proposals
from agents.canon_keeper.commit_journal import CommitJournal
from agents.canon_keeper.entity_merges import MergePreviewer
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.model_doubts import ModelDoubts
from agents.canon_keeper.names_known_later import find_new_names, read_with_new_names
from agents.canon_keeper.proposal_rows import build_proposal_row
from agents.canon_keeper.proposal_subjects import named_entities, named_facts
from agents.canon_keeper.proposed_records import build_entity
from agents.canon_keeper.remembered_results import RememberedResults
from agents.canon_keeper.settled_proposals import decide_with_settlements
from agents.canon_keeper.universe_policy import PolicyStore, UniversePolicy
from agents.proposals.edited_names import with_edited_names
from agents.proposals.line_order import sort_as_made
from agents.thread_work import in_pieces
from agents.views.proposal_views import ProposalView
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    Fact,
    FactStatus,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange, Ruling
from stores.records.world import Entity, EntityStatus


@dataclass(frozen=True, slots=True)
class ProposalAssessment:
    """What was read, what the checks found, and what policy makes of each proposal."""

    policy: UniversePolicy
    canon: CanonSnapshot
    contradictions: ContradictionReport
    policy_decisions: Mapping[Id, PolicyDecision]


class ProposalAssessor:
    """Reads canon, runs the checks and applies policy."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        policies: PolicyStore,
        merges: MergePreviewer,
        journal: CommitJournal,
        model_doubts: ModelDoubts,
    ) -> None:
        self._canon = canon
        self._log = log
        self._policies = policies
        self._merges = merges
        self._journal = journal
        self._model_doubts = model_doubts
        self._memory = ProposalCheckMemory(canon)
        self._decisions = RememberedResults[PolicyDecision]()
        self._rows = RememberedResults[ProposalView]()
        self._described_entities: Mapping[Id, Entity] = {}
        """The entities by which the remembered rows name what they are about."""

    async def assess(
        self,
        proposals: Sequence[ProposedChange],
        universe_id: Id,
        *,
        rules: KindRules | None = None,
        extra_rulings: Sequence[Ruling] = (),
        closed_proposals: Sequence[ProposedChange] = (),
        for_commit: bool = False,
    ) -> ProposalAssessment:
        """Check the proposals against canon and each other; the closed ones are only read to be shown.

        What was checked the last time, and did not change since, is not checked again. `rules` by kind are the
        universe's own if none are given; `extra_rulings` are rulings that are not remembered yet. Raises
        StoreError.
        """
        policy = await self._policies.read_policy(universe_id)
        gains = await self._merges.read_gains(proposals)
        if not gains and not extra_rulings:
            canon, contradictions = await self._memory.check(
                proposals,
                closed_proposals,
                universe_id,
                policy,
                self._journal.commit_count,
                is_last=for_commit,
            )
            if for_commit:
                canon = await with_cited_evidence(self._canon, canon, proposals)
            return ProposalAssessment(
                policy,
                canon,
                contradictions,
                await self._decide_all(proposals, contradictions, rules, policy),
            )
        if extra_rulings:
            policy = policy._replace(precedents=policy.precedents.with_rulings(extra_rulings))
        canon = await read_snapshot(
            self._canon,
            policy.catalogue,
            universe_id,
            proposals,
            closed_proposals=closed_proposals,
        )
        if for_commit:
            canon = await with_cited_evidence(self._canon, canon, proposals)
        if gains:
            canon = replace(canon, gains=gains)
        contradictions = check_proposals(proposals, canon, policy.catalogue, policy.precedents)
        return ProposalAssessment(
            policy, canon, contradictions, await self._decide_all(proposals, contradictions, rules, policy)
        )

    async def read_by_present_names(self, proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
        """Return the proposals as they read by what others of them name and make known. Raises StoreError."""
        renamed = with_edited_names(proposals)
        new_names = find_new_names([p for p in renamed if p.status in OPEN_STATUSES])
        if not new_names:
            return renamed
        catalogue = (await self._policies.read_policy(renamed[0].universe_id)).catalogue
        about_ids = {i for p in renamed if p.id in new_names for i in named_entities(p.change)}
        known = {
            p.change.entity_id: build_entity(p, p.change)
            for p in renamed
            if isinstance(p.change, CreateEntity) and p.change.entity_id in about_ids
        } | await self._canon.entities_by_id(about_ids)
        return [
            read_with_new_names(p, new_names[p.id], known, catalogue) if p.id in new_names else p
            for p in renamed
        ]

    async def read_waiting_creations(self, universe_id: Id) -> list[ProposedChange]:
        """Return the proposals of people, places and things that no commit of the universe has closed."""
        query = ProposalQuery(universe_id=universe_id, kind="create_entity", statuses=OPEN_STATUSES)
        return await self._log.proposals(query)

    async def assess_open(
        self,
        universe_id: Id,
        *,
        replacements: Iterable[ProposedChange] = (),
        last_ids: Collection[Id] = (),
        extra_rulings: Sequence[Ruling] = (),
    ) -> ProposalAssessment:
        """Assess all that is open in a universe.

        `replacements` stand in for open proposals, and count even if they are not staged yet; those in
        `last_ids` come after all others.
        """
        changed_proposals = {p.id: p for p in replacements}
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
        )
        open_ids = {p.id for p in open_proposals}
        new_proposals = [p for i, p in changed_proposals.items() if i not in open_ids]
        ordered_proposals = [*new_proposals, *(changed_proposals.get(p.id, p) for p in open_proposals)]
        return await self.assess(
            sorted(await self.read_by_present_names(ordered_proposals), key=lambda p: p.id in last_ids),
            universe_id,
            extra_rulings=extra_rulings,
        )

    async def build_views(
        self,
        proposals: Sequence[ProposedChange],
        *,
        turn_numbers: Mapping[Id, int] | None = None,
        numbers: Mapping[Id, int] | None = None,
        rules: KindRules | None = None,
        row_ids: Collection[Id] | None = None,
        is_numbered: bool = True,
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, with their `numbers`, or numbered from 1 in the order given.

        Unless `is_numbered`, a number says nothing: that of a row which is remembered stays as it is.

        Proposals that a commit closed are shown with their outcome and are not assessed again. All are compared
        with each other; with `row_ids` only those have a row.
        """
        if not proposals:
            return ()
        proposals = await self.read_by_present_names(proposals)
        # Whatever order the rows have: checks go on from the last ones only if these were in the same order.
        open_proposals = sort_as_made(p for p in proposals if p.status in OPEN_STATUSES)
        closed_proposals = [p for p in proposals if p.status not in OPEN_STATUSES]
        assessment = await self.assess(
            open_proposals, proposals[0].universe_id, rules=rules, closed_proposals=closed_proposals
        )
        facts = {fact.id: fact for fact in assessment.canon.facts} if closed_proposals else {}
        written_facts = await self._read_written_facts(closed_proposals)
        turn_number_by_id = turn_numbers or {}

        def findings_of(proposal: ProposedChange) -> ProposalFindings:
            named_facts_found = (facts[i] for i in named_facts(proposal.change) if i in facts)
            if proposal.id in assessment.contradictions.findings:
                return self.findings_with_doubts(proposal, assessment)
            return ProposalFindings(
                # The fact that reports an edit has the names as they were then.
                fact=written_facts.get(fact_id_of(proposal))
                if isinstance(proposal.change, UpdateEntity)
                else None,
                ended_facts=tuple(named_facts_found),
            )

        def is_retconned(proposal: ProposedChange) -> bool:
            if proposal.status is not ProposalStatus.ACCEPTED:
                return False
            if isinstance(proposal.change, CreateEntity):
                entity = assessment.canon.entities.get(proposal.change.entity_id)
                return entity is not None and entity.status is EntityStatus.RETCONNED
            fact = written_facts.get(fact_id_of(proposal))
            return fact is not None and fact.status is FactStatus.RETCONNED

        def is_superseded(proposal: ProposedChange) -> bool:
            fact = written_facts.get(fact_id_of(proposal))
            return fact is not None and fact.status is FactStatus.SUPERSEDED

        def build_row(position: int, proposal: ProposedChange) -> ProposalView:
            number = position if numbers is None else numbers[proposal.id]
            findings, catalogue = findings_of(proposal), assessment.policy.catalogue
            policy_decision = assessment.policy_decisions.get(proposal.id)
            turn_number = turn_number_by_id.get(proposal.turn_id) if proposal.turn_id else None
            is_taken_back, has_successor = is_retconned(proposal), is_superseded(proposal)
            replaced_ids = assessment.contradictions.replaced_ids.get(proposal.id, ())
            inputs = (
                proposal,
                findings,
                policy_decision,
                catalogue,
                turn_number,
                is_taken_back,
                has_successor,
                replaced_ids,
            )
            row = self._rows.get_or_make(
                proposal.id,
                inputs,
                lambda: build_proposal_row(
                    number,
                    proposal,
                    policy_decision,
                    findings,
                    assessment.contradictions.entities,
                    catalogue,
                    turn_number=turn_number,
                    is_retconned=is_taken_back,
                    is_superseded=has_successor,
                    replaced_ids=replaced_ids,
                ),
            )
            if is_numbered and row.number != number:
                row = replace(row, number=number)
                self._rows.put(proposal.id, inputs, row)
            return row

        self._forget_rows_of_other_entities(assessment.contradictions.entities)
        return tuple(
            [
                build_row(position, proposal)
                async for piece in in_pieces(list(enumerate(proposals, start=1)))
                for position, proposal in piece
                if row_ids is None or proposal.id in row_ids
            ]
        )

    def _forget_rows_of_other_entities(self, entities: Mapping[Id, Entity]) -> None:
        """Have all rows made again if an entity is not what it was, such as its name. New ones are in no row yet."""
        if self._described_entities is entities:
            return
        if not self._described_entities.items() <= entities.items():
            self._rows.clear()
        self._described_entities = entities

    def findings_with_doubts(
        self, proposal: ProposedChange, assessment: ProposalAssessment
    ) -> ProposalFindings:
        """Return what the checks found of an open proposal, and what a model doubts about it: that holds nothing."""
        findings = assessment.contradictions.findings[proposal.id]
        warnings = self._model_doubts.as_warnings(
            proposal,
            findings.fact,
            assessment.policy.precedents,
            assessment.policy.catalogue,
            assessment.contradictions.source_proposals.keys(),
            findings.conflicts,
        )
        return replace(findings, similar_names=(*findings.similar_names, *warnings)) if warnings else findings

    async def _decide_all(
        self,
        proposals: Sequence[ProposedChange],
        contradictions: ContradictionReport,
        rules: KindRules | None,
        policy: UniversePolicy,
    ) -> dict[Id, PolicyDecision]:
        applied_rules = policy.rules if rules is None else rules
        decisions = {
            p.id: self._decisions.get_or_make(
                p.id, (p, findings, applied_rules), partial(decide_by_policy, p, findings, applied_rules)
            )
            async for piece in in_pieces(proposals)
            for p in piece
            for findings in [contradictions.findings[p.id]]
        }
        return decide_with_settlements(proposals, decisions)

    async def _read_written_facts(self, closed_proposals: Iterable[ProposedChange]) -> dict[Id, Fact]:
        """Return what commits made of the proposals by the ids of their facts, retconned ones included.

        Of what canon had already, it is the fact that says so.
        """
        accepted = [p for p in closed_proposals if p.status is ProposalStatus.ACCEPTED]
        facts = dict(await self._canon.facts_by_id([fact_id_of(p) for p in accepted])) if accepted else {}
        repeated = {
            fact_id_of(p): normalize_statement(p.change.statement)
            for p in accepted
            if isinstance(p.change, AssertFact) and fact_id_of(p) not in facts
        }
        if repeated:
            universe_id = accepted[0].universe_id
            stated = await self._canon.facts_by_statement(universe_id, set(repeated.values()))
            newest = {fact.statement_key: fact for fact in stated}
            facts |= {fact_id: newest[key] for fact_id, key in repeated.items() if key in newest}
        return facts
