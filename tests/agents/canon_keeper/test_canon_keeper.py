"""The CanonKeeper on a real library: commits, decisions, and the seed's two worked examples."""

from __future__ import annotations

import pytest

from stores.errors import InputError
from stores.queries import FactQuery, FactsAboutQuery, ProposalQuery
from stores.records.canon import Authority, FactKind, FactStatus, MergeEntities, RetconFact
from stores.records.workflow import CanonizationState, ProposalStatus, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import Table
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    ORC,
    SCENE,
    STORY,
    UNIVERSE,
    creates,
    dies,
    entity,
    evidence,
    fact,
    fact_of,
    hurt,
    involves,
    new_id,
    proposal,
    ruling,
    says,
    scene,
    tagged,
    universe,
)

UNSURE = {"authority": Authority.SYSTEM}


async def test_canon_keeper_orc_dies(table: Table) -> None:
    await table.lay()
    turns = [new_id() for _ in range(3)]
    first = await table.stage(hurt(ORC, 3, turn_id=turns[0], tick=1))
    first += await table.stage(hurt(MARA, 3, turn_id=turns[1], tick=2))
    last = await table.stage(
        hurt(ORC, 5, turn_id=turns[2], tick=3),
        dies(ORC, turn_id=turns[2], tick=3, evidence=(evidence("I finish him", turns[2]),)),
    )

    staged = await table.log.proposals(ProposalQuery(scene_id=SCENE))
    critical = await table.keeper.find_critical(staged)
    assert [p.id for p in critical] == [last[1].id]
    batch = await table.keeper.select_trigger_batch(staged, critical)
    assert [p.id for p in batch] == [first[0].id, *(p.id for p in last)]
    report = await table.keeper.commit(
        batch, reason="death", scene=await table.scene(), story_id=STORY, undecided="leave"
    )
    assert (report.accepted_count, report.held_count, report.failures) == (3, 0, ())

    died = await table.canon.fact(fact_of(last[1]))
    assert (died.statement, died.valid_from, died.status) == ("Orc died.", 3, FactStatus.CANONICAL)
    assert [(e.quote, e.turn_id) for e in await table.canon.evidence_of(died.id) if e.turn_id] == [
        ("I finish him", turns[2])
    ]
    orc = await table.canon.entity(ORC.id)
    assert (orc.numbers, orc.tags) == ({"hp": 0}, ("dead",))
    assert (await table.stored(first[1])).status is ProposalStatus.PENDING, "Mara's wound waits for the end"

    told = await table.stage(
        tagged(MARA, "wounded", tick=4),
        says(
            "event",
            MARA,
            statement="Mara fought the orc.",
            fact_kind=FactKind.EVENT,
            involves=involves(("subject", MARA), ("participant", ORC)),
            tick=4,
        ),
    )
    report = await table.keeper.commit(
        [first[1], *told],
        reason="scene end",
        scene=scene(cast=(MARA.id, ORC.id)),
        story_id=STORY,
        close_scene=True,
    )
    assert (report.accepted_count, report.deferred_count, report.held_count) == (3, 0, 0)
    assert await table.told() == [
        "Mara fought the orc.",
        "Mara is wounded.",
        "Mara's HP is 7.",
        "Orc died.",
        "Orc's HP is 0.",
    ]
    mara = await table.canon.entity(MARA.id)
    assert (mara.numbers["hp"], mara.tags) == (7, ("brave", "wounded"))
    assert (await table.canon.scene_nodes(STORY))[0].status == "completed"
    outcomes = {f.id: f.statement for f in await table.canon.facts(UNIVERSE, FactQuery(history=True))}
    assert {outcomes[i] for i in (await table.scene()).canonical_outcomes} >= set(await table.told())
    assert await table.canon.appearances(ORC.id) == [SCENE]


