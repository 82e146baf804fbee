"""Who speaks in a line of their own: nobody who is dead, asleep or away."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.exports.story_form import StoryForm
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Speaker, Turn
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


async def read_last_turn(program: Program, scene_id: Id) -> Turn:
    turn_count = (await program.services.play.scene(scene_id)).turn_count
    rows = await program.services.play.transcript(scene_id, turn_count - 1, 1)
    return rows[-1].turn


@pytest.mark.parametrize(
    "line", ["Vess: You should not have come.", "> Captain Vess: You should not have come."]
)
async def test_words_behind_the_name_of_who_is_here_are_theirs(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, line)
        turn = await read_last_turn(program, scene_id)
        assert (turn.speaker, turn.name, turn.text) == (
            Speaker.NPC,
            "Captain Vess",
            "You should not have come.",
        )


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("Mara: You should not have come.", Speaker.PLAYER),
        ("Note: Vess is angry.", Speaker.PLAYER),
        ("Yard: the gate is open.", Speaker.PLAYER),
        ("To Vess: a toast!", Speaker.PLAYER),
        ("I say: Vess, come here.", Speaker.PLAYER),
        ("Vess says: Hello.", Speaker.PLAYER),
        ("Vess: Hello.\nI nod.", Speaker.PLAYER),
        ("> At the gate: nobody.", Speaker.GM),
    ],
)
async def test_other_words_before_a_colon_speak_for_nobody(
    tmp_path: Path, line: str, speaker: Speaker
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, line)
        turn = await read_last_turn(program, scene_id)
        assert (turn.speaker, turn.name) == (speaker, "")


async def test_what_somebody_says_answers_the_hero_and_is_undone_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, "I ask Vess for the key.")
        asked = await read_last_turn(program, scene_id)
        await say(program, scene_id, "Vess: It is gone.")
        assert (await read_last_turn(program, scene_id)).exchange_id == asked.exchange_id
        await say(program, scene_id, "/undo")
        assert (await read_last_turn(program, scene_id)).text == "I ask Vess for the key."


@pytest.mark.parametrize(
    "speech",
    [
        "Tom is dead.",
        "The bell is cracked.",
        "Tom leaves at dawn.",
        "I go to Port Aven.",
        "Three days pass quickly here.",
        "I gave the lamp to Tom.",
    ],
)
async def test_what_somebody_says_states_and_moves_nothing(tmp_path: Path, speech: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, "/cast + Tom")
        before = await program.services.play.scene(scene_id)
        assert await say(program, scene_id, f"Vess: {speech}") == ()
        after = await program.services.play.scene(scene_id)
        assert after.proposals == before.proposals
        assert [row.name for row in after.cast] == [row.name for row in before.cast]


async def test_what_somebody_promises_is_their_promise(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = await say(program, scene_id, *PEOPLE, "Vess: I promise to bring you the key tomorrow, Mara.")
        assert any("Captain Vess promised" in line for line in lines)


async def test_story_and_journal_name_who_speaks(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PEOPLE, "Vess: You should not have come.")
        story_id = (await program.services.play.scene(scene_id)).story.id
        markdown = await program.services.stories.write_story(story_id, StoryForm.MARKDOWN)
        assert "**Captain Vess:** You should not have come." in markdown.decode()
        journal = await program.services.stories.write_story(story_id, StoryForm.JOURNAL)
        assert "=> Captain Vess: You should not have come." in journal.decode()
