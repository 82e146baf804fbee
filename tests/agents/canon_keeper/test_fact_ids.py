"""The ids of the facts that proposals become, in this version and in earlier ones."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from agents.canon_keeper.fact_ids import first_fact_id
from agents.proposals.evidence import manual_evidence
from stores.records.ids import SeededIdGenerator, derive_id, derive_ordered_id
from tests.agents.canon_keeper.proposal_builders import MARA, START, hurt


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=20))
def test_facts_and_their_evidence_stand_in_the_order_of_their_proposals(milliseconds: list[int]) -> None:
    times = iter(sorted(milliseconds))
    ids = SeededIdGenerator(7, lambda: START + timedelta(milliseconds=next(times)), salt="a scene")
    proposal_ids = [ids.new() for _ in milliseconds]
    fact_ids = [derive_ordered_id("fact", i) for i in proposal_ids]
    evidence_ids = [manual_evidence(i, "I say so.").id for i in proposal_ids]
    assert fact_ids == sorted(fact_ids)
    assert evidence_ids == sorted(evidence_ids)
    assert len({*proposal_ids, *fact_ids, *evidence_ids}) == 3 * len(milliseconds)


def test_proposal_of_an_earlier_version_keeps_the_id_of_its_fact() -> None:
    earlier = hurt(MARA, 3)
    assert not earlier.is_fact_id_ordered
    assert first_fact_id(earlier) == derive_id("fact", earlier.id)
    present = earlier.model_copy(update={"is_fact_id_ordered": True})
    assert first_fact_id(present) == derive_ordered_id("fact", earlier.id)
