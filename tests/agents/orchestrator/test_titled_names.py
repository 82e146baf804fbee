"""Somebody with a rank, a trade or kinship before the name is meant by it with a part of the name, and without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened

PEOPLE = (
    "/npc here Sheriff Hob Tully: the law",
    "/npc here Pip: a girl",
    "/npc Widow Anna Karr: a neighbour",
    "/place Hunter Moon Inn",
    "/thing lamp",
)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        played = PlayedScene(program, await begin(program))
        await played.say(*PEOPLE)
        yield played


@pytest.mark.parametrize("name", ["Sheriff Tully", "Hob Tully", "Sheriff Hob", "Tully", "Sheriff Hob Tully"])
async def test_person_with_a_rank_is_meant_by_each_form_of_the_name(scene: PlayedScene, name: str) -> None:
    heard = await scene.say(f"I tell {name} that Pip is a thief.")
    assert heard == ("Sheriff Hob Tully remembers it from Mara; canon stays as it is.",)
    promised = await scene.say(f"I promise {name} that I will leave town.")
    assert promised == ("Proposed: Mara promised Sheriff Hob Tully: “I will leave town.”",)
    assert await scene.say(f"> {name} owes Pip ten silver.") == (f"Proposed: {name} owes Pip ten silver.",)
    assert await scene.say(f"> {name} has the lamp.") == (f"Proposed: {name} has the lamp.",)
    assert await scene.say(f"/cast - {name}") == ("Sheriff Hob Tully leaves.",)
    assert await scene.say(f"> {name} comes in.") == ("Sheriff Hob Tully comes in.",)


async def test_person_with_a_word_of_kinship_before_the_name_comes_in(scene: PlayedScene) -> None:
    assert await scene.say("> Anna Karr comes in.") == ("Widow Anna Karr comes in.",)
    assert await scene.say("/cast - Widow Karr") == ("Widow Anna Karr leaves.",)


@pytest.mark.parametrize("name", ["Widow Tully", "Wil Tully", "Deputy Karr", "Hob Karr"])
async def test_other_name_in_part_the_same_is_somebody_else(scene: PlayedScene, name: str) -> None:
    replies = " ".join(await scene.say(f"I tell {name} that Pip is a thief."))
    replies += " ".join(await scene.say(f"> {name} has the lamp."))
    assert "remembers" not in replies
    assert "Proposed: " not in replies


async def test_inn_called_after_a_trade_brings_in_nobody(scene: PlayedScene) -> None:
    here = await scene.cast_names()
    await scene.say("> The Hunter Inn is shut.", "> A hunter owes Pip ten silver.", "I look at the Moon Inn.")
    assert await scene.cast_names() == here
    assert [row.title for row in (await scene.view()).proposals][5:] == []
