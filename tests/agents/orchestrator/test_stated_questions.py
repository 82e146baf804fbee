"""What asks something is no fact, with or without its question mark, in a player's own words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import InputError
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Vess")
        yield table


async def list_titles(table: PlayedScene) -> list[str]:
    return [row.title for row in (await table.view()).proposals]


async def test_question_without_its_mark_is_refused_as_a_fact(table: PlayedScene) -> None:
    before = await list_titles(table)
    for question in (
        "who killed the baker",
        "Did Vess kill the baker",
        "where is Vess",
        "whose knife is it",
        "how many guards are there",
    ):
        with pytest.raises(InputError, match="asks something"):
            await table.say(f"/fact {question}")
    assert await list_titles(table) == before


@pytest.mark.parametrize(
    "sentence",
    [
        "Who killed the baker is unknown.",
        "What the tide takes is lost.",
        "When the bell rings, the dead rise.",
        "Will Karr owns the mill.",
        "Vess asks who killed the baker.",
    ],
)
async def test_sentence_that_begins_like_a_question_is_a_fact(table: PlayedScene, sentence: str) -> None:
    await table.say(f"/fact {sentence}")
    assert sentence in await list_titles(table)


async def test_question_that_is_refused_may_be_kept_open_or_stated(table: PlayedScene) -> None:
    await table.say("/fact who killed the baker?")
    await table.say("/fact fact: where is Vess")
    assert {"Who killed the baker?", "Where is Vess."} <= set(await list_titles(table))
