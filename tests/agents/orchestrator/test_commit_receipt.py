"""What a commit replies: every change of canon in words, those that take something back too."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


async def test_commit_receipt_of_a_retcon_says_what_was_never_true(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact Dob Harrow never stole the glass bell", "/commit")
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        await say(program, scene_id, "/undo yes")
        report = await program.services.gate.commit(scene_id)
        assert report.changes == ("Never true: Dob Harrow never stole the glass bell.",)
        assert report.facts == ()
        assert universe_id


async def test_commit_receipt_names_what_was_kept_ended_and_renamed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "I promise it.",
            "/npc Gil: a caulker",
            "/fact promise: Mara promised Gil a boat",
            "/commit",
        )
        lines = await say(program, scene_id, "/paid 1", "/commit")
        assert lines == ("Canon: Kept: Mara promised Gil a boat.",)


async def test_commit_receipt_without_a_change_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact The rope is cut", "/reject 1")
        assert await say(program, scene_id, "/commit") == ("Nothing is accepted yet.",)
