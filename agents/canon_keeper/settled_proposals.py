"""Decides what is only proposed together with the proposal that settles it, a debt with its payment. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agents.canon_keeper.canon_policy import PolicyDecision, PolicyMark
from agents.canon_keeper.fact_ids import fact_id_of
from agents.proposals.decisions import gm_decision
from stores.records.canon import AssertFact, Authority, EndFact
from stores.records.ids import Id
from stores.records.workflow import ProposedChange, Verdict

SETTLED_REASON = "The row that settles it is ticked: both are written together."
UNSETTLED_REASON = "What it settles is not ticked: both are written together."


def decide_with_settlements(
    proposals: Sequence[ProposedChange], policy_decisions: Mapping[Id, PolicyDecision]
) -> dict[Id, PolicyDecision]:
    """Return the decisions, with one for a proposed fact and what ends it: an end alone cannot be written.

    What is left undecided is accepted with its end, unless the player's rule or its origin leaves it to the player:
    then its end waits with it.
    """
    decisions = dict(policy_decisions)
    ends = [(p, p.change.fact_id) for p in proposals if isinstance(p.change, EndFact)]
    if not ends:
        return decisions
    proposed_facts = {fact_id_of(p): p for p in proposals if isinstance(p.change, AssertFact)}
    for end, fact_id in ends:
        fact = proposed_facts.get(fact_id)
        if fact is None or _mark(end, decisions) != "accept" or _is_turned_down(fact):
            continue
        decision = decisions[fact.id]
        if gm_decision(fact) is None and decision.mark == "defer" and _may_accept(fact, end, decision):
            decisions[fact.id] = replace(
                decision, mark="accept", reasons=(SETTLED_REASON, *decision.reasons[:1])
            )
        elif _mark(fact, decisions) != "accept" and gm_decision(end) is None:
            end_decision = decisions[end.id]
            decisions[end.id] = replace(
                end_decision, mark="defer", reasons=(UNSETTLED_REASON, *end_decision.reasons)
            )
    return decisions


def _mark(proposal: ProposedChange, decisions: Mapping[Id, PolicyDecision]) -> PolicyMark:
    """Return what a commit does with a proposal, by the player's decision or else by policy."""
    decision = gm_decision(proposal)
    if decision is None:
        return decisions[proposal.id].mark
    return "accept" if decision.verdict is Verdict.ACCEPT else "defer"


def _is_turned_down(fact: ProposedChange) -> bool:
    """Say whether the player rejected it: its end contradicts that, and the checks hold it."""
    decision = gm_decision(fact)
    return decision is not None and decision.verdict in (Verdict.REJECT, Verdict.FLAVOUR)


def _may_accept(fact: ProposedChange, end: ProposedChange, decision: PolicyDecision) -> bool:
    """Say whether a ticked end accepts what it ends; what is left to the player is accepted by their own tick alone."""
    is_for_player = decision.by_rule or fact.authority is Authority.OUTSIDE
    return gm_decision(end) is not None or not is_for_player
