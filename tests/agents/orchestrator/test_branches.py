"""Branches: back with undo, listed with the lines that were left, and canon is asked about first."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.replies import Reply
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> Reply:
    """Play the lines, and return the reply to the last one."""
    return [await program.services.play.submit(scene_id, line) for line in lines][-1]


async def read_words(program: Program, scene_id: Id) -> list[str]:
    return [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 50)]


async def test_undo_after_a_branch_goes_back_to_where_the_line_was(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "I go further.", "I rest.")
        reply = await say(program, scene_id, "/branch 1")
        assert reply.lines == (
            "Going on from: I go on.",
            "2 turns stayed behind; /undo or /branches back returns there.",
        )
        assert (await say(program, scene_id, "/undo")).lines == ("Undone: Going on from: I go on.",)
        assert await read_words(program, scene_id) == ["I go on.", "I go further.", "I rest."]
        await say(program, scene_id, "/redo")
        assert await read_words(program, scene_id) == ["I go on."]
        await say(program, scene_id, "/undo", "/undo")
        assert await read_words(program, scene_id) == ["I go on.", "I go further."]
        await say(program, scene_id, "/undo", "/undo")
        assert await read_words(program, scene_id) == []


async def test_undo_goes_through_what_was_played_after_a_branch_and_then_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "/fact One is one", "I go further.", "/branch 1")
        await say(program, scene_id, "/fact Two is two", "I turn back.")
        assert (await say(program, scene_id, "/undo")).lines == ("Undone: I turn back.",)
        assert (await say(program, scene_id, "/undo")).lines == ("Undone: Two is two.",)
        await say(program, scene_id, "/undo")
        assert await read_words(program, scene_id) == ["I go on.", "I go further."]
        await say(program, scene_id, "/redo", "/redo", "/redo")
        assert await read_words(program, scene_id) == ["I go on.", "I turn back."]


async def test_branches_offers_the_way_back_only_where_a_line_was_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "I go further.", "/undo", "I turn back.")
        assert (await say(program, scene_id, "/branches")).lines[-1] == "/branches 1 goes there."
        with pytest.raises(InputError, match="No line was left in this scene"):
            await say(program, scene_id, "/branches back")


async def test_branches_lists_the_ends_of_lines_and_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert (await say(program, scene_id, "/branches")).lines == ("The scene has no turns yet.",)
        await say(
            program, scene_id, "I go on.", "I go further.", "> The door opens.", "/branch 1", "I turn back."
        )
        assert (await say(program, scene_id, "/branches")).lines == (
            "1. 3 turns: The door opens.",
            "2. 2 turns: I turn back.  (play is here)",
            "/branches 1 goes there, /branches back to the line that was left last.",
        )
        await say(program, scene_id, "/branches 1")
        assert await read_words(program, scene_id) == ["I go on.", "I go further.", "The door opens."]
        await say(program, scene_id, "/branches back")
        assert await read_words(program, scene_id) == ["I go on.", "I turn back."]
        await say(program, scene_id, "/branches back", "/undo")
        assert await read_words(program, scene_id) == ["I go on.", "I turn back."]
        with pytest.raises(InputError, match="There is no line '7' in this scene"):
            await say(program, scene_id, "/branches 7")
        with pytest.raises(InputError, match="at that turn already"):
            await say(program, scene_id, "/branches 2")


async def test_undo_after_a_branch_from_an_empty_scene_empties_it_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "/undo", "/branches 1")
        assert await read_words(program, scene_id) == ["I go on."]
        await say(program, scene_id, "/undo")
        assert await read_words(program, scene_id) == []


async def test_branches_back_without_a_branch_says_that_no_line_was_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "/end", "/reopen")
        with pytest.raises(InputError, match="No line was left in this scene"):
            await say(program, scene_id, "/branches back")


async def test_branches_lists_no_other_take_of_a_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I knock.", "> It is silent.", "/retake Somebody coughs.")
        assert (await say(program, scene_id, "/branches")).lines == (
            "1. 2 turns: Somebody coughs.  (play is here)",
        )


@pytest.mark.parametrize("way", ["/branch 1", "key"])
async def test_branch_asks_before_it_leaves_turns_that_canon_rests_on(tmp_path: Path, way: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "I climb. /check might vs 0; success: Mara +suspicious")
        await program.services.gate.commit(scene_id)
        words = await read_words(program, scene_id)
        play = program.services.play
        first_turn = (await play.transcript(scene_id, 0, 1))[0].turn
        reply = (
            await play.branch(scene_id, first_turn.id) if way == "key" else await say(program, scene_id, way)
        )
        assert reply.lines[0] == "Canon rests on what comes after “I go on.”:"
        assert any("suspicious" in line for line in reply.lines[1:-1])
        assert reply.confirm_line == "/branch 1 yes"
        assert await read_words(program, scene_id) == words
        reply = await say(program, scene_id, reply.confirm_line)
        assert await read_words(program, scene_id) == ["I go on."]
        assert any(line.startswith("Retcon proposed: ") for line in reply.lines)
        await say(program, scene_id, "/undo")
        assert await read_words(program, scene_id) == words


async def test_branch_takes_are_counted_over_the_answers_to_the_same_line(tmp_path: Path) -> None:
    """Another answer to the same words, after going back, is take 2 of 2 and not the first once more."""
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in ("I look up.", "> The sky is red.", "/branch 1", "> The sky is blue."):
            await play.submit(scene_id, line)

        async def read_last_row() -> tuple[str, int, int]:
            (row,) = (await play.transcript(scene_id, 1, 1))[-1:]
            return row.turn.text, row.take, row.take_count

        assert await read_last_row() == ("The sky is blue.", 2, 2)
        await play.walk_takes(scene_id, -1)
        assert await read_last_row() == ("The sky is red.", 1, 2)
        await play.submit(scene_id, "/undo")
        assert await read_last_row() == ("The sky is blue.", 2, 2)
        await say(program, scene_id, "/branch 1", "> The sky is green.")
        assert await read_last_row() == ("The sky is green.", 3, 3)


async def test_take_says_that_what_was_typed_after_the_take_before_stays_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reply = await say(
            program, scene_id, "> The rain stops.", "/npc Hob Lacey: a baker", "/retake The rain goes on."
        )
        assert reply.lines == (
            "Take 2.",
            "What you typed after the take before stays with it (1 command); Left on the turn goes back to it.",
        )
        await program.services.play.walk_takes(scene_id, -1)
        assert [row.title for row in (await program.services.play.scene(scene_id)).proposals] == ["Hob Lacey"]


async def test_take_says_nothing_of_what_the_words_before_proposed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc here Hob Lacey: a baker")
        reply = await say(program, scene_id, "> Hob Lacey is dead.", "/retake Hob Lacey sleeps.")
        assert not [line for line in reply.lines if "stays with it" in line]