async def test_canon_keeper_hidden_door(table: Table) -> None:
    await table.lay(fact("located_in", MARA, CHAPEL, valid_from=0))
    turn = new_id()
    chamber = entity("Hidden Chamber", EntityKind.PLACE)
    words = evidence("You find a hidden door", turn)
    found = await table.stage(
        creates("Hidden Chamber", turn_id=turn, tick=11, evidence=(words,)),
        says("connected_to", CHAPEL, chamber, turn_id=turn, tick=11, evidence=(words,)),
    )
    critical = await table.keeper.find_critical(found)
    batch = await table.keeper.select_trigger_batch(found, critical)
    await table.keeper.commit(
        batch, reason="discovery", scene=await table.scene(), story_id=STORY, undecided="leave"
    )
    near = await table.canon.neighbourhood([CHAPEL.id], hops=1)
    assert chamber.id in {e.id for e in near.entities}
    assert words.id in {e.id for e in await table.canon.evidence_of(chamber.id)}
    assert (await table.canon.scene_nodes(STORY))[0].status == "active"

    moved = await table.stage(says("located_in", MARA, chamber, tick=20))
    await table.keeper.commit(
        moved, reason="scene end", scene=await table.scene(), story_id=STORY, close_scene=True
    )
    stays = await table.canon.facts_about(MARA.id, FactsAboutQuery(predicate="located_in", history=True))
    assert [(f.entity("object"), f.valid_from, f.valid_to) for f in stays] == [
        (CHAPEL.id, 0, 20),
        (chamber.id, 20, None),
    ]


# --- how proposals end ------------------------------------------------------------------------------


async def test_canon_keeper_each_way_a_proposal_ends(table: Table) -> None:
    await table.lay(fact("located_in", MARA, CHAPEL, valid_from=100))
    sure = hurt(MARA, 1)
    unsure = says("owns", MARA, LANTERN, **UNSURE)
    wanted = says("met", MARA, JON, **UNSURE)
    refused = tagged(JON, "proud")
    colour = tagged(JON, "humming")
    held = says("located_in", MARA, CRYPT, valid_from=100)
    await table.stage(sure, unsure, wanted, refused, colour, held)
    await table.keeper.decide([wanted.id], ruling(Verdict.ACCEPT))
    await table.keeper.decide([refused.id], ruling(Verdict.REJECT, reason="He is not."))
    await table.keeper.decide([colour.id], ruling(Verdict.FLAVOUR))
    everything = await table.log.proposals(ProposalQuery(scene_id=SCENE))

    report = await table.keeper.commit(
        everything, reason="by hand", scene=await table.scene(), story_id=STORY, undecided="leave"
    )
    assert (report.accepted_count, report.rejected_count, report.deferred_count, report.held_count) == (
        2,
        2,
        0,
        1,
    )
    assert (await table.stored(unsure)).status is ProposalStatus.PENDING
    assert (await table.stored(held)).status is ProposalStatus.PENDING
    assert (await table.canon.fact(fact_of(wanted))).confidence == 1.0
    assert (await table.canon.fact(fact_of(sure))).confidence == 0.8
    refusal = (await table.stored(refused)).decision
    assert refusal is not None
    assert refusal.reason == "He is not."
    mere = (await table.stored(colour)).decision
    assert mere is not None
    assert (mere.verdict, mere.reason) == (Verdict.FLAVOUR, "Just flavour.")

    report = await table.keeper.commit(
        everything, reason="scene end", scene=await table.scene(), story_id=STORY, close_scene=True
    )
    assert (report.accepted_count, report.rejected_count, report.deferred_count, report.held_count) == (
        0,
        0,
        1,
        1,
    )
    for waiting in (unsure, held):
        stored = await table.stored(waiting)
        assert stored.status is ProposalStatus.DEFERRED, "nothing is rejected for being undecided"
        assert stored.decision is not None
        assert stored.decision.by == "policy"


