"""What the hero owes somebody who is meant by a pronoun is proposed where only one may be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened

PEOPLE = ("/npc here Ines Calloway: a lawyer", "/npc here Anna Bell: a woman", "/npc here Dob: a man")


async def reply_to(tmp_path: Path, *lines: str) -> tuple[str, ...]:
    """Return what the last of the lines replies, with Ines, Anna and Dob here."""
    async with opened(tmp_path) as program:
        return await PlayedScene(program, await begin(program)).say(*PEOPLE, *lines)


@pytest.mark.parametrize(
    ("lines", "debt"),
    [
        (["I thank Ines, and I owe her fifty dollars."], "Mara owes Ines Calloway fifty dollars."),
        (["I thank Ines. I owe her ten dollars."], "Mara owes Ines Calloway ten dollars."),
        (["> Ines laughs, and you owe her nine crowns."], "Mara owes Ines Calloway nine crowns."),
        (["I nod to Dob, and I owe him eight crowns."], "Mara owes Dob eight crowns."),
        (["Dob nods. I owe him 20 silver."], "Mara owes Dob 20 silver."),
        (["I pay Dob's bar bill, so now he owes me six crowns."], "Dob owes Mara six crowns."),
        (["> Ines loses the bet, and she owes you four crowns."], "Ines Calloway owes Mara four crowns."),
        (
            ["I tell Ines the truth.", "I agree, and I owe her fifty dollars up front."],
            "Mara owes Ines Calloway fifty dollars up front.",
        ),
    ],
)
async def test_debt_of_the_hero_to_whom_a_pronoun_means_is_proposed(
    tmp_path: Path, lines: list[str], debt: str
) -> None:
    assert await reply_to(tmp_path, *lines) == (f"Proposed: {debt}",)


@pytest.mark.parametrize(
    "line",
    [
        "I agree, and I owe her fifty dollars up front.",
        "I thank Anna Bell and Ines, and I owe her seven crowns.",
        "I thank Ines, and I owe her brother six crowns.",
        "I thank Ines, and if I lose, I owe her thirty crowns.",
        "I thank Ines. I think I owe her sixty dollars.",
        "Ines says I owe her seventy dollars.",
        'Ines laughs. "I owe her ten crowns," says Dob.',
        "I thank the maid, and I owe her forty crowns.",
        "I pay the bar bill, so now she owes me six crowns.",
        "I pay Dob's bar bill, so if he lives, he owes me six crowns.",
        "I thank Ines and Anna Bell, so now she owes me six crowns.",
        "I pay the barman's bill, so now he owes me six crowns.",
    ],
)
async def test_debt_to_whom_a_pronoun_may_not_mean_alone_is_not_proposed(tmp_path: Path, line: str) -> None:
    assert not any("Proposed" in reply for reply in await reply_to(tmp_path, line))


async def test_debt_that_is_stated_again_with_the_full_name_may_be_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Nan Vess: a lawyer", "/npc here Tam: a boy", "I owe Nan forty crowns.")
        same = "≈ “Mara owes Nan forty crowns.” may be the same debt: reject one of the two if it is."
        assert same in await table.say("/fact debt: Mara owes Nan Vess forty crowns")
        assert not any("≈" in line for line in await table.say("/fact Mara owes Tam forty crowns"))
        assert not any("≈" in line for line in await table.say("/fact Mara owes Nan Vess a horse"))
