"""Builds views of the two sides of a conflict: the words, standing, time, source and evidence."""

from __future__ import annotations

from collections.abc import Sequence

from agents.canon_keeper.canon_policy import AUTHORITY_WORDS
from agents.canon_keeper.conflicts.ruling_service import OpenConflicts
from agents.canon_keeper.evidence_order import sort_evidence
from agents.canon_keeper.proposed_records import build_entity
from agents.services.commit_preview import format_fact_span
from agents.services.entity_cards import EntityCardReader, format_validity
from agents.services.provenance import ProvenanceReader
from agents.views.card_views import EntityCard, FactView
from agents.views.conflict_views import ConflictStatement
from agents.views.world_views import EvidenceSource
from stores.ports import CanonReader
from stores.records.canon import Authority, CreateEntity, Evidence, Fact, FactStatus, Standing
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar, Entity

NO_TIME_LIMIT = "always"


class ConflictStatementBuilder:
    """Builds the sides of conflicts. Read-only."""

    def __init__(
        self, canon: CanonReader, entity_cards: EntityCardReader, provenance: ProvenanceReader
    ) -> None:
        self._canon = canon
        self._entity_cards = entity_cards
        self._provenance = provenance

    async def build_fact_statement(
        self, fact: Fact, evidence: Sequence[Evidence], calendar: Calendar, *, is_proposed: bool
    ) -> ConflictStatement:
        """Return a fact, of canon or only proposed, as one side."""
        return ConflictStatement(
            text=fact.statement,
            standing=_describe_standing(fact, is_proposed=is_proposed),
            when=format_fact_span(fact, calendar) or NO_TIME_LIMIT,
            authority=AUTHORITY_WORDS[fact.authority],
            evidence=await self._locate_evidence(evidence, fact.statement),
        )

    async def build_proposal_statement(self, proposal: ProposedChange, title: str) -> ConflictStatement:
        """Return a change that makes no fact of its own as one side."""
        return ConflictStatement(
            text=title,
            standing="proposed",
            when="",
            authority=AUTHORITY_WORDS[proposal.authority],
            evidence=await self._locate_evidence(proposal.evidence, title),
        )

    async def build_entity_statement(
        self, entity_id: Id, open_conflicts: OpenConflicts, calendar: Calendar
    ) -> ConflictStatement:
        """Return an entity, known or only proposed, with all that is said of it."""
        proposal = open_conflicts.assessment.contradictions.source_proposals.get(entity_id)
        if proposal is not None and isinstance(proposal.change, CreateEntity):
            entity = build_entity(proposal, proposal.change)
            card = EntityCard(
                entity,
                self._build_claim_views(entity, open_conflicts, calendar),
                (),
                (),
                proposal.evidence,
                (),
            )
        else:
            card = await self._entity_cards.read_card(entity_id)
        return ConflictStatement(
            text=card.entity.name,
            standing="proposed" if proposal else "in canon",
            when="",
            authority=AUTHORITY_WORDS[proposal.authority if proposal else Authority.GM],
            evidence=await self._locate_evidence(card.evidence, card.entity.name),
            card=card,
        )

    async def _locate_evidence(
        self, evidence: Sequence[Evidence], statement: str
    ) -> tuple[EvidenceSource, ...]:
        """Return where the evidence of a statement is, the best first."""
        return await self._provenance.locate_evidence(sort_evidence(evidence, statement))

    def _build_claim_views(
        self, entity: Entity, open_conflicts: OpenConflicts, calendar: Calendar
    ) -> tuple[FactView, ...]:
        """Return what is proposed of an entity that is itself only proposed."""
        claimed_facts = (
            f.fact for f in open_conflicts.assessment.contradictions.findings.values() if f.fact is not None
        )
        return tuple(
            FactView(fact, True, format_validity(fact, calendar))
            for fact in claimed_facts
            if any(i.entity_id == entity.id for i in fact.involves)
        )


def _describe_standing(fact: Fact, *, is_proposed: bool) -> str:
    origin = "proposed" if is_proposed else "in canon"
    if not is_proposed and fact.status is FactStatus.SUPERSEDED:
        origin = "in canon, superseded"
    if fact.standing is Standing.TRUE:
        return origin
    return f"{origin}, {'disputed' if fact.standing is Standing.DISPUTED else f'as a {fact.standing}'}"