async def test_canon_keeper_what_was_deferred_is_weighed_anew(table: Table) -> None:
    await table.lay()
    (claim,) = await table.stage(says("owns", MARA, LANTERN, **UNSURE))
    await table.keeper.commit([claim], reason="scene end", scene=await table.scene())
    await table.keeper.decide([claim.id], ruling(Verdict.ACCEPT))
    report = await table.keeper.commit([claim], reason="later", universe_id=UNIVERSE)
    assert report.accepted_count == 1
    assert await table.told() == ["Mara owns Lantern."]


async def test_canon_keeper_gms_word_overrides_what_it_meets(table: Table) -> None:
    here = fact("located_in", MARA, CHAPEL, valid_from=100)
    await table.lay(here)
    (claim,) = await table.stage(says("located_in", MARA, CRYPT, valid_from=100))
    await table.keeper.decide([claim.id], ruling(Verdict.ACCEPT))
    await table.keeper.commit([claim], reason="by hand", scene=await table.scene())
    assert await table.told() == ["Mara is in Crypt."]
    assert [f.id for f in await table.canon.superseded_by(here.id)] == [fact_of(claim)]


async def test_canon_keeper_edit_is_what_becomes_true(table: Table) -> None:
    await table.lay()
    (claim,) = await table.stage(says("owns", MARA, LANTERN, **UNSURE))
    edited = claim.payload.model_copy(update={"statement": "Mara owns the cracked lantern."})
    await table.keeper.decide([claim.id], ruling(Verdict.ACCEPT, edited=edited))
    await table.keeper.commit([claim], reason="by hand", scene=await table.scene())
    assert await table.told() == ["Mara owns the cracked lantern."]


async def test_canon_keeper_one_failure_does_not_stop_the_rest_and_is_tried_again(table: Table) -> None:
    await table.lay()
    guard = entity("Guard")
    comes = creates("Guard", EntityKind.CHARACTER, **UNSURE)
    meets, blow = says("met", MARA, guard), hurt(MARA, 1)
    everything = await table.stage(comes, meets, blow)
    report = await table.keeper.commit(
        everything, reason="by hand", scene=await table.scene(), undecided="leave"
    )
    assert report.failures == ((meets.id, "It needs Guard, which is still undecided."),)
    assert report.accepted_count == 1
    failed = await table.stored(meets)
    assert (failed.status, failed.error) == (ProposalStatus.FAILED, report.failures[0][1])
    (row,) = [v for v in await table.keeper.build_views([failed]) if v.proposal.id == meets.id]
    assert row.reasons[0] == f"Could not be written: {failed.error}"

    await table.keeper.decide([comes.id], ruling(Verdict.ACCEPT))
    report = await table.keeper.commit(everything, reason="again", scene=await table.scene())
    assert (report.accepted_count, report.failures) == (2, ())
    assert (await table.stored(meets)).error == ""


async def test_canon_keeper_commit_of_nothing_closes_the_scene_and_otherwise_writes_nothing(table: Table) -> None:
    await table.lay()
    report = await table.keeper.commit([], reason="by hand", scene=await table.scene(), undecided="leave")
    assert report.canonization_id is None
    assert await table.log.canonizations() == []
    await table.keeper.commit([], reason="scene end", scene=await table.scene(), close_scene=True)
    assert (await table.canon.scene_nodes(STORY))[0].status == "completed"


async def test_canon_keeper_storys_end(table: Table) -> None:
    await table.lay()
    await table.keeper.commit([], reason="story end", story_id=STORY, complete_story=True)
    assert (await table.canon.story_nodes(UNIVERSE))[0].status == "completed"


async def test_canon_keeper_what_was_withdrawn_or_closed_is_left_alone(table: Table) -> None:
    await table.lay()
    (blow,) = await table.stage(hurt(MARA, 3))
    await table.keeper.commit([blow], reason="once", scene=await table.scene())
    report = await table.keeper.commit([blow], reason="twice", scene=await table.scene())
    assert report.canonization_id is None
    assert (await table.canon.entity(MARA.id)).numbers["hp"] == 7


