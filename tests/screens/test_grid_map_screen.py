"""Grid maps by keyboard: a map is begun and filled, edits undone, places proposed; the hero goes step by step."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agents.diagrams.grid_map_views import GridMapsView
from agents.services.grid_maps import GridMapService
from agents.solo.grid_maps import GridMapEditor
from stores.errors import StoreUnavailable
from stores.records.grid_maps import GridMapEdit, Spot
from stores.records.ids import Id
from tests.screens.screen_driver import NARROW, NIGHT, ROOMY, ScreenDriver, real_services, started_app
from widgets.grid_map.grid_board import GridBoard
from widgets.proposal_list import ProposalList


async def open_grid_maps(ui: ScreenDriver) -> GridBoard:
    """Go from the scene in play to its grid maps, by the palette."""
    await ui.press("ctrl+p")
    await ui.type("Grid maps")
    assert ui.screen == "GridMapScreen"
    return ui.app.screen.query_one(GridBoard)


@pytest.mark.slow
async def test_grid_map_is_filled_by_keys_and_walked_step_by_step(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8, start=NIGHT), ROOMY) as ui:
        await ui.press("2", "enter")
        assert ui.screen == "SceneScreen"
        board = await open_grid_maps(ui)
        assert ui.shows("No map yet. F2 begins one.")
        await ui.press("f2")
        await ui.type("Harl, rooms 6 x 400")
        assert ui.shows("A map has 1 to 200 columns and rows.")
        await ui.press("backspace", "backspace")
        await ui.press("enter")
        assert ui.shows("Salt Coast · Harl", "6 x 4 rooms", "Nothing yet.")

        # The place where the hero is: known to canon, so that nothing is proposed.
        await ui.press("n")
        await ui.type("the slack tide")
        assert ui.shows("⌂ The Slack Tide", "♦ Mara Venn is here", "✓ play was there")
        # A place that nobody knows waits at the gate; a person is no place.
        await ui.press("right", "n")
        await ui.type("Wenna Pike")
        assert ui.shows("Wenna Pike is a character, not a place.", "The map is as it was.")
        await ui.press("escape", "n")
        await ui.type("Cellar")
        assert ui.shows(
            "Proposed: Cellar. It waits at the scene's gate.", "◌ Cellar", "It waits at the gate."
        )
        # A way becomes a door, a locked one, a secret one, and none.
        await ui.press("vertical_line", "left", "vertical_line")
        for words in ("door", "locked door", "secret door", "nothing", "way", "door"):
            await ui.press("vertical_line", "right", "vertical_line", "left")
            assert ui.shows(f"{words}.")
        assert ui.shows("door to B1, Cellar")
        # An area is painted by one key, and one undo takes all of it back.
        await ui.press("down", "left_parenthesis", "right", "down", "5")
        assert ui.shows("B3 · water")
        assert board.shown is not None
        assert len(board.shown.drawn_spots()) == 6
        await ui.press("ctrl+z")
        assert len(board.shown.drawn_spots()) == 2
        await ui.press("ctrl+y", "up", "left", "e")
        await ui.type("Rats, and a [grate]")
        assert ui.shows("A2 · water", "✎ Rats, and a [grate]")
        await ui.press("space", "vertical_line", "up", "vertical_line")
        assert ui.shows("From A2 to A1: way.", "way to A2", "door to B1, Cellar")
        # What is over is over: the hero's cell is found again, and a place by its name.
        await ui.press("slash")
        await ui.type("cell")
        assert board.cursor == Spot(1, 0)
        await ui.press("slash")
        await ui.type("grate")
        assert board.cursor == Spot(0, 1)
        await ui.press("full_stop")
        assert board.cursor == Spot(0, 0)

        # From the map into play: the step stands in the prompt. The footer says what Enter does.
        assert ui.shows("⏎ Write /go")
        await ui.press("down", "right", "right")
        assert not ui.shows("⏎ Write /go")
        await ui.press("enter")
        assert ui.screen == "LineDialog"
        await ui.press("escape", "full_stop", "right", "enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("/go Cellar")
        await ui.press(*["backspace"] * len("/go Cellar"))
        await ui.type("/go east")
        assert ui.shows("The Drowned Bell · scene 1 “Before the Third Stroke” · Cellar")
        await ui.type("/go north")
        assert ui.shows("The map ends there: nothing lies north.", "Nobody moved.")
        await ui.type("/go west")
        await ui.type("/go south")  # drawn and without a place: it becomes one, at the gate as all else
        assert ui.shows("Water A2")
        board = await open_grid_maps(ui)
        assert board.cursor == Spot(0, 1)
        assert ui.shows("◌ Water A2", "♦ Mara Venn is here", "✎ Rats, and a [grate]")
        await ui.press("X")
        assert ui.shows("Exported to home/exports/2026-01-02-salt-coast-harl.svg", ".graphml")
        for ending in ("svg", "graphml"):
            file = Path(f"home/exports/2026-01-02-salt-coast-harl.{ending}")
            ElementTree.fromstring(await asyncio.to_thread(file.read_text, "utf-8"))
        await ui.press("escape", "escape")
        assert ui.screen == "SceneScreen"

        # One undo takes back all that the step did; the place that it proposed is no longer on the map.
        await ui.press("ctrl+z")
        board = await open_grid_maps(ui)
        assert board.cursor == Spot(0, 0)
        await ui.press("down")
        assert not ui.shows("Water A2")
        assert ui.shows("A2 · water")


@pytest.mark.slow
async def test_grid_maps_are_chosen_renamed_and_there_again_after_a_restart(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), NARROW) as ui:
        await ui.press("3", "v", "9")
        assert ui.screen == "GridMapScreen"
        for outline in ("Harl, rooms 6 x 4", "The coast hexes 30x30"):
            await ui.press("f2")
            if outline.startswith("The"):
                assert ui.shows("Which map?")
                await ui.press("down", "enter")
            await ui.type(outline)
        assert ui.shows("The coast", "30 x 30 hexes")
        await ui.press("2", "right", "3", "E")
        await ui.press(*["backspace"] * len("30 x 30"))
        await ui.type("1 x 1")
        assert ui.shows("1 x 1 hexes", "A1 · wood")
    async with started_app(real_services(played_home, 9, start=NIGHT), NARROW) as ui:
        await ui.press("3", "v", "9")
        assert ui.shows("The coast", "1 x 1 hexes", "A1 · wood")
        await ui.press("ctrl+z")  # an edit of the day before
        assert ui.shows("30 x 30 hexes")
        board = ui.app.screen.query_one(GridBoard)
        assert board.shown is not None
        assert board.shown.drawn_spots() == [Spot(0, 0), Spot(1, 0)]
        await ui.press("f2", "enter")
        assert ui.shows("Harl", "6 x 4 rooms")
        # A map is removed after a question, brought back, removed again and restored on another day.
        await ui.press("e")
        await ui.type("Rats")
        await ui.press("f2", "delete")
        assert ui.shows("Remove the map Harl?", "What is drawn on it goes: 1 cell, 1 note.", "Ctrl+Z, or F2")
        await ui.press("escape")
        assert ui.shows("Harl", "6 x 4 rooms")
        await ui.press("f2", "delete", "enter")
        assert ui.shows("Removed: Harl. Ctrl+Z brings it back.", "The coast", "30 x 30 hexes")
        await ui.press("ctrl+z")
        assert ui.shows("Harl", "6 x 4 rooms", "✎ Rats")
        await ui.press("f2", "delete", "enter", "f2", "delete", "enter")
        assert ui.shows("Removed: The coast. Ctrl+Z brings it back.", "Salt Coast")
        await ui.press("ctrl+y", "down", "delete")  # there is no map to change
    async with started_app(real_services(played_home, 10, start=NIGHT), NARROW) as ui:
        await ui.press("3", "v", "9")
        assert ui.shows("No map. F2 begins one, or restores one.")
        await ui.press("f2")
        assert ui.shows("a new one", "restore Harl", "restore The coast")
        await ui.press("down", "delete", "enter")
        assert ui.shows("Harl", "6 x 4 rooms", "✎ Rats")
        await ui.press("ctrl+z")  # the edit before it was removed
        assert not ui.shows("✎ Rats")
        await ui.press("escape")
        assert ui.screen == "RelationMapScreen"


@pytest.mark.slow
async def test_enter_on_a_map_of_the_universe_opens_what_the_cell_shows(played_home: Path) -> None:
    """No scene is open below: I look at a place, and at the row of one that waits at the gate of its scene."""
    async with started_app(real_services(played_home, 8, start=NIGHT), ROOMY) as ui:
        await ui.press("2", "enter")
        await open_grid_maps(ui)
        await ui.press("f2")
        await ui.type("Harl, rooms 6 x 4")
        await ui.press("n")
        await ui.type("the slack tide")
        await ui.press("right", "n")
        await ui.type("Cellar")
    async with started_app(real_services(played_home, 9, start=NIGHT), ROOMY) as ui:
        await ui.press("3", "v", "9")
        assert ui.screen == "GridMapScreen"
        await ui.press("full_stop")
        assert ui.shows("⏎ Open")
        assert not ui.shows("Write /go")
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"
        await ui.press("escape", "right", "enter")
        assert ui.screen == "GateScreen"
        row = ui.app.screen.query_one(ProposalList).current
        assert row is not None
        assert row.title == "Cellar"


@pytest.mark.slow
async def test_key_after_an_edit_that_cannot_be_stored_waits_for_the_map_as_it_was(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(played_home, 8, start=NIGHT), ROOMY) as ui:
        await ui.press("2", "enter")
        board = await open_grid_maps(ui)
        await ui.press("f2")
        await ui.type("Harl, rooms 6 x 4")
        grid_maps, may_read = type(ui.services.world.grid_maps), asyncio.Event()
        read_maps = grid_maps.read_maps

        async def refuse(self: GridMapEditor, edit: GridMapEdit) -> None:
            raise StoreUnavailable("The disk is full.")

        async def read_when_allowed(self: GridMapService, universe_id: Id, *maps: Any) -> GridMapsView:
            await may_read.wait()
            return await read_maps(self, universe_id, *maps)

        monkeypatch.setattr(grid_maps, "read_maps", read_when_allowed)
        monkeypatch.setattr(GridMapEditor, "save_edit", refuse)
        await ui.pilot.press("5")
        await ui.until("The disk is full.")
        await ui.pilot.press("6", "space", "vertical_line", "delete", "ctrl+z", "ctrl+y", "e", "n")
        assert ui.screen == "GridMapScreen"
        monkeypatch.undo()
        may_read.set()
        await ui.settle()
        assert board.shown is not None
        assert len(board.shown.drawn_spots()) == 0
        await ui.press("5")
        assert ui.shows("A1 · water")
