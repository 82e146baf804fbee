"""Retcon and restore: never a deletion, and one the other backwards."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canon_keeper.fact_readings import fact_key_of, is_open, is_true
from stores.records.canon import FactStatus, RetconFact, StateOp
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    ORC,
    PaperCanon,
    dies,
    fact,
    fact_of,
    hurt,
    proposal,
    says,
    state,
    tagged,
    untagged,
)
from tests.examples import examples


def retcon(fact_id: Id) -> ProposedChange:
    return proposal(RetconFact(fact_id=fact_id))


def restore(fact_id: Id) -> ProposedChange:
    return proposal(RetconFact(fact_id=fact_id, restore=True))


def test_retcon_what_a_retconned_fact_ended_holds_again_and_the_sheet_follows() -> None:
    canon = PaperCanon()
    blow = hurt(MARA, 3, tick=10)
    canon.commit(blow)
    canon.commit(retcon(fact_of(blow)))
    assert canon.facts[fact_of(blow)].status is FactStatus.RETCONNED
    assert canon.entities[MARA.id].numbers == MARA.numbers
    assert [f.statement for f in canon.now_so("hp", MARA)] == ["Mara's HP is 10."]


def test_retcon_state_that_had_none_before_it_is_gone() -> None:
    canon = PaperCanon()
    wound, luck, death = tagged(MARA, "wounded"), state(JON, "luck", 2), dies(ORC)
    canon.commit(wound, luck, death)
    canon.commit(*(retcon(fact_of(p)) for p in (wound, luck, death)))
    assert (canon.entities[MARA.id], canon.entities[JON.id], canon.entities[ORC.id]) == (MARA, JON, ORC)


def test_retcon_one_in_the_middle_leaves_the_later_value_and_the_first_lasts_until_it() -> None:
    canon = PaperCanon()
    first, second, third = (hurt(MARA, 1, tick=tick) for tick in (10, 20, 30))
    canon.commit(first, second, third)
    canon.commit(retcon(fact_of(second)))
    assert canon.entities[MARA.id].numbers["hp"] == 7
    assert canon.facts[fact_of(first)].valid_to == 30
    assert canon.facts[fact_of(first)].status is FactStatus.SUPERSEDED


def test_restoring_what_was_replaced_since_gives_it_its_time_and_no_more() -> None:
    canon = PaperCanon()
    there = says("located_in", MARA, CHAPEL, tick=10)
    elsewhere = says("located_in", MARA, CRYPT, tick=20)
    canon.commit(there)
    canon.commit(retcon(fact_of(there)))
    canon.commit(elsewhere)
    canon.commit(restore(fact_of(there)))
    assert [f.id for f in canon.now_so("located_in", MARA)] == [fact_of(elsewhere)]
    assert canon.facts[fact_of(there)].valid_to == 20


def test_done_twice_it_is_done_once() -> None:
    canon = PaperCanon()
    blow = hurt(MARA, 3)
    canon.commit(blow)
    canon.commit(retcon(fact_of(blow)))
    once = canon.state()
    canon.commit(retcon(fact_of(blow)))
    assert canon.state() == once


# --- properties -------------------------------------------------------------------------------------

ticks = st.none() | st.integers(0, 50)
changes = st.one_of(
    st.builds(lambda n, t: hurt(MARA, n, tick=t), st.integers(-5, 5), ticks),
    st.builds(lambda n, t: state(MARA, "hp", n, tick=t), st.integers(0, 12), ticks),
    st.builds(lambda t: tagged(MARA, "wounded", tick=t), ticks),
    st.builds(lambda t: untagged(MARA, "brave", tick=t), ticks),
    st.builds(lambda t: untagged(MARA, "wounded", tick=t), ticks),
    st.builds(lambda v, t: state(ORC, "alive", v, tick=t), st.booleans(), ticks),
    st.builds(lambda p, t: says("located_in", MARA, p, tick=t), st.sampled_from([CHAPEL, CRYPT]), ticks),
    st.builds(lambda p, t: says(p, MARA, JON, tick=t), st.sampled_from(["ally_of", "enemy_of"]), ticks),
    st.builds(lambda w, t: says("owns", w, LANTERN, tick=t), st.sampled_from([MARA, JON]), ticks),
    st.builds(lambda n, t: state(JON, "luck", n, StateOp.ADD, tick=t), st.integers(1, 3), ticks),
)
histories = st.lists(st.lists(changes, min_size=1, max_size=4), min_size=1, max_size=4)


def played(history: list[list[ProposedChange]]) -> PaperCanon:
    canon = PaperCanon(fact("located_in", MARA, CHAPEL, valid_from=0), fact("ally_of", MARA, JON))
    for batch in history:
        canon.commit(*batch)
    return canon


@given(histories, st.data())
@settings(max_examples=examples(150), deadline=None)
def test_retcon_and_restore_is_the_identity_on_canon(
    history: list[list[ProposedChange]], data: st.DataObject
) -> None:
    canon = played(history)
    chosen = data.draw(st.lists(st.sampled_from(sorted(canon.facts)), min_size=1, max_size=3, unique=True))
    before = canon.state()
    for fact_id in chosen:
        canon.commit(retcon(fact_id))
    for fact_id in data.draw(st.permutations(chosen)):
        canon.commit(restore(fact_id))
    assert canon.state() == before


@given(histories, st.data())
@settings(max_examples=examples(150), deadline=None)
def test_retcon_whatever_was_committed_and_retconned_canon_agrees_with_itself(
    history: list[list[ProposedChange]], data: st.DataObject
) -> None:
    canon = played(history)
    for fact_id in data.draw(st.lists(st.sampled_from(sorted(canon.facts)), max_size=4)):
        canon.commit(data.draw(st.sampled_from([retcon, restore]))(fact_id))

    slots = [fact_key_of(f, CATALOGUE) for f in canon.facts.values() if is_open(f) and is_true(f)]
    held = [slot for slot in slots if slot is not None]
    assert len(held) == len(set(held)), "one value at a time"

    said = {
        (f.predicate, f.entity("subject")): f.value
        for f in canon.facts.values()
        if is_open(f) and f.predicate in ("hp", "luck")
    }
    for who in (MARA, JON):
        for key, number in canon.entities[who.id].numbers.items():
            assert said.get((key, who.id), who.numbers.get(key)) == number, (
                "the sheet says what the facts say"
            )

    for known in canon.facts.values():
        if known.proposal_id is not None:
            assert any(subject == known.id for subject, _ in canon.supports), "every fact rests on something"
