"""The CanonKeeper on a real library: commits, decisions, and the seed's two worked examples."""

from __future__ import annotations

import pytest

from stores.errors import InputError
from stores.queries import FactQuery, FactsAboutQuery, ProposalQuery
from stores.records.canon import Authority, FactKind, FactStatus, MergeEntities, RetconFact
from stores.records.workflow import CanonizationState, ProposalStatus, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
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


async def test_canon_keeper_orc_dies(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    turns = [new_id() for _ in range(3)]
    first = await keeper_library.stage(hurt(ORC, 3, turn_id=turns[0], tick=1))
    first += await keeper_library.stage(hurt(MARA, 3, turn_id=turns[1], tick=2))
    last = await keeper_library.stage(
        hurt(ORC, 5, turn_id=turns[2], tick=3),
        dies(ORC, turn_id=turns[2], tick=3, evidence=(evidence("I finish him", turns[2]),)),
    )

    staged = await keeper_library.log.proposals(ProposalQuery(scene_id=SCENE))
    critical = await keeper_library.keeper.find_critical(staged)
    assert [p.id for p in critical] == [last[1].id]
    batch = await keeper_library.keeper.select_trigger_batch(staged, critical)
    assert [p.id for p in batch] == [first[0].id, *(p.id for p in last)]
    report = await keeper_library.keeper.commit(
        batch, reason="death", scene=await keeper_library.scene(), story_id=STORY, undecided="leave"
    )
    assert (report.accepted_count, report.held_count, report.failures) == (3, 0, ())

    died = await keeper_library.canon.fact(fact_of(last[1]))
    assert (died.statement, died.valid_from, died.status) == ("Orc died.", 3, FactStatus.CANONICAL)
    assert [(e.quote, e.turn_id) for e in await keeper_library.canon.evidence_of(died.id) if e.turn_id] == [
        ("I finish him", turns[2])
    ]
    orc = await keeper_library.canon.entity(ORC.id)
    assert (orc.numbers, orc.tags) == ({"hp": 0}, ("dead",))
    assert (await keeper_library.stored(first[1])).status is ProposalStatus.PENDING, (
        "Mara's wound waits for the end"
    )

    told = await keeper_library.stage(
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
    report = await keeper_library.keeper.commit(
        [first[1], *told],
        reason="scene end",
        scene=scene(cast=(MARA.id, ORC.id)),
        story_id=STORY,
        close_scene=True,
    )
    assert (report.accepted_count, report.deferred_count, report.held_count) == (3, 0, 0)
    assert await keeper_library.told() == [
        "Mara fought the orc.",
        "Mara is wounded.",
        "Mara's HP is 7.",
        "Orc died.",
        "Orc's HP is 0.",
    ]
    mara = await keeper_library.canon.entity(MARA.id)
    assert (mara.numbers["hp"], mara.tags) == (7, ("brave", "wounded"))
    assert (await keeper_library.canon.scene_nodes(STORY))[0].status == "completed"
    outcomes = {
        f.id: f.statement for f in await keeper_library.canon.facts(UNIVERSE, FactQuery(history=True))
    }
    assert {outcomes[i] for i in (await keeper_library.scene()).canonical_outcomes} >= set(
        await keeper_library.told()
    )
    assert await keeper_library.canon.appearances(ORC.id) == [SCENE]


async def test_canon_keeper_hidden_door(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(fact("located_in", MARA, CHAPEL, valid_from=0))
    turn = new_id()
    chamber = entity("Hidden Chamber", EntityKind.PLACE)
    words = evidence("You find a hidden door", turn)
    found = await keeper_library.stage(
        creates("Hidden Chamber", turn_id=turn, tick=11, evidence=(words,)),
        says("connected_to", CHAPEL, chamber, turn_id=turn, tick=11, evidence=(words,)),
    )
    critical = await keeper_library.keeper.find_critical(found)
    batch = await keeper_library.keeper.select_trigger_batch(found, critical)
    await keeper_library.keeper.commit(
        batch, reason="discovery", scene=await keeper_library.scene(), story_id=STORY, undecided="leave"
    )
    near = await keeper_library.canon.neighbourhood([CHAPEL.id], hops=1)
    assert chamber.id in {e.id for e in near.entities}
    assert words.id in {e.id for e in await keeper_library.canon.evidence_of(chamber.id)}
    assert (await keeper_library.canon.scene_nodes(STORY))[0].status == "active"

    moved = await keeper_library.stage(says("located_in", MARA, chamber, tick=20))
    await keeper_library.keeper.commit(
        moved, reason="scene end", scene=await keeper_library.scene(), story_id=STORY, close_scene=True
    )
    stays = await keeper_library.canon.facts_about(
        MARA.id, FactsAboutQuery(predicate="located_in", history=True)
    )
    assert [(f.entity("object"), f.valid_from, f.valid_to) for f in stays] == [
        (CHAPEL.id, 0, 20),
        (chamber.id, 20, None),
    ]


# --- how proposals end ------------------------------------------------------------------------------


async def test_canon_keeper_each_way_a_proposal_ends(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(fact("located_in", MARA, CHAPEL, valid_from=100))
    sure = hurt(MARA, 1)
    unsure = says("owns", MARA, LANTERN, **UNSURE)
    wanted = says("met", MARA, JON, **UNSURE)
    refused = tagged(JON, "proud")
    colour = tagged(JON, "humming")
    held = says("located_in", MARA, CRYPT, valid_from=100)
    await keeper_library.stage(sure, unsure, wanted, refused, colour, held)
    await keeper_library.keeper.decide([wanted.id], ruling(Verdict.ACCEPT))
    await keeper_library.keeper.decide([refused.id], ruling(Verdict.REJECT, reason="He is not."))
    await keeper_library.keeper.decide([colour.id], ruling(Verdict.FLAVOUR))
    everything = await keeper_library.log.proposals(ProposalQuery(scene_id=SCENE))

    report = await keeper_library.keeper.commit(
        everything, reason="by hand", scene=await keeper_library.scene(), story_id=STORY, undecided="leave"
    )
    assert (report.accepted_count, report.rejected_count, report.deferred_count, report.held_count) == (
        2,
        2,
        0,
        1,
    )
    assert (await keeper_library.stored(unsure)).status is ProposalStatus.PENDING
    assert (await keeper_library.stored(held)).status is ProposalStatus.PENDING
    assert (await keeper_library.canon.fact(fact_of(wanted))).confidence == 1.0
    assert (await keeper_library.canon.fact(fact_of(sure))).confidence == 0.8
    refusal = (await keeper_library.stored(refused)).decision
    assert refusal is not None
    assert refusal.reason == "He is not."
    mere = (await keeper_library.stored(colour)).decision
    assert mere is not None
    assert (mere.verdict, mere.reason) == (Verdict.FLAVOUR, "Just flavour.")

    report = await keeper_library.keeper.commit(
        everything, reason="scene end", scene=await keeper_library.scene(), story_id=STORY, close_scene=True
    )
    assert (report.accepted_count, report.rejected_count, report.deferred_count, report.held_count) == (
        0,
        0,
        1,
        1,
    )
    for waiting in (unsure, held):
        stored = await keeper_library.stored(waiting)
        assert stored.status is ProposalStatus.DEFERRED, "nothing is rejected for being undecided"
        assert stored.decision is not None
        assert stored.decision.by == "policy"


async def test_canon_keeper_what_was_deferred_is_weighed_anew(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    (claim,) = await keeper_library.stage(says("owns", MARA, LANTERN, **UNSURE))
    await keeper_library.keeper.commit([claim], reason="scene end", scene=await keeper_library.scene())
    await keeper_library.keeper.decide([claim.id], ruling(Verdict.ACCEPT))
    report = await keeper_library.keeper.commit([claim], reason="later", universe_id=UNIVERSE)
    assert report.accepted_count == 1
    assert await keeper_library.told() == ["Mara owns Lantern."]


async def test_canon_keeper_gms_word_overrides_what_it_meets(keeper_library: KeeperLibrary) -> None:
    here = fact("located_in", MARA, CHAPEL, valid_from=100)
    await keeper_library.lay(here)
    (claim,) = await keeper_library.stage(says("located_in", MARA, CRYPT, valid_from=100))
    await keeper_library.keeper.decide([claim.id], ruling(Verdict.ACCEPT))
    await keeper_library.keeper.commit([claim], reason="by hand", scene=await keeper_library.scene())
    assert await keeper_library.told() == ["Mara is in Crypt."]
    assert [f.id for f in await keeper_library.canon.superseded_by(here.id)] == [fact_of(claim)]


async def test_canon_keeper_edit_is_what_becomes_true(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    (claim,) = await keeper_library.stage(says("owns", MARA, LANTERN, **UNSURE))
    edited = claim.payload.model_copy(update={"statement": "Mara owns the cracked lantern."})
    await keeper_library.keeper.decide([claim.id], ruling(Verdict.ACCEPT, edited=edited))
    await keeper_library.keeper.commit([claim], reason="by hand", scene=await keeper_library.scene())
    assert await keeper_library.told() == ["Mara owns the cracked lantern."]


async def test_canon_keeper_one_failure_does_not_stop_the_rest_and_is_tried_again(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    guard = entity("Guard")
    comes = creates("Guard", EntityKind.CHARACTER, **UNSURE)
    meets, blow = says("met", MARA, guard), hurt(MARA, 1)
    everything = await keeper_library.stage(comes, meets, blow)
    report = await keeper_library.keeper.commit(
        everything, reason="by hand", scene=await keeper_library.scene(), undecided="leave"
    )
    assert report.failures == ((meets.id, "It needs Guard, which is still undecided."),)
    assert report.accepted_count == 1
    failed = await keeper_library.stored(meets)
    assert (failed.status, failed.error) == (ProposalStatus.FAILED, report.failures[0][1])
    (row,) = [v for v in await keeper_library.keeper.build_views([failed]) if v.proposal.id == meets.id]
    assert row.reasons[0] == f"Could not be written: {failed.error}"

    await keeper_library.keeper.decide([comes.id], ruling(Verdict.ACCEPT))
    report = await keeper_library.keeper.commit(
        everything, reason="again", scene=await keeper_library.scene()
    )
    assert (report.accepted_count, report.failures) == (2, ())
    assert (await keeper_library.stored(meets)).error == ""


async def test_canon_keeper_commit_of_nothing_closes_the_scene_and_otherwise_writes_nothing(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    report = await keeper_library.keeper.commit(
        [], reason="by hand", scene=await keeper_library.scene(), undecided="leave"
    )
    assert report.canonization_id is None
    assert await keeper_library.log.canonizations() == []
    await keeper_library.keeper.commit(
        [], reason="scene end", scene=await keeper_library.scene(), close_scene=True
    )
    assert (await keeper_library.canon.scene_nodes(STORY))[0].status == "completed"


async def test_canon_keeper_storys_end(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    await keeper_library.keeper.commit([], reason="story end", story_id=STORY, complete_story=True)
    assert (await keeper_library.canon.story_nodes(UNIVERSE))[0].status == "completed"


async def test_canon_keeper_what_was_withdrawn_or_closed_is_left_alone(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    (blow,) = await keeper_library.stage(hurt(MARA, 3))
    await keeper_library.keeper.commit([blow], reason="once", scene=await keeper_library.scene())
    report = await keeper_library.keeper.commit([blow], reason="twice", scene=await keeper_library.scene())
    assert report.canonization_id is None
    assert (await keeper_library.canon.entity(MARA.id)).numbers["hp"] == 7


async def test_retcon_and_restore_through_the_gate(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    first, second = await keeper_library.stage(hurt(MARA, 3, tick=10), hurt(MARA, 3, tick=20))
    await keeper_library.keeper.commit([first, second], reason="scene", scene=await keeper_library.scene())
    before = await keeper_library.whole()
    by_gm = {"authority": Authority.GM}
    (undo,) = await keeper_library.stage(proposal(RetconFact(fact_id=fact_of(first)), **by_gm))
    await keeper_library.keeper.commit([undo], reason="retcon", scene=await keeper_library.scene())
    stays = await keeper_library.canon.facts_about(MARA.id, FactsAboutQuery(predicate="hp", history=True))
    assert [(f.statement, f.valid_to, f.status) for f in stays] == [
        ("Mara's HP is 10.", 20, FactStatus.SUPERSEDED),
        ("Mara's HP is 7.", 20, FactStatus.RETCONNED),
        ("Mara's HP is 4.", None, FactStatus.CANONICAL),
    ]
    (redo,) = await keeper_library.stage(proposal(RetconFact(fact_id=fact_of(first), restore=True), **by_gm))
    await keeper_library.keeper.commit([redo], reason="restore", scene=await keeper_library.scene())
    assert await keeper_library.whole() == before


async def test_canon_keeper_what_is_said_of_a_merged_one_is_weighed_as_of_the_kept_one(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(fact("located_in", MARA, CHAPEL, valid_from=50), fact("owns", JON, LANTERN))
    (merge,) = await keeper_library.stage(proposal(MergeEntities(kept_id=MARA.id, absorbed_id=JON.id)))
    report = await keeper_library.keeper.commit([merge], reason="merge", scene=await keeper_library.scene())
    (moved,) = report.facts
    assert moved.entity("subject") == MARA.id
    assert await keeper_library.canon.evidence_of(moved.id) != []
    again, elsewhere = says("owns", JON, LANTERN), says("located_in", JON, CRYPT, valid_from=50)
    judgements = await keeper_library.keeper.assess(await keeper_library.stage(again, elsewhere))
    assert judgements[again.id].duplicate_of == moved.id
    assert [c.check_name for c in judgements[elsewhere.id].conflicts] == ["one_value"]


async def test_canon_keeper_first_value_rests_on_what_its_entity_rests_on(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    (told,) = await keeper_library.stage(says("hp", MARA, value=4))
    report = await keeper_library.keeper.commit([told], reason="by hand", scene=await keeper_library.scene())
    assert [f.statement for f in report.facts] == ["Mara's HP is 4."]
    (first,) = await keeper_library.canon.supersedes(report.facts[0].id)
    assert first.statement == "Mara's HP is 10."
    assert [e.quote for e in await keeper_library.canon.evidence_of(first.id)] == ["in the beginning"]


# --- founding ---------------------------------------------------------------------------------------


async def test_canon_keeper_universe_is_founded_with_what_it_begins_with(
    keeper_library: KeeperLibrary,
) -> None:
    bare = {"scene_id": None, "story_id": None, "turn_id": None, "tick": None}
    mara, lamp = entity("Mara"), entity("Lamp", EntityKind.OBJECT)
    begun = await keeper_library.stage(
        creates("Mara", EntityKind.CHARACTER, entity_id=mara.id, **bare),
        creates("Lamp", EntityKind.OBJECT, entity_id=lamp.id, **bare),
        says("owns", mara, lamp, evidence=(), **UNSURE, **bare),
    )
    report = await keeper_library.keeper.create_universe(universe(), begun)
    assert (report.accepted_count, len(report.entities), len(report.facts)) == (3, 2, 1)
    assert await keeper_library.canon.universe(UNIVERSE) == universe()
    assert await keeper_library.canon.evidence_of(fact_of(begun[2]))
    again = await keeper_library.keeper.create_universe(universe(), begun)
    assert (again.accepted_count, again.facts) == (0, ())


# --- deciding ---------------------------------------------------------------------------------------


async def test_canon_keeper_decision_may_be_taken_back_until_a_commit_closes_over_it(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    (blow,) = await keeper_library.stage(hurt(MARA, 3))
    await keeper_library.keeper.decide([blow.id], ruling(Verdict.REJECT))
    await keeper_library.keeper.decide([blow.id], None)
    assert (await keeper_library.stored(blow)).decision is None
    await keeper_library.keeper.commit([blow], reason="by hand", scene=await keeper_library.scene())
    with pytest.raises(InputError, match="closed over it") as refused:
        await keeper_library.keeper.decide([blow.id], ruling(Verdict.REJECT))
    assert refused.value.todo == "At the gate (F3), u on its row proposes what takes it back."


async def test_decisions_that_are_refused(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    blow, place = await keeper_library.stage(hurt(MARA, 3), creates("Hidden Chamber"))
    with pytest.raises(InputError, match="There is no proposal"):
        await keeper_library.keeper.decide([new_id()], ruling(Verdict.ACCEPT))
    with pytest.raises(InputError, match="of one proposal"):
        await keeper_library.keeper.decide([blow.id, place.id], ruling(Verdict.ACCEPT, edited=blow.payload))
    for other in (creates("Elsewhere").payload, creates("Hidden Chamber", entity_id=new_id()).payload):
        with pytest.raises(InputError, match="another kind"):
            await keeper_library.keeper.decide([place.id], ruling(Verdict.ACCEPT, edited=other))
        with pytest.raises(InputError, match="another kind"):
            await keeper_library.keeper.decide([blow.id], ruling(Verdict.ACCEPT, edited=other))


# --- rows -------------------------------------------------------------------------------------------


async def test_rows_are_numbered_judged_and_told(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(fact("located_in", MARA, CHAPEL, valid_from=100))
    turn = new_id()
    blow = hurt(MARA, 3, turn_id=turn, evidence=(evidence("a gash", turn),))
    held = says("located_in", MARA, CRYPT, valid_from=100)
    unsure = says("owns", MARA, LANTERN, **UNSURE)
    staged = await keeper_library.stage(blow, held, unsure)
    rows = await keeper_library.keeper.build_views(staged, turn_numbers={turn: 11})
    assert [(r.number, r.title, r.mark, r.turn_number, r.quote) for r in rows] == [
        (1, "Mara: HP 10 → 7", "accept", 11, "a gash"),
        (2, "Mara is in Crypt.", "hold", None, "…"),
        (3, "Mara owns Lantern.", "defer", None, "…"),
    ]
    assert [c.check_name for c in rows[1].conflicts] == ["one_value"]

    await keeper_library.keeper.decide([held.id], ruling(Verdict.REJECT, reason="No."))
    await keeper_library.keeper.commit(
        [blow], reason="by hand", scene=await keeper_library.scene(), undecided="leave"
    )
    rows = await keeper_library.keeper.build_views(
        await keeper_library.log.proposals(ProposalQuery(scene_id=SCENE))
    )
    assert [(r.title, r.status, r.mark, r.verdict) for r in rows] == [
        ("Mara: HP -3", ProposalStatus.ACCEPTED, "accept", Verdict.ACCEPT),
        ("Mara is in Crypt.", ProposalStatus.PENDING, "reject", Verdict.REJECT),
        ("Mara owns Lantern.", ProposalStatus.PENDING, "defer", None),
    ]
    assert "No." in rows[1].reasons


async def test_canon_keeper_no_proposals_no_rows(keeper_library: KeeperLibrary) -> None:
    assert await keeper_library.keeper.build_views([]) == ()
    assert await keeper_library.keeper.assess([]) == {}


async def test_judging_reads_and_writes_nothing(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    staged = await keeper_library.stage(hurt(MARA, 3), says("owns", MARA, LANTERN))
    before = await keeper_library.whole()
    judgements = await keeper_library.keeper.assess(staged)
    assert [judgements[p.id].mark for p in staged] == ["accept", "accept"]
    assert await keeper_library.whole() == before
    assert await keeper_library.log.canonizations(states=[CanonizationState.PLANNED]) == []
