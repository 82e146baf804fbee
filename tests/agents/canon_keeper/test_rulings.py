"""The court: each ruling on each kind of conflict, through the one commit, and never asked again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from agents.canon_keeper.checks.contradictions import check_proposals
from agents.canon_keeper.conflicts.ruling_service import FactConflict, RulingPlan
from agents.canon_keeper.fact_readings import is_true
from stores.embedded.library import open_library
from stores.errors import InputError
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import AssertFact, Authority, CanonBatch, Fact, FactStatus, Standing
from stores.records.workflow import ProposalStatus, ProposedChange, RulingKind, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.contradiction_cases import (
    ALLIES,
    BORN,
    DEAD_ORC,
    GUILD,
    HARBOUR,
    HEIR,
    IN_CHAPEL,
    JON_IN_HARBOUR,
    JON_RULES_NOT,
    MOOD,
    OTHER_SCENE,
    OWNED,
    PEOPLE,
    RANG,
    WAS_IN_CHAPEL,
    does,
    meets,
)
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    ORC,
    UNIVERSE,
    canon,
    creates,
    entity,
    evidence,
    fact,
    hurt,
    proposal,
    says,
    state,
)
from tests.agents.canon_keeper.proposal_builders import ruling as verdict

pytestmark = pytest.mark.slow

ALL = tuple(RulingKind)
FROM_NOW, NEW, OLD, BOTH, BOUNDED, SPLIT = ALL


def here(**given: object) -> ProposedChange:
    return says("located_in", MARA, CRYPT, **{"valid_from": 50} | given)


MOMENT = (NEW, OLD, BOTH, SPLIT)
EVER = fact("located_in", MARA, CHAPEL)
ELSEWHERE = does(MARA, "Mara dug.", at=HARBOUR, scene_id=OTHER_SCENE)
SAID = {"predicate", "statement", "involves", "value", "valid_from", "valid_to"}

CASES: dict[str, tuple[list[Fact], ProposedChange, tuple[RulingKind, ...]]] = {
    "two places": ([IN_CHAPEL], here(), ALL),
    "another place before": ([IN_CHAPEL], here(valid_from=20), ALL),
    "a place since ever": ([EVER], here(tick=None, scene_id=None, valid_from=None), ALL),
    "a stay that is over": ([WAS_IN_CHAPEL], here(valid_from=60), ALL),
    "a stay with an end": ([WAS_IN_CHAPEL], here(valid_from=40, valid_to=70), ALL),
    "two owners": ([OWNED], says("owns", JON, LANTERN, valid_from=0), ALL),
    "ally and enemy": ([ALLIES], says("enemy_of", MARA, JON), ALL),
    "alive again": ([DEAD_ORC], state(ORC, "alive", True, tick=200), ALL),
    "a dead fighter": ([DEAD_ORC], does(ORC, "The orc fought.", tick=200), ALL),
    "a dead one is hurt": ([DEAD_ORC], hurt(ORC, 2, tick=200), ALL),
    "an absent actor": ([IN_CHAPEL], does(MARA, "Mara dug.", at=HARBOUR), ALL),
    "a meeting over a distance": ([IN_CHAPEL, JON_IN_HARBOUR], meets(MARA, JON), ALL),
    "two deeds in two places": ([RANG], ELSEWHERE, MOMENT),
    "not yet born": ([BORN], does(HEIR, "The heir spoke.", tick=80), MOMENT),
    "a broken rule": ([JON_RULES_NOT], says("rules_over", JON, GUILD), (FROM_NOW, NEW, OLD, BOTH, BOUNDED)),
    "two moods": ([MOOD], says("mood", MARA, value="merry", valid_from=50), ALL),
}  # fmt: skip


def ways(rulings: tuple[RulingKind, ...]) -> Iterator[tuple[RulingKind, Literal["new", "old"] | None]]:
    for ruling in rulings:
        sides: tuple[Literal["new", "old"] | None, ...] = (None,)
        if ruling in (BOTH, BOUNDED, SPLIT):
            sides = ("new", "old")
        yield from ((ruling, side) for side in sides)


async def ruled(
    keeper_library: KeeperLibrary, case: str, ruling: RulingKind, side: Literal["new", "old"] | None
) -> tuple[FactConflict, RulingPlan]:
    """Rule on a held proposal; a time is given where it needs one."""
    facts, claim, _ = CASES[case]
    await keeper_library.lay(*facts, entities=PEOPLE)
    await keeper_library.stage(claim)
    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id)
    begins = hearing.claim.valid_from
    late = begins is None or begins <= (hearing.other.valid_from or 0)
    tick = 66 if ruling is BOUNDED or (ruling is FROM_NOW and late) else None
    order = await keeper_library.keeper.rulings.plan_ruling(
        hearing, ruling, tick=tick, yielding=side, reason="I say so."
    )
    await keeper_library.stage(*order.staged_proposals)
    return hearing, order


async def free_of_conflict(keeper_library: KeeperLibrary) -> list[str]:
    """Return what each fact that stands would meet if it were said anew."""
    facts = await keeper_library.canon.facts(UNIVERSE, FactQuery(history=True))
    everyone = {e.id: e for e in (*PEOPLE, *await keeper_library.canon.entities(UNIVERSE))}
    met = []
    for one in (f for f in facts if is_true(f) and f.kind != "axiom" and f.predicate != "ended"):
        again = proposal(
            AssertFact(
                fact_kind=one.kind,
                **one.model_dump(include=SAID),
            ),
            authority=Authority.SOURCE,
            scene_id=None,
            turn_id=None,
            tick=None,
        )  # fmt: skip
        rest = [f for f in facts if f.id != one.id]
        checked = check_proposals([again], canon(*rest, entities=tuple(everyone.values())), CATALOGUE)
        met += [f"{one.statement} / {c.text}" for c in checked.findings[again.id].conflicts]
    return met


@pytest.mark.parametrize(
    ("case", "ruling", "side"),
    [(name, *way) for name, (_, _, rulings) in CASES.items() for way in ways(rulings)],
)
async def test_ruling_every_ruling_leaves_canon_free_of_the_conflict(
    case: str, ruling: RulingKind, side: Literal["new", "old"] | None, keeper_library: KeeperLibrary
) -> None:
    facts, claim, rulings = CASES[case]
    try:
        hearing, order = await ruled(keeper_library, case, ruling, side)
    except InputError:
        ruling_has_terms = ruling in (BOUNDED, BOTH)
        assert ruling_has_terms
        assert (await keeper_library.stored(claim)).decision is None
        return
    assert hearing.rulings == rulings
    result = await keeper_library.keeper.rulings.apply_ruling(order)
    assert result.failures == ()
    assert await free_of_conflict(keeper_library) == []
    assert (await keeper_library.stored(claim)).status in (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
    for old in facts:
        assert (await keeper_library.canon.fact(old.id)).statement == old.statement, "nothing is deleted"
    assert [r.id for r in await keeper_library.log.rulings(UNIVERSE)] == [order.ruling.id]
    once = await keeper_library.whole()
    await keeper_library.keeper.rulings.apply_ruling(order)
    assert await keeper_library.whole() == once, "done twice it is done once"


@pytest.mark.parametrize("ruling", ALL)
async def test_ruling_same_pair_never_asks_again(ruling: RulingKind, tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    db = await open_library(path)
    keeper_library = KeeperLibrary(db)
    _, order = await ruled(keeper_library, "two places", ruling, None)
    await keeper_library.keeper.rulings.apply_ruling(order)
    await db.close()

    db = await open_library(path)
    again = here(
        statement="They say that Mara is down in the crypt.", valid_from=55, scene_id=None, turn_id=None
    )
    old = says(
        "located_in",
        MARA,
        CHAPEL,
        statement="Mara? In the chapel.",
        valid_from=55,
        scene_id=None,
        turn_id=None,
    )
    try:
        judged = await KeeperLibrary(db).keeper.assess([again])
        judged |= await KeeperLibrary(db).keeper.assess([old])
    finally:
        await db.close()
    assert all(j.conflicts == () for j in judged.values())
    assert {j.mark for j in judged.values()} <= {"accept", "reject", "defer"}
    if ruling is OLD:
        assert judged[again.id].mark == "reject"
        assert judged[again.id].reasons[0] == "You resolved this before: the old one is true. I say so."
        assert judged[old.id].duplicate_of == IN_CHAPEL.id
    if ruling is NEW:
        assert judged[old.id].mark == "reject"


async def test_ruling_another_pair_does_ask(keeper_library: KeeperLibrary) -> None:
    _, order = await ruled(keeper_library, "two places", OLD, None)
    await keeper_library.keeper.rulings.apply_ruling(order)
    elsewhere = says("located_in", MARA, HARBOUR, valid_from=50)
    assert [
        c.check_name for c in (await keeper_library.keeper.assess([elsewhere]))[elsewhere.id].conflicts
    ] == ["one_value"]


async def test_ruling_can_be_overridden_by_hand(keeper_library: KeeperLibrary) -> None:
    _, order = await ruled(keeper_library, "two places", OLD, None)
    await keeper_library.keeper.rulings.apply_ruling(order)
    (again,) = await keeper_library.stage(here(valid_from=70, scene_id=None, turn_id=None))
    assert (await keeper_library.keeper.assess([again]))[again.id].mark == "reject"

    await keeper_library.keeper.decide([again.id], verdict(Verdict.ACCEPT))
    await keeper_library.keeper.commit([again], reason="by hand")
    assert [
        f.statement
        for f in await keeper_library.canon.facts_about(MARA.id, FactsAboutQuery(predicate="located_in"))
    ] == ["Mara is in Crypt."]


async def test_new_from_now_keeps_the_past(keeper_library: KeeperLibrary) -> None:
    _, order = await ruled(keeper_library, "two places", FROM_NOW, None)
    await keeper_library.keeper.rulings.apply_ruling(order)
    old = await keeper_library.canon.fact(IN_CHAPEL.id)
    assert (old.status, old.valid_from, old.valid_to) == (FactStatus.SUPERSEDED, 50, 66)
    (new,) = await keeper_library.canon.facts_about(MARA.id, FactsAboutQuery(predicate="located_in"))
    assert (new.valid_from, new.valid_to) == (66, None)


async def test_ruling_rumour_rests_on_what_it_rested_on_as_a_fact(keeper_library: KeeperLibrary) -> None:
    _, order = await ruled(keeper_library, "two places", BOTH, "old")
    await keeper_library.keeper.rulings.apply_ruling(order)
    (rumour,) = [f for f in await keeper_library.canon.facts(UNIVERSE) if f.standing is Standing.RUMOUR]
    assert rumour.statement == IN_CHAPEL.statement
    assert {e.quote for e in await keeper_library.canon.evidence_of(rumour.id)} == {"in the beginning"}
    assert [f.id for f in await keeper_library.canon.supersedes(rumour.id)] == [IN_CHAPEL.id]


async def test_different_things_are_two_entities(keeper_library: KeeperLibrary) -> None:
    facts, claim, _ = CASES["two places"]
    await keeper_library.lay(*facts, entities=PEOPLE)
    await keeper_library.stage(claim)
    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id)
    assert hearing.shared == {MARA.id: "Mara"}
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, SPLIT, name="Mara the Younger")
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    (twin,) = await keeper_library.canon.find_entity(UNIVERSE, "Mara the Younger")
    assert [f.statement for f in await keeper_library.canon.facts_about(twin.id)] == [
        "Mara the Younger is in Crypt."
    ]
    assert [f.id for f in await keeper_library.canon.facts_about(MARA.id)] == [IN_CHAPEL.id]


async def test_ruling_two_pending_ones_are_settled_together(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(entities=PEOPLE)
    first, second = await keeper_library.stage(
        says("located_in", MARA, CHAPEL), says("located_in", MARA, CRYPT)
    )
    hearing = await keeper_library.keeper.rulings.read_conflict(second.id)
    assert hearing.other_proposal is not None
    assert hearing.other_proposal.id == first.id
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, OLD)
    await keeper_library.keeper.rulings.apply_ruling(order)
    assert await keeper_library.told() == ["Mara is in Chapel."]
    assert (await keeper_library.stored(second)).status is ProposalStatus.REJECTED


async def test_ruling_both_sides_are_shown_with_their_evidence(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL, entities=PEOPLE)
    claim = here(evidence=(evidence("I climb down."),))
    await keeper_library.stage(claim)
    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id, IN_CHAPEL.id)
    assert (hearing.claim.statement, hearing.other.statement) == ("Mara is in Crypt.", "Mara is in Chapel.")
    assert [e.quote for e in hearing.claim_evidence] == ["I climb down."]
    assert [e.quote for e in hearing.other_evidence] == ["in the beginning"]


async def test_ruling_what_cannot_be_heard_or_ruled(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL, entities=PEOPLE)
    innocent, claim = await keeper_library.stage(says("owns", MARA, LANTERN), here())
    with pytest.raises(InputError, match="No conflict here"):
        await keeper_library.keeper.rulings.read_conflict(innocent.id)
    with pytest.raises(InputError, match="no proposal"):
        await keeper_library.keeper.rulings.read_conflict("nobody")
    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id)
    with pytest.raises(InputError, match="was never true"):
        await keeper_library.keeper.rulings.plan_ruling(hearing, FROM_NOW, tick=50)
    with pytest.raises(InputError, match="from when it is true"):
        await keeper_library.keeper.rulings.plan_ruling(hearing, BOUNDED)
    with pytest.raises(InputError, match="rumour"):
        await keeper_library.keeper.rulings.plan_ruling(hearing, BOTH, standing=Standing.TRUE)
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, NEW)
    with pytest.raises(InputError, match="not proposed yet"):
        await keeper_library.keeper.rulings.apply_ruling(order)
    assert await keeper_library.log.rulings(UNIVERSE) == []


# --- foreseeing, and more than one conflict ----------------------------------------------------------------


def told(batch: CanonBatch | None) -> dict[str, object]:
    """Return what a batch says, but for when it was written down."""
    if batch is None:
        return {}
    return {
        "facts": [(f.statement, f.standing, f.valid_from, f.valid_to, f.status) for f in batch.facts],
        "changes": [(c.fact_id, c.status, c.valid_to) for c in batch.fact_changes],
        "entities": sorted(e.name for e in batch.entities),
    }


@pytest.mark.parametrize("case", ["two places", "ally and enemy", "a dead one is hurt", "a broken rule"])
async def test_ruling_what_a_ruling_would_do_is_what_it_does(case: str, tmp_path: Path) -> None:
    for number, (ruling, side) in enumerate(ways(CASES[case][2])):
        db = await open_library(tmp_path / f"{number}.db")
        try:
            keeper_library = KeeperLibrary(db)
            try:
                _, order = await ruled(keeper_library, case, ruling, side)
            except InputError:
                continue
            before = await keeper_library.whole()
            foreseen = await keeper_library.keeper.rulings.preview_ruling(order)
            assert await keeper_library.whole() == before, "foreseeing changes nothing"
            await keeper_library.keeper.rulings.apply_ruling(order)
            written = (await keeper_library.log.canonizations(universe_id=UNIVERSE))[-1]
            assert told(written.batch) == told(foreseen.batch), (ruling, side)
        finally:
            await db.close()


async def test_ruling_each_conflict_of_a_proposal_is_ruled_on_before_it_is_written(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(IN_CHAPEL, JON_IN_HARBOUR, entities=PEOPLE)
    (meeting,) = await keeper_library.stage(meets(MARA, JON, at=CRYPT))
    docket = await keeper_library.keeper.rulings.read_conflicts(meeting.id)
    assert len(docket.conflicts_by_fact) == 2
    first, second = docket.conflicts_by_fact.values()

    order = await keeper_library.keeper.rulings.plan_ruling(first, NEW)
    foreseen = await keeper_library.keeper.rulings.preview_ruling(order)
    assert foreseen.held_ids == {meeting.id}
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    stored = await keeper_library.stored(meeting)
    assert (stored.status, stored.decision) == (ProposalStatus.PENDING, None)
    assert (await keeper_library.canon.fact(first.other.id)).status is FactStatus.RETCONNED
    assert [
        c.other_fact for c in (await keeper_library.keeper.rulings.read_conflicts(meeting.id)).conflicts
    ] == [second.other]

    hearing = await keeper_library.keeper.rulings.read_conflict(meeting.id)
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, OLD)
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    assert (await keeper_library.stored(meeting)).status is ProposalStatus.REJECTED
    assert len(await keeper_library.log.rulings(UNIVERSE)) == 2


async def test_ruling_what_a_ruling_changed_is_kept_for_the_next_one(keeper_library: KeeperLibrary) -> None:
    other = fact("located_in", MARA, HARBOUR, valid_from=55)
    await keeper_library.lay(IN_CHAPEL, other, entities=PEOPLE)
    # Outside of play a later value is no mere change through time.
    (claim,) = await keeper_library.stage(here(valid_from=50, scene_id=None, turn_id=None))
    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id, IN_CHAPEL.id)
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, FROM_NOW, tick=70)
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    waiting = await keeper_library.stored(claim)
    assert waiting.status is ProposalStatus.PENDING
    assert isinstance(waiting.change, AssertFact)
    assert (waiting.change.valid_from, waiting.change.ends) == (70, (IN_CHAPEL.id,))

    hearing = await keeper_library.keeper.rulings.read_conflict(claim.id)
    assert hearing.other.id == other.id
    order = await keeper_library.keeper.rulings.plan_ruling(hearing, FROM_NOW, tick=70)
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    assert await keeper_library.told() == ["Mara is in Crypt."]
    ended = [await keeper_library.canon.fact(i) for i in (IN_CHAPEL.id, other.id)]
    assert [(f.status, f.valid_to) for f in ended] == [(FactStatus.SUPERSEDED, 70)] * 2


async def test_ruling_what_is_about_something_only_proposed_waits_for_it(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(IN_CHAPEL, entities=PEOPLE)
    cave = creates("Cave")
    (made,) = await keeper_library.stage(cave)
    there = entity("Cave", EntityKind.PLACE, id=cave.payload.entity_id)  # type: ignore[union-attr]
    (claim,) = await keeper_library.stage(says("located_in", MARA, there, valid_from=50))
    order = await keeper_library.keeper.rulings.plan_ruling(
        await keeper_library.keeper.rulings.read_conflict(claim.id), NEW
    )
    assert (await keeper_library.keeper.rulings.preview_ruling(order)).dependent_ids == {claim.id}
    await keeper_library.stage(*order.staged_proposals)
    await keeper_library.keeper.rulings.apply_ruling(order)
    waiting = await keeper_library.stored(claim)
    assert waiting.decision is not None
    assert (waiting.status, waiting.decision.verdict) == (ProposalStatus.PENDING, Verdict.ACCEPT)
    await keeper_library.keeper.commit([await keeper_library.stored(made), waiting], reason="scene")
    assert await keeper_library.told() == ["Mara is in Cave."]
