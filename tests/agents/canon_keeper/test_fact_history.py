"""What rests on a fact, how it used to be, and what was known when."""

from __future__ import annotations

import pytest

from stores.authority import Role
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.canon import FactKind, FactStatus, RetconFact
from stores.records.memory import Memory
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    START,
    UNIVERSE,
    creates,
    entity,
    evidence,
    fact,
    fact_of,
    hurt,
    involves,
    new_id,
    proposal,
    says,
)

CHAMBER = entity("Hidden Chamber", EntityKind.PLACE)
FIRST = fact("located_in", MARA, CHAPEL, valid_from=0, recorded_at=START)


async def test_fact_history_preview_lists_all_that_rests_on_a_fact(
    keeper_library: KeeperLibrary, tmp_path: object
) -> None:
    await keeper_library.lay(FIRST)
    turn, words = new_id(), evidence("I find a chamber.")
    cause = says("located_in", MARA, CRYPT, turn_id=turn, evidence=(evidence("I go.", turn),), tick=10)
    found = creates("Hidden Chamber", turn_id=turn, evidence=(evidence("I go.", turn),), tick=10)
    await keeper_library.keeper.commit(
        await keeper_library.stage(cause, found),
        reason="scene",
        scene=await keeper_library.scene(),
        undecided="accept",
    )
    effect = says(
        "event", JON, fact_kind=FactKind.EVENT, statement="Jon followed.", because=(fact_of(cause),),
        involves=involves(("subject", JON), ("object", MARA)), tick=20,
    )  # fmt: skip
    inside = says("located_in", LANTERN, CHAMBER, tick=20, evidence=(words,))
    vow = says(
        "promised", MARA, CHAMBER, fact_kind=FactKind.COMMITMENT, statement="Mara promised to return.",
        tick=20,
    )  # fmt: skip
    await keeper_library.keeper.commit(
        await keeper_library.stage(effect, inside, vow), reason="later", undecided="accept"
    )
    memory = Memory(
        id=new_id(), entity_id=JON.id, universe_id=UNIVERSE, text="She went down.",
        linked_fact_id=fact_of(cause), created_at=START,
    )  # fmt: skip
    await EmbeddedLog(keeper_library.log._db, Role.MEMORY_MANAGER).put_memories([memory])
    (waiting,) = await keeper_library.stage(says("located_in", MARA, CHAPEL, ends=(fact_of(cause),), tick=30))

    impact = await keeper_library.keeper.retcon_previews.preview(fact_of(cause))
    assert not impact.restore
    changed = {before.id: (before.status, after.status, after.valid_to) for before, after in impact.facts}
    assert changed == {
        fact_of(cause): (FactStatus.CANONICAL, FactStatus.RETCONNED, None),
        FIRST.id: (FactStatus.SUPERSEDED, FactStatus.CANONICAL, None),
    }
    assert [f.id for f in impact.supersedes] == [FIRST.id]
    assert [f.id for f in impact.caused_facts] == [fact_of(effect)]
    assert {f.id for f in impact.involving_facts} == {fact_of(inside), fact_of(vow)}
    assert [f.id for f in impact.commitments] == [fact_of(vow)]
    assert [m.id for m in impact.memories] == [memory.id]
    assert [p.id for p in impact.proposals] == [waiting.id]

    before = await keeper_library.whole()
    await keeper_library.keeper.retcon_previews.preview(fact_of(cause))
    assert await keeper_library.whole() == before, "a preview changes nothing"


async def test_its_reverse_is_previewed_too(keeper_library: KeeperLibrary) -> None:
    move = says("located_in", MARA, CRYPT, tick=10)
    await keeper_library.lay(FIRST)
    await keeper_library.keeper.commit(await keeper_library.stage(move), reason="move")
    retcon = proposal(RetconFact(fact_id=fact_of(move)), authority="gm", turn_id=None)
    await keeper_library.keeper.commit(
        await keeper_library.stage(retcon), reason="retcon", undecided="accept"
    )
    impact = await keeper_library.keeper.retcon_previews.preview(fact_of(move))
    assert impact.restore
    assert {(f.id, after.status) for f, after in impact.facts} == {
        (fact_of(move), FactStatus.CANONICAL),
        (FIRST.id, FactStatus.SUPERSEDED),
    }


async def test_fact_history_entity_s_preview_lists_what_involves_it(keeper_library: KeeperLibrary) -> None:
    owned = fact("owned_by", LANTERN, MARA)
    await keeper_library.lay(owned)
    impact = await keeper_library.keeper.retcon_previews.preview(LANTERN.id)
    assert [f.id for f in impact.involving_facts] == [owned.id]
    with pytest.raises(InputError, match="not in canon"):
        await keeper_library.keeper.retcon_previews.preview(new_id())


async def test_fact_history_how_it_used_to_be(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(FIRST)
    for tick, place in ((10, CRYPT), (20, CHAPEL)):
        moves = await keeper_library.stage(says("located_in", MARA, place, tick=tick))
        await keeper_library.keeper.commit(moves, reason="move")
    told = await keeper_library.keeper.history.read_predicate_history(MARA.id, "located_in")
    assert [(f.statement, f.valid_from, f.valid_to) for f in told] == [
        ("Mara is in Chapel.", 0, 10),
        ("Mara is in Crypt.", 10, 20),
        ("Mara is in Chapel.", 20, None),
    ]
    held = await keeper_library.keeper.history.read_predicate_history(CHAPEL.id, "contains")
    assert [f.valid_from for f in held] == [0, 20]
    assert await keeper_library.keeper.history.read_predicate_history(CHAPEL.id, "located_in") == []


async def test_fact_history_what_was_known_at_a_moment(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(FIRST)
    wound, move = hurt(MARA, 3, tick=5), says("located_in", MARA, CRYPT, tick=10)
    moments = []
    for change in (wound, move, proposal(RetconFact(fact_id=fact_of(wound)), turn_id=None)):
        await keeper_library.keeper.commit(
            await keeper_library.stage(change), reason="step", undecided="accept"
        )
        moments.append((await keeper_library.log.canonizations())[-1].created_at)

    async def known(moment: int, tick: int | None = None) -> set[str]:
        facts = await keeper_library.keeper.history.read_facts_known_at(UNIVERSE, moments[moment], tick=tick)
        return {f.statement for f in facts if f.valid_to is None or tick is not None}

    assert await known(0) == {"Mara is in Chapel.", "Mara's HP is 7."}
    assert await known(1) == {"Mara is in Crypt.", "Mara's HP is 7."}
    assert await known(2) == {"Mara is in Crypt.", "Mara's HP is 10."}
    assert await known(2, tick=4) == {"Mara is in Chapel.", "Mara's HP is 10."}
    assert await known(1, tick=7) == {"Mara is in Chapel.", "Mara's HP is 7."}
    now = {f.id: f for f in await keeper_library.canon.facts(UNIVERSE, FactQuery(history=True))}
    last = await keeper_library.keeper.history.read_facts_known_at(UNIVERSE, moments[-1])
    assert all(now[f.id] == f for f in last)
