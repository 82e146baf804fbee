"""Marks findings whose words the player rejected as untrue: what is on record is not true by that. Read-only."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.proposals.decisions import gm_decision
from agents.views.query_views import QueryFinding
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.canon import EvidenceKind
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, Verdict

MAX_READ_PROPOSALS: Final = 500
"""The newest proposals that are looked through."""

QuotesByTurn = Mapping[Id, Sequence[str]]


async def read_rejected_quotes(log: LogReader, universe_id: Id, turn_ids: Collection[Id]) -> QuotesByTurn:
    """Return the words that the GM rejected as untrue, by their turn; mere flavour is not untrue."""
    if not turn_ids:
        return {}
    statuses = (*OPEN_STATUSES, ProposalStatus.REJECTED)
    query = ProposalQuery(universe_id=universe_id, statuses=statuses, last=MAX_READ_PROPOSALS)
    quotes_by_turn: dict[Id, list[str]] = {}
    for proposal in await log.proposals(query):
        decision = gm_decision(proposal)
        if decision is None or decision.verdict is not Verdict.REJECT:
            continue
        for piece in proposal.evidence:
            # What was declared after a turn is no word of it.
            is_of_turn = piece.turn_id in turn_ids and piece.kind is not EvidenceKind.MANUAL
            if is_of_turn and piece.turn_id is not None and piece.quote:
                quotes_by_turn.setdefault(piece.turn_id, []).append(piece.quote)
    return quotes_by_turn


def mark_rejected(finding: QueryFinding, quotes_by_turn: QuotesByTurn) -> QueryFinding:
    """Return a turn or memory with the words of it that were rejected, said beside its place."""
    turn_quotes = quotes_by_turn.get(finding.turn_id or "", ())
    is_turn = finding.memory_id is None and finding.fact_id is None and finding.entity_id is None
    rejected_quotes = tuple(quote for quote in turn_quotes if is_turn or quote in finding.text)
    if not rejected_quotes:
        return finding
    quotes_text = ", ".join(f"“{quote}”" for quote in rejected_quotes)
    where = f"{finding.where}, you rejected {quotes_text}".removeprefix(", ")
    return replace(finding, where=where, rejected_quotes=rejected_quotes)
