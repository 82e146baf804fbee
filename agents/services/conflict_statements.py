"""Both sides of a conflict in views: the words, how they stand, when, on whose word, and what they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from agents.canon_keeper.canon_policy import AUTHORITY_WORDS
from agents.canon_keeper.change_application import build_entity
from agents.canon_keeper.conflicts.ruling_service import OpenConflicts
from agents.services.commit_preview import span
from agents.services.entity_cards import Atlas, when_so
from agents.services.provenance import Annals
from agents.views.conflict_views import Statement
from agents.views.play_views import EntityCard, FactView
from agents.views.world_views import EvidenceSource
from stores.ports import CanonReader
from stores.records.canon import Authority, CreateEntity, Evidence, Fact, FactStatus, Standing
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar, Entity

ALWAYS = "always"


class Statements:
    """Builds sides. Stateless and read-only."""

    def __init__(self, canon: CanonReader, atlas: Atlas, annals: Annals) -> None:
        self._canon = canon
        self._atlas = atlas
        self._annals = annals

    async def of_fact(
        self, fact: Fact, evidence: Sequence[Evidence], calendar: Calendar, *, proposed: bool
    ) -> Statement:
        """Return what a fact, of canon or only proposed, says as one side."""
        return Statement(
            words=fact.statement,
            standing=_standing(fact, proposed=proposed),
            when=span(fact, calendar) or ALWAYS,
            authority=AUTHORITY_WORDS[fact.authority],
            evidence=await self._places(evidence),
        )

    async def of_proposal(self, proposal: ProposedChange, title: str) -> Statement:
        """Return a change that makes no fact of its own as one side."""
        return Statement(
            words=title,
            standing="proposed",
            when="",
            authority=AUTHORITY_WORDS[proposal.authority],
            evidence=await self._places(proposal.evidence),
        )

    async def of_entity(self, entity_id: Id, docket: OpenConflicts, calendar: Calendar) -> Statement:
        """Return somebody or something, known or only proposed, with all that is said of it."""
        proposal = docket.assessment.contradictions.source_proposals.get(entity_id)
        if proposal is not None and isinstance(proposal.change, CreateEntity):
            entity = build_entity(proposal, proposal.change)
            card = EntityCard(entity, self._claims(entity, docket, calendar), (), (), proposal.evidence, ())
        else:
            card = await self._atlas.card(entity_id)
        return Statement(
            words=card.entity.name,
            standing="proposed" if proposal else "in canon",
            when="",
            authority=AUTHORITY_WORDS[proposal.authority if proposal else Authority.GM],
            evidence=await self._places(card.evidence),
            card=card,
        )

    async def _places(self, evidence: Sequence[Evidence]) -> tuple[EvidenceSource, ...]:
        """Return where the evidence stands: the very words first, scenes as a whole after them."""
        return await self._annals.places(sorted(evidence, key=lambda piece: not piece.quote))

    def _claims(self, entity: Entity, docket: OpenConflicts, calendar: Calendar) -> tuple[FactView, ...]:
        """Return what is proposed of somebody who is only proposed."""
        claims = (f.fact for f in docket.assessment.contradictions.findings.values() if f.fact is not None)
        return tuple(
            FactView(fact, True, when_so(fact, calendar))
            for fact in claims
            if any(i.entity_id == entity.id for i in fact.involves)
        )


def _standing(fact: Fact, *, proposed: bool) -> str:
    where = "proposed" if proposed else "in canon"
    if not proposed and fact.status is FactStatus.SUPERSEDED:
        where = "in canon, superseded"
    if fact.standing is Standing.TRUE:
        return where
    return f"{where}, {'disputed' if fact.standing is Standing.DISPUTED else f'as a {fact.standing}'}"
