"""`monitor export --as svg` and `--as graphml`: the map of relations as a file, now or at another time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from agents.services.grid_maps import read_outline
from monitor_tui.cli.app import app
from monitor_tui.compose import open_program
from stores.records.grid_maps import GridCell, Spot, Terrain
from tests.screens.libraries import build_played_story


@pytest.mark.slow
def test_export_writes_relations_as_svg_and_graphml(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asyncio.run(build_played_story(home))
    run = CliRunner().invoke
    for ending in ("svg", "graphml"):
        file = tmp_path / f"map.{ending}"
        answer = run(app, ["export", "salt coast", "--as", ending, "--to", str(file), "--home", str(home)])
        assert answer.exit_code == 0, answer.output
        text = file.read_text("utf-8")
        ElementTree.fromstring(text)
        assert "Wenna Pike" in text
        assert "is a member of" in text
    early = ["export", "salt coast", "--as", "svg", "--at", "day 1", "--to", str(tmp_path / "early.svg")]
    assert run(app, [*early, "--home", str(home)]).exit_code == 0
    assert "Day 1" in (tmp_path / "early.svg").read_text("utf-8")
    unreadable = run(app, ["export", "salt coast", "--as", "svg", "--at", "scene 99", "--home", str(home)])
    assert unreadable.exit_code == 1


@pytest.mark.slow
def test_export_writes_a_grid_map_by_its_name(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asyncio.run(build_played_story(home))
    asyncio.run(draw_map(home))
    run = CliRunner().invoke
    for ending in ("svg", "graphml"):
        file = tmp_path / f"map.{ending}"
        command = ["export", "salt coast", "--as", ending, "--map", "harl", "--to", str(file)]
        answer = run(app, [*command, "--home", str(home)])
        assert answer.exit_code == 0, answer.output
        ElementTree.fromstring(file.read_text("utf-8"))
    assert "a note" in file.read_text("utf-8")
    unknown = run(app, ["export", "salt coast", "--as", "svg", "--map", "Keep", "--home", str(home)])
    assert unknown.exit_code == 1
    assert "no grid map called 'Keep'" in str(unknown.exception)
    assert "Its maps: Harl." in str(unknown.exception)


async def draw_map(home: Path) -> None:
    program = await open_program(home)
    try:
        editor = program.services.world.grid_maps.editor
        (universe,) = await program.services.stories.universes()
        cells = [GridCell(spot=Spot(0, 0), terrain=Terrain.WOOD, text="a note")]
        await editor.save_edit(
            editor.build_edit(universe.id, None, "a map", outline=read_outline("Harl"), cells=cells)
        )
    finally:
        await program.close()
