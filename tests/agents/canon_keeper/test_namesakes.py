"""One thing or two: what bears a known name is merged at once or told apart, and is never asked again."""

from __future__ import annotations

import pytest

from agents.canon_keeper.canon_policy import PolicyDecision
from stores.errors import InputError
from stores.records.canon import Authority
from stores.records.ids import derive_id
from stores.records.workflow import ProposalStatus, ProposedChange, RulingKind, Verdict
from stores.records.world import EntityKind, EntityStatus
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    JON,
    MARA,
    UNIVERSE,
    creates,
    entity,
    fact,
    new_id,
    ruling,
    says,
)

IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50)


def another(name: str = "Mara", **given: object) -> ProposedChange:
    return creates(name, EntityKind.CHARACTER, **{"entity_id": derive_id("another", name), **given})


async def judged(keeper_library: KeeperLibrary, proposal: ProposedChange) -> PolicyDecision:
    return (await keeper_library.keeper.assess([proposal]))[proposal.id]


async def unite(keeper_library: KeeperLibrary, new: ProposedChange, entity_id: str) -> None:
    union = await keeper_library.keeper.namesake_rulings.plan_union(new.id, entity_id)
    await keeper_library.stage(union.merge)
    await keeper_library.keeper.namesake_rulings.apply_union(union)


async def test_namesake_same_is_one_with_the_other_name_and_all_that_was_proposed_of_it(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(IN_CHAPEL)
    stranger = entity("The Stranger", id=derive_id("another", "The Stranger"))
    new = another("The Stranger", aliases=("Mara",))
    afraid = says("fears", stranger, JON, valid_from=60)
    await keeper_library.stage(new, afraid)
    assert [(c.check_name, c.entity_id) for c in (await judged(keeper_library, new)).conflicts] == [
        ("same_name", MARA.id)
    ]

    await unite(keeper_library, new, MARA.id)
    await keeper_library.keeper.commit([await keeper_library.stored(afraid)], reason="scene")
    mara = await keeper_library.canon.entity(MARA.id)
    assert mara.aliases == ("The Stranger",)
    assert (await keeper_library.canon.entity(stranger.id)).status is EntityStatus.MERGED
    assert (await keeper_library.stored(new)).status is ProposalStatus.ACCEPTED
    about = {f.predicate for f in await keeper_library.canon.facts_about(MARA.id)}
    assert about == {"located_in", "fears"}, "what is told of the one is told of the other"


async def test_namesake_same_as_one_who_is_only_proposed_brings_both_in_as_one(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    first, second = await keeper_library.stage(another("Guard"), creates("Guard", EntityKind.CHARACTER))
    (conflict,) = (await keeper_library.keeper.assess([first, second]))[second.id].conflicts
    assert conflict.entity_id == derive_id("another", "Guard")
    await unite(keeper_library, second, conflict.entity_id)
    guards = await keeper_library.canon.find_entity(UNIVERSE, "Guard")
    assert [g.id for g in guards] == [derive_id("another", "Guard")]


async def test_different_is_remembered_of_these_two_and_nothing_is_written(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(IN_CHAPEL)
    (new,) = await keeper_library.stage(another(authority=Authority.PLAYER))
    before = await keeper_library.whole()
    made = await keeper_library.keeper.namesake_rulings.rule_different(new.id, MARA.id)
    assert made.ruling is RulingKind.SPLIT
    assert await keeper_library.whole() == before
    judgement = await judged(keeper_library, await keeper_library.stored(new))
    assert (judgement.mark, judgement.conflicts) == ("accept", ())

    # Another one of the name is another question; these two are none, in whatever order they come.
    third = another("Mara", entity_id=new_id())
    assert len((await judged(keeper_library, third)).conflicts) == 1
    await keeper_library.keeper.commit([await keeper_library.stored(new)], reason="scene")
    assert len((await judged(keeper_library, third)).conflicts) == 2


async def test_namesake_name_that_is_only_like_one_is_offered_and_holds_nothing(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    lantern = next(e for e in await keeper_library.canon.entities(UNIVERSE) if e.name == "Lantern")
    (new,) = await keeper_library.stage(creates("Lanterns", EntityKind.OBJECT))
    (row,) = await keeper_library.keeper.build_views([new])
    assert (row.mark, row.conflicts) == ("accept", ())
    assert [(a.check_name, a.entity_id, a.is_certain) for a in row.similar_matches] == [
        ("alike", lantern.id, False)
    ]
    await keeper_library.keeper.namesake_rulings.rule_different(new.id, lantern.id)
    (row,) = await keeper_library.keeper.build_views([new])
    assert row.similar_matches == ()


async def test_namesake_what_would_come_of_it_is_what_comes_of_it(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL)
    (new,) = await keeper_library.stage(another())
    union = await keeper_library.keeper.namesake_rulings.plan_union(new.id, MARA.id)
    before = await keeper_library.whole()
    foreseen = await keeper_library.keeper.namesake_rulings.preview_union(union)
    assert foreseen is not None
    assert await keeper_library.whole() == before
    await unite(keeper_library, new, MARA.id)
    written = (await keeper_library.log.canonizations(universe_id=UNIVERSE))[-1].batch
    bare = {"recorded_at"}
    assert [e.model_dump(exclude=bare) for e in written.entities] == [
        e.model_dump(exclude=bare) for e in foreseen.entities
    ]


async def test_namesake_what_cannot_be_told_apart_or_made_one(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL)
    new, claim = await keeper_library.stage(another(), says("knows", MARA, JON))
    with pytest.raises(InputError, match="no longer exists"):
        await keeper_library.keeper.namesake_rulings.plan_union(new.id, "nobody")
    with pytest.raises(InputError, match="adds nobody"):
        await keeper_library.keeper.namesake_rulings.rule_different(claim.id, MARA.id)
    with pytest.raises(InputError, match="no proposal"):
        await keeper_library.keeper.namesake_rulings.plan_union("nothing", MARA.id)
    union = await keeper_library.keeper.namesake_rulings.plan_union(new.id, MARA.id)
    with pytest.raises(InputError, match="not proposed yet"):
        await keeper_library.keeper.namesake_rulings.apply_union(union)
    await keeper_library.keeper.decide([new.id], ruling(Verdict.REJECT))
    await keeper_library.keeper.commit([await keeper_library.stored(new)], reason="scene")
    with pytest.raises(InputError, match="closed over it"):
        await keeper_library.keeper.namesake_rulings.rule_different(new.id, MARA.id)
