"""What a universe lays down for its own gate: rules by kind, and predicates of its own."""

from __future__ import annotations

from typing import Any

import pytest

from agents.canon_keeper.predicates import extend_catalogue
from agents.canon_keeper.universe_policy import MIN_DECISIONS, RuleSuggestion, suggest_rules
from stores.errors import InputError
from stores.records.canon import Authority, RetconFact
from stores.records.workflow import KindRule, ProposalStatus, ProposedChange, Verdict
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    JON,
    MARA,
    ORC,
    UNIVERSE,
    hurt,
    new_id,
    ruling,
    says,
    state,
)

UNSURE: dict[str, Any] = {"authority": Authority.SYSTEM}


def weather(n: int) -> ProposedChange:
    return says(
        "weather", MARA, value=f"rain {n}", fact_kind="attribute", statement=f"It rained {n}.", **UNSURE
    )


async def decided(keeper_library: KeeperLibrary, proposals: list[ProposedChange], verdict: Verdict) -> None:
    await keeper_library.stage(*proposals)
    for proposal in proposals:
        await keeper_library.keeper.decide([proposal.id], ruling(verdict))
    await keeper_library.keeper.commit(proposals, reason="scene")


async def test_rules_are_kept_and_the_narrowest_counts(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    unsure = hurt(MARA, 1, **UNSURE)
    houses = keeper_library.keeper.policies
    await houses.set_rule(UNIVERSE, "state_change", KindRule.REJECT)
    assert (await keeper_library.keeper.assess([unsure]))[unsure.id].mark == "reject"
    await houses.set_rule(UNIVERSE, "state_change:hp", KindRule.ACCEPT)
    judged = (await keeper_library.keeper.assess([unsure]))[unsure.id]
    assert (judged.mark, judged.reasons[0]) == ("accept", "Your rule for numbers and tags (HP): auto-accept.")
    assert {k.kind for k in await houses.read_rules(UNIVERSE)} == {"state_change", "state_change:hp"}
    await houses.set_rule(UNIVERSE, "state_change:hp", None)
    await houses.set_rule(UNIVERSE, "state_change", None)
    assert (await keeper_library.keeper.assess([unsure]))[unsure.id].mark == "defer"


async def test_universe_policy_rule_never_beats_a_conflict(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    await keeper_library.keeper.policies.set_rule(UNIVERSE, "state_change", KindRule.ACCEPT)
    await keeper_library.stage(state(ORC, "alive", False))
    dead = state(ORC, "alive", False, tick=1)
    await keeper_library.keeper.commit(await keeper_library.stage(dead), reason="death")
    risen = state(ORC, "alive", True, tick=200)
    assert (await keeper_library.keeper.assess([risen]))[risen.id].mark == "hold"


async def suggestions(keeper_library: KeeperLibrary) -> list[RuleSuggestion]:
    policies = keeper_library.keeper.policies
    rules = await policies.read_rules(UNIVERSE)
    return suggest_rules(await policies.read_tallies(UNIVERSE), {rule.kind for rule in rules})


async def test_policy_rules_are_suggested_by_the_gms_own_decisions(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    await decided(keeper_library, [weather(n) for n in range(MIN_DECISIONS - 1)], Verdict.FLAVOUR)
    assert await suggestions(keeper_library) == []
    await decided(keeper_library, [weather(MIN_DECISIONS)], Verdict.REJECT)
    offers = await suggestions(keeper_library)
    assert offers == [RuleSuggestion("assert_fact", KindRule.REJECT, 0, MIN_DECISIONS)]
    liked = [says("knows", MARA, JON, value=n, statement=f"{n}", **UNSURE) for n in range(MIN_DECISIONS)]
    await decided(keeper_library, liked, Verdict.ACCEPT)
    assert await suggestions(keeper_library) == [
        RuleSuggestion("assert_fact:knows", KindRule.ACCEPT, MIN_DECISIONS, MIN_DECISIONS),
        RuleSuggestion("assert_fact:weather", KindRule.REJECT, 0, MIN_DECISIONS),
    ]
    await keeper_library.keeper.policies.set_rule(UNIVERSE, "assert_fact:weather", KindRule.REJECT)
    assert [o.kind for o in await suggestions(keeper_library)] == ["assert_fact:knows"]


async def test_universe_policy_what_policy_decided_is_no_decision_of_the_gm_s_and_can_be_undone(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    await keeper_library.keeper.policies.set_rule(UNIVERSE, "assert_fact:weather", KindRule.REJECT)
    await keeper_library.keeper.policies.set_rule(UNIVERSE, "state_change:hp", KindRule.ACCEPT)
    rained, hit = await keeper_library.stage(weather(1), hurt(MARA, 1, **UNSURE))
    await keeper_library.keeper.commit([rained, hit], reason="scene")
    rejected, accepted = await keeper_library.stored(rained), await keeper_library.stored(hit)
    assert rejected.status is ProposalStatus.REJECTED
    assert rejected.decision is not None
    assert rejected.decision.reason == "Your rule for facts (weather): auto-reject."
    assert await suggestions(keeper_library) == []

    (again,) = (await keeper_library.keeper.undo_planner.plan_undo(rejected.id, "rain")).proposals
    assert (again.payload, again.status, again.decision) == (rained.payload, ProposalStatus.PENDING, None)
    (retcon,) = (await keeper_library.keeper.undo_planner.plan_undo(accepted.id, "a blow")).proposals
    assert isinstance(retcon.payload, RetconFact)
    await decided(keeper_library, [again], Verdict.ACCEPT)
    await decided(keeper_library, [retcon], Verdict.ACCEPT)
    assert await keeper_library.told() == ["It rained 1.", "Mara's HP is 10."]
    with pytest.raises(InputError, match="undone already"):
        await keeper_library.keeper.undo_planner.plan_undo(accepted.id, "a blow")


# --- predicates of its own ----------------------------------------------------------------------------

SWORN = """
sworn_to:
  cardinality: one
  excludes: [enemy_of]
  statement: "{subject} is sworn to {object}."
"""


async def test_its_own_predicates_are_checked_like_the_bundled_ones(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    both = [says("sworn_to", MARA, JON, valid_from=5), says("sworn_to", MARA, ORC, valid_from=5)]
    assert (await keeper_library.keeper.assess(both))[both[1].id].conflicts == ()
    await keeper_library.keeper.policies.set_predicates(UNIVERSE, SWORN)
    assert await keeper_library.keeper.policies.read_predicates(UNIVERSE) == SWORN
    assert [c.check_name for c in (await keeper_library.keeper.assess(both))[both[1].id].conflicts] == [
        "one_value"
    ]
    foe = says("enemy_of", MARA, JON)
    judged = await keeper_library.keeper.assess([both[0], foe])
    assert [c.check_name for c in judged[foe.id].conflicts] == ["exclusive"]


async def test_predicates_of_one_universe_are_not_another_s(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    await keeper_library.keeper.policies.set_predicates(new_id(), SWORN)
    both = [says("sworn_to", MARA, JON, valid_from=5), says("sworn_to", MARA, ORC, valid_from=5)]
    assert (await keeper_library.keeper.assess(both))[both[1].id].conflicts == ()


def test_universe_policy_nothing_laid_over_is_the_bundled_catalogue() -> None:
    assert extend_catalogue(CATALOGUE, "  \n") is CATALOGUE
    assert extend_catalogue(CATALOGUE, SWORN).names() == CATALOGUE.names() | {"sworn_to"}


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("sworn_to: {cardinality: two}", "line 1 (sworn_to, cardinality)", "'one' or 'many'"),
        ("a: {}\nb:\n  colour: red", "line 3 (b, colour)", "Extra inputs"),
        ("a: {}\nb: {excludes: [c]}", "line 2 (b, excludes)", "'c', which is not in the catalogue"),
        ("b:\n  inverse_of: contains", "line 2 (b, inverse_of)", "is an inverse itself"),
        ("b:\n  inverse_of: b", "line 2 (b, inverse_of)", "is an inverse itself"),
        ("alive: {symmetric: true}", "line 1 (alive)", "the program itself relies on"),
        ("Loves Dearly: {}", "line 1 (Loves Dearly)", "is not a name"),
        ("b: [1]", "line 1 (b)", "fields and their values"),
        ("b:\n  statement: '{subject.__class__}'", "line 2 (b, statement)", "is not filled in"),
        ("b:\n  statement: '{subject!r}'", "line 2 (b, statement)", "is not filled in"),
        ("b:\n  statement: '{subject:>999999999}'", "line 2 (b, statement)", "is not filled in"),
        ("b:\n  statement: '{subject'", "line 2 (b, statement)", "cannot be filled in"),
        ("- b", "line 1", "predicates and their fields"),
        ("b: {}\nb: {}", "line 2", "given twice"),
    ],
)
async def test_universe_policy_bad_predicate_is_refused_by_its_line(
    text: str, where: str, why: str, keeper_library: KeeperLibrary
) -> None:
    with pytest.raises(InputError) as refused:
        await keeper_library.keeper.policies.set_predicates(UNIVERSE, text)
    assert where in str(refused.value)
    assert why in str(refused.value)
    assert await keeper_library.keeper.policies.read_predicates(UNIVERSE) == ""
