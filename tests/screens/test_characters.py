"""Those who live in a world, with the keyboard: panes, memories beside the truth, who knows, edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, ROOMY, real_desk, seated

MEMORIES = ("4", "f2", "enter")
"""To Ivo Tarrant's memories."""


async def test_characters_screen_shows_sheet_memories_history_and_facts(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), ROOMY) as table:
        await table.press("4", "down", "down", "down", "f2")
        assert table.screen == "CharactersScreen"
        assert table.shows("▸◆ Gil Oakum", "▸Memories", "No memories yet")
        await table.press("up", "up", "f2", "f2", "f2")
        assert table.shows(
            "▸★ Mara Venn", "PC · 4 memories · scene 1", "▸Sheet", "Rules: Lantern Twos", "might"
        )
        await table.press("f2")
        assert table.shows("▸Memories", "~ Wenna Pike is in the chapel.")
        await table.press("f2")
        assert table.shows("▸History", "scene 1 “Before the Third Stroke”: ")
        await table.press("f2")
        assert table.shows("▸Facts", "Mara Venn is at the Slack Tide")
        await table.press("enter", "enter")
        assert table.shows("Evidence for:")
        await table.press("escape", "escape", "escape")
        assert table.screen == "MenuScreen"


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_characters_screen_shows_memories_beside_the_truth(
    remembered_home: Path, size: tuple[int, int]
) -> None:
    async with seated(real_desk(remembered_home, 8), size) as table:
        await table.press(*MEMORIES)
        assert table.shows("~ Wenna Pike is in the chapel.", "100% fresh · Day 603, dusk", "Aldous Stint")
        assert table.shows("× canon says otherwise", "her own bar in the Slack", "✓ canon agrees")
        await table.press("end", "up")
        assert table.shows("30% faint")
        await table.press("end")
        assert table.shows("High water is at twenty to one.", "26% forgotten", "? not in canon")
        await table.press("home", "enter")
        assert table.screen == "ReadingScreen"
        await table.press("escape")
        assert table.screen == "CharactersScreen"


async def test_characters_screen_shows_who_knows_and_since_when(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press(*MEMORIES, "w")
        assert table.shows("Who knows: Wenna Pike is behind her own bar in the Slack Tide.")
        assert table.shows("Mara Venn: since Day 603, dusk, heard from Aldous Stint, mistaken")
        await table.press("escape", "down", "down", "w")
        assert table.shows(
            "Who knows: Ivo Tarrant saw the brass key.", "Aldous Stint: since Day 603, dusk, saw"
        )


async def test_characters_screen_has_somebody_misremember(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), ROOMY) as table:
        await table.press(*MEMORIES, "down", "down", "m")
        assert table.screen == "TextDialog"
        await table.press("ctrl+u")
        await table.type("Nobody ever saw a key.")
        assert table.shows("Remembered differently: Nobody ever saw a key.", "Canon is as it was.")
        assert table.shows("originally: Ivo Tarrant saw the brass key.")
        (universe,) = await table.services.stories.universes()
        ivo = next(e for e in await table.services.stories.characters(universe.id) if e.name == "Ivo Tarrant")
        memories = (await table.services.characters.read_character(ivo.id)).memories
        assert "Nobody ever saw a key." in [view.memory.text for view in memories]
        canon = await table.services.world.provenance.read_canon_at(universe.id, search="saw the brass key")
        assert [view.fact.statement for view in canon.facts] == ["Ivo Tarrant saw the brass key."]


async def test_characters_screen_creates_and_edits_somebody(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), ROOMY) as table:
        await table.press("4", "n", "enter")
        assert table.screen == "NewCharacterDialog"
        assert table.shows("name")
        await table.type("Old Tam", enter=False)
        await table.press("down", "down")
        await table.press("tab", "space", "enter")
        (universe,) = await table.services.stories.universes()
        tam = next(e for e in await table.services.stories.characters(universe.id) if e.name == "Old Tam")
        assert tam.description == ""
        assert table.shows("Canon: Old Tam (character)")
        await table.press("e")
        assert table.shows("Change Ivo Tarrant")
        await table.press("escape", "s")
        assert table.screen == "SheetScreen"


async def test_characters_screen_searches_names(remembered_home: Path) -> None:
    async with seated(real_desk(remembered_home, 8), NARROW) as table:
        await table.press("4", "slash")
        await table.type("hester")
        assert table.shows("Hester Marrow")
        assert not table.shows("Gil Oakum")
        await table.press("slash")
        await table.type("zzz")
        assert table.shows("Nobody has that name.")
        await table.press("escape")
        assert table.shows("Gil Oakum")


async def test_characters_screen_without_a_world_says_so(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("4")
        assert table.shows("No world yet.")


@pytest.mark.slow
async def test_characters_screen_of_a_story_just_begun(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY) as table:
        await table.press("1", "enter", "enter", "enter", "enter", "enter")
        await table.press("escape", "enter", "4")
        assert table.screen == "CharactersScreen"
        assert table.shows("★ Mara Venn", "Rules: Lantern Twos")
        await table.press("n")
        await table.type("Old Tam")
        assert table.shows("Canon: Old Tam (character)", "◆ Old Tam")
