"""A plain line that calls for a move of the story's rules is answered with the roll; nothing is rolled by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.replies import Reply
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path) as program:
        yield program


async def begin_fight(program: Program, *lines: str) -> Id:
    scene_id = await begin(program)
    for line in ("/system lantern_twos", *lines):
        await program.services.play.submit(scene_id, line)
    return scene_id


async def type_line(program: Program, scene_id: Id, line: str) -> Reply:
    return await program.services.play.submit(scene_id, line, offers_moves=True)


async def read_texts(program: Program, scene_id: Id) -> list[str]:
    return [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 100)]


async def test_attacking_offers_the_move_with_what_it_may_do(program: Program) -> None:
    scene_id = await begin_fight(program, "/creature here Orc (hp 6): big and hungry")
    before = await read_texts(program, scene_id)

    reply = await type_line(program, scene_id, "I draw my knife and attack the orc.")

    assert reply.lines[0] == (
        "Strike Orc: 2d6+1 vs 10, partial within 3. Success: Orc: HP -4. Partial: Orc: HP -3, Mara: HP -2. "
        "Fail: Mara: HP -3."
    )
    assert reply.prompt_text == "I draw my knife and attack the orc. /move strike Orc"
    assert reply.plain_line == "I draw my knife and attack the orc."
    assert await read_texts(program, scene_id) == before  # nothing is played before the player says so


async def test_the_offered_line_is_rolled_with_the_words_that_were_typed(program: Program) -> None:
    scene_id = await begin_fight(program, "/creature here Orc (hp 6): big and hungry")
    reply = await type_line(program, scene_id, "I attack the orc")

    await type_line(program, scene_id, reply.prompt_text)

    words, roll = (await read_texts(program, scene_id))[-2:]
    assert words == "I attack the orc"
    assert roll.startswith("strike Orc · 2d6+1")


@pytest.mark.parametrize(
    "line",
    [
        "I look around.",
        "I don't attack the orc.",
        "If the orc moves, I attack it.",
        "I attacked the orc last night.",
        '"I attack the orc," I say.',
        "Vess laughs and attacks the orc.",
        "I strike a match.",
        "I hit the bell.",
        "> The orc attacks the gate.",
        "I attack the orc. " + "The rain goes on and on. " * 100,
        "? Do I hit the orc",
    ],
)
async def test_other_words_are_played_as_they_are(program: Program, line: str) -> None:
    scene_id = await begin_fight(program, "/creature here Orc (hp 6): hungry", "/thing Bell: cracked")

    reply = await type_line(program, scene_id, line)

    assert reply.plain_line == ""
    assert reply.prompt_text == ""


@pytest.mark.parametrize(
    ("line", "typed_move"),
    [
        ("I attack him", "/move strike Orc"),  # the only other here
        ("I shoot at the orc with my bow", "/move shoot Orc"),
        ("I bind my wound", "/move tend Mara"),
        ("I try to sneak past the orc", "/move slip Orc"),
        ("I'm going to kick the door down", "/move force"),
        ("Mara stabs the orc", "/move strike Orc"),
    ],
)
async def test_who_is_meant_is_found(program: Program, line: str, typed_move: str) -> None:
    scene_id = await begin_fight(program, "/creature here Orc (hp 6): hungry")

    assert (await type_line(program, scene_id, line)).prompt_text == f"{line} {typed_move}"


async def test_who_comes_along_is_not_whom_a_move_is_made_against(program: Program) -> None:
    scene_id = await begin_fight(
        program,
        "/npc here Lisk: a child",
        "/npc here Bodil: a ferrywoman",
        "/creature here Orc (hp 6): hungry",
    )
    typed_moves = {
        "I climb onto the ferry with Lisk.": "",  # anybody gets aboard
        "I climb the wall with Lisk.": "/move force",
        "I creep along the wall with Lisk and Bodil.": "/move slip",
        "I hide with Lisk.": "/move slip",
        "I sneak past Bodil with Lisk.": "/move slip Bodil",
        "I fight with the orc.": "/move strike Orc",
        "I attack the orc with Lisk.": "/move strike Orc",
        "I attack the orc with Lisk at my side.": "/move strike Orc",
        "With Lisk at my side I attack the orc.": "/move strike Orc",
        "I fight with Lisk against the orc.": "/move strike Orc",
        "I attack the orc to save Lisk.": "/move strike Orc",
        "I shoot at the orc past Lisk.": "/move shoot Orc",
        "I attack the goblin with Lisk.": "/move strike",
        "I force the door with Lisk.": "/move force",
        "I attack with Lisk.": "",  # Bodil and the orc are here
    }
    for line, typed_move in typed_moves.items():
        reply = await type_line(program, scene_id, line)
        assert reply.prompt_text == (f"{line} {typed_move}" if typed_move else ""), line


async def test_whom_something_is_done_to_comes_before_who_or_what_helps(program: Program) -> None:
    scene_id = await begin_fight(
        program, "/npc here Lisk (hp 4): a child", "/creature here Orc (hp 6): hungry"
    )
    typed_moves = {
        "I attack Lisk with the orc at my side.": "/move strike Lisk",
        "I bind Lisk's wound with the orc's belt.": "/move tend Lisk",
        "I attack him with Lisk.": "/move strike Orc",
        "I attack with Lisk.": "/move strike Orc",  # the only other here
    }
    for line, typed_move in typed_moves.items():
        assert (await type_line(program, scene_id, line)).prompt_text == f"{line} {typed_move}", line


async def test_somebody_unknown_is_said_to_be_unchanged(program: Program) -> None:
    scene_id = await begin_fight(program)

    reply = await type_line(program, scene_id, "I attack the goblin king!")

    assert reply.prompt_text == "I attack the goblin king! /move strike"
    assert (
        reply.lines[1]
        == "Who is meant is not known here: a name behind the move says it; without one only the hero is changed."
    )


async def test_nothing_is_offered_without_rules_in_a_script_or_by_setting(
    program: Program, tmp_path: Path
) -> None:
    scene_id = await begin(program)
    assert (await type_line(program, scene_id, "I attack the orc")).plain_line == ""

    await program.services.play.submit(scene_id, "/system lantern_twos")
    assert (await program.services.play.submit(scene_id, "I attack the orc")).plain_line == ""

    (tmp_path / "quiet").mkdir()
    (tmp_path / "quiet" / "settings.toml").write_text("[play]\noffer_moves = false\n", encoding="utf-8")
    async with opened(tmp_path / "quiet") as quiet:
        scene_id = await begin_fight(quiet)
        assert (await type_line(quiet, scene_id, "I attack the orc")).plain_line == ""
        assert "I attack the orc" in await read_texts(quiet, scene_id)
