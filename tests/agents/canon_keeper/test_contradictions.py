"""Each rule of the contradiction checks, with what it catches and the innocent case that looks like it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from agents.canon_keeper.canon_policy import ProposalFindings
from agents.canon_keeper.checks.contradictions import check_proposals
from stores.records.canon import (
    AdvanceClock,
    Authority,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Standing,
    StateOp,
    UpdateEntity,
)
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    CRYPT,
    EVERYONE,
    JON,
    LANTERN,
    MARA,
    ORC,
    canon,
    creates,
    dies,
    entity,
    fact,
    fact_of,
    hurt,
    involves,
    new_id,
    proposal,
    ruled,
    says,
    state,
    tagged,
    universe,
    untagged,
)


def examined(proposals: list[ProposedChange], *facts: Fact, **given: Any) -> list[ProposalFindings]:
    checked = check_proposals(proposals, canon(*facts, **given), CATALOGUE)
    return [checked.findings[p.id] for p in proposals]


def rules(proposals: list[ProposedChange], *facts: Fact) -> list[tuple[str, ...]]:
    return [tuple(c.check_name for c in findings.conflicts) for findings in examined(proposals, *facts)]


class Case(NamedTuple):
    """`rule` names what the last proposal must meet ("": it is innocent)."""

    rule: str
    canon: list[Fact]
    proposals: list[ProposedChange]


IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50)
ALWAYS_IN_CHAPEL = fact("located_in", MARA, CHAPEL)
WAS_IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50, valid_to=80, status=FactStatus.SUPERSEDED)
ALLIES = fact("ally_of", MARA, JON, valid_from=0)
DEAD_ORC = fact("alive", ORC, value=False, valid_from=100)
LANTERN_OF_MARA = fact("owned_by", LANTERN, MARA, valid_from=0)
DEED: dict[str, Any] = {"fact_kind": FactKind.EVENT, "statement": "The orc fought."}

CASES = {
    # one value at a time
    "two places at the same time": Case(
        "one_value", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=50)]
    ),
    "another place before": Case(
        "one_value",
        [IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=20)],
    ),
    "a move": Case("", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=60)]),
    "a move at the turn's own time": Case("", [IN_CHAPEL], [says("located_in", MARA, CRYPT, tick=60)]),
    "a move from where she ever was": Case("", [ALWAYS_IN_CHAPEL], [says("located_in", MARA, CRYPT)]),
    "a later place, but from a book": Case(
        "one_value",
        [IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=60, scene_id=None, authority=Authority.SOURCE)],
    ),
    "the old fact is named as ended": Case(
        "", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=50, ends=(IN_CHAPEL.id,))]
    ),
    "she left it before": Case("", [WAS_IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=80)]),
    "she was there then": Case(
        "one_value", [WAS_IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=60)]
    ),
    "a stay that was over before": Case(
        "", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=10, valid_to=50)]
    ),
    "somebody else's place": Case("", [IN_CHAPEL], [says("located_in", JON, CRYPT, valid_from=50)]),
    "a rumour of another place": Case(
        "", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=50, standing=Standing.RUMOUR)]
    ),
    "what canon only has as a rumour": Case(
        "",
        [IN_CHAPEL.model_copy(update={"standing": Standing.RUMOUR})],
        [says("located_in", MARA, CRYPT, valid_from=50)],
    ),
    "what was retconned": Case(
        "",
        [IN_CHAPEL.model_copy(update={"status": FactStatus.RETCONNED})],
        [says("located_in", MARA, CRYPT, valid_from=50)],
    ),
    "the same relation from the other end": Case(
        "one_value", [IN_CHAPEL], [says("contains", CRYPT, MARA, valid_from=50)]
    ),
    "two owners": Case("one_value", [LANTERN_OF_MARA], [says("owns", JON, LANTERN, valid_from=0)]),
    "two things of one owner": Case("", [LANTERN_OF_MARA], [says("owns", MARA, CHAPEL, valid_from=0)]),
    "a state of an unknown key": Case(
        "one_value",
        [fact("mood", MARA, value="grim", valid_from=50)],
        [says("mood", MARA, value="merry", valid_from=50)],
    ),
    "a state change": Case(
        "", [fact("mood", MARA, value="grim", valid_from=50)], [state(MARA, "mood", "merry", tick=50)]
    ),
    "a change told of an earlier time": Case(
        "",
        [
            fact("hp", MARA, value=9, valid_from=0, valid_to=50, status=FactStatus.SUPERSEDED),
            fact("hp", MARA, value=8, valid_from=50),
        ],
        [hurt(MARA, 1, tick=20)],
    ),
    "what held at no time": Case(
        "",
        [fact("located_in", MARA, CHAPEL, valid_from=50, valid_to=50, status=FactStatus.SUPERSEDED)],
        [says("located_in", MARA, CRYPT, valid_from=20)],
    ),
    "an unknown relation": Case("", [fact("adores", MARA, JON)], [says("adores", MARA, ORC)]),
    "two sentences of one kind": Case(
        "",
        [fact("state", MARA, statement="Mara is tired.")],
        [says("state", MARA, statement="Mara is cold.", fact_kind=FactKind.STATE)],
    ),
    # exclusive predicates
    "ally and enemy": Case("exclusive", [ALLIES], [says("enemy_of", MARA, JON)]),
    "ally and enemy, the other way round": Case("exclusive", [ALLIES], [says("enemy_of", JON, MARA)]),
    "enemy of another": Case("", [ALLIES], [says("enemy_of", MARA, ORC)]),
    "the alliance is named as ended": Case("", [ALLIES], [says("enemy_of", MARA, JON, ends=(ALLIES.id,))]),
    "enemies before they were allies": Case(
        "",
        [ALLIES.model_copy(update={"valid_from": 50})],
        [says("enemy_of", MARA, JON, valid_from=0, valid_to=50)],
    ),
    # alive and dead
    "alive again by a state change": Case("irreversible", [DEAD_ORC], [state(ORC, "alive", True, tick=200)]),
    "alive again by a fact": Case(
        "irreversible", [DEAD_ORC], [says("alive", ORC, value=True, valid_from=200)]
    ),
    "alive before the death": Case(
        "", [DEAD_ORC], [says("alive", ORC, value=True, valid_from=0, valid_to=100)]
    ),
    "a death": Case("", [fact("alive", ORC, value=True, valid_from=0)], [dies(ORC)]),
    # the dead do not act
    "a dead actor": Case("dead_do_not_act", [DEAD_ORC], [says("event", ORC, tick=200, **DEED)]),
    "a dead actor in a meeting": Case(
        "dead_do_not_act",
        [DEAD_ORC],
        [says("met", ORC, MARA, tick=200, fact_kind=FactKind.ENCOUNTER, statement="They met.")],
    ),
    "a change of a dead one's state": Case("dead_do_not_act", [DEAD_ORC], [hurt(ORC, 2, tick=200)]),
    "dead since ever, by a tag": Case(
        "dead_do_not_act", [], [says("event", entity("Old King"), tick=200, **DEED)]
    ),
    "a deed before the death": Case("", [DEAD_ORC], [says("event", ORC, tick=90, **DEED)]),
    "a deed told later": Case("", [DEAD_ORC], [says("event", ORC, tick=200, valid_from=40, **DEED)]),
    "found dead": Case(
        "", [DEAD_ORC], [says("met", MARA, ORC, tick=200, fact_kind=FactKind.ENCOUNTER, statement="Found.")]
    ),
    "seen by the dead": Case(
        "",
        [DEAD_ORC],
        [says("event", MARA, tick=200, involves=involves(("subject", MARA), ("witness", ORC)), **DEED)],
    ),
    "what a dead one was": Case("", [DEAD_ORC], [says("member_of", ORC, JON, tick=200)]),
    "dead in a story only": Case(
        "", [DEAD_ORC.model_copy(update={"standing": Standing.LIE})], [says("event", ORC, tick=200, **DEED)]
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_contradiction_each_rule_and_its_innocent_look_alike(case: Case) -> None:
    old_king = entity("Old King", tags=("dead",))
    findings = examined(case.proposals, *case.canon, entities=(*EVERYONE, old_king))
    assert [c.check_name for c in findings[-1].conflicts] == ([case.rule] if case.rule else [])


def test_contradiction_conflict_shows_the_other_side_and_says_it_in_words() -> None:
    conflict = examined([says("located_in", MARA, CRYPT, valid_from=50)], IN_CHAPEL)[0].conflicts[0]
    assert conflict.other_fact == IN_CHAPEL
    assert conflict.text == "Canon says “Mara is in Chapel.” Only one of the two can hold at that time."
    assert conflict.is_certain


def test_contradiction_claim_without_a_time_is_not_certain_to_mean_that_time() -> None:
    claim = says("located_in", MARA, CRYPT, tick=None, scene_id=None)
    assert not examined([claim], IN_CHAPEL)[0].conflicts[0].is_certain


def test_restoring_meets_what_excludes_it_and_not_the_values_around_it() -> None:
    never = ALLIES.model_copy(update={"status": FactStatus.RETCONNED})
    feud = fact("enemy_of", MARA, JON, valid_from=20)
    again = proposal(RetconFact(fact_id=never.id, restore=True))
    assert rules([again], never, feud) == [("exclusive",)]
    stay = WAS_IN_CHAPEL.model_copy(update={"status": FactStatus.RETCONNED})
    before, after = (
        fact("located_in", MARA, CRYPT, valid_to=80),
        fact("located_in", MARA, CRYPT, valid_from=80),
    )
    assert rules([proposal(RetconFact(fact_id=stay.id, restore=True))], stay, before, after) == [()]


# --- pairs among proposals --------------------------------------------------------------------------


def test_contradiction_two_pending_places_at_one_time_meet_on_both_rows() -> None:
    first, second = says("located_in", MARA, CHAPEL), says("located_in", MARA, CRYPT)
    shown = examined([first, second])
    assert [c.check_name for f in shown for c in f.conflicts] == ["one_value", "one_value"]
    assert [c.other_fact.id for f in shown for c in f.conflicts if c.other_fact] == [
        fact_of(second),
        fact_of(first),
    ]
    assert all(c.text.startswith("Another proposal says") for f in shown for c in f.conflicts)


def test_contradiction_two_moves_one_after_the_other_are_innocent() -> None:
    there, back = says("located_in", MARA, CRYPT, tick=60), says("located_in", MARA, CHAPEL, tick=70)
    shown = examined([there, back], IN_CHAPEL)
    assert [f.conflicts for f in shown] == [(), ()]
    assert shown[1].duplicate_of is None, "going back is a move, and no repetition of where she was"


def test_contradiction_rejected_proposal_meets_nothing() -> None:
    first = ruled(says("located_in", MARA, CHAPEL), Verdict.REJECT)
    assert rules([first, says("located_in", MARA, CRYPT)]) == [(), ()]


def test_contradiction_dying_may_be_hurt_in_the_turn_of_their_death() -> None:
    turn = new_id()
    assert rules([dies(ORC, turn_id=turn), hurt(ORC, 8, turn_id=turn)]) == [(), ()]


def test_contradiction_dead_of_this_scene_do_not_act_either() -> None:
    death = dies(ORC, tick=100)
    assert rules([death, says("event", ORC, tick=101, **DEED)]) == [(), ("dead_do_not_act",)]
    assert rules([hurt(ORC, 3, tick=99), death]) == [(), ()]


def test_contradiction_what_was_proposed_before_a_committed_death_at_the_same_time_is_innocent() -> None:
    wound = hurt(ORC, 3, tick=100)
    death = fact("alive", ORC, value=False, valid_from=100)
    after = hurt(ORC, 3, tick=100)
    assert rules([wound, after], death) == [(), ("dead_do_not_act",)]


# --- duplicates -------------------------------------------------------------------------------------

OWNS = fact("owns", MARA, LANTERN)
RANG = fact("event", MARA, kind=FactKind.EVENT, statement="The bell rang.", valid_from=70)
IS_WOUNDED = fact("is", MARA, value="wounded", valid_from=50)

DUPLICATES = {
    "the same relation": (OWNS, says("owns", MARA, LANTERN)),
    "read from the other end": (OWNS, says("owned_by", LANTERN, MARA)),
    "a symmetric one turned round": (ALLIES, says("ally_of", JON, MARA)),
    "the same sentence": (
        RANG,
        says("event", MARA, statement="the bell RANG!", fact_kind=FactKind.EVENT, tick=70),
    ),
    "the same place at a later time": (IN_CHAPEL, says("located_in", MARA, CHAPEL, tick=90)),
    "a tag once more": (IS_WOUNDED, tagged(MARA, "wounded")),
    "a tag as a truth value": (IS_WOUNDED, state(MARA, "wounded", True)),
    "death once more": (DEAD_ORC, tagged(ORC, "dead")),
    "the same number": (fact("hp", MARA, value=7), state(MARA, "hp", 7)),
    "a rule of the world": (
        fact("axiom", MARA, kind=FactKind.AXIOM, statement="The dead cannot cross salt."),
        proposal(NoteAxiom(statement="The dead cannot cross salt", involves=involves(("subject", MARA)))),
    ),
}
NEW = {
    "the same said as a rumour": (OWNS, says("owns", MARA, LANTERN, standing=Standing.RUMOUR)),
    "another thing": (OWNS, says("owns", MARA, CHAPEL)),
    "the same event at another time": (
        RANG,
        says("event", MARA, statement="The bell rang.", fact_kind=FactKind.EVENT, tick=71),
    ),
    "the same words about another": (
        RANG,
        says("event", JON, statement="The bell rang.", fact_kind=FactKind.EVENT),
    ),
    "hurt once more": (fact("hp", MARA, value=7), hurt(MARA, 3)),
    "a retconned fact": (
        OWNS.model_copy(update={"status": FactStatus.RETCONNED}),
        says("owns", MARA, LANTERN),
    ),
    "another tag": (IS_WOUNDED, tagged(MARA, "tired")),
    "a tag taken away": (IS_WOUNDED, untagged(MARA, "wounded")),
}


@pytest.mark.parametrize(("known", "again"), DUPLICATES.values(), ids=DUPLICATES.keys())
def test_contradiction_what_canon_has_already(known: Fact, again: ProposedChange) -> None:
    (findings,) = examined([again], known)
    assert findings.duplicate_of == known.id
    assert findings.conflicts == ()


@pytest.mark.parametrize(("known", "other"), NEW.values(), ids=NEW.keys())
def test_contradiction_what_only_looks_the_same(known: Fact, other: ProposedChange) -> None:
    assert examined([other], known)[0].duplicate_of is None


def test_contradiction_what_an_entity_was_created_with_is_known_too() -> None:
    brave, hp, again = tagged(MARA, "Brave"), state(MARA, "hp", 10), untagged(MARA, "drunk")
    assert [f.duplicate_of for f in examined([brave, hp, again])] == [MARA.id] * 3


def test_contradiction_same_proposed_twice_repeats_and_is_no_duplicate_of_canon() -> None:
    first, second = examined([says("owns", MARA, LANTERN), says("owns", MARA, LANTERN)])
    assert (first.is_repeated, second.is_repeated, second.duplicate_of) == (False, True, None)


# --- names ------------------------------------------------------------------------------------------


def test_contradiction_exact_name_or_alias_is_asked_about() -> None:
    findings = examined([creates("MARA", EntityKind.CHARACTER), creates("Nave", aliases=("chapel",))])
    assert [(c.check_name, c.is_certain) for f in findings for c in f.conflicts] == [("same_name", True)] * 2
    assert "There is a character called Mara already." in findings[0].conflicts[0].text


def test_contradiction_like_name_is_a_reason_only() -> None:
    (findings,) = examined([creates("Lanterns", EntityKind.OBJECT)])
    assert findings.conflicts == ()
    assert findings.notes == ("The name is like Lantern.",)


def test_contradiction_two_new_ones_of_one_name_meet_each_other() -> None:
    twins = [creates("Guard", EntityKind.CHARACTER, entity_id=new_id()) for _ in range(2)]
    assert [len(r) for r in rules(twins)] == [0, 1]


# --- locks, kinds, what cannot be written ---------------------------------------------------------------

LOCKED = entity("Mara", locked=True)
ABOUT_LOCKED = fact("owns", LOCKED, LANTERN)

LOCKS = {
    "state": (hurt(LOCKED, 1), True),
    "description": (proposal(UpdateEntity(entity_id=LOCKED.id, description="?")), True),
    "relation": (says("owns", LOCKED, CHAPEL), True),
    "end": (proposal(EndFact(fact_id=ABOUT_LOCKED.id)), True),
    "retcon": (proposal(RetconFact(fact_id=ABOUT_LOCKED.id)), True),
    "merge": (proposal(MergeEntities(kept_id=JON.id, absorbed_id=LOCKED.id)), True),
    "what befalls it": (says("event", LOCKED, **DEED), False),
    "as an object": (says("adores", JON, LOCKED), False),
}


@pytest.mark.parametrize(("change", "locked"), LOCKS.values(), ids=LOCKS.keys())
def test_contradiction_lock_guards_what_would_alter_the_entity(change: ProposedChange, locked: bool) -> None:
    (findings,) = examined([change], ABOUT_LOCKED, entities=(LOCKED, JON, CHAPEL, LANTERN))
    assert findings.locked_names == (("Mara",) if locked else ())


def test_contradiction_locked_universe_locks_all() -> None:
    checked = check_proposals([says("owns", MARA, CHAPEL)], canon(universe=universe(locked=True)), CATALOGUE)
    assert [f.locked_names for f in checked.findings.values()] == [("The Salt Coast",)]


def test_contradiction_unusual_kind_is_pointed_out_and_not_refused() -> None:
    (findings,) = examined([says("located_in", MARA, JON)])
    assert findings.conflicts == ()
    assert findings.notes == ("Jon is a character, unusual for “is in”.",)


@pytest.mark.parametrize(
    "change",
    [
        hurt(entity("Nobody"), 1),
        says("owns", MARA, entity("Nothing")),
        proposal(EndFact(fact_id=new_id())),
        proposal(RetconFact(fact_id=new_id())),
        state(MARA, "hp", None),
        state(MARA, "hp", "many", StateOp.ADD),
        proposal(MergeEntities(kept_id=MARA.id, absorbed_id=MARA.id)),
    ],
    ids=lambda p: p.change.kind,
)
def test_contradiction_what_cannot_be_written_is_held_with_words(change: ProposedChange) -> None:
    (findings,) = examined([change])
    assert [c.check_name for c in findings.conflicts] == ["unwritable"]
    assert findings.conflicts[0].text.startswith("It cannot be written: ")


def test_contradiction_what_is_proposed_in_the_same_batch_is_there_to_be_spoken_of() -> None:
    place = creates("Hidden Chamber")
    inside = says("located_in", MARA, entity("Hidden Chamber", EntityKind.PLACE))
    assert rules([inside, place]) == [(), ()]


def test_clocks_go_on_from_where_they_stand_and_never_past_their_end() -> None:
    clock = fact("clock:Tide", MARA, value=3, involves=())
    ticks = [proposal(AdvanceClock(clock="Tide", by=2, size=6)) for _ in range(3)]
    findings = examined(ticks, clock)
    assert [f.fact.value for f in findings[:2] if f.fact] == [5, 6]
    assert [f.fact.statement for f in findings[:1] if f.fact] == ["The clock “Tide” stands at 5 of 6."]
    assert findings[2].is_repeated, "a full clock stays full"
