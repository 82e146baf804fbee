"""Those who live in a world, through the real services: sheets, memories beside the truth, who knows, the GM's hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError, NotFound
from stores.queries import FactQuery, MemoryQuery, ProposalQuery
from stores.records.canon import Authority
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.workflow import ProposalStatus
from tests.program import begin, opened

PLAYED = (
    "/npc here Wenna Pike: keeps the Net Loft (hp 6)",
    "/thing Iron Key: cold to the touch",
    "/accept all",
    "/commit",
    "I nod to Wenna Pike and wait.",
    "> Wenna Pike takes the Iron Key from its hook.",
    "/fact Wenna Pike owns Iron Key",
    "/accept all",
    "/commit",
    "> Outside, the tide turns.",
)


async def played(program: Program) -> tuple[Id, Id]:
    """Play a little; returns the scene and its universe."""
    scene_id = await begin(program)
    for line in PLAYED:
        await program.services.play.submit(scene_id, line)
    await program.services.jobs.wait_until_idle()
    return scene_id, (await program.services.play.scene(scene_id)).universe.id


async def memories_of(program: Program, entity_id: Id) -> list[Memory]:
    return await program.stores.log(Role.CONTEXT_ASSEMBLY).memories(MemoryQuery(entity_id=entity_id))


async def test_character_portrait_tells_sheet_memories_and_history(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id, universe_id = await played(program)
        services = program.services
        mara, wenna = await services.characters.list_characters(universe_id)
        assert (mara.entity.name, mara.entity.is_pc, mara.last_seen) == ("Mara", True, "scene 1, A story")
        assert (wenna.entity.name, wenna.memory_count > 0) == ("Wenna Pike", True)

        view = await services.characters.read_character(wenna.entity.id)
        assert view.sheet is not None
        assert view.scene_id == scene_id
        assert [(row.key, row.value_text) for row in view.sheet.rows if row.key == "hp"] == [("hp", "6")]
        assert view.scene_history == ("A story, scene 1 “The yard”: Day 1, morning, present, no lines",)
        key = next(m for m in view.memories if "Iron Key" in m.memory.text)
        assert (key.agrees_with_canon, key.canon_statement, key.is_forgotten) == (
            True,
            "Wenna Pike owns Iron Key.",
            False,
        )
        assert key.retention > 0.99

        hero = await services.characters.read_character(mara.entity.id)
        assert hero.scene_history[0].endswith("spoke once")

        assert key.memory.linked_fact_id is not None
        known = await services.characters.find_who_knows(key.memory.linked_fact_id)
        assert "Wenna Pike" in [k.name for k in known]
        assert all(k.since.startswith("Day 1") for k in known)
        with pytest.raises(NotFound):
            await services.characters.read_character("nobody")
        assert await services.characters.find_who_knows("nothing") == ()


async def test_misremembering_is_never_canon_and_can_be_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        _, universe_id = await played(program)
        services, canon = program.services, program.stores.canon(Role.CONTEXT_ASSEMBLY)
        wenna = (await services.characters.list_characters(universe_id))[1].entity.id
        before = await canon.facts(universe_id, FactQuery(history=True))
        key = next(
            m
            for m in (await services.characters.read_character(wenna)).memories
            if "Iron Key" in m.memory.text
        )

        said = await services.characters.misremember(key.memory.id, "I gave the \x1b[2JIron Key away.")
        assert said.lines == ("Remembered differently: I gave the Iron Key away.", "Canon is as it was.")
        now = next(
            m for m in (await services.characters.read_character(wenna)).memories if "gave" in m.memory.text
        )
        assert (now.agrees_with_canon, now.original_text) == (False, key.memory.text)
        assert await canon.facts(universe_id, FactQuery(history=True)) == before

        await services.characters.misremember(now.memory.id, "")
        texts = [m.memory.text for m in (await services.characters.read_character(wenna)).memories]
        assert texts.count(key.memory.text) == 1
        assert not any("gave" in text for text in texts)
        with pytest.raises(NotFound):
            await services.characters.misremember("none", "anything")


async def test_character_somebody_new_comes_in_by_the_gates_own_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        _, universe_id = await played(program)
        services, log = program.services, program.stores.log(Role.CONTEXT_ASSEMBLY)
        reply = await services.characters.create_character(
            universe_id, "Old Tam", "keeps the bell", is_pc=True
        )
        assert reply.lines == ("Canon: Old Tam (character)",)
        tam = await program.stores.canon(Role.CONTEXT_ASSEMBLY).entity(reply.subject or "")
        assert (tam.description, tam.is_pc) == ("keeps the bell", True)
        made = (await log.proposals(ProposalQuery(universe_id=universe_id)))[-1]
        assert (made.scene_id, made.authority, made.status) == (None, Authority.GM, ProposalStatus.ACCEPTED)
        sheet = (await services.characters.read_character(tam.id)).sheet
        assert sheet is not None
        assert sheet.system == ""

        # The name is known: whether it is somebody else is for the court.
        again = await services.characters.create_character(universe_id, "Wenna Pike")
        assert again.severity == "warning"
        with pytest.raises(InputError):
            await services.characters.create_character(universe_id, "  ")
