"""Whom the hero only asks somebody about is not here: `/npc Teodor` is offered, not `/npc here Teodor`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened

BEFORE = (
    "I walk down to the pier, where my brother Teodor was last seen.",
    "> The pier keeper, Dob Harrow, is mending a net. He has one eye.",
)


@pytest.mark.parametrize(
    ("line", "is_here"),
    [
        ("I ask him about Teodor.", False),
        ("I tell him of my brother Teodor.", False),
        ("I ask Teodor about the bell.", True),
        ("I ask him about Teodor. Teodor smiles at me.", True),
    ],
)
async def test_stranger_who_is_talked_about_is_not_offered_as_here(
    tmp_path: Path, line: str, is_here: bool
) -> None:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(*BEFORE, line)
        commands = {offer.command for offer in (await scene.view()).offers}
        assert ("/npc here Teodor" in commands) is is_here, commands
        assert any("Teodor" in command for command in commands)
