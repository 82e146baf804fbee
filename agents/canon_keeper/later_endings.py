"""Says whether a proposal ends a fact that is older than it, by the rules of a commit. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.fact_claims import UnwritableError, build_claim, facts_ended_by, is_change_over_time
from agents.canon_keeper.predicates import Catalogue
from stores.records.canon import Fact
from stores.records.workflow import ProposedChange
from stores.records.world import Entity


def ends_fact(proposal: ProposedChange, fact: Fact, entities: Iterable[Entity], catalogue: Catalogue) -> bool:
    """Say whether a fact holds no more once a proposal is accepted, and does not contradict it.

    `entities` are those that the two may name: a proposal about somebody else ends nothing.
    """
    entities_by_id = {entity.id: entity for entity in entities}
    canon = CanonSnapshot(proposal.universe_id, entities=entities_by_id, facts=(fact,))
    draft = CanonDraft(canon, catalogue)
    try:
        claim = build_claim(proposal, draft)
    except UnwritableError:  # it is about something else
        return False
    return claim is not None and any(
        ended.id == fact.id and is_change_over_time(claim, ended, draft)
        for ended in facts_ended_by(claim, draft)
    )
