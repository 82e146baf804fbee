"""A payment offers to settle the debt that it is of: between these two, open, and of that sum."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened

OFFER = "/paid Dob owes Vess forty crowns"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("/npc here Dob: a smith", "/npc here Vess: a captain", "/npc here Hela: a baker")
        await scene.say("/fact debt: Dob owes Vess forty crowns", "/commit", "I wait.")
        yield scene


async def is_offered(scene: PlayedScene, line: str) -> bool:
    return any(OFFER in reply for reply in await scene.say(line))


@pytest.mark.parametrize(
    "line",
    [
        "> Dob pays Vess the forty crowns.",
        "> Dob pays Vess 40 crowns.",
        "> Dob gives Vess the forty crowns he owes.",
        "> Dob pays Vess the forty crowns and ten more.",
        "> After two days Dob pays Vess the forty crowns.",
        "> Dob pays Vess his debt.",
        "I pay Vess the forty crowns that Dob owes her.",
    ],
)
async def test_payment_of_the_debt_offers_to_settle_it(scene: PlayedScene, line: str) -> None:
    assert await is_offered(scene, line)


@pytest.mark.parametrize(
    "line",
    [
        "> Dob pays Vess the twenty crowns.",
        "> Dob pays Vess ten of the forty crowns.",
        "> Dob pays Vess half of the forty crowns.",
        "> Dob pays Hela the forty crowns.",
        "> Vess pays Dob the forty crowns.",
        "> Hela pays Vess the forty crowns.",
        "I pay Vess the forty crowns.",
    ],
)
async def test_payment_of_anything_else_offers_nothing(scene: PlayedScene, line: str) -> None:
    assert not await is_offered(scene, line)


@pytest.mark.parametrize(
    "settled", [("/paid forty crowns",), ("/paid forty crowns", "/accept all", "/commit")]
)
async def test_debt_that_is_settled_is_not_offered_again(
    scene: PlayedScene, settled: tuple[str, ...]
) -> None:
    await scene.say(*settled)
    assert not await is_offered(scene, "> Dob pays Vess the forty crowns.")
