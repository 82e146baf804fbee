"""Checking is writing: what a check tried is the very batch that folding the proposals anew would give."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canon_keeper.batch_builder import AcceptedProposal, CommitExtras, build_batch
from agents.canon_keeper.checks.contradictions import check_proposals
from stores.records.canon import EndFact, MergeEntities, NoteAxiom, RetconFact, UpdateEntity
from stores.records.workflow import ProposedChange, Verdict
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    ORC,
    START,
    canon,
    creates,
    dies,
    fact,
    hurt,
    new_id,
    proposal,
    ruled,
    says,
    tagged,
)
from tests.examples import examples

HERE = fact("located_in", MARA, CHAPEL, valid_from=50)
OWNS = fact("owns", MARA, LANTERN, valid_from=0)
SNAPSHOT = canon(HERE, OWNS)

POOL = (
    hurt(MARA, 2),
    hurt(MARA, 3),
    tagged(MARA, "wounded"),
    says("located_in", MARA, CRYPT, valid_from=60),
    says("located_in", MARA, CHAPEL, valid_from=50),
    says("fears", JON, ORC),
    says("fears", JON, ORC),
    says("owns", JON, LANTERN, valid_from=70),
    creates("Hidden Chamber"),
    creates("Chapel"),
    proposal(EndFact(fact_id=OWNS.id, at=90)),
    proposal(RetconFact(fact_id=HERE.id)),
    proposal(NoteAxiom(statement="No rats.", predicate="rule")),
    proposal(UpdateEntity(entity_id=JON.id, name="Jon Silt")),
    proposal(MergeEntities(kept_id=MARA.id, absorbed_id=JON.id)),
    dies(ORC, tick=100),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.permutations(POOL).flatmap(lambda pool: st.integers(1, 8).map(lambda n: pool[:n])))
def test_batch_trial_is_the_batch(chosen: list[ProposedChange]) -> None:
    checked = check_proposals(chosen, SNAPSHOT, CATALOGUE)
    accepted = [AcceptedProposal(ruled(p, Verdict.ACCEPT), 1.0) for p in chosen]
    batch_id = new_id()
    folded, tried = (
        build_batch(
            batch_id,
            accepted,
            SNAPSHOT,
            CATALOGUE,
            undecided={},
            closing=CommitExtras(),
            now=START,
            dry_run=trial,
        )
        for trial in (None, checked.dry_run)
    )
    assert tried == folded
    clean = not any(f.conflicts for f in checked.findings.values())
    assert (checked.dry_run is not None) is clean


def test_batch_trial_of_other_changes_is_not_taken_for_these() -> None:
    wound, tag = POOL[0], POOL[2]
    trial = check_proposals([wound, tag], SNAPSHOT, CATALOGUE).dry_run
    assert trial is not None
    assert trial.is_dry_run_of([wound, tag])
    assert not trial.is_dry_run_of([wound])
    assert not trial.is_dry_run_of([tag, wound])
    edited = ruled(tag, Verdict.ACCEPT, edited=tagged(MARA, "weary").payload)
    assert not trial.is_dry_run_of([wound, edited])
