"""A retcon of what ended a fact: the fact holds again, unless something later took its place."""

from __future__ import annotations

from pathlib import Path

from agents.services.services import Services
from stores.authority import Role
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
from tests.program import begin, opened

OWNERS = (
    "/npc here Dob Harrow",
    "/npc here Old Marrow",
    "/thing lantern",
    "/accept all",
    "/commit",
    "I give Dob the lantern.",
)
DOB_HAS_IT = "Dob has the lantern."
DOB_SELLS_IT = "Dob sells the lantern to Old Marrow for ten silver."
MARROW_HAS_IT = "Old Marrow has the lantern."


async def play(services: Services, scene_id: Id, *lines: str) -> Id:
    for line in lines:
        await services.play.submit(scene_id, line)
    return (await services.play.scene(scene_id)).universe.id


async def holding(canon: CanonReader, universe_id: Id) -> dict[str, Id]:
    """Return what holds now, by its words."""
    facts = await canon.facts(universe_id, FactQuery())
    return {f.statement: f.id for f in facts if f.valid_to is None}


async def retcon(services: Services, universe_id: Id, fact_id: Id) -> None:
    """Retcon a fact, or restore it, through the gate."""
    await services.world.edits.propose_retcon(fact_id)
    proposals = (await services.gate.gate(None, universe_id)).proposals
    await services.gate.decide(
        [p.proposal.id for p in proposals if p.status in OPEN_STATUSES], Verdict.ACCEPT
    )
    assert (await services.gate.commit_universe(universe_id)).failures == ()


async def test_retcon_of_a_sale_leaves_one_owner(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, canon = program.services, program.stores.canon(Role.CONTEXT_ASSEMBLY)
        universe_id = await play(
            services, await begin(program), *OWNERS, f"> {DOB_SELLS_IT}", "/accept all", "/commit"
        )
        before = await holding(canon, universe_id)
        assert {DOB_SELLS_IT, MARROW_HAS_IT} <= before.keys()
        sale = before[DOB_SELLS_IT]

        changes = (await services.world.previews.preview_retcon(sale)).changes
        assert changes == ((DOB_SELLS_IT, "true", "never true"),)
        await retcon(services, universe_id, sale)
        after = await holding(canon, universe_id)
        assert MARROW_HAS_IT in after
        assert DOB_HAS_IT not in after

        await retcon(services, universe_id, sale)
        assert await holding(canon, universe_id) == before

        await retcon(services, universe_id, sale)
        await retcon(services, universe_id, before[MARROW_HAS_IT])
        assert DOB_HAS_IT in await holding(canon, universe_id), "nothing else took its place"
