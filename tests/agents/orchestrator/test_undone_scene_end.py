"""Undo at the beginning of a scene takes back the end of the one before; redo ends it again in the same way."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import IllegalTransition, InputError, StoreFull
from stores.records.ids import Id
from tests.agents.orchestrator.test_undone_commit import read_canon, read_state, say
from tests.program import begin, opened

PLAYED = (
    "/npc here Maud Tesk: ferrywoman",
    "I look round.",
    "/clock Tide 4 per scene 1",
    "/place Loft",
    "/go Loft",
    "/fact The bell is cracked",
    "/reject 4",
    "/defer 1",
)


async def end(program: Program, scene_id: Id, outcome: str = "Mara found the loft") -> Id:
    """End the scene through its gate, and return the one that follows."""
    await say(program, scene_id, f"/end {outcome}".strip())
    report = await program.services.gate.commit(scene_id)
    assert report.next_scene_id is not None
    return report.next_scene_id


async def read_played_scene(program: Program, scene_id: Id) -> tuple[Id, int]:
    """Return the scene where Continue goes on, and how many scenes the story has."""
    story = (await program.services.play.scene(scene_id)).story
    card = next(c for c in await program.services.stories.stories() if c.story.id == story.id)
    assert card.scene is not None
    return card.scene.id, card.scene_count


async def test_undo_after_the_end_goes_back_into_the_scene_as_it_was(tmp_path: Path) -> None:
    """“I ended it too early”: the scene goes on, with every row at the gate as it was before /end's Enter."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED, "/end Mara found the loft", "/reopen")
        before = await read_state(program, scene_id)
        next_id = await end(program, scene_id, "")
        ended_canon = await read_canon(program, scene_id)
        assert "Mara found the loft." in ended_canon
        for _ in range(2):
            question = await program.services.play.undo(next_id)
            assert question.lines[0] == "Take back the end of Scene 1 “The yard”?"
            assert "  Mara found the loft." in question.lines
            reply = await program.services.play.submit(next_id, question.confirm_line)
            assert (reply.goto, reply.subject) == ("scene", scene_id)
            assert await read_state(program, scene_id) == before
            assert await read_played_scene(program, scene_id) == (scene_id, 1)
            question = await program.services.play.redo(scene_id)
            reply = await program.services.play.submit(scene_id, question.confirm_line)
            assert (reply.goto, reply.subject) == ("scene", next_id)
            assert await read_canon(program, scene_id) == ended_canon
            assert await read_played_scene(program, scene_id) == (next_id, 2)


async def test_undo_takes_back_a_creature_with_its_wounds_and_its_death(tmp_path: Path) -> None:
    """What it had before the wound is in canon because of the wound: nothing else speaks of the rat."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        canon_before = await read_canon(program, scene_id)
        await say(program, scene_id, "/creature here Rat: small (hp 3)")
        await say(
            program, scene_id, "I stamp. /check 2d6+90 vs 5; success: Rat.hp -3", "/state Rat.alive = false"
        )
        next_id = await end(program, scene_id, "I killed a rat")
        ended_canon = await read_canon(program, scene_id)
        question = await program.services.play.undo(next_id)
        assert question.lines[2] == "These 4 are no longer canon then, and wait at its gate again:"
        assert not any("stays in canon" in line for line in question.lines)
        await program.services.play.submit(next_id, question.confirm_line)
        assert await read_canon(program, scene_id) == canon_before
        question = await program.services.play.redo(scene_id)
        await program.services.play.submit(scene_id, question.confirm_line)
        assert await read_canon(program, scene_id) == ended_canon


async def test_a_scene_whose_end_was_taken_back_is_played_on_and_ended_otherwise(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/clock Tide 4 per scene 1")
        next_id = await end(program, scene_id, "")
        assert [c.filled for c in (await program.services.play.scene(next_id)).clocks] == [1]
        await say(program, next_id, "/undo")
        assert [c.filled for c in (await program.services.play.scene(scene_id)).clocks] == [0]
        with pytest.raises(IllegalTransition, match="not begun"):
            await say(program, next_id, "I walk on.")
        await say(program, scene_id, "I go up the ladder.")
        with pytest.raises(InputError, match="is not brought back once something else was done"):
            await say(program, scene_id, "/redo")
        other_id = await end(program, scene_id, "Mara went up")
        assert other_id != next_id
        assert [c.filled for c in (await program.services.play.scene(other_id)).clocks] == [1]
        assert "Mara went up." in await read_canon(program, other_id)
        await say(program, other_id, "I wait.")
        assert await read_played_scene(program, scene_id) == (other_id, 2)


async def test_undo_in_the_next_scene_takes_what_was_done_there_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.")
        next_id = await end(program, scene_id)
        await say(program, next_id, "I wait.", "/fact The door is red")
        with pytest.raises(IllegalTransition, match="Ctrl\\+Z takes back what was done last"):
            await say(program, next_id, "/reopen")
        assert await say(program, next_id, "/undo") == ("Undone: The door is red.",)
        assert await say(program, next_id, "/undo") == ("Undone: I wait.",)
        await say(program, next_id, "/undo")
        assert await read_played_scene(program, scene_id) == (scene_id, 1)
        await say(program, scene_id, "/redo")
        await say(program, next_id, "/redo", "/redo")
        assert (await program.services.play.scene(next_id)).turn_count == 1


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["plan_canonization", "record_transition", "move_head", "update_scene"])
async def test_undo_of_an_end_that_is_cut_off_is_done_wholly_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    async def fail(*_: object) -> None:
        raise StoreFull("The disk is full.")

    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        before = await read_state(program, scene_id)
        next_id = await end(program, scene_id, "")
        ended = await read_state(program, scene_id)
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedLog, cut, fail)
            with pytest.raises(StoreFull):
                await say(program, next_id, "/undo")
    async with opened(tmp_path, seed=2) as program:
        await program.services.stories.recover()
        if cut == "plan_canonization":
            assert await read_state(program, scene_id) == ended
            await say(program, next_id, "/undo")
        assert await read_state(program, scene_id) == before
        assert await read_played_scene(program, scene_id) == (scene_id, 1)


async def list_gate_rows(program: Program, scene_id: Id) -> list[tuple[str, str, str]]:
    """Return the title, the status and the verdict of each row at the scene's gate."""
    rows = (await program.services.gate.gate(scene_id)).proposals
    return [(row.title, row.status.value, row.verdict.value if row.verdict else "") for row in rows]


