"""Canon policy: the order of its rules, and that it has an answer for everything."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canon_keeper.canon_policy import (
    ACCEPT_THRESHOLD,
    PolicyMark,
    ProposalFindings,
    confidence_of,
    decide_by_policy,
)
from agents.proposals.kinds import CHANGE_KINDS, describe_kind, kinds_of, parse_kind
from agents.views.proposal_views import ConflictView
from stores.records.canon import (
    AdvanceClock,
    Authority,
    CreateEntity,
    EndFact,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.ids import derive_id
from stores.records.workflow import KindRule
from stores.records.world import EntityKind
from tests.agents.canon_keeper.proposal_builders import LANTERN, MARA, new_id, proposal, says
from tests.examples import examples

CONFLICT = ConflictView("one_value", "Canon says otherwise.")
KNOWN = derive_id("known fact")
ANYTHING = ProposalFindings(locked_names=("Mara",), duplicate_of=KNOWN, conflicts=(CONFLICT,))


@pytest.mark.parametrize(
    ("authority", "with_evidence", "without"),
    [
        (Authority.SOURCE, 1.0, 0.5),
        (Authority.GM, 1.0, 0.5),
        (Authority.PLAYER, 0.8, 0.4),
        (Authority.SYSTEM, 0.5, 0.25),
        (Authority.OUTSIDE, 0.5, 0.25),
    ],
)
def test_base_confidence_and_the_price_of_no_evidence(
    authority: Authority, with_evidence: float, without: float
) -> None:
    assert confidence_of(says("owns", MARA, LANTERN, authority=authority)) == with_evidence
    assert confidence_of(says("owns", MARA, LANTERN, authority=authority, evidence=())) == without


@pytest.mark.parametrize(
    ("authority", "findings", "mark", "why"),
    [
        (Authority.PLAYER, ANYTHING, "reject", "Mara is protected"),
        (Authority.GM, ANYTHING, "accept", "It is canon already"),
        (
            Authority.SYSTEM,
            ProposalFindings(duplicate_of=KNOWN, conflicts=(CONFLICT,)),
            "accept",
            "It is canon already",
        ),
        (
            Authority.GM,
            ProposalFindings(locked_names=("Mara",), conflicts=(CONFLICT,)),
            "hold",
            "Canon says otherwise.",
        ),
        (Authority.GM, ProposalFindings(conflicts=(CONFLICT,)), "hold", "Accepting replaces the fact"),
        (Authority.SOURCE, ProposalFindings(conflicts=(CONFLICT,)), "hold", "It waits until you accept"),
        (Authority.GM, ProposalFindings(locked_names=("Mara",)), "accept", "Your word, with evidence: 1.00."),
        (Authority.PLAYER, ProposalFindings(), "accept", "By a resolved action, with evidence: 0.80."),
        (Authority.SYSTEM, ProposalFindings(), "defer", "Below 0.7 you decide."),
        (Authority.SYSTEM, ProposalFindings(is_repeated=True), "defer", "Another proposal says the same."),
        (Authority.PLAYER, ProposalFindings(notes=("Unusual.",)), "accept", "Unusual."),
    ],
)
def test_policy_order_of_the_rules(
    authority: Authority, findings: ProposalFindings, mark: PolicyMark, why: str
) -> None:
    judgement = decide_by_policy(says("owns", MARA, LANTERN, authority=authority), findings)
    assert judgement.mark == mark
    assert why in " ".join(judgement.reasons)


@pytest.mark.parametrize(
    ("rule", "authority", "mark"),
    [
        (KindRule.ACCEPT, Authority.SYSTEM, "accept"),
        (KindRule.ASK, Authority.GM, "defer"),
        (KindRule.REJECT, Authority.GM, "reject"),
    ],
)
def test_policy_rule_for_a_kind_is_followed_and_shown(
    rule: KindRule, authority: Authority, mark: PolicyMark
) -> None:
    judgement = decide_by_policy(
        says("owns", MARA, LANTERN, authority=authority), ProposalFindings(), {"assert_fact": rule}
    )
    assert judgement.mark == mark
    assert judgement.reasons[0] == f"Your rule for facts: {rule}."


def test_policy_accepts_nothing_of_a_chat_client_undecided() -> None:
    claim = says("owns", MARA, LANTERN, authority=Authority.OUTSIDE).model_copy(update={"weight": 100})
    rules = {"assert_fact": KindRule.ACCEPT}
    for found in (
        ProposalFindings(),
        ProposalFindings(duplicate_of=KNOWN),
        ProposalFindings(is_repeated=True),
    ):
        assert decide_by_policy(claim, found, rules).mark == "defer"
    assert decide_by_policy(claim, ProposalFindings(conflicts=(CONFLICT,)), rules).mark == "hold"
    assert decide_by_policy(claim, ProposalFindings(), {"assert_fact": KindRule.REJECT}).mark == "reject"


def test_policy_rule_for_a_kind_overrides_neither_locks_nor_conflicts() -> None:
    rules = {"assert_fact": KindRule.ACCEPT}
    claim = says("owns", MARA, LANTERN)
    assert decide_by_policy(claim, ProposalFindings(conflicts=(CONFLICT,)), rules).mark == "hold"
    assert decide_by_policy(claim, ProposalFindings(locked_names=("Mara",)), rules).mark == "reject"


findings = st.builds(
    ProposalFindings,
    locked_names=st.sampled_from([(), ("Mara",)]),
    duplicate_of=st.sampled_from([None, KNOWN]),
    is_repeated=st.booleans(),
    conflicts=st.sampled_from([(), (CONFLICT,)]),
    ruled_out=st.sampled_from(["", "You resolved this before."]),
    notes=st.sampled_from([(), ("A note.",)]),
)
changes = st.sampled_from(
    [
        CreateEntity(entity_id=new_id(), entity_kind=EntityKind.PLACE, name="Crypt"),
        UpdateEntity(entity_id=MARA.id, name="Mara Venn"),
        MergeEntities(kept_id=MARA.id, absorbed_id=LANTERN.id),
        says("owns", MARA, LANTERN).payload,
        EndFact(fact_id=KNOWN),
        RetconFact(fact_id=KNOWN),
        StateChange(entity_id=MARA.id, key="hp", op=StateOp.ADD, value=-1),
        AdvanceClock(clock="Tide", by=1, size=6),
        NoteAxiom(statement="The dead stay dead.", predicate="rule"),
    ]
)
"""A change of each of the nine kinds."""

PARTS = ("create_entity:place", "assert_fact:owns", "state_change:hp", "note_axiom:rule")
rules = st.dictionaries(st.sampled_from([*CHANGE_KINDS, *PARTS]), st.sampled_from(KindRule))
"""What a universe may lay down."""


@settings(max_examples=examples(500))
@given(changes, st.sampled_from(Authority), st.booleans(), findings, rules)
def test_policy_is_total_and_deterministic(
    change: Payload,
    authority: Authority,
    with_evidence: bool,
    found: ProposalFindings,
    by_kind: dict[str, KindRule],
) -> None:
    claim = proposal(change, authority=authority)
    claim = claim if with_evidence else claim.model_copy(update={"evidence": ()})
    judgement = decide_by_policy(claim, found, by_kind)
    assert judgement == decide_by_policy(claim, found, by_kind)
    assert judgement.mark in ("accept", "reject", "defer", "hold")
    assert 0 < judgement.confidence <= 1
    assert all(judgement.reasons)
    assert judgement.reasons
    by_gm = authority is Authority.GM
    narrow, *whole = kinds_of(claim)
    rule = by_kind.get(narrow, by_kind.get(whole[0]) if whole else None)
    if authority is Authority.OUTSIDE and rule is KindRule.ACCEPT:
        rule = None  # the player decides on what a chat client proposes
    free = not (found.locked_names and not by_gm) and not (
        found.duplicate_of or found.ruled_out or found.conflicts
    )
    assert judgement.by_rule is (free and rule is not None)
    assert (judgement.mark == "reject") is (
        (bool(found.locked_names) and not by_gm)
        or (bool(found.ruled_out) and not found.duplicate_of)
        or (free and rule is KindRule.REJECT)
    )
    if judgement.mark == "accept":
        assert found.duplicate_of or not found.conflicts
        assert found.duplicate_of or judgement.confidence >= ACCEPT_THRESHOLD or rule
    if free and rule is KindRule.ASK:
        assert judgement.mark == "defer"


def test_policy_nine_kinds_are_all_there_are() -> None:
    assert {c.model_fields["kind"].default for c in get_args(get_args(Payload)[0])} == set(CHANGE_KINDS)


@pytest.mark.parametrize("kind", [*CHANGE_KINDS, *PARTS])
def test_policy_kind_is_said_in_words_and_read_back(kind: str) -> None:
    assert parse_kind(kind) == kind
    whole, _, part = kind.partition(":")
    assert describe_kind(kind).startswith(CHANGE_KINDS[whole].plural)
    assert part.casefold() in describe_kind(kind).casefold()
    if not part:
        assert parse_kind(CHANGE_KINDS[kind].plural.upper()) == kind
