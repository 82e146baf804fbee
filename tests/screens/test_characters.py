"""Those who live in a world, with the keyboard: panes, memories beside the truth, who knows, edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, ROOMY, real_services, started_app

MEMORIES = ("4", "f2", "enter")
"""To Ivo Tarrant's memories."""


@pytest.mark.slow
async def test_characters_screen_switches_tabs_with_the_arrows(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("4", "right")
        assert ui.shows("▸Memories")
        await ui.press("left")
        assert ui.shows("▸Sheet")
        await ui.press("left")
        assert ui.shows("▸Facts")


@pytest.mark.slow
async def test_characters_screen_shows_sheet_memories_history_and_facts(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("4", "down", "down", "down", "f2")
        assert ui.screen == "CharactersScreen"
        assert ui.shows("▸◆ Gil Oakum", "▸Memories", "No memories yet")
        await ui.press("up", "up", "f2", "f2", "f2")
        assert ui.shows("▸★ Mara Venn", "PC · 4 memories · scene 1", "▸Sheet", "Rules: Lantern Twos", "might")
        await ui.press("f2")
        assert ui.shows("▸Memories", "~ Wenna Pike is in the chapel.")
        await ui.press("f2")
        assert ui.shows("▸History", "scene 1 “Before the Third Stroke”: ")
        await ui.press("f2")
        assert ui.shows("▸Facts", "Mara Venn is at the Slack Tide")
        await ui.press("enter", "enter")
        assert ui.shows("Evidence for:")
        await ui.press("escape", "escape", "escape")
        assert ui.screen == "MenuScreen"


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_characters_screen_shows_memories_beside_the_truth(
    remembered_home: Path, size: tuple[int, int]
) -> None:
    async with started_app(real_services(remembered_home, 8), size) as ui:
        await ui.press(*MEMORIES)
        assert ui.shows("~ Wenna Pike is in the chapel.", "100% fresh · Day 603, dusk", "Aldous Stint")
        assert ui.shows("× canon says otherwise", "her own bar in the Slack", "✓ canon agrees")
        await ui.press("end", "up")
        assert ui.shows("30% faint")
        await ui.press("end")
        assert ui.shows("High water is at twenty to one.", "26% forgotten", "? not in canon")
        await ui.press("home", "enter")
        assert ui.screen == "ReadingScreen"
        await ui.press("escape")
        assert ui.screen == "CharactersScreen"


@pytest.mark.slow
async def test_characters_screen_shows_who_knows_and_since_when(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press(*MEMORIES, "w")
        assert ui.shows("Who knows: Wenna Pike is behind her own bar in the Slack Tide.")
        assert ui.shows("Mara Venn: since Day 603, dusk, heard from Aldous Stint, mistaken")
        await ui.press("escape", "down", "down", "w")
        assert ui.shows("Who knows: Ivo Tarrant saw the brass key.", "Aldous Stint: since Day 603, dusk, saw")


@pytest.mark.slow
async def test_characters_screen_has_somebody_misremember(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press(*MEMORIES, "down", "down", "F")
        assert ui.screen == "TextDialog"
        await ui.press("ctrl+u")
        await ui.type("Nobody ever saw a key.")
        assert ui.shows("Remembered differently: Nobody ever saw a key.", "Canon is as it was.")
        assert ui.shows("originally: Ivo Tarrant saw the brass key.")
        (universe,) = await ui.services.stories.universes()
        ivo = next(e for e in await ui.services.stories.characters(universe.id) if e.name == "Ivo Tarrant")
        memories = (await ui.services.characters.read_character(ivo.id)).memories
        assert "Nobody ever saw a key." in [view.memory.text for view in memories]
        canon = await ui.services.world.provenance.read_canon_at(universe.id, search="saw the brass key")
        assert [view.fact.statement for view in canon.facts] == ["Ivo Tarrant saw the brass key."]


@pytest.mark.slow
async def test_characters_screen_creates_and_edits_somebody(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), ROOMY) as ui:
        await ui.press("4", "n", "enter")
        assert ui.screen == "NewCharacterDialog"
        assert ui.shows("name")
        await ui.type("Old Tam", enter=False)
        await ui.press("down", "down")
        await ui.press("tab", "space", "enter")
        (universe,) = await ui.services.stories.universes()
        tam = next(e for e in await ui.services.stories.characters(universe.id) if e.name == "Old Tam")
        assert tam.description == ""
        assert ui.shows("Canon: Old Tam (character)")
        await ui.press("e")
        assert ui.shows("Change Ivo Tarrant")
        await ui.press("escape", "s")
        assert ui.screen == "SheetScreen"


@pytest.mark.slow
async def test_characters_screen_searches_names(remembered_home: Path) -> None:
    async with started_app(real_services(remembered_home, 8), NARROW) as ui:
        await ui.press("4", "slash")
        await ui.type("hester")
        assert ui.shows("Hester Marrow")
        assert not ui.shows("Gil Oakum")
        await ui.press("slash")
        await ui.type("zzz")
        assert ui.shows("Nobody has that name.")
        await ui.press("escape")
        assert ui.shows("Gil Oakum")


async def test_characters_screen_without_a_world_says_so(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("4")
        assert ui.shows("No world yet.")


@pytest.mark.slow
async def test_characters_screen_of_a_story_just_begun(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await ui.press("1", "enter", "enter", "enter", "enter", "enter")
        await ui.press("escape", "enter", "4")
        assert ui.screen == "CharactersScreen"
        assert ui.shows("★ Mara Venn", "Rules: Lantern Twos")
        await ui.press("n")
        await ui.type("Old Tam")
        assert ui.shows("Canon: Old Tam (character)", "◆ Old Tam")