async def test_retcon_and_restore_through_the_gate(table: Table) -> None:
    await table.lay()
    first, second = await table.stage(hurt(MARA, 3, tick=10), hurt(MARA, 3, tick=20))
    await table.keeper.commit([first, second], reason="scene", scene=await table.scene())
    before = await table.whole()
    by_gm = {"authority": Authority.GM}
    (undo,) = await table.stage(proposal(RetconFact(fact_id=fact_of(first)), **by_gm))
    await table.keeper.commit([undo], reason="retcon", scene=await table.scene())
    stays = await table.canon.facts_about(MARA.id, FactsAboutQuery(predicate="hp", history=True))
    assert [(f.statement, f.valid_to, f.status) for f in stays] == [
        ("Mara's HP is 10.", 20, FactStatus.SUPERSEDED),
        ("Mara's HP is 7.", 20, FactStatus.RETCONNED),
        ("Mara's HP is 4.", None, FactStatus.CANONICAL),
    ]
    (redo,) = await table.stage(proposal(RetconFact(fact_id=fact_of(first), restore=True), **by_gm))
    await table.keeper.commit([redo], reason="restore", scene=await table.scene())
    assert await table.whole() == before


async def test_canon_keeper_what_is_said_of_a_merged_one_is_weighed_as_of_the_kept_one(table: Table) -> None:
    await table.lay(fact("located_in", MARA, CHAPEL, valid_from=50), fact("owns", JON, LANTERN))
    (merge,) = await table.stage(proposal(MergeEntities(kept_id=MARA.id, absorbed_id=JON.id)))
    report = await table.keeper.commit([merge], reason="merge", scene=await table.scene())
    (moved,) = report.facts
    assert moved.entity("subject") == MARA.id
    assert await table.canon.evidence_of(moved.id) != []
    again, elsewhere = says("owns", JON, LANTERN), says("located_in", JON, CRYPT, valid_from=50)
    judgements = await table.keeper.assess(await table.stage(again, elsewhere))
    assert judgements[again.id].duplicate_of == moved.id
    assert [c.check_name for c in judgements[elsewhere.id].conflicts] == ["one_value"]


async def test_canon_keeper_first_value_rests_on_what_its_entity_rests_on(table: Table) -> None:
    await table.lay()
    (told,) = await table.stage(says("hp", MARA, value=4))
    report = await table.keeper.commit([told], reason="by hand", scene=await table.scene())
    assert [f.statement for f in report.facts] == ["Mara's HP is 4."]
    (first,) = await table.canon.supersedes(report.facts[0].id)
    assert first.statement == "Mara's HP is 10."
    assert [e.quote for e in await table.canon.evidence_of(first.id)] == ["in the beginning"]


# --- founding ---------------------------------------------------------------------------------------


async def test_canon_keeper_universe_is_founded_with_what_it_begins_with(table: Table) -> None:
    bare = {"scene_id": None, "story_id": None, "turn_id": None, "tick": None}
    mara, lamp = entity("Mara"), entity("Lamp", EntityKind.OBJECT)
    begun = await table.stage(
        creates("Mara", EntityKind.CHARACTER, entity_id=mara.id, **bare),
        creates("Lamp", EntityKind.OBJECT, entity_id=lamp.id, **bare),
        says("owns", mara, lamp, evidence=(), **UNSURE, **bare),
    )
    report = await table.keeper.create_universe(universe(), begun)
    assert (report.accepted_count, len(report.entities), len(report.facts)) == (3, 2, 1)
    assert await table.canon.universe(UNIVERSE) == universe()
    assert await table.canon.evidence_of(fact_of(begun[2]))
    again = await table.keeper.create_universe(universe(), begun)
    assert (again.accepted_count, again.facts) == (0, ())


# --- deciding ---------------------------------------------------------------------------------------


