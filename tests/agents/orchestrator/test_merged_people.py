"""Two who turn out to be one: what either remembers, the one remembers, until they are split again."""

from __future__ import annotations

from pathlib import Path

from agents.services.services import Services
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
from tests.program import begin, opened

PLAYED = (
    "/npc here Wenna: keeps the Net Loft",
    "/npc here Dob: mends nets",
    "/npc Wennabel: the girl on the pier",
    "/thing Iron Key: cold to the touch",
    "/accept all",
    "/commit",
    "> Wenna takes the Iron Key from its hook.",
    "/fact Wenna owns Iron Key",
    "/accept all",
    "/commit",
    "I tell Wenna that the mill burned.",
    "> Outside, the tide turns.",
)


async def accept_waiting(services: Services, universe_id: Id) -> None:
    waiting = (await services.gate.gate(None, universe_id)).proposals
    ids = [p.proposal.id for p in waiting if p.status in OPEN_STATUSES]
    await services.gate.decide(ids, Verdict.ACCEPT)
    assert (await services.gate.commit_universe(universe_id)).failures == ()


async def ids_by_name(services: Services, universe_id: Id) -> dict[str, Id]:
    return {row.entity.name: row.entity.id for row in await services.characters.list_characters(universe_id)}


async def remembered(services: Services, entity_id: Id) -> list[str]:
    return [m.memory.text for m in (await services.characters.read_character(entity_id)).memories]


async def test_merged_person_remembers_what_either_remembered(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services = program.services
        scene_id = await begin(program)
        for line in PLAYED:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        universe_id = (await services.play.scene(scene_id)).universe.id
        people = await ids_by_name(services, universe_id)
        wenna, wennabel, dob = people["Wenna"], people["Wennabel"], people["Dob"]
        before = await remembered(services, wenna)
        before_of_dob = await remembered(services, dob)
        assert len(before) > 1
        assert await remembered(services, wennabel) == []
        scenes_before = (await services.characters.read_character(wenna)).scene_history

        await services.world.edits.propose_merge(wennabel, wenna)
        await accept_waiting(services, universe_id)
        rows = await services.characters.list_characters(universe_id)
        (row,) = [r for r in rows if r.entity.id == wennabel]
        assert "Wenna" not in {r.entity.name for r in rows}
        assert sorted(await remembered(services, wennabel)) == sorted(before)
        assert await remembered(services, dob) == before_of_dob, "what others remember of her stays"
        assert row.memory_count >= len(before)
        assert row.last_seen == "scene 1, A story"
        assert len((await services.characters.read_character(wennabel)).scene_history) == len(scenes_before)

        await services.jobs.wait_until_idle()
        view = await services.characters.read_character(wennabel)
        of_the_key = [m for m in view.memories if "Iron Key" in m.memory.text]
        assert of_the_key
        assert all(m.agrees_with_canon is not False for m in of_the_key), "the key is as before"
        card = await services.world.read_card(wennabel)
        views = [*card.facts, *(v for _, _, v in card.relations)]
        owns = next(v.fact.id for v in views if v.fact.predicate == "owns")
        assert {"Wennabel", "Dob"} <= {k.name for k in await services.characters.find_who_knows(owns)}

        answer = await services.query.answer_question("What does Wennabel remember?", universe_id=universe_id)
        assert any("mill burned" in f.text for f in answer.findings)
        lanes = (await services.world.timeline.read_lanes(universe_id)).lanes
        labels = {lane.name for lane in lanes}
        assert "Wennabel" in labels
        assert "Wenna" not in labels

        await services.world.edits.propose_split(wenna)
        await accept_waiting(services, universe_id)
        assert sorted(await remembered(services, wenna)) == sorted(before)
        assert await remembered(services, wennabel) == []
        assert await remembered(services, dob) == before_of_dob


async def test_lookalikes_have_a_name_that_begins_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services = program.services
        scene_id = await begin(program)
        for line in ("/npc Nan", "/npc Nanette", "/npc Al", "/npc Aldous", "/accept all", "/commit"):
            await services.play.submit(scene_id, line)
        universe_id = (await services.play.scene(scene_id)).universe.id
        people = await ids_by_name(services, universe_id)
        pairs = await services.world.previews.find_lookalikes(universe_id, people["Nanette"])
        assert len(pairs) == 1
        assert {"Nan", "Nanette"} == {e.name for e in (pairs[0].first, pairs[0].second)}
        assert await services.world.previews.find_lookalikes(universe_id, people["Al"]) == ()
