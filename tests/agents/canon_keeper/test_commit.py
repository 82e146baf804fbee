"""What a batch holds for each kind of accepted change."""

from __future__ import annotations

import pytest

from agents.canon_keeper.batch_builder import CommitExtras
from stores.records.canon import (
    AdvanceClock,
    Authority,
    EndFact,
    EvidenceKind,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateOp,
    UpdateEntity,
)
from stores.records.ids import derive_id
from stores.records.world import EntityKind, EntityStatus
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    ORC,
    SCENE,
    STORY,
    PaperCanon,
    creates,
    dies,
    entity,
    fact,
    fact_of,
    hurt,
    new_id,
    proposal,
    says,
    scene,
    state,
    tagged,
    universe,
    untagged,
)


def told(facts: list[Fact]) -> list[str]:
    return [f.statement for f in facts]


# --- state ------------------------------------------------------------------------------------------


def test_commit_two_blows_are_two_facts_and_the_second_supersedes_the_first() -> None:
    canon = PaperCanon()
    first, second = hurt(MARA, 3, tick=10), hurt(MARA, 4, tick=11)
    batch = canon.commit(first, second).batch
    assert canon.entities[MARA.id].numbers == {"hp": 3, "might": 2}
    assert told(canon.now_so("hp", MARA)) == ["Mara's HP is 3."]
    assert [(f.statement, f.status, f.valid_from, f.valid_to) for f in batch.facts] == [
        ("Mara's HP is 10.", FactStatus.SUPERSEDED, None, 10),
        ("Mara's HP is 7.", FactStatus.SUPERSEDED, 10, 11),
        ("Mara's HP is 3.", FactStatus.CANONICAL, 11, None),
    ]
    assert [(s.newer_id, s.older_id) for s in batch.supersedes] == [
        (fact_of(first), batch.facts[0].id),
        (fact_of(second), fact_of(first)),
    ]


def test_commit_value_that_an_entity_was_created_with_rests_on_what_the_entity_rests_on() -> None:
    canon = PaperCanon()
    known = canon.snapshot()
    canon.snapshot = lambda: known  # type: ignore[method-assign]
    first_value = canon.commit(hurt(MARA, 3)).batch.facts[0]
    assert (first_value.id, known.evidence[MARA.id][0].id) in canon.supports
    assert first_value.authority is Authority.GM, "it was on the sheet, whoever changes it"


def test_commit_later_commit_goes_on_from_what_canon_says() -> None:
    canon = PaperCanon()
    canon.commit(hurt(MARA, 3, tick=10))
    batch = canon.commit(hurt(MARA, 3, tick=20)).batch
    assert told(list(batch.facts)) == ["Mara's HP is 4."]
    assert [(c.status, c.valid_to) for c in batch.fact_changes] == [(FactStatus.SUPERSEDED, 20)]


def test_commit_tag_is_put_on_and_taken_off_with_a_sentence_for_each() -> None:
    canon = PaperCanon()
    canon.commit(tagged(MARA, "wounded", tick=10))
    assert canon.entities[MARA.id].tags == ("brave", "wounded")
    batch = canon.commit(untagged(MARA, "Wounded", tick=20)).batch
    assert canon.entities[MARA.id].tags == ("brave",)
    assert told(list(batch.facts)) == ["Mara is no longer Wounded."]
    assert canon.now_so("is", MARA) == []


def test_commit_truth_value_is_a_tag_and_death_is_one_too() -> None:
    canon = PaperCanon()
    canon.commit(state(MARA, "wounded", True), dies(ORC))
    assert canon.entities[MARA.id].tags == ("brave", "wounded")
    assert canon.entities[ORC.id].tags == ("dead",)
    assert told(canon.now_so("alive", ORC)) == ["Orc died."]


def test_commit_number_that_was_not_there_begins_at_nothing() -> None:
    canon = PaperCanon()
    canon.commit(state(JON, "luck", 2, StateOp.ADD))
    assert canon.entities[JON.id].numbers == {"luck": 2}


def test_commit_place_may_be_set_like_any_value() -> None:
    canon = PaperCanon(fact("located_in", MARA, CHAPEL, valid_from=0))
    canon.commit(state(MARA, "located_in", CRYPT.id, tick=100))
    assert told(canon.now_so("located_in", MARA)) == ["Mara is in Crypt."]


def test_commit_state_asserted_as_a_fact_is_borne_as_well() -> None:
    canon = PaperCanon()
    canon.commit(says("hp", MARA, value=4), says("alive", ORC, value=False))
    assert canon.entities[MARA.id].numbers["hp"] == 4
    assert canon.entities[ORC.id].tags == ("dead",)


def test_commit_fact_about_the_past_leaves_the_present_alone() -> None:
    canon = PaperCanon()
    canon.commit(says("hp", MARA, value=4, valid_from=0, valid_to=50))
    assert canon.entities[MARA.id] == MARA