async def test_canon_keeper_decision_may_be_taken_back_until_a_commit_closes_over_it(table: Table) -> None:
    await table.lay()
    (blow,) = await table.stage(hurt(MARA, 3))
    await table.keeper.decide([blow.id], ruling(Verdict.REJECT))
    await table.keeper.decide([blow.id], None)
    assert (await table.stored(blow)).decision is None
    await table.keeper.commit([blow], reason="by hand", scene=await table.scene())
    with pytest.raises(InputError, match="closed over it") as refused:
        await table.keeper.decide([blow.id], ruling(Verdict.REJECT))
    assert refused.value.todo == "Propose a retcon to change what became canon."


async def test_decisions_that_are_refused(table: Table) -> None:
    await table.lay()
    blow, place = await table.stage(hurt(MARA, 3), creates("Hidden Chamber"))
    with pytest.raises(InputError, match="There is no proposal"):
        await table.keeper.decide([new_id()], ruling(Verdict.ACCEPT))
    with pytest.raises(InputError, match="of one proposal"):
        await table.keeper.decide([blow.id, place.id], ruling(Verdict.ACCEPT, edited=blow.payload))
    for other in (creates("Elsewhere").payload, creates("Hidden Chamber", entity_id=new_id()).payload):
        with pytest.raises(InputError, match="another kind"):
            await table.keeper.decide([place.id], ruling(Verdict.ACCEPT, edited=other))
        with pytest.raises(InputError, match="another kind"):
            await table.keeper.decide([blow.id], ruling(Verdict.ACCEPT, edited=other))


# --- rows -------------------------------------------------------------------------------------------


async def test_rows_are_numbered_judged_and_told(table: Table) -> None:
    await table.lay(fact("located_in", MARA, CHAPEL, valid_from=100))
    turn = new_id()
    blow = hurt(MARA, 3, turn_id=turn, evidence=(evidence("a gash", turn),))
    held = says("located_in", MARA, CRYPT, valid_from=100)
    unsure = says("owns", MARA, LANTERN, **UNSURE)
    staged = await table.stage(blow, held, unsure)
    rows = await table.keeper.build_views(staged, turn_numbers={turn: 11})
    assert [(r.number, r.title, r.mark, r.turn_number, r.quote) for r in rows] == [
        (1, "Mara: HP 10 → 7", "accept", 11, "a gash"),
        (2, "Mara is in Crypt.", "hold", None, "…"),
        (3, "Mara owns Lantern.", "defer", None, "…"),
    ]
    assert [c.check_name for c in rows[1].conflicts] == ["one_value"]

    await table.keeper.decide([held.id], ruling(Verdict.REJECT, reason="No."))
    await table.keeper.commit([blow], reason="by hand", scene=await table.scene(), undecided="leave")
    rows = await table.keeper.build_views(await table.log.proposals(ProposalQuery(scene_id=SCENE)))
    assert [(r.title, r.status, r.mark, r.verdict) for r in rows] == [
        ("Mara: HP -3", ProposalStatus.ACCEPTED, "accept", Verdict.ACCEPT),
        ("Mara is in Crypt.", ProposalStatus.PENDING, "reject", Verdict.REJECT),
        ("Mara owns Lantern.", ProposalStatus.PENDING, "defer", None),
    ]
    assert "No." in rows[1].reasons


async def test_canon_keeper_no_proposals_no_rows(table: Table) -> None:
    assert await table.keeper.build_views([]) == ()
    assert await table.keeper.assess([]) == {}


async def test_judging_reads_and_writes_nothing(table: Table) -> None:
    await table.lay()
    staged = await table.stage(hurt(MARA, 3), says("owns", MARA, LANTERN))
    before = await table.whole()
    judgements = await table.keeper.assess(staged)
    assert [judgements[p.id].mark for p in staged] == ["accept", "accept"]
    assert await table.whole() == before
    assert await table.log.canonizations(states=[CanonizationState.PLANNED]) == []
