"""What is so in somebody's tale is not so in the scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("> In Fenn's story Maud dies.", set()),
        ("> In Fenn's house Maud dies.", {"In Fenn's house Maud dies."}),
    ],
)
async def test_death_in_somebodys_story_is_not_proposed(tmp_path: Path, line: str, titles: set[str]) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Fenn: a minstrel", "/npc here Maud: a weaver", "/accept all", "/commit")
        before = {row.title for row in (await table.view()).proposals}
        await table.say(line)
        assert {row.title for row in (await table.view()).proposals} - before == titles
        assert ("⚠ Maud is dead." in await table.say("> Maud laughs.")) is bool(titles)
