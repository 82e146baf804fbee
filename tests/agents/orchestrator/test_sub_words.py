"""What a user guesses behind a command acts, or is refused with what does it; it never becomes a thing in the world."""

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
        await table.say("/npc here Dob", "/thread Find the bell", "/clock Flood 6", "/note a word")
        yield table


async def open_threads(table: PlayedScene) -> list[str]:
    return [thread.name for thread in (await table.view()).threads if thread.is_open]


@pytest.mark.parametrize(
    "line",
    [
        "/thread close Find the bell: it lay in the well",
        "/thread close bell: it lay in the well",
        "/thread close 1: it lay in the well",
        "/thread 1 close: it lay in the well",
        "/thread Find the bell done: it lay in the well",
        "/thread solved Find the bell: it lay in the well",
    ],
)
async def test_thread_is_closed_with_its_outcome(table: PlayedScene, line: str) -> None:
    assert await table.say(line) == ("Closed: Find the bell (it lay in the well)",)
    assert await open_threads(table) == []
    assert await table.say("/thread") == ("1. ✓ Find the bell  (closed Day 1, morning: it lay in the well)",)
    await table.say("/thread 1 open")
    assert await table.say("/thread list") == ("1. • Find the bell  (just now)",)


async def test_promise_is_settled_with_the_outcome_in_the_words_of_evidence(table: PlayedScene) -> None:
    await table.say("/promise Dob will come back")
    assert await table.say("/thread close Dob will come back: he rode in") == (
        "Proposed: Kept: Dob will come back. (he rode in)",
    )
    await table.say("/undo")
    assert await table.say("/promise kept: Dob will come back") == ("Proposed: Kept: Dob will come back.",)


@pytest.mark.parametrize(
    "line",
    [
        "/thread close nothing like it",
        "/thread close the gate: found",
        "/thread delete the feud",
        "/clock delete",
        "/track delete",
        "/npc delete Dob",
        "/npc kill Dob",
        "/npc Dob dead",
        "/creature remove Rat",
        "/place remove Yard",
        "/thing delete lamp",
        "/faction delete Tollers",
        "/fact delete Dob",
        "/secret remove Dob",
        "/promise remove 1",
        "/note delete",
        "/note remove 1",
        "/scene delete",
        "/branch delete old",
        "/debt paid",
        "/goal done",
    ],
)
async def test_guessed_word_that_no_command_does_is_refused_with_one_that_helps(
    table: PlayedScene, line: str
) -> None:
    before = await table.view()
    with pytest.raises(InputError) as refusal:
        await table.say(line)
    assert "/" in refusal.value.todo
    assert await table.view() == before


@pytest.mark.parametrize(
    ("line", "replies"),
    [
        ("/clock delete Flood", ("Flood ○○○○○○ 0/6, stopped",)),
        ("/clock Flood remove", ("Flood ○○○○○○ 0/6, stopped",)),
        ("/clock list", ("1. Flood ○○○○○○ 0/6",)),
        ("/clock new Fire 4", ("Fire ○○○○ 0/4",)),
        ("/cast remove Dob", ("Dob leaves.",)),
        ("/npc list", ("1. • Dob  (here)",)),
        ("/note list", ("1.0  a word",)),
        ("/thing list", ("Canon has none of that kind.",)),
        ("/promise list", ("No open promises, debts or questions. /promise NAME will come back makes one.",)),
        ("/decide list", ("Nothing is decided yet. /decide WORDS does it.",)),
        ("/thread new Find the sea", ("Thread 2 is open: Find the sea",)),
        ("/thread open Who did it", ("Thread 2 is open: Who did it",)),
        ("/thread delete Find the bell", ("Closed: Find the bell",)),
        ("/thread rename Find the bell: Find Dob", ("Called now: Find Dob",)),
        # What only looks like one of these words.
        ("/thread end the feud", ("Thread 2 is open: end the feud",)),
        ("/thread new moon rising", ("Thread 2 is open: new moon rising",)),
        ('/thread "close the gate"', ("Thread 2 is open: close the gate",)),
        ("/thing Remove", ("Proposed: Remove",)),
        ("/place New Harbour", ("Proposed: New Harbour",)),
        ("/thing list of names", ("Proposed: list of names",)),
        ("/note remove the moss", ("Noted. /notes lists them.",)),
        ("/promise Dob is done with it", ("Proposed: Dob is done with it.",)),
    ],
)
async def test_guessed_word_acts_as_the_command_that_does_it(
    table: PlayedScene, line: str, replies: tuple[str, ...]
) -> None:
    assert await table.say(line) == replies


async def test_name_of_several_threads_is_asked_about_by_their_numbers(table: PlayedScene) -> None:
    await table.say("/thread Who cast the bell")
    with pytest.raises(InputError, match="'bell' could be thread 1 or 2"):
        await table.say("/thread close bell: found")
    assert await open_threads(table) == ["Find the bell", "Who cast the bell"]
