"""Named branches: the world as it was at a turn, with canon of its own; the line that is left stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.play_views import Reply
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.ids import Id
from tests.program import begin, opened


async def play(program: Program, scene_id: Id, *lines: str) -> Id:
    """Play the lines as a player types them, from scene to scene; return the scene in which play stands."""
    for line in lines:
        reply = await program.services.play.submit(scene_id, line)
        if reply.goto == "scene" and reply.subject:
            scene_id = reply.subject
    return scene_id


async def branch(program: Program, scene_id: Id, line: str) -> Id:
    """Type a `/branch` line; return the scene in which play goes on."""
    reply = await program.services.play.submit(scene_id, line)
    assert reply.goto == "story", reply
    assert reply.subject
    return await program.services.stories.resume(reply.subject)


async def read_words(program: Program, scene_id: Id) -> list[str]:
    return [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 100)]


async def read_canon(program: Program, scene_id: Id) -> list[str]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    return [f.statement for f in await program.services.world.canon.facts(universe_id, FactQuery())]


async def test_branch_from_here_goes_on_beside_the_line_that_it_leaves(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/fact event: The bell rang", "/commit", "I wait.")
        other = await branch(program, main, "/branch No bridge")
        assert await read_words(program, other) == await read_words(program, main)
        assert await read_canon(program, other) == await read_canon(program, main)
        await play(program, other, "I turn back.", "/fact event: The mill burned", "/commit")
        assert "The mill burned." in await read_canon(program, other)
        assert "The mill burned." not in await read_canon(program, main)
        assert "I turn back." not in await read_words(program, main)


async def test_branch_from_an_earlier_turn_has_the_canon_of_that_time(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/fact event: The bell rang", "/commit")
        await play(program, main, "I wait.", "/fact event: The mill burned", "/commit", "I leave.")
        before = await read_canon(program, main)
        other = await branch(program, main, "/branch 1 The quiet way")
        assert await read_words(program, other) == ["I go on."]
        canon = await read_canon(program, other)
        assert "The bell rang." in canon
        assert "The mill burned." not in canon
        assert await read_canon(program, main) == before
        assert len(await read_words(program, main)) == 3
        await play(program, other, "I sing.", "/undo")
        assert await read_words(program, other) == ["I go on."]


@pytest.mark.parametrize("typed", ["No bridge", "no BRIDGE", "main line", "main"])
async def test_branch_refuses_a_name_that_is_taken(tmp_path: Path, typed: str) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.")
        await branch(program, main, "/branch No bridge")
        with pytest.raises(InputError, match="There is a branch called"):
            await program.services.play.submit(main, f"/branch {typed}")


def lines_of(reply: Reply) -> str:
    return " ".join(reply.lines)
