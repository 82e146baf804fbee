"""A death that is narrated later contradicts nothing that was so before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("> Nan isn't dead; she's only fainted.", "> Nan dies that winter."),
        ("> Nan is not dead.", "> Tom stabs Nan. She dies."),
        ("/fact Nan is not dead", "> Nan dies of the fever in the winter."),
    ],
)
async def test_later_death_of_who_was_not_dead_is_no_contradiction(
    tmp_path: Path, known: str, line: str
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Old Nan: my grandmother", "/npc here Tom: a boy", known)
        replies = await table.say(line)
        assert "Proposed: Old Nan died." in replies
        assert not any(reply.startswith("⚠") for reply in replies)
        await table.say("/accept all")
        assert "Canon: Old Nan died." in await table.say("/commit")


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("> Nan isn't dead.", "> Nan died last winter."),
        ("> Nan isn't dead.", "> Nan is dead."),
        ("/fact Nan never died", "> Nan dies that winter."),
        ("/fact Nan cannot die", "> Nan dies that winter."),
        ("/fact Nan is not dead", "/fact Nan died"),
    ],
)
async def test_later_death_is_held_beside_what_denies_it_for_good(
    tmp_path: Path, known: str, line: str
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Old Nan: my grandmother", known)
        assert any(reply.startswith("⚠ Another proposal says") for reply in await table.say(line))
