"""Tests that a line which names somebody's relative in passing proposes the tie: `Lisbet's brother Corm laughs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import first_few
from tests.played_scene import PlayedScene
from tests.program import begin, opened


async def test_relative_who_is_made_known_later_is_tied_by_the_earlier_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Lisbet Crane", "/place Harrow: a village")
        await table.say("> Lisbet's brother Corm was the smith of Harrow.")
        assert "Proposed: Corm is Lisbet's brother." in await table.say("/npc Corm: a smith")


async def test_relative_of_the_hero_is_offered_and_tied_once_made_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        (offer,) = await table.say("My brother Corm laughs.")
        assert "/npc here Corm" in offer
        assert "Proposed: Corm is Mara's brother." in await table.say("/npc here Corm")


@pytest.mark.parametrize(
    ("line", "tie"),
    first_few(
        [
            ("My brother Corm laughs.", "Corm is Mara's brother."),
            ("> My brother Corm hates you.", ""),
            ("> Lisbet's brother Corm laughs.", "Corm is Lisbet's brother."),
            ("> Lisbet Crane's elder brother Corm, the smith, laughs.", "Corm is Lisbet Crane's brother."),
            ("> Lisbet’s brother hates Corm.", ""),
            ("> Perhaps Lisbet's brother Corm laughs.", ""),
            ("> If Lisbet's brother Corm laughs, the dog barks.", ""),
            ("> Lisbet's brother Corm's smithy burns.", ""),
            ("> Lisbet's brother-in-law Corm laughs.", ""),
            ('> "Lisbet\'s brother Corm laughs," says Dob.', ""),
            ("> Lisbet's brother Harl laughs.", ""),
            ("> Does Lisbet's brother Corm laugh?", ""),
            ("> My brother Corm laughs.", "Corm is Mara's brother."),
            ("> Your dear brother Corm laughs.", "Corm is Mara's brother."),
            ("My brother Corm hates you.", ""),
            ("My brother hates Corm.", ""),
            ("My brother Corm's smithy burns.", ""),
            ("My friend's brother Corm laughs.", ""),
            ('"My brother Corm is dead," says Lisbet.', ""),
            ("> Lisbet: My brother Corm laughs.", ""),
            ("> Corm was the smith.", ""),
        ],
        quick=6,
    ),
)
async def test_relative_by_name_is_tied_where_the_text_says_so(tmp_path: Path, line: str, tie: str) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Lisbet Crane", "/npc Corm: a smith", line)
        titles = [row.title for row in (await table.view()).proposals]
        assert [title for title in titles if "brother" in title] == ([tie] if tie else [])


async def test_aunt_in_the_hero_s_own_account_is_tied_as_a_brother_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        assert "Proposed: Hela is Mara's aunt." in await table.say("/npc Hela", "My aunt Hela laughs.")
        await table.say("Hela is not my aunt.", "I am the aunt of Hela.")
        titles = [row.title for row in (await table.view()).proposals]
        assert [title for title in titles if "aunt" in title] == ["Hela is Mara's aunt."]


@pytest.mark.parametrize(
    ("line", "tie"),
    first_few(
        [
            ("> Corm is my mother's brother.", "Corm is Mara's uncle."),
            ("Corm is my father's nephew.", "Corm is Mara's cousin."),
            ("> Corm is Lisbet's mother's elder brother.", "Corm is Lisbet's uncle."),
            ("> Lisbet is the sister of my late father.", "Lisbet is Mara's aunt."),
            ("> Corm is your brother’s son.", "Corm is Mara's nephew."),
            ("> Corm is my daughter's son.", "Corm is Mara's grandson."),
            ("> Corm is not my mother's brother.", ""),
            ("> Corm says he is my mother's brother.", ""),
            ("> Corm is my mother's brother's friend.", ""),
            ("> Corm is my mother's husband.", "Corm is Mara's mother's husband."),
        ],
        quick=4,
    ),
)
async def test_relative_of_a_relative_is_tied_by_the_word_for_it(tmp_path: Path, line: str, tie: str) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Lisbet Crane", "/npc Corm: a smith", line)
        titles = [row.title for row in (await table.view()).proposals][2:]
        assert titles == ([tie] if tie else [])


async def test_unknown_relative_by_a_single_name_is_offered(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        (offer,) = await table.say("> Anselm is my mother's brother.")
        assert "/npc Anselm" in offer
        assert "Proposed: Anselm is Mara's uncle." in await table.say("/npc Anselm: a monk")
        assert not await table.say("> Greed is my father's sin.")


@pytest.mark.parametrize(
    ("line", "command"),
    first_few(
        [
            ("I ask Lisbet where my brother Teodor went.", "/npc Teodor: my brother"),
            ('I ask Lisbet: "Where is my brother Teodor?"', "/npc Teodor"),
            ("> Lisbet asks where my brother Teodor went.", "/npc Teodor"),
            ("I ask Lisbet about my poor mother Teodora's boat.", "/npc Teodora: my mother"),
            ("I ask Lisbet where her brother Teodor went.", "/npc Teodor"),
            ("I ask my brother where Teodor went.", "/npc Teodor"),
            ('> "I hate my brother Teodor," says Lisbet.', "/npc Teodor"),
        ]
    ),
)
async def test_relative_whom_the_hero_asks_about_is_offered_as_one(
    tmp_path: Path, line: str, command: str
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Lisbet Crane")
        (offer,) = await table.say(line)
        assert f": {command} makes them known" in offer
        before = [member.name for member in (await table.view()).cast]
        await table.say(command)
        assert [member.name for member in (await table.view()).cast] == before
