"""Those who live in a world, at a real desk: sheets, memories beside the truth, who knows, the GM's hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Desktop
from stores.authority import Role
from stores.errors import InputError, NotFound
from stores.records.canon import Authority
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus
from stores.records.memory import Memory
from tests.table import begin, opened

PLAYED = (
    "/npc Wenna Pike: keeps the Net Loft (hp 6)",
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


async def played(desktop: Desktop) -> tuple[Id, Id]:
    """Play a little; returns the scene and its universe."""
    scene_id = await begin(desktop)
    for line in PLAYED:
        await desktop.desk.submit(scene_id, line)
    await desktop.desk.background.settle()
    return scene_id, (await desktop.desk.scene(scene_id)).universe.id


async def memories_of(desktop: Desktop, entity_id: Id) -> list[Memory]:
    return await desktop.stores.log(Role.CONTEXT_ASSEMBLY).memories(entity_id)


async def test_a_portrait_tells_sheet_memories_and_history(tmp_path: Path) -> None:
    async with opened(tmp_path) as desktop:
        scene_id, universe_id = await played(desktop)
        desk = desktop.desk
        mara, wenna = await desk.people.roster(universe_id)
        assert (mara.entity.name, mara.entity.is_pc, mara.seen) == ("Mara", True, "scene 1, A story")
        assert (wenna.entity.name, wenna.memories > 0) == ("Wenna Pike", True)

        view = await desk.people.character(wenna.entity.id)
        assert view.sheet is not None
        assert view.scene_id == scene_id
        assert [(row.key, row.shown) for row in view.sheet.rows if row.key == "hp"] == [("hp", "6")]
        assert view.history == ("A story, scene 1 “The yard”: Day 1, morning, said nothing",)
        key = next(m for m in view.memories if "Iron Key" in m.memory.text)
        assert (key.agrees, key.truth, key.forgotten) == (True, "Wenna Pike owns Iron Key.", False)
        assert key.retention > 0.99

        hero = await desk.people.character(mara.entity.id)
        assert hero.history[0].endswith("spoke once")

        assert key.memory.linked_fact_id is not None
        known = await desk.people.who_knows(key.memory.linked_fact_id)
        assert "Wenna Pike" in [k.name for k in known]
        assert all(k.since.startswith("Day 1") for k in known)
        with pytest.raises(NotFound):
            await desk.people.character("nobody")
        assert await desk.people.who_knows("nothing") == ()


async def test_misremembering_is_never_canon_and_can_be_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as desktop:
        _, universe_id = await played(desktop)
        desk, canon = desktop.desk, desktop.stores.canon(Role.CONTEXT_ASSEMBLY)
        wenna = (await desk.people.roster(universe_id))[1].entity.id
        before = await canon.facts(universe_id, history=True)
        key = next(m for m in (await desk.people.character(wenna)).memories if "Iron Key" in m.memory.text)

        said = await desk.people.misremember(key.memory.id, "I gave the \x1b[2JIron Key away.")
        assert said.lines == ("Remembered otherwise: I gave the Iron Key away.", "Canon is as it was.")
        now = next(m for m in (await desk.people.character(wenna)).memories if "gave" in m.memory.text)
        assert (now.agrees, now.lived) == (False, key.memory.text)
        assert await canon.facts(universe_id, history=True) == before

        await desk.people.misremember(now.memory.id, "")
        texts = [m.memory.text for m in (await desk.people.character(wenna)).memories]
        assert texts.count(key.memory.text) == 1
        assert not any("gave" in text for text in texts)
        with pytest.raises(NotFound):
            await desk.people.misremember("none", "anything")


async def test_somebody_new_comes_in_by_the_gates_own_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as desktop:
        _, universe_id = await played(desktop)
        desk, log = desktop.desk, desktop.stores.log(Role.CONTEXT_ASSEMBLY)
        reply = await desk.people.create(universe_id, "Old Tam", "keeps the bell", is_pc=True)
        assert reply.lines == ("Canon: Old Tam (character)",)
        tam = await desktop.stores.canon(Role.CONTEXT_ASSEMBLY).entity(reply.subject or "")
        assert (tam.description, tam.is_pc) == ("keeps the bell", True)
        made = (await log.proposals(universe_id=universe_id))[-1]
        assert (made.scene_id, made.authority, made.status) == (None, Authority.GM, ProposalStatus.ACCEPTED)
        sheet = (await desk.people.character(tam.id)).sheet
        assert sheet is not None
        assert sheet.system == ""

        # The name is known: whether it is somebody else is for the court.
        again = await desk.people.create(universe_id, "Wenna Pike")
        assert again.severity == "warning"
        with pytest.raises(InputError):
            await desk.people.create(universe_id, "  ")