async def list_removed(program: Program, scene_id: Id) -> list[str]:
    """Return what the universe lists as removed from canon."""
    universe = (await program.services.play.scene(scene_id)).universe
    removed = await program.services.world.provenance.read_removed_canon(universe.id)
    return [view.fact.statement for view in removed.facts]


async def test_the_same_end_made_again_after_it_was_taken_back_is_the_one_of_before(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The bell is cracked")
        next_id = await end(program, scene_id)
        ended_canon = await read_canon(program, scene_id)
        await say(program, next_id, "/undo")
        await say(program, scene_id, "/end Mara found the loft")
        assert await list_gate_rows(program, scene_id) == [
            ("The bell is cracked.", "pending", ""),
            ("Mara found the loft.", "pending", ""),
        ]
        report = await program.services.gate.commit(scene_id)
        assert (report.accepted_count, report.rejected_count) == (2, 0)
        assert await read_canon(program, scene_id) == ended_canon
        assert await list_removed(program, scene_id) == []


async def test_another_end_takes_the_place_of_the_one_taken_back(tmp_path: Path) -> None:
    """Nobody rejected the first one: no gate, no receipt and no rule counts it as rejected."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.")
        next_id = await end(program, scene_id)
        await say(program, next_id, "/undo")
        await say(program, scene_id, "/end Mara lost her way")
        assert await list_gate_rows(program, scene_id) == [("Mara lost her way.", "pending", "")]
        report = await program.services.gate.commit(scene_id)
        assert (report.accepted_count, report.rejected_count) == (1, 0)
        assert await list_removed(program, scene_id) == ["Mara found the loft."], "it can be restored"


async def test_the_first_end_typed_again_after_another_one_is_the_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.")
        next_id = await end(program, scene_id)
        ended_canon = await read_canon(program, scene_id)
        await say(program, next_id, "/undo")
        await say(program, scene_id, "/end Mara lost her way", "/reopen", "/end Mara found the loft")
        assert await list_gate_rows(program, scene_id) == [("Mara found the loft.", "pending", "")]
        await program.services.gate.commit(scene_id)
        assert await read_canon(program, scene_id) == ended_canon
        assert await list_removed(program, scene_id) == []


async def test_an_end_that_the_player_rejected_stays_rejected_beside_the_same_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/end Mara found the loft", "/reject 1", "/reopen")
        await say(program, scene_id, "/end Mara found the loft")
        assert await list_gate_rows(program, scene_id) == [
            ("Mara found the loft.", "pending", "reject"),
            ("Mara found the loft.", "pending", ""),
        ]


async def test_the_same_end_after_another_line_rests_on_that_line(tmp_path: Path) -> None:
    """Undo of the line takes with it what was proposed on it: the end of before does not hang on it."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/end Mara found the loft", "/reopen")
        await say(program, scene_id, "I climb up.", "/end Mara found the loft")
        assert await list_gate_rows(program, scene_id) == [("Mara found the loft.", "pending", "")]
        await say(program, scene_id, "/reopen", "/undo")
        assert await list_gate_rows(program, scene_id) == []


async def test_a_fact_made_again_after_its_commit_was_undone_is_not_listed_as_removed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact Mara is wet", "/commit", "/undo")
        assert await list_removed(program, scene_id) == ["Mara is wet."]
        await say(program, scene_id, "/undo", "/fact Mara is cold", "/commit")
        assert await list_removed(program, scene_id) == ["Mara is wet."], "another fact leaves it removed"
        await say(program, scene_id, "/fact Mara is wet", "/commit")
        assert await list_removed(program, scene_id) == []
