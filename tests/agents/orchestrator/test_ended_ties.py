"""Tests that a line which says that a tie or an office is over proposes its end, where such a thing can end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import first_few
from tests.played_scene import PlayedScene
from tests.program import begin, opened

TIES = (
    "/npc here Sten Vark",
    "/npc here Hela Rook",
    "/place Harrow: a village",
    "/place Mole Hill: a village",
    "> Sten is the captain of Harrow.",
    "> Sten is my enemy.",
    "> Sten is Hela's husband.",
    "> Hela is my aunt.",
)


CAPTAIN = "Sten is the captain of Harrow."
ENEMY = "Sten is Mara's enemy."
COMMIT = ("/accept all", "/commit")


async def read_ends(table: PlayedScene, line: str) -> list[tuple[str, str]]:
    """Play a line; return what it proposes to end, and by which sentence."""
    before = {row.title for row in (await table.view()).proposals}
    await table.say(line)
    rows = (await table.view()).proposals
    return [(row.diff[0][1], row.title) for row in rows if row.title not in before]


@pytest.mark.parametrize(
    ("line", "ended", "sentence", "commit"),
    first_few(
        [
            ("> Sten is no longer the captain.", CAPTAIN, "the captain of Harrow", ()),
            ("> Sten is no longer the captain.", CAPTAIN, "the captain of Harrow", COMMIT),
            ("Sten is no longer my enemy.", ENEMY, "Mara's enemy", COMMIT),
            ("Sten is no longer my enemy.", ENEMY, "Mara's enemy", ()),
            ("Sten is no longer the captain.", CAPTAIN, "the captain of Harrow", ()),
            ("> Sten is no longer captain.", CAPTAIN, "the captain of Harrow", ()),
            ("> Sten is no longer my enemy.", ENEMY, "Mara's enemy", ()),
            ("> Sten is no longer Hela's husband.", "Sten is Hela's husband.", "Hela's husband", COMMIT),
        ]
    ),
)
async def test_end_of_a_tie_or_office_is_proposed(
    tmp_path: Path, line: str, ended: str, sentence: str, commit: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*TIES, *commit)
        assert await read_ends(table, line) == [(ended, f"Sten is no longer {sentence}.")]


@pytest.mark.parametrize(
    "line",
    first_few(
        [
            # Nobody stops being kin by blood.
            "Hela is no longer my aunt.",
            "> Hela is no longer my aunt.",
            "> Sten is no longer the smith.",
            "> Hela is no longer the captain.",
            "> Sten is no longer the captain he was.",
            "> If Sten is no longer the captain, the gate stays shut.",
            '> "Sten is no longer the captain," says Hela.',
            "> Hela says that Sten is no longer the captain.",
            "> Is Sten no longer the captain?",
            "I am no longer in Harrow.",
            "I am no longer afraid of Sten.",
        ]
    ),
)
async def test_what_ends_no_tie_proposes_nothing(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*TIES)
        assert await read_ends(table, line) == []


async def test_office_of_two_places_does_not_say_which_of_them_ends(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*TIES, "> Sten is the captain of Mole Hill.")
        assert await read_ends(table, "> Sten is no longer the captain.") == []


@pytest.mark.parametrize(
    ("before", "line", "sentence"),
    first_few(
        [
            ("> Sten serves Hela.", "> Sten no longer serves Hela.", "Sten no longer serves Hela."),
            ("> Sten works for Hela.", "> Sten no longer works for Hela.", "Sten no longer works for Hela."),
            ("> Sten works for Hela.", "> Sten no longer serves Hela.", "Sten no longer serves Hela."),
            ("> Sten serves Hela.", "> Sten no longer works for Hela.", "Sten no longer works for Hela."),
            ("> Hela works for me.", "Hela no longer works for me.", "Hela no longer works for Mara."),
            ("> Sten hates Hela.", "> Sten no longer hates Hela.", "Sten no longer hates Hela."),
        ],
        quick=2,
    ),
)
@pytest.mark.parametrize("commit", [(), COMMIT])
async def test_end_of_service_or_feeling_is_proposed(
    tmp_path: Path, before: str, line: str, sentence: str, commit: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Sten Vark", "/npc here Hela Rook", before)
        (ended,) = [row.title for row in (await table.view()).proposals][2:]
        await table.say(*commit)
        assert await read_ends(table, line) == [(ended, sentence)]


async def test_work_for_food_or_an_unknown_name_is_no_service(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Sten Vark", "> Sten works for food.", "> Sten works for Dob in the rain.")
        assert [row.title for row in (await table.view()).proposals] == ["Sten Vark"]
