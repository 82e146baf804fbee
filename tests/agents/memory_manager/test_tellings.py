"""What the hero tells somebody is remembered as told: it attempts nothing that dice decide, and says whom it means."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agents.memory_manager.memory_session import MemorySession, open_memory_session


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[MemorySession]:
    async with open_memory_session(tmp_path) as session:
        await session.play(
            "/system lantern_twos",
            "/npc here Teodor: a ferryman",
            "/npc here Ilka: a cook",
            "/npc here Vess: a captain, she wants the bell",
        )
        yield session


async def read_texts(session: MemorySession, name: str = "Teodor") -> list[str]:
    await session.remember()
    return [memory.text for memory in await session.memories_of(name)]


@pytest.mark.parametrize(
    "line",
    [
        "I tell Teodor that I forgive him.",
        "I quietly tell Teodor that the bell is lost.",
        "I told Teodor about the bell.",
        "I say that the bell is lost.",
        "I tell Teodor I am the queen's envoy. I explain that I came by boat.",
    ],
)
async def test_telling_is_nothing_that_dice_decide(session: MemorySession, line: str) -> None:
    await session.play("I nod.", line, "/check 2d6+9 vs 5")
    for name in ("Teodor", "Mara"):
        texts = await read_texts(session, name)
        assert texts, "what was told is remembered"
        assert not any(re.search(r"tried|succeeded", text) for text in texts), texts


async def test_move_after_a_telling_is_remembered_on_its_own(session: MemorySession) -> None:
    await session.play("I nod.", "I tell Teodor that I forgive him.", "/move sway")
    told, swayed = await read_texts(session)
    assert told == "Mara forgives Teodor."
    assert re.fullmatch(r"Mara tried to sway Teodor, and it (?:half )?(?:succeeded|failed)\.", swayed)


@pytest.mark.parametrize(
    "line",
    [
        "I lie to Teodor that I am the queen's envoy.",
        "I beg Teodor to turn the boat.",
        "I tell Teodor to turn the boat.",
        "I tell Teodor that he must turn the boat.",
        "I tell Teodor that I will burn his boat unless he pays.",
        "I threaten to tell Teodor about the bell.",
        "I persuade Teodor that the bell is lost.",
        "I convince Teodor that I am the queen's envoy.",
        "I tell Teodor a lie about the bell.",
        "I leap onto the boat. I tell Teodor that the bell is lost.",
    ],
)
async def test_words_that_want_something_are_tried(session: MemorySession, line: str) -> None:
    await session.play("I nod.", line, "/check 2d6+9 vs 5")
    assert any("succeeded" in text for text in await read_texts(session))


@pytest.mark.parametrize(
    ("lines", "remembered"),
    [
        (("I tell Teodor that I forgive him.",), "Mara forgives Teodor."),
        (("I tell Teodor that I no longer trust him with the bell.",), "Mara no longer trusts Teodor with the bell."),
        (("I turn to Teodor and tell him that I forgive him.",), "Mara forgives Teodor."),
        (("> Ilka wipes her hands.", "I tell Ilka that I trust her."), "Mara trusts Ilka."),
        (("I tell Vess that I trust her.",), "Mara trusts Vess."),
        (("> Teodor scratches his neck. Ilka nods.", "I tell Teodor that I forgive him."), "Mara forgives Teodor."),
    ],
)  # fmt: skip
async def test_pronoun_of_who_is_told_is_their_name(
    session: MemorySession, lines: tuple[str, ...], remembered: str
) -> None:
    await session.play("I nod.", *lines)
    texts = await read_texts(session)
    assert any(text.startswith(remembered) for text in texts), texts


@pytest.mark.parametrize(
    "lines",
    [
        ("I tell Vess that I forgive him.",),
        ("> Ilka wipes her hands.", "I tell Ilka that I forgive him."),
        ("> Ilka leaves.", "I tell Teodor that I trust her."),
        ("Ilka waits. I tell Teodor that I trust her.",),
        ("I look at Ilka. I tell Teodor that I forgive him.",),
        ("> The smith waits.", "I tell Teodor that I forgive him."),
        ("I tell Teodor that I killed him.",),
        ("I tell Teodor that I saw him at the mill.",),
        ("I tell Vess that I trust her word.",),
    ],
)
async def test_pronoun_that_may_mean_another_stays(session: MemorySession, lines: tuple[str, ...]) -> None:
    await session.play("I nod.", *lines)
    texts = await read_texts(session, "Teodor")
    assert any(re.search(r"\b(?:him|her)\b", text) for text in texts), texts


@pytest.mark.parametrize(
    ("line", "remembered"),
    [
        ("I tell Teodor that I will bring the bell.", "Mara will bring the bell."),
        ("I tell Teodor that we'll pay by harvest.", "We'll pay by harvest."),
    ],
)
async def test_what_the_hero_says_will_be_is_remembered(
    session: MemorySession, line: str, remembered: str
) -> None:
    await session.play("I nod.", line)
    assert remembered in await read_texts(session)


@pytest.mark.parametrize(
    "line",
    [
        "I tell Teodor that I will bring the bell if he pays.",
        "I tell Teodor that we might pay by harvest.",
        "> Ilka tells Teodor that he will pay.",
    ],
)
async def test_what_may_be_is_told_as_no_news(session: MemorySession, line: str) -> None:
    await session.play("I nod.", line)
    texts = await read_texts(session)
    assert not any(re.match(r"(?:Mara|We|He|Teodor) (?:will|might)", text) for text in texts), texts


@pytest.mark.parametrize(
    ("line", "hearer"),
    [
        ("I tell Teodor the captain's a deserter.", "Teodor"),
        ("I tell Ilka the bell's gone.", "Ilka"),
        ("> Vess says over the speaker that Ilka has the bell.", "Teodor"),
        ("> Vess tells Ilka in the hall that the bell is lost.", "Ilka"),
    ],
)
async def test_statement_without_that_or_behind_how_it_is_said_is_remembered(
    session: MemorySession, line: str, hearer: str
) -> None:
    await session.play("I nod.", line)
    texts = await read_texts(session, hearer)
    assert any("deserter" in text or "bell" in text for text in texts), texts
