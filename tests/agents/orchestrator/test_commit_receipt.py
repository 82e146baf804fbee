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


async def test_commit_says_what_it_leaves_open_and_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/npc Vess: a captain", "/commit")
        await say(program, scene_id, "/fact Vess ally_of Mara", "/fact Vess enemy_of Mara")
        await say(program, scene_id, "/fact The rope is cut", "/defer 4")
        assert await say(program, scene_id, "/commit") == (
            "Nothing is accepted yet.",
            "3 left open: 2 in conflict, 1 deferred. /proposals lists them.",
        )
        assert await say(program, scene_id, "/accept 2", "/commit") == (
            "Canon: Vess and Mara are allies.",
            "2 left open: 1 in conflict, 1 deferred. /proposals lists them.",
        )
        assert (await say(program, scene_id, "/rules facts ask", "/fact The tide is out", "/commit"))[1] == (
            "3 left open: 1 in conflict, 1 not decided, 1 deferred. /proposals lists them."
        )
        assert (await say(program, scene_id, "/undecide 4", "/end", "/commit"))[-1] == (
            "3 left open: 1 in conflict, 2 not decided. They wait at the gate of the universe."
        )


async def test_commit_at_the_universe_s_gate_reports_what_waits_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/npc Vess: a captain", "/commit")
        await say(program, scene_id, "/fact Vess ally_of Mara", "/fact Vess enemy_of Mara", "/end", "/commit")
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        report = await program.services.gate.commit_universe(universe_id)
        assert report.left_open.describe() == "2 left open: 2 in conflict"


async def test_commit_receipt_without_a_change_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact The rope is cut", "/reject 1")
        assert await say(program, scene_id, "/commit") == ("Nothing is accepted yet.",)
