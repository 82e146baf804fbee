"""Those who live in a world, with the keyboard: panes, memories beside the truth, who knows, edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import InputError
from tests.screens.table import NARROW, ROOMY, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk, an_id

MEMORIES = ("4", "down", "f2", "enter")
"""To Father Ode's memories."""


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


async def test_sheet_memories_history_and_facts(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("4")
        assert table.screen == "CharactersScreen"
        assert table.shows("★ Mara Venn", "PC · scene 1", "▸Sheet", "Rules: Lantern Twos", "might")
        await table.press("f2")
        assert table.shows("▸Memories", "No memories yet")
        await table.press("f2")
        assert table.shows("▸History", "scene 1 “Under the chapel”: Day 3, dusk, spoke twice")
        await table.press("f2")
        assert table.shows("▸Facts", "Mara Venn heard the bell at low tide")
        await table.press("enter", "enter")
        assert table.shows("Evidence for:")
        await table.press("escape", "escape", "escape")
        assert table.screen == "MenuScreen"
        assert [name for name, _ in twin.calls if name in ("enter", "leave")] == ["enter", "leave"]


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_memories_stand_beside_the_truth(twin: TwinDesk, size: tuple[int, int]) -> None:
    async with seated(twin_desk(twin), size) as table:
        await table.press(*MEMORIES)
        assert table.shows("~ The bell never left the tower.", "82% fresh · Day 2, dusk", "Ilse Karr")
        assert table.shows("× canon says otherwise: The bell lies", "✓ canon agrees: The iron door stands")
        assert table.shows("60% fading")
        await table.press("end")
        assert table.shows("Somebody sang.", "20% forgotten", "? not in canon")
        await table.press("home", "enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape")
        assert table.screen == "CharactersScreen"


async def test_who_knows_of_it_and_since_when(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press(*MEMORIES, "w")
        assert twin.called("who_knows") == [(an_id("fact", "The bell hangs in the tower"),)]
        assert table.shows("Who knows: The bell lies under the chapel.", "Ilse Karr: since Day 1, noon, saw")
        assert table.shows("Father Ode: since Day 2, dusk, heard from Ilse Karr, mistaken")


async def test_the_gm_has_somebody_misremember(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press(*MEMORIES, "down", "m")
        assert table.screen == "TextDialog"
        await table.press("ctrl+u")
        await table.type("The door was never opened.")
        assert twin.called("misremember") == [(an_id("memory", 2), "The door was never opened.")]
        assert table.shows("Remembered differently: The door was never opened.", "Canon is as it was.")
        assert table.shows("originally: The hinges gave with a shriek.")


async def test_bringing_somebody_in_and_editing(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("4", "n")
        twin.fail("create_character", InputError("A name has 1 to 80 characters.", todo="Type one."))
        await table.press("enter")
        assert table.shows("A name has 1 to 80 characters.")
        await table.type("Old Tam", enter=False)
        await table.press("down", "down")
        await table.press("tab", "space", "enter")
        name, description, _ = twin.called("create_character")[-1][1:]
        assert (name, description) == ("Old Tam", "")
        assert table.shows("Canon: Old Tam (character)")
        await table.press("e")
        assert table.shows("Change Mara Venn")
        await table.press("escape", "s")
        assert table.screen == "SheetScreen"


async def test_search_and_empty_worlds(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("4", "slash")
        await table.type("ilse")
        assert table.shows("Ilse Karr")
        assert not table.shows("Father Ode")
        await table.press("slash")
        await table.type("zzz")
        assert table.shows("Nobody has that name.")
        await table.press("escape")
        assert table.shows("Father Ode")
    async with seated(twin_desk(TwinDesk(sample=False, story=False)), NARROW) as table:
        await table.press("4")
        assert table.shows("No world yet.")


@pytest.mark.slow
async def test_somebody_brought_in_at_a_real_desk(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY) as table:
        await table.press("1", "enter", "enter", "enter", "enter", "enter")
        await table.press("escape", "enter", "4")
        assert table.screen == "CharactersScreen"
        assert table.shows("★ Mara Venn", "Rules: Lantern Twos")
        await table.press("n")
        await table.type("Old Tam")
        assert table.shows("Canon: Old Tam (character)", "◆ Old Tam")
