"""What somebody stole at an earlier time does not end who has it now."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.canon_keeper.fact_readings import is_open
from stores.queries import FactQuery
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.mark.parametrize(
    ("line", "is_ended"),
    [
        ("> Corin stole the bell from the Undersinger, forty years ago.", False),
        ("> Corin stole the bell from the Undersinger years ago.", False),
        ("> Corin stole the bell from the Undersinger, long ago.", False),
        ("> Corin stole the bell from the Undersinger last winter.", False),
        ("> Corin stole the bell from the Undersinger, and ran.", True),
        ("> Corin stole the bell from the Undersinger.", True),
    ],
)
async def test_theft_of_an_earlier_time_leaves_who_has_the_thing(
    tmp_path: Path, line: str, is_ended: bool
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc Corin Quay: my father", "/npc The Undersinger: under the harbour")
        await table.say("/thing Glass Bell: rings", "/fact The Undersinger has the glass bell", "/accept all")
        await table.say("/commit")
        replies = await table.say(line)
        assert any(reply.startswith("Proposed: Corin stole the bell") for reply in replies), replies
        assert any(reply.startswith("It ends:") for reply in replies) is is_ended
        await table.say("/accept all", "/commit")
        universe_id = (await table.view()).universe.id
        facts = await program.services.world.canon.facts(universe_id, FactQuery())
        assert ("The Undersinger has the glass bell." in {f.statement for f in facts if is_open(f)}) is (
            not is_ended
        )
