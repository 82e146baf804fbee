"""What a roll came to and the GM rejected: the story says that it is not so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.exports.story_form import StoryForm
from agents.views.turn_views import TurnView
from monitor_tui.compose import Program
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.program import begin, opened
from widgets.ink import Ink
from widgets.transcript.turn_lines import turn_lines

CHECK = "I sneak past. /check 2d6+9 vs 5; success: Mara +suspicious, Mara +wet"


async def read_rows(program: Program, scene_id: Id) -> list[TurnView]:
    turn_count = (await program.services.play.scene(scene_id)).turn_count
    return await program.services.play.transcript(scene_id, 0, turn_count)


def read_effects(row: TurnView) -> list[tuple[str, bool]]:
    """Return the effects as the story draws them, each with whether it is struck."""
    pieces = [piece for line in turn_lines(row, 80) for piece in line if piece[0].startswith("→")]
    return [(text, ink is Ink.STRUCK) for text, ink in pieces]


async def reject(
    program: Program, scene_id: Id, title: str, verdict: Verdict | None = Verdict.REJECT
) -> None:
    rows = (await program.services.gate.gate(scene_id)).proposals
    (row,) = [row for row in rows if row.title == title]
    await program.services.gate.decide(row.member_ids, verdict)


async def test_story_strikes_an_effect_that_the_gm_rejected(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, CHECK)
        *_, roll = await read_rows(program, scene_id)
        assert read_effects(roll) == [("→ Mara is suspicious", False), ("→ Mara is wet", False)]
        await reject(program, scene_id, "Mara is suspicious")
        *_, roll = await read_rows(program, scene_id)
        struck = [("→ Mara is suspicious (rejected)", True), ("→ Mara is wet", False)]
        assert read_effects(roll) == struck
        await program.services.gate.commit(scene_id)
        *_, roll = await read_rows(program, scene_id)
        assert read_effects(roll) == struck
        assert (await program.services.play.trace(roll.turn.id)).rejected_effects == (0,)


async def test_story_strikes_no_effect_once_the_rejection_is_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, CHECK)
        await reject(program, scene_id, "Mara is wet")
        await reject(program, scene_id, "Mara is wet", None)
        *_, roll = await read_rows(program, scene_id)
        assert roll.rejected_effects == ()


@pytest.mark.parametrize("form", [StoryForm.MARKDOWN, StoryForm.JOURNAL, StoryForm.LONELOG])
async def test_exported_story_says_which_effect_was_rejected(tmp_path: Path, form: StoryForm) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, CHECK)
        await reject(program, scene_id, "Mara is suspicious")
        story_id = (await program.services.play.scene(scene_id)).story.id
        text = (await program.services.stories.write_story(story_id, form)).decode()
        (line,) = [
            line
            for line in text.splitlines()
            if "suspicious" in line and "wet" in line and "/check" not in line
        ]
        assert line.count("(rejected)") == 1
        assert line.index("suspicious") < line.index("(rejected)") < line.index("wet")