def test_commit_clock_stands_where_the_last_tick_left_it() -> None:
    canon = PaperCanon()
    canon.commit(proposal(AdvanceClock(clock="Tide", by=2), tick=10))
    canon.commit(proposal(AdvanceClock(clock="Tide"), tick=20))
    standing = [f for f in canon.facts.values() if f.status is FactStatus.CANONICAL]
    assert told(standing) == ["The clock “Tide” stands at 3 of 6."]


# --- facts ------------------------------------------------------------------------------------------


def test_commit_move_ends_the_stay() -> None:
    stay = fact("located_in", MARA, CHAPEL, valid_from=50)
    canon = PaperCanon(stay)
    move = says("located_in", MARA, CRYPT, tick=60)
    batch = canon.commit(move).batch
    assert canon.facts[stay.id].status is FactStatus.SUPERSEDED
    assert canon.facts[stay.id].valid_to == 60
    assert [(s.newer_id, s.older_id) for s in batch.supersedes] == [(fact_of(move), stay.id)]


@pytest.mark.parametrize(
    ("before", "claim", "end"),
    [
        (fact("located_in", MARA, CHAPEL, valid_from=50), says("located_in", MARA, CRYPT, valid_from=50), 50),
        (fact("located_in", MARA, CHAPEL, valid_from=50), says("located_in", MARA, CRYPT, valid_from=20), 50),
        (fact("ally_of", MARA, JON), says("enemy_of", JON, MARA, tick=70), 70),
        (fact("alive", ORC, value=False, valid_from=9), says("alive", ORC, value=True, valid_from=90), 90),
    ],
    ids=["same time", "earlier", "exclusive", "raised"],
)
def test_accepting_a_conflict_overrides_the_old_fact(before: Fact, claim: object, end: int) -> None:
    canon = PaperCanon(before)
    canon.commit(claim)  # type: ignore[arg-type]
    assert canon.facts[before.id].status is FactStatus.SUPERSEDED
    assert canon.facts[before.id].valid_to == end


def test_commit_claim_with_an_end_leaves_what_holds_now() -> None:
    stay = fact("located_in", MARA, CHAPEL)
    canon = PaperCanon(stay)
    canon.commit(says("located_in", MARA, CRYPT, valid_from=10, valid_to=20))
    assert canon.facts[stay.id] == stay


def test_commit_ending_is_an_event_of_its_own() -> None:
    alliance = fact("ally_of", MARA, JON)
    canon = PaperCanon(alliance)
    ending = proposal(EndFact(fact_id=alliance.id, at=30))
    batch = canon.commit(ending).batch
    assert told(list(batch.facts)) == ["No longer true: Mara and Jon are allies."]
    assert batch.facts[0].kind is FactKind.EVENT
    assert (canon.facts[alliance.id].status, canon.facts[alliance.id].valid_to) == (FactStatus.SUPERSEDED, 30)
    canon.commit(proposal(RetconFact(fact_id=fact_of(ending))))
    assert canon.facts[alliance.id] == alliance, "an ending that never was leaves the alliance"


def test_commit_rule_of_the_world() -> None:
    batch = PaperCanon().commit(proposal(NoteAxiom(statement="Iron burns the fey.", scope="fey"))).batch
    assert [(f.kind, f.statement, f.scope, f.severity) for f in batch.facts] == [
        (FactKind.AXIOM, "Iron burns the fey.", "fey", "must")
    ]


def test_commit_what_canon_has_already_gains_the_evidence_and_no_twin() -> None:
    owned = fact("owns", MARA, LANTERN)
    canon = PaperCanon(owned)
    again = says("owns", MARA, LANTERN)
    batch = canon.commit(again).batch
    assert batch.facts == ()
    assert {(s.subject_id, s.evidence_id) for s in batch.supports} == {
        (owned.id, again.evidence[0].id),
        (owned.id, derive_id("evidence", "scene", SCENE)),
    }


# --- entities ---------------------------------------------------------------------------------------


def test_commit_what_is_new_is_created_before_what_is_said_of_it() -> None:
    chamber = entity("Hidden Chamber", EntityKind.PLACE)
    canon = PaperCanon()
    built = canon.commit(says("connected_to", CHAPEL, chamber), creates("Hidden Chamber"))
    assert built.failures == {}
    assert told(list(built.batch.facts)) == ["Chapel leads to Hidden Chamber."]
    assert [e.name for e in built.batch.entities] == ["Hidden Chamber"]
    assert {s.subject_id for s in built.batch.supports} == {chamber.id, built.batch.facts[0].id}


def test_commit_proposal_that_needs_what_is_undecided_fails_alone() -> None:
    chamber = entity("Hidden Chamber", EntityKind.PLACE)
    inside, blow = says("located_in", MARA, chamber), hurt(MARA, 1)
    built = PaperCanon().commit(inside, blow, undecided={chamber.id: "Hidden Chamber"})
    assert built.failures == {inside.id: "It needs Hidden Chamber, which is still undecided."}
    assert fact_of(blow) in {f.id for f in built.batch.facts}


