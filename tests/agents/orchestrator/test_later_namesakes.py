"""Whom a line meant is settled when it is said: a namesake who becomes known later changes nothing of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.canon_keeper.fact_readings import is_open
from stores.queries import FactQuery
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Ivo Tarrant: bell-founder", "/thing Glass Bell: rings under water")
        yield table


async def read_canon(table: PlayedScene) -> set[str]:
    universe_id = (await table.view()).universe.id
    facts = await table.program.services.world.canon.facts(universe_id, FactQuery())
    return {fact.statement for fact in facts if is_open(fact)}


@pytest.mark.parametrize(
    "namesake", ["/npc Old Ivo: sweeps the chapel", "/npc Ivo Marsh: a farmer", "/thing Iron Bell: heavy"]
)
async def test_later_namesake_leaves_who_has_the_thing_now(table: PlayedScene, namesake: str) -> None:
    await table.say("I take the glass bell from the hook.", "I give the bell to Ivo.", namesake)
    await table.say("/accept all", "/commit")
    canon = await read_canon(table)
    assert "Ivo has the bell." in canon
    assert "Mara has the glass bell." not in canon
    await table.say("> Ivo Tarrant gives me the glass bell.", "/accept all", "/commit")
    canon = await read_canon(table)
    assert "Mara has the glass bell." in canon
    assert "Ivo has the bell." not in canon


@pytest.mark.parametrize("line", ["I give the bell to Ivo.", "> Ivo laughs."])
async def test_later_namesake_is_not_here_by_a_line_that_meant_the_other(
    table: PlayedScene, line: str
) -> None:
    await table.say(line)
    replies = await table.say("/npc Old Ivo: sweeps the chapel, far from here")
    assert replies[-1] == "Old Ivo is known, not here: /cast + Old Ivo brings them in."
    assert await table.cast_names() == {"Ivo Tarrant"}


async def test_namesake_whom_the_line_named_in_full_is_here(table: PlayedScene) -> None:
    await table.say("> Old Ivo walks in, with a broom.")
    assert "Old Ivo is here." in await table.say("/npc Old Ivo: sweeps the chapel")
