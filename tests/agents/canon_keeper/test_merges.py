"""One thing under two names: found, shown side by side, merged, and split again."""

from __future__ import annotations

import pytest

from stores.errors import InputError
from stores.records.canon import MergeEntities
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import EntityKind, EntityStatus
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    EVERYONE,
    JON,
    LANTERN,
    MARA,
    UNIVERSE,
    entity,
    fact,
    proposal,
    ruling,
    tagged,
)

STRANGER = entity("The Stranger", aliases=("Grey Cloak",), tags=("cloaked", "brave"), numbers={"luck": 2})
PEOPLE = (*EVERYONE, STRANGER)
KNOWN = (
    fact("located_in", MARA, CHAPEL, valid_from=0),
    fact("ally_of", MARA, JON, valid_from=0),
    fact("owns", MARA, LANTERN),
)
THEIRS = (
    fact("located_in", STRANGER, CRYPT, valid_from=0),
    fact("enemy_of", STRANGER, JON, valid_from=0),
    fact("owns", STRANGER, LANTERN),
    fact("knows", STRANGER, JON),
)


async def committed(keeper_library: KeeperLibrary, *proposals: ProposedChange) -> None:
    await keeper_library.stage(*proposals)
    for one in proposals:
        await keeper_library.keeper.decide([one.id], ruling(Verdict.ACCEPT))
    result = await keeper_library.keeper.commit(proposals, reason="by hand")
    assert result.failures == ()


async def test_merge_preview_lists_what_clashes_first_and_what_moves(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(*KNOWN, *THEIRS, entities=PEOPLE)
    before = await keeper_library.whole()
    preview = await keeper_library.keeper.merges.preview_merge(MARA.id, STRANGER.id)
    assert await keeper_library.whole() == before
    assert [(a and a.statement, b.statement) for a, b in preview.conflicts] == [
        ("Mara is in Chapel.", "The Stranger is in Crypt."),
        ("Mara and Jon are allies.", "The Stranger and Jon are enemies."),
    ]
    assert [f.statement for f in preview.repeated_facts] == ["The Stranger owns Lantern."]
    assert [old.statement for old, _ in preview.moved_facts] == [
        "The Stranger and Jon are enemies.",
        "The Stranger knows Jon.",
    ]
    assert (preview.added_names, preview.relation_count, preview.memory_count) == (
        ("The Stranger", "Grey Cloak"),
        2,
        0,
    )


@pytest.mark.parametrize("noted", [True, False])
async def test_merge_is_split_back(keeper_library: KeeperLibrary, noted: bool) -> None:
    """Exactly, if the log of commits has the kept one's earlier state; else its facts and names."""
    await keeper_library.lay(*KNOWN, *THEIRS, entities=PEOPLE)
    if noted:
        await committed(keeper_library, tagged(MARA, "tired", turn_id=None))
    before = await keeper_library.whole()
    told = await keeper_library.told()
    await committed(
        keeper_library, proposal(MergeEntities(kept_id=MARA.id, absorbed_id=STRANGER.id), turn_id=None)
    )
    merged = await keeper_library.canon.entity(STRANGER.id)
    assert (merged.status, merged.merged_into) == (EntityStatus.MERGED, MARA.id)

    changes = await keeper_library.keeper.merges.plan_split(STRANGER.id)
    await committed(keeper_library, *(proposal(change, turn_id=None) for change in changes))
    mara, stranger = (
        await keeper_library.canon.entity(MARA.id),
        await keeper_library.canon.entity(STRANGER.id),
    )
    assert (stranger.status, stranger.merged_into) == (EntityStatus.CANONICAL, None)
    assert mara.aliases == ()
    assert await keeper_library.told() != []
    assert {"The Stranger and Jon are enemies.", "The Stranger knows Jon."} <= set(
        await keeper_library.told()
    )
    about = await keeper_library.canon.facts_about(MARA.id)
    assert {f.statement for f in about} <= set(told)
    if noted:
        assert (await keeper_library.whole())["entities"] == before["entities"]
    with pytest.raises(InputError, match="not merged"):
        await keeper_library.keeper.merges.plan_split(STRANGER.id)


@pytest.mark.parametrize(
    ("kept", "absorbed", "statement"),
    [
        ("a pilot", "A stranger in grey", "Mara is a stranger in grey."),
        ("a pilot", "keeps bees. Never sleeps", "Mara: keeps bees. Never sleeps."),
        ("a pilot", "A pilot", ""),
        ("a pilot", "", ""),
        ("", "a stranger", ""),
    ],
)
async def test_merge_keeps_the_other_description_as_a_fact_until_it_is_split(
    keeper_library: KeeperLibrary, kept: str, absorbed: str, statement: str
) -> None:
    """What was typed of the one is true of both who are one; a description that there was none of is taken over."""
    people = (
        MARA.model_copy(update={"description": kept}),
        STRANGER.model_copy(update={"description": absorbed}),
    )
    await keeper_library.lay(entities=people)
    before = await keeper_library.told()
    merge = proposal(MergeEntities(kept_id=MARA.id, absorbed_id=STRANGER.id), turn_id=None)
    await committed(keeper_library, merge)
    assert (await keeper_library.canon.entity(MARA.id)).description == (kept or absorbed)
    assert set(await keeper_library.told()) - set(before) == ({statement} if statement else set())
    changes = await keeper_library.keeper.merges.plan_split(STRANGER.id)
    await committed(keeper_library, *(proposal(change, turn_id=None) for change in changes))
    assert await keeper_library.told() == before
    assert (await keeper_library.canon.entity(STRANGER.id)).description == absorbed


async def test_merge_those_with_like_names_are_shown_side_by_side(keeper_library: KeeperLibrary) -> None:
    twin, cousin = entity("the stranger", id="t"), entity("Stranger's Hut", EntityKind.PLACE, id="h")
    await keeper_library.lay(entities=(*PEOPLE, twin, cousin))
    pairs = await keeper_library.keeper.merges.find_lookalikes(UNIVERSE)
    assert [({p.one.id, p.other.id}, p.likeness) for p in pairs] == [({STRANGER.id, "t"}, 100.0)]


async def test_merge_only_two_that_are_in_canon_can_be_merged(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(entities=PEOPLE)
    for pair in ((MARA.id, MARA.id), (MARA.id, "nobody")):
        with pytest.raises(InputError, match="not two"):
            await keeper_library.keeper.merges.preview_merge(*pair)
