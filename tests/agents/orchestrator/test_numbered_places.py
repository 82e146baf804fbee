"""A number with a capital is a part of the name before it: `Pier Nine` is offered whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened


async def read_commands(scene: PlayedScene) -> list[str]:
    return [offer.command for offer in (await scene.view()).offers]


async def test_place_with_a_number_is_offered_whole_until_it_is_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("I walk down to Pier Nine, where my brother Teodor was last seen.")
        assert await read_commands(scene) == ["/place Pier Nine", "/npc Teodor: my brother"]
        await scene.say("/place Pier Nine: a rotten jetty")
        assert await read_commands(scene) == ["/npc Teodor: my brother"]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("I walk to Crow Gate. Nine men lie there.", ["/place Crow Gate"]),
        ("I walk to Crow Gate, and two guards follow me.", ["/place Crow Gate"]),
        ("I walk to Gate Two.", ["/place Gate Two"]),
    ],
)
async def test_number_that_is_no_part_of_a_name_is_left_out(
    tmp_path: Path, line: str, commands: list[str]
) -> None:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(line)
        assert await read_commands(scene) == commands
