"""Who is told something by somebody who first does something else, or in words that are not given, remembers it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.memory_manager.memory_session import MemorySession, open_memory_session
from tests.agents.orchestrator.test_line_outcomes import read_marks

PEOPLE = (
    "/npc here Osric: an innkeeper",
    "/npc here Hela: a girl",
    "/npc here Sten: a prisoner",
    "I walk in.",
)


async def read_mark(session: MemorySession, *lines: str) -> str:
    """Play lines; return what stands behind the last."""
    await session.play(*PEOPLE, *lines)
    return (await read_marks(session.program, session.scene_id))[lines[-1].removeprefix("> ")]


async def read_memories(session: MemorySession, name: str) -> list[str]:
    await session.remember()
    return [memory.text for memory in await session.memories_of(name)]


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("> Osric comes down and tells us the soldiers are back.", "heard"),
        ("> Osric comes down and tells me the soldiers are back.", "heard by Mara"),
        ("> Osric tells us that the soldiers are back.", "heard"),
        ("I go over and tell Hela the soldiers are back.", "heard by Hela"),
        ("> Hela laughs and tells me a story.", ""),
        ("> Hela sits down and says nothing.", ""),
    ],
)
async def test_who_is_told_after_another_deed_hears_it(tmp_path: Path, line: str, mark: str) -> None:
    async with open_memory_session(tmp_path) as session:
        assert await read_mark(session, line) == mark
        is_told = bool(mark)
        assert ("The soldiers are back." in await read_memories(session, "Mara")) is (
            is_told and line.startswith(">")
        )


async def test_what_somebody_said_is_told_on_in_their_words(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        told = "> Sten tells me that the bridge is down."
        lines = ("/cast - Hela, Osric", told, "/cast + Hela, Osric", "I tell Hela what Sten said.")
        assert await read_mark(session, *lines) == "heard by Hela"
        assert await read_memories(session, "Hela") == ["The bridge is down."]
        (memory,) = await session.memories_of("Hela")
        assert memory.source == "heard from Mara"
        assert await read_memories(session, "Osric") == [], "he was told nothing"


async def test_what_somebody_said_and_nobody_knows_is_remembered_as_told(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        assert await read_mark(session, "I tell Hela what Sten said.") == "heard by Hela"
        assert await read_memories(session, "Hela") == ["Mara told Hela what Sten said."]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["I tell Hela what I want.", "I ask Hela what Sten said."])
async def test_other_words_tell_nothing_on(tmp_path: Path, line: str) -> None:
    async with open_memory_session(tmp_path) as session:
        assert await read_mark(session, line) == ""
