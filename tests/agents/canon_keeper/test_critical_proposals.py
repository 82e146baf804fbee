"""What asks to be committed in mid-scene, and what goes with it."""

from __future__ import annotations

from typing import Any

from agents.canon_keeper import critical_proposals
from stores.records.canon import EndFact, Standing
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    LANTERN,
    MARA,
    ORC,
    creates,
    dies,
    entity,
    fact_of,
    hurt,
    new_id,
    proposal,
    ruled,
    says,
    tagged,
)


def is_critical(change: ProposedChange) -> bool:
    return critical_proposals.find_critical([change], CATALOGUE) == [change]


def test_critical_proposal_what_is_critical_and_what_is_not() -> None:
    assert is_critical(dies(ORC))
    assert is_critical(tagged(ORC, "dead"))
    assert is_critical(says("alive", ORC, value=False))
    assert is_critical(creates("Hidden Chamber"))
    assert is_critical(creates("Hidden Chamber").model_copy(update={"weight": 85}))
    assert not is_critical(creates("Salt Lane").model_copy(update={"weight": 60}))
    assert is_critical(creates("Old Tam", EntityKind.CHARACTER, critical=True))
    assert not is_critical(creates("Old Tam", EntityKind.CHARACTER))
    assert not is_critical(hurt(ORC, 3))
    assert not is_critical(says("alive", ORC, value=False, standing=Standing.RUMOUR))
    assert not is_critical(ruled(dies(ORC), Verdict.REJECT))
    assert not is_critical(ruled(dies(ORC), Verdict.DEFER))
    assert not is_critical(dies(ORC, status=ProposalStatus.ACCEPTED))


def batch(*proposals: ProposedChange) -> list[ProposedChange]:
    return critical_proposals.select_trigger_batch(
        proposals, critical_proposals.find_critical(proposals, CATALOGUE), CATALOGUE
    )


def test_critical_proposal_death_takes_the_open_proposals_of_its_turn_along_and_no_others() -> None:
    turn = new_id()
    before, blow, death = hurt(MARA, 1), hurt(ORC, 8, turn_id=turn), dies(ORC, turn_id=turn)
    refused = ruled(tagged(MARA, "proud", turn_id=turn), Verdict.REJECT)
    after = tagged(MARA, "tired")
    assert batch(before, blow, death, refused, after) == [blow, death]


def test_critical_proposal_what_it_depends_on_goes_with_it() -> None:
    rat = entity("Rat", EntityKind.CREATURE)
    comes = creates("Rat", EntityKind.CREATURE)
    unrelated = creates("Cat", EntityKind.CREATURE)
    assert batch(unrelated, comes, dies(rat))[0] == comes


def test_dependence_is_followed_to_its_end() -> None:
    door = entity("Door", EntityKind.OBJECT)
    made = creates("Door", EntityKind.OBJECT)
    shut = says("is", door, value="shut")
    opened = proposal(EndFact(fact_id=fact_of(shut)))
    assert batch(made, shut, opened.model_copy(update={"critical": True})) == [
        made,
        shut,
        opened.model_copy(update={"critical": True}),
    ]


def test_critical_proposal_blow_depends_on_the_blows_before_it() -> None:
    turn = new_id()
    first, other = hurt(ORC, 3), hurt(MARA, 3)
    last, death = hurt(ORC, 5, turn_id=turn), dies(ORC, turn_id=turn)
    assert batch(first, other, last, death) == [first, last, death]


def test_critical_proposal_discovery_takes_its_door_along() -> None:
    turn = new_id()
    chamber = entity("Hidden Chamber", EntityKind.PLACE)
    found = creates("Hidden Chamber", turn_id=turn)
    door = says("connected_to", CHAPEL, chamber, turn_id=turn)
    assert batch(says("owns", MARA, LANTERN), found, door) == [found, door]


def test_critical_proposal_what_caused_it_goes_along() -> None:
    cause = says("event", MARA, fact_kind="event", statement="Mara struck.")
    death, unrelated = dies(ORC), says("knows", MARA, ORC)
    fall: dict[str, Any] = {"fact_kind": "event", "statement": "The orc fell.", "because": (fact_of(cause),)}
    effect = says("event", ORC, turn_id=death.turn_id, **fall)
    staged = [cause, death, unrelated, effect]
    assert critical_proposals.select_trigger_batch(staged, [effect], CATALOGUE) == [cause, death, effect]
    assert critical_proposals.select_trigger_batch(staged, [death], CATALOGUE) == [death]