def test_commit_renamed_entity_keeps_its_old_name_and_its_old_description_is_said() -> None:
    canon = PaperCanon(entities=(entity("Mara", description="A sailor."),))
    change = UpdateEntity(entity_id=MARA.id, name="Mara Quill", description="A captain.")
    batch = canon.commit(proposal(change)).batch
    updated = canon.entities[MARA.id]
    assert (updated.name, updated.aliases, updated.description) == ("Mara Quill", ("Mara",), "A captain.")
    assert told(list(batch.facts)) == [
        "Mara is called Mara Quill. Mara Quill has a new description; before: “A sailor.”"
    ]


def test_commit_lock_is_no_fact_of_the_world() -> None:
    canon = PaperCanon()
    assert canon.commit(proposal(UpdateEntity(entity_id=MARA.id, locked=True))).batch.facts == ()
    assert canon.entities[MARA.id].locked


def test_merged_ones_are_one() -> None:
    stranger = entity("The Stranger", aliases=("Hood",), numbers={"hp": 5, "guile": 3}, tags=("cloaked",))
    owns, met = fact("owns", stranger, LANTERN), fact("met", JON, stranger)
    hp, stay = fact("hp", stranger, value=5), fact("located_in", stranger, CRYPT)
    here = fact("located_in", MARA, CHAPEL)
    canon = PaperCanon(owns, met, hp, stay, here, entities=(MARA, JON, LANTERN, CHAPEL, CRYPT, stranger))
    canon.commit(proposal(MergeEntities(kept_id=MARA.id, absorbed_id=stranger.id)))
    kept, absorbed = canon.entities[MARA.id], canon.entities[stranger.id]
    assert kept.aliases == ("The Stranger", "Hood")
    assert kept.tags == ("brave", "cloaked")
    assert (absorbed.status, absorbed.merged_into) == (EntityStatus.MERGED, MARA.id)
    assert kept.numbers == {"hp": 10, "guile": 3, "might": 2}
    assert [f.entity("object") for f in canon.now_so("owns", MARA)] == [LANTERN.id]
    assert [f.entity("object") for f in canon.now_so("met", JON)] == [MARA.id]
    assert canon.now_so("located_in", MARA) == [here], "where both have a place, the kept one's stays"
    assert canon.now_so("owns", stranger) == []
    canon.commit(tagged(stranger, "tired"))
    assert "tired" in canon.entities[MARA.id].tags, "what is said of the absorbed one is said of the kept"


def test_commit_entity_that_never_was_may_be_again() -> None:
    canon = PaperCanon()
    canon.commit(proposal(RetconFact(fact_id=JON.id)))
    assert canon.entities[JON.id].status is EntityStatus.RETCONNED
    assert canon.commit(tagged(JON, "tired")).failures
    canon.commit(proposal(RetconFact(fact_id=JON.id, restore=True)))
    assert canon.entities[JON.id] == JON


# --- provenance and containers ------------------------------------------------------------------------


def test_commit_fact_of_a_scene_rests_on_its_words_and_on_the_scene() -> None:
    turn = new_id()
    blow = hurt(MARA, 1, turn_id=turn)
    batch = PaperCanon().commit(blow).batch
    rests_on = {s.evidence_id for s in batch.supports if s.subject_id == fact_of(blow)}
    assert {(e.kind, e.turn_id) for e in batch.evidence if e.id in rests_on} == {
        (EvidenceKind.TURN, turn),
        (EvidenceKind.SCENE, None),
    }


def test_commit_without_scene_or_evidence_it_rests_on_the_word_of_who_decided() -> None:
    bare = says("owns", MARA, LANTERN, evidence=(), scene_id=None)
    batch = PaperCanon().commit(bare).batch
    assert [(e.kind, e.ref_id) for e in batch.evidence] == [(EvidenceKind.MANUAL, bare.id)]


def test_commit_scenes_end_closes_its_node_and_shows_who_was_there() -> None:
    new = creates("Guard", EntityKind.CHARACTER)
    closing = CommitExtras(scene=scene(cast=(MARA.id, JON.id)), close_scene=True, complete_story=STORY)
    batch = PaperCanon().commit(new, closing=closing).batch
    # The guard was brought into canon, which makes nobody present.
    assert {a.entity_id for a in batch.appearances} == {MARA.id, JON.id}
    assert (batch.scene_status, batch.story_status) == ({SCENE: "completed"}, {STORY: "completed"})


def test_commit_universe_is_founded_in_the_batch() -> None:
    batch = PaperCanon().commit(closing=CommitExtras(universe=universe())).batch
    assert batch.universe == universe()


def test_commit_same_commit_twice_is_one() -> None:
    canon = PaperCanon(fact("located_in", MARA, CHAPEL, valid_from=0))
    built = canon.commit(hurt(MARA, 3), says("located_in", MARA, CRYPT), creates("Hidden Chamber"))
    before = canon.state()
    canon.write(built.batch)
    assert canon.state() == before
