"""A partial success says whether it does anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import begin, opened

NO_EFFECT = "A partial success has no effect here."


@pytest.mark.parametrize(
    ("line", "is_said"),
    [
        ("I push. /check 2d6 vs 8; success: Mara +proud; fail: Mara.hp -2 = 4 3", True),
        ("/check 2d6 vs 8; success: Mara +proud = 4 3", True),
        ("/check likely; fail: Mara.hp -2 = 30", True),
        ("/check 2d6 vs 8; success: Mara +proud; partial: Mara.hp -1 = 4 3", False),
        ("/check 2d6 vs 8 = 4 3", False),
        ("/check 2d6 vs 8; success: Mara +proud = 6 6", False),
        ("/check 2d6 vs 8; success: Mara +proud = 1 1", False),
    ],
)
async def test_partial_result_without_an_effect_says_so(tmp_path: Path, line: str, is_said: bool) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reply = await program.services.play.submit(scene_id, line)
        assert any(NO_EFFECT in text for text in reply.lines) is is_said


async def test_partial_result_says_how_an_effect_is_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        line = "/check 2d6 vs 8; fail: Mara.hp -2 = 4 3"
        reply = await program.services.play.submit(scene_id, line)
        assert reply.lines == (
            f"{NO_EFFECT} /state Mara.hp -2 proposes one now; a check names it with: ; partial: Mara.hp -2",
        )
        assert (await program.services.play.submit(scene_id, "/state Mara.hp -2")).lines


async def test_partial_result_that_was_picked_says_it_has_no_effect(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/check 2d6 vs 8; fail: Mara.hp -2 = 1 1")
        reply = await program.services.play.submit(scene_id, "/pick partial")
        assert any(NO_EFFECT in text for text in reply.lines)
