"""Who speaks in a line of their own: nobody who is dead, asleep or away."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened

PEOPLE = ("I look.", "/npc here Captain Vess: of the salvage crew", "/npc Tom: the keeper", "/commit")


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


@pytest.mark.parametrize(
    "line",
    [
        "Vess: Hello.",
        "Captain Vess: Hello.",
        "Vess says: Hello.",
        'Vess says: "Hello."',
        "Captain Vess softly whispers: Hello.",
        "Vess says softly: Hello.",
        "> Vess: Hello.",
        "> Vess says: Hello.",
        "I look up.\nVess: Hello.",
    ],
)
async def test_dead_do_not_speak_in_a_line_of_their_own(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, "/state Captain Vess +dead")
        turn_count = (await program.services.play.scene(scene_id)).turn_count
        with pytest.raises(InputError, match="Captain Vess is dead, and is not there to say that") as caught:
            await say(program, scene_id, line)
        assert caught.value.todo == "/state Captain Vess.alive = true if they live after all."
        assert (await program.services.play.scene(scene_id)).turn_count == turn_count


@pytest.mark.parametrize("line", ["Tom: Hello.", "> Tom: Hello."])
async def test_absent_do_not_speak_in_a_line_of_their_own(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match=r"Tom is not here to say that.*/cast \+ Tom lets them come in"):
            await say(program, scene_id, *PEOPLE, line)
        await say(program, scene_id, "/cast + Tom", line)


@pytest.mark.parametrize("line", ["Tom says: Hello.", "> Tom says: Hello."])
async def test_absent_are_brought_in_by_words_that_say_they_speak(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert "Tom comes in." in await say(program, scene_id, *PEOPLE, line)


@pytest.mark.parametrize(
    "line",
    [
        "Time: midnight.",
        "Note: Tom is away.",
        "Mara: Hello.",
        "I say: Vess is dead.",
        "? Tom: is he near",
        "To Vess: a toast!",
    ],
)
async def test_colon_after_other_words_is_no_speaker(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, "/state Captain Vess +dead", line)
