"""What became of a played line stands at its end, in a word or two."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.played_scene import PlayedScene
from tests.program import begin, opened
from widgets.transcript.turn_lines import turn_lines

PEOPLE = (
    "/npc here Maud Perrin: innkeeper",
    "/npc here Jory: a boy",
    "/npc Oswin Tarr: the reeve",
    "/thing Tithe Bell",
    "/commit",
)


async def read_marks(program: Program, scene_id: Id, width: int = 90) -> dict[str, str]:
    """Return what stands behind the words of each line of the scene."""
    view = await program.services.play.scene(scene_id)
    marks = {}
    for row in await program.services.play.transcript(scene_id, 0, view.turn_count):
        line = "".join(text for text, _ in turn_lines(row, width)[-1])
        marks[row.turn.text] = line.partition(row.turn.text)[2].strip()
    return marks


LINES = {
    "> Maud Perrin is Jory's mother.": "proposed 1",
    "I promise Maud that I will bring back the tithe bell.": "proposed 1",
    "> Maud tells me that Jory stole the tithe bell.": "heard by Mara",
    "> Maud says Oswin rode in with a prisoner.": "heard",
    "> Jory believes that Maud is innocent.": "believed by Jory",
    "> Oswin is a coward and a drunk.": "nothing proposed",
    "> Jory has a scar across his left cheek.": "nothing proposed",
    "I give Maud two silver pennies for the bed.": "nothing proposed",
    "> Jory runs off with the bell.": "proposed 1",
    "> The well is poisoned.": "nothing proposed",
    "> The night wears on. He owes Oswin Tarr three coins.": "nothing proposed",
    "> He owes it all to luck.": "",
    '> "He owes Oswin Tarr three coins," says Maud.': "",
    "Maud is no longer my aunt.": "nothing proposed",
    # Nobody stops being kin by blood.
    "> Maud is no longer Jory's mother.": "nothing proposed",
    # In a story told in the past it may be so still, or be over.
    "> Maud was the innkeeper.": "nothing proposed",
    "> Maud dies of shame.": "nothing proposed",
    "> The night is cold.": "",
    "> The door is open.": "",
    "> Jory blushes for shame.": "",
    # What merely narrates has no mark, and neither has what is known already.
    "> The wind howls over the marsh.": "",
    "> Jory is mending a net by the fire.": "",
    "> Maud has left the door open.": "",
    "> Maud Perrin is the mother of Jory.": "",
    "> It is a cold night.": "",
    "I look around.": "",
}


async def test_line_says_what_became_of_it_now_and_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (*PEOPLE, *LINES):
            await program.services.play.submit(scene_id, line)
        marks = await read_marks(program, scene_id)
        assert {line: marks[line.removeprefix("> ")] for line in LINES} == LINES
    async with opened(tmp_path) as program:
        assert await read_marks(program, scene_id) == marks


@pytest.mark.parametrize(
    ("line", "secret", "mark"),
    [
        ("I tell Jory that the bell is hollow.", "/secret Jory: The bell is hollow", "heard by Jory"),
        ("I whisper to Jory: the bell is hollow.", "/secret Jory: The bell is hollow", "heard by Jory"),
        ("> Jory believes that the bell is hollow.", "/secret Jory: The bell is hollow", "believed by Jory"),
    ],
)
async def test_mark_keeps_who_heard_what_is_proposed_as_a_secret(
    tmp_path: Path, line: str, secret: str, mark: str
) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*PEOPLE, line)
        assert list((await read_marks(program, table.scene_id)).values()) == [mark]
        await table.say(secret)
        assert list((await read_marks(program, table.scene_id)).values()) == [f"{mark}, proposed 1"]
        await table.say("/undo")
        assert list((await read_marks(program, table.scene_id)).values()) == [mark]


@pytest.mark.parametrize(("width", "mark"), [(54, "proposed 1"), (44, "+1"), (40, "")])
async def test_mark_of_a_line_never_takes_a_row_of_the_story(tmp_path: Path, width: int, mark: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (*PEOPLE, "> Maud Perrin is Jory's mother."):
            await program.services.play.submit(scene_id, line)
        await program.services.play.scene(scene_id)
        (row,) = await program.services.play.transcript(scene_id, 0, 1)
        lines = turn_lines(row, width)
        assert len(lines) == 1
        assert "".join(text for text, _ in lines[0]).endswith(mark)


async def test_lines_that_are_read_again_are_marked_and_not_the_last_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = (
            "/npc Jonas Reed: smuggler",
            "> Jonas loses the ledger.",
            "> The ledger was stolen by Jonas.",
            "> It is a cold night.",
            "/thing ledger",
        )
        for line in lines:
            await program.services.play.submit(scene_id, line)
        assert await read_marks(program, scene_id) == {
            "Jonas loses the ledger.": "proposed 1",
            "The ledger was stolen by Jonas.": "proposed 1",
            "It is a cold night.": "",
        }
        await program.services.play.submit(scene_id, "/undo")
        assert set((await read_marks(program, scene_id)).values()) == {""}


@pytest.mark.slow
async def test_report_of_somebody_outside_the_scene_is_heard_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*PEOPLE, "> It rains.", "/end It is over", "/commit", "/cast + Maud Perrin, Jory")
        replies = await table.say("> Maud says that Oswin has a prisoner.")
        assert replies == ("Those here remember it from Maud Perrin; canon stays as it is.",)
        marks = await read_marks(program, table.scene_id)
        assert marks == {"Maud says that Oswin has a prisoner.": "heard"}


async def test_death_in_a_figure_of_speech_says_how_it_is_said_plainly(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*PEOPLE)
        plainly = "“dies of shame” is taken for a figure of speech: > Maud Perrin dies. says that it is so."
        assert await table.say("> Maud dies of shame.") == (plainly,)
        assert not [row for row in (await table.view()).proposals if "Perrin di" in row.title]
        await table.say("> Maud Perrin dies.")
        assert [row for row in (await table.view()).proposals if row.title == "Maud Perrin dies."]
        assert not any("figure of speech" in line for line in await table.say("> Jory dies of thirst."))


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("I tell Jory and Maud that the bell is hollow.", "heard by Jory, Maud"),
        ("> Maud tells Jory and me that the bell is hollow.", "heard by Jory, Mara"),
        (
            "> Maud tells me, Oswin, and Jory that the bell is hollow.",
            "heard by Oswin, Jory, Mara",
        ),
        ("I tell Jory that the bell is hollow. I tell everybody that the bell is gone.", "heard"),
        ("I tell Jory and the others that the bell is hollow.", "heard"),
        ("I tell Jory and everyone else that the bell is hollow.", "heard"),
        ("I tell Jory that Maud and the others are gone.", "heard by Jory"),
        ("I tell Jory and the bell rings.", ""),
    ],
)
async def test_mark_names_all_who_heard_it(tmp_path: Path, line: str, mark: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for typed in ("/npc here Maud", "/npc here Jory", "/npc here Oswin", line):
            await program.services.play.submit(scene_id, typed)
        assert list((await read_marks(program, scene_id, 160)).values()) == [mark]


async def test_mark_says_how_many_more_heard_it_where_not_all_fit(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        line = "I tell Maud, Jory and Oswin that the bell is hollow."
        for typed in ("/npc here Maud", "/npc here Jory", "/npc here Oswin", line):
            await program.services.play.submit(scene_id, typed)
        marks = [(await read_marks(program, scene_id, width))[line] for width in range(96, 66, -1)]
        assert list(dict.fromkeys(marks)) == [
            "heard by Maud, Jory, Oswin",
            "heard by Maud and 2 more",
            "heard by 3",
            "heard",
        ]
