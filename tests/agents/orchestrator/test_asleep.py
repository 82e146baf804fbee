"""Who sleeps hears and remembers nothing of what they are told, and the reply says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.records.canon import ChangeSecrecy
from tests.agents.memory_manager.memory_session import MemorySession, open_memory_session

PEOPLE = ("/npc here Perrin Holt: a stoker", "/npc here Juno Ames: a signal clerk", "I look round.")
DEAF = "Perrin Holt is asleep, and does not hear it: /cast + Perrin Holt wakes them."


async def says(session: MemorySession, line: str) -> tuple[str, ...]:
    reply = await session.program.services.play.submit(session.scene_id, line)
    return reply.lines


async def test_those_asleep_remember_nothing_of_what_they_are_told(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in PEOPLE:
            await says(session, line)
        assert await says(session, "> Perrin nods off.") == ("Perrin Holt sleeps, and hears nothing.",)
        assert DEAF in await says(session, "I tell Perrin that the bridge has fallen.")
        assert DEAF in await says(session, "> Juno tells Perrin that the plough is lost.")
        lines = await says(session, "I tell Perrin and Juno that the bell is cracked.")
        assert DEAF in lines
        assert "Juno Ames remembers it from Mara; canon stays as it is." in lines
        await says(session, "I wake Perrin.")
        assert await says(session, "I tell Perrin that the plough has come.") == (
            "Perrin Holt remembers it from Mara; canon stays as it is.",
        )
        await session.remember()
        told = " ".join(memory.text for memory in await session.memories_of("Perrin Holt"))
        assert "plough has come" in told
        assert not any(words in told for words in ("bridge", "lost", "cracked"))


@pytest.mark.slow
async def test_who_falls_asleep_or_wakes_with_the_words_heard_them(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in PEOPLE:
            await says(session, line)
        told = "Perrin Holt remembers it from Mara; canon stays as it is."
        assert told in await says(session, "I tell Perrin that the plough has come. Perrin falls asleep.")
        assert told in await says(session, "I wake Perrin. I tell Perrin that the bell is cracked.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "reply"),
    [
        (
            "/state Perrin +unconscious",
            "Perrin Holt is unconscious, and does not hear it: /state Perrin Holt -unconscious wakes them.",
        ),
        (
            "I take Juno aside.",
            "Perrin Holt is out of earshot, and does not hear it: /cast + Perrin Holt brings them back.",
        ),
        ("> Perrin dies.", ""),
    ],
)
async def test_those_who_cannot_hear_remember_nothing(tmp_path: Path, before: str, reply: str) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in (*PEOPLE, before):
            await says(session, line)
        lines = await says(session, "I tell Perrin that the bridge has fallen.")
        assert not any("remembers it" in line for line in lines)
        assert not reply or reply in lines


@pytest.mark.slow
async def test_those_asleep_learn_no_secret_and_are_promised_nothing_for_sure(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in (
            *PEOPLE,
            "/secret Juno: the sluice is open",
            "/accept all",
            "/commit",
            "> Perrin nods off.",
        ):
            await says(session, line)
        await says(session, "> Juno tells Perrin that the sluice is open.")
        view = await session.program.services.play.scene(session.scene_id)
        assert not [p for p in view.proposals if isinstance(p.proposal.change, ChangeSecrecy)]


async def read_memories(session: MemorySession, name: str) -> list[str]:
    await session.remember()
    return [memory.text for memory in await session.memories_of(name)]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("> Perrin steals the letter while I sleep.", False),
        ("> While I am fast asleep, Perrin steals the letter.", False),
        ("> Perrin steals the letter while you sleep.", False),
        ("> Perrin steals the letter while Mara sleeps.", False),
        ("> Perrin steals the letter behind my back.", False),
        ("> Perrin steals the letter while Juno sleeps.", True),
        ("> Perrin steals the letter while I watch.", True),
        ("> Perrin steals the letter behind Juno's back.", True),
    ],
)
async def test_hero_who_sleeps_meanwhile_sees_nothing(tmp_path: Path, line: str, seen: bool) -> None:
    async with open_memory_session(tmp_path) as session:
        for typed in (*PEOPLE, "/thing letter", line):
            await says(session, typed)
        assert any("steals the letter" in text for text in await read_memories(session, "Mara")) is seen
        others_see = "Juno" not in line
        assert (
            any("steals the letter" in text for text in await read_memories(session, "Juno Ames"))
            is others_see
        )


@pytest.mark.slow
async def test_what_is_told_or_done_by_who_sleeps_is_remembered(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in (
            *PEOPLE,
            "/thing letter",
            "> Juno tells me that Perrin stole the letter while I slept.",
            "I promise Juno while Perrin sleeps that I will find the letter.",
        ):
            await says(session, line)
        memories = " ".join(await read_memories(session, "Mara"))
        assert "stole the letter" in memories
        assert "find the letter" in memories
        assert "find the letter" not in " ".join(await read_memories(session, "Perrin Holt"))


@pytest.mark.slow
async def test_companion_who_slept_wakes_and_who_is_carried_sleeps_on(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in PEOPLE:
            await says(session, line)
        await says(session, "I take Perrin and Juno by the hand and lead them out through the back door.")
        await says(session, "> Perrin falls asleep. Juno falls asleep.")
        assert await says(session, "> Perrin comes to.") == ("Perrin Holt wakes.",)
        assert await says(session, "> Juno wakes and yawns.") == ("Juno Ames wakes.",)
        await says(session, "I take Juno aside.")
        assert await says(session, "I walk back to Perrin.") == ("Perrin Holt is within earshot again.",)
    async with open_memory_session(tmp_path / "carried") as session:
        for line in PEOPLE:
            await says(session, line)
        await says(session, "> Perrin falls asleep.")
        assert "Perrin Holt comes along, asleep." in await says(
            session, "I carry Perrin out through the gate."
        )
        assert DEAF in await says(session, "I tell Perrin that the bridge has fallen.")
        assert await says(session, "> Perrin wakes.") == ("Perrin Holt wakes.",)


async def test_hero_who_falls_asleep_sees_nothing_until_they_wake(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in (
            *PEOPLE,
            "I lie down by the stove and fall asleep.",
            "> Perrin steals the letter from my coat.",
            "/fact Perrin Holt stole the letter",
            "I sit up and look round.",
            "> Juno burns the map.",
            "/fact Juno Ames burned the map",
        ):
            await says(session, line)
        mara = " ".join(await read_memories(session, "Mara"))
        juno = " ".join(await read_memories(session, "Juno Ames"))
        assert "letter" not in mara
        assert "map" in mara
        assert "letter" in juno
