"""Commands with nothing after them, which list or say what they need, and those that take no words."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.orchestrator.commands.all_commands import COMMANDS
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


@pytest.mark.parametrize(
    ("typed", "line", "shown"),
    [
        ("/decide Vess is not to be trusted", "/decide", "1. Vess is not to be trusted  (scene 1)"),
        ("/decide Vess is not to be trusted", "/lift", "1. Vess is not to be trusted  (scene 1)"),
        ("/note The bell is cracked", "/note", "1.1  The bell is cracked"),
        ("/fact The rope is cut", "/accept", "1. [accept] fact: The rope is cut.  1.00"),
        ("/fact The rope is cut", "/reject", "1. [accept] fact: The rope is cut.  1.00"),
        ("/thread Who cut the rope", "/thread", "Who cut the rope"),
        ("/tension 6", "/tension", "Tension 6."),
        ("I look again.", "/branch", "1. 2 turns: I look again.  (play is here)"),
    ],
)
async def test_command_alone_lists_what_there_is(tmp_path: Path, typed: str, line: str, shown: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = await say(program, scene_id, "I look.", typed, line)
        assert shown in lines[0]


@pytest.mark.parametrize("line", ["/promise", "/promises", "/paid", "/broken"])
async def test_command_alone_lists_the_promises(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, line) == (
            "No open promises, debts or questions. /promise NAME will come back makes one.",
        )
        await say(program, scene_id, "I look.", "/promise Vess will come back", "/commit")
        assert "promise: Vess will come back." in (await say(program, scene_id, line))[0]


@pytest.mark.parametrize("line", ["/fact", "/npc", "/go", "/show", "/time", "/axiom", "/state", "/take"])
async def test_command_alone_says_how_it_is_used(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match=f"As in: {line} "):
            await say(program, scene_id, line)


@pytest.mark.parametrize(
    ("line", "example"),
    [
        ("/go", "/go needs a place after it. Nothing was changed. As in: /go Old Mill"),
        ("/show", "/show needs a name after it. Nothing was changed. As in: /show Vess"),
        ("/state", "As in: /state Vess.hp -3, Mara +wounded"),
        ("/npc", "/npc needs a name after it. Nothing was changed. As in: /npc NAME: keeper"),
        ("/gm", "/gm needs words after it."),
        ("/react", "Whose reaction? Nothing was played. As in: /react Vess +1"),
    ],
)
async def test_command_alone_has_an_example_of_this_world(tmp_path: Path, line: str, example: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/place Old Mill", "/npc here Vess", "/commit")
        with pytest.raises(InputError) as refused:
            await say(program, scene_id, line)
        assert example in str(refused.value)


UNREAD = [name for name in sorted(COMMANDS.names()) if COMMANDS.find_command(name).instead_of_words]


def test_commands_that_are_used_alone_say_what_they_read() -> None:
    """A command whose usage has nothing after it reads words all the same, or refuses them."""
    used_alone = {c.name for c in COMMANDS.list_help() if c.usage == f"/{c.name}"}
    read_in_part = {"start", "zero", "help", "event", "check", "move", "spark"}
    assert used_alone - read_in_part <= set(UNREAD)
    assert {"bill", "ideas", "later", "reopen", "recap", "undo", "commit"} <= set(UNREAD)


@pytest.mark.parametrize("name", UNREAD)
async def test_command_that_takes_no_words_says_so_and_does_nothing(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact The rope is cut")
        before = await say(program, scene_id, "/proposals")
        with pytest.raises(InputError, match=f"/{name} takes no words: “x y” would not be read"):
            await say(program, scene_id, f"/{name} x y")
        assert await say(program, scene_id, "/proposals") == before


async def test_promises_with_words_lists_those_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/npc here Vess Karr", "/npc here Sten")
        await say(
            program, scene_id, "/promise Vess Karr will come back", "/promise Sten will pay", "/promise to go"
        )
        (line,) = await say(program, scene_id, "/promises vess")
        assert "Vess Karr will come back" in line
        assert ["Mara promised to go" in one for one in await say(program, scene_id, "/promises me")] == [
            True
        ]
        assert (
            len(await say(program, scene_id, "/promises"))
            == len(await say(program, scene_id, "/promises all"))
            == 3
        )
        with pytest.raises(InputError, match="No open promise, debt or question has “Hela” in it"):
            await say(program, scene_id, "/promises Hela")


@pytest.mark.parametrize(
    "line",
    [
        "/oracle likely = 3 3; I look",
        "/oracle likely: Is the door locked = 33; I look",
        "? Is the door locked? = 33 I look",
        "I climb. /check might = 3 3 I look",
        "/roll 2d6 = 3 3; I look",
    ],
)
async def test_words_behind_the_dice_are_not_lost(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match=r"“I look” stands behind the dice|'I' is not the face of a die"):
            await say(program, scene_id, line)
        assert await program.services.play.transcript(scene_id, 0, 9) == []


@pytest.mark.parametrize(
    "line",
    ["? Is the door locked? = 33", "? likely: Is the toll = 3 silver", "/roll 2d6 [by the rope] = 3 3"],
)
async def test_dice_and_words_before_them_are_played(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, line)
        assert await program.services.play.transcript(scene_id, 0, 9)


async def test_event_takes_no_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match="/event takes no words: “a storm” would not be read"):
            await say(program, scene_id, "/event a storm")
        await say(program, scene_id, "/event")
        assert len(await program.services.play.transcript(scene_id, 0, 9)) == 1
