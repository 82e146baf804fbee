"""Commands with nothing after them: they list what there is, or say how they are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


@pytest.mark.parametrize(
    ("typed", "line", "shown"),
    [
        ("/decide Vess is not to be trusted", "/decide", "1. Vess is not to be trusted  (scene 1)"),
        ("/decide Vess is not to be trusted", "/lift", "1. Vess is not to be trusted  (scene 1)"),
        ("/note The bell is cracked", "/note", "1.1  The bell is cracked"),
        ("/fact The rope is cut", "/accept", "1. [accept] fact: The rope is cut.  1.00"),
        ("/fact The rope is cut", "/reject", "1. [accept] fact: The rope is cut.  1.00"),
        ("/thread Who cut the rope", "/thread", "Who cut the rope"),
        ("/tension 6", "/tension", "Tension 6."),
        ("I look again.", "/branch", "1. 2 turns: I look again.  (play is here)"),
    ],
)
async def test_command_alone_lists_what_there_is(tmp_path: Path, typed: str, line: str, shown: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = await say(program, scene_id, "I look.", typed, line)
        assert shown in lines[0]


@pytest.mark.parametrize("line", ["/promise", "/promises", "/paid", "/broken"])
async def test_command_alone_lists_the_promises(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, line) == (
            "No open promises, debts or questions. /promise NAME will come back makes one.",
        )
        await say(program, scene_id, "I look.", "/promise Vess will come back", "/commit")
        assert "promise: Vess will come back." in (await say(program, scene_id, line))[0]


@pytest.mark.parametrize("line", ["/fact", "/npc", "/go", "/show", "/time", "/axiom", "/state", "/take"])
async def test_command_alone_says_how_it_is_used(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match=f"As in: {line} "):
            await say(program, scene_id, line)
