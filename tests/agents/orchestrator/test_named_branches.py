"""Named branches: the world as it was at a turn, with canon of its own; the line that is left stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.queries import FactQuery
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus
from tests.program import begin, opened


async def play(program: Program, scene_id: Id, *lines: str) -> Id:
    """Play the lines as a player types them, from scene to scene; return the scene in which play stands."""
    for line in lines:
        reply = await program.services.play.submit(scene_id, line)
        if reply.goto == "scene" and reply.subject:
            scene_id = reply.subject
    return scene_id


async def branch(program: Program, scene_id: Id, line: str) -> Id:
    """Type a `/branch` line; return the scene in which play goes on."""
    reply = await program.services.play.submit(scene_id, line)
    assert reply.goto == "story", reply
    assert reply.subject
    return await program.services.stories.resume(reply.subject)


async def read_words(program: Program, scene_id: Id) -> list[str]:
    return [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 100)]


async def read_canon(program: Program, scene_id: Id) -> list[str]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    return [f.statement for f in await program.services.world.canon.facts(universe_id, FactQuery())]


async def test_branch_from_here_goes_on_beside_the_line_that_it_leaves(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/fact event: The bell rang", "/commit", "I wait.")
        other = await branch(program, main, "/branch No bridge")
        assert await read_words(program, other) == await read_words(program, main)
        assert await read_canon(program, other) == await read_canon(program, main)
        await play(program, other, "I turn back.", "/fact event: The mill burned", "/commit")
        assert "The mill burned." in await read_canon(program, other)
        assert "The mill burned." not in await read_canon(program, main)
        assert "I turn back." not in await read_words(program, main)


async def test_branch_from_an_earlier_turn_has_the_canon_of_that_time(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        lines = ("I go on.", "/tension 8", "/undo", "/fact event: The bell rang", "/commit")
        await play(program, main, *lines)
        await play(program, main, "I wait.", "/fact event: The mill burned", "/commit", "I leave.")
        before = await read_canon(program, main)
        other = await branch(program, main, "/branch 1 The quiet way")
        assert (await program.services.play.scene(other)).story.tension == 5
        assert await read_words(program, other) == ["I go on."]
        canon = await read_canon(program, other)
        assert "The bell rang." in canon
        assert "The mill burned." not in canon
        assert await read_canon(program, main) == before
        assert len(await read_words(program, main)) == 3
        await play(program, other, "I sing.", "/undo")
        assert await read_words(program, other) == ["I go on."]


@pytest.mark.parametrize("typed", ["No bridge", "no BRIDGE", "main line", "main"])
async def test_branch_refuses_a_name_that_is_taken(tmp_path: Path, typed: str) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.")
        await branch(program, main, "/branch No bridge")
        with pytest.raises(InputError, match="There is a branch called"):
            await program.services.play.submit(main, f"/branch {typed}")


async def test_branch_goes_from_one_to_another_by_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.")
        other = await branch(program, main, "/branch No bridge")
        await play(program, other, "I turn back.")
        assert await branch(program, other, "/branches Main line") == main
        assert await branch(program, main, "/branches no bridge") == other
        with pytest.raises(InputError, match="There is no branch called “The mill”") as caught:
            await program.services.play.submit(main, "/branches The mill")
        assert "There are: main line, No bridge." in str(caught.value)


async def test_branch_after_an_earlier_scene_begins_the_next_one_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        second = await play(
            program,
            main,
            "I go on.",
            "/fact event: The bell rang",
            "/end Mara left",
            "/commit",
            "/scene Mill",
        )
        third = await play(
            program, second, "I knock.", "/fact event: The mill burned", "/end Mara fled", "/commit", "I run."
        )
        branches = program.services.branches
        made = await branches.make_branch_after(main, "No mill")
        scene_id = await program.services.stories.resume(made.copy.story_id)
        view = await program.services.play.scene(scene_id)
        assert (view.scene.order, view.scene.title, view.turn_count) == (2, "Scene 2", 0)
        canon = await read_canon(program, scene_id)
        assert "The bell rang." in canon
        assert not [line for line in canon if "mill" in line.casefold()]
        assert (await program.services.play.scene(third)).turn_count == 1
        await play(program, scene_id, "I wait.", "/end Mara slept", "/commit")


async def test_map_shows_each_branch_below_the_scene_that_it_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        second = await play(program, main, "I go on.", "/end Mara left", "/commit")
        await play(program, second, "I knock.", "> It opens.", "/retake It stays shut.")
        await play(program, second, "/branch 1", "I leave.")
        other = await branch(program, second, "/branch No door")
        universe_id = (await program.services.play.scene(other)).universe.id
        shown = await program.services.branches.read_map(universe_id, frozenset([second]))
        assert [(row.depth, row.title, row.is_here) for row in shown.rows] == [
            (0, "main line", False),
            (1, "Scene 1 “The yard”", False),
            (1, "Scene 2", False),
            (2, "another way, 2 turns: It opens.", False),
            (2, "another way, 2 turns: It stays shut.", False),
            (2, "No door", True),
            (3, "Scene 2", True),
        ]


async def test_comparison_lists_what_only_one_branch_made_true(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/npc Tom: the keeper", "/commit")
        other = await branch(program, main, "/branch No bridge")
        await play(
            program, main, "I wait.", "/fact event: The bell rang", "/fact event: It rained", "/commit"
        )
        await play(
            program, other, "I run.", "/npc Ann: the miller", "/commit", "/fact event: It rained", "/commit"
        )
        here, there = [(await program.services.play.scene(i)).universe.id for i in (main, other)]
        compared = await program.services.branches.compare(here, there)
        assert [f.fact.statement for f in compared.only_here] == ["The bell rang."]
        assert [e.name for e in compared.new_entities_other] == ["Ann"]
        assert not compared.new_entities_here
        with pytest.raises(InputError, match="That is the same branch"):
            await program.services.branches.merge(here, here)


async def test_merge_proposes_the_facts_of_the_other_branch_with_their_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/npc Tom: the keeper", "/fact Tom located_in Yard", "/commit")
        other = await branch(program, main, "/branch No bridge")
        await play(program, other, "I run.", "/place Mill", "/npc Ann: the miller", "/commit")
        await play(program, other, "/fact Ann located_in Mill", "/fact Tom.alive = false", "/commit")
        await play(program, main, "/fact Tom ally_of Mara", "/commit")
        here, there = [(await program.services.play.scene(i)).universe.id for i in (main, other)]
        staged = await program.services.branches.merge(here, there)
        assert staged.waiting == len(staged.proposal_ids) == 4
        assert "Ann." not in await read_canon(program, main)
        gate = program.services.gate
        staged_ids = set(staged.proposal_ids)
        rows = [r for r in (await gate.gate(None, here)).proposals if r.proposal.id in staged_ids]
        assert all("branch No bridge" in row.proposal.evidence[0].quote for row in rows)
        report = await gate.commit_universe(here)
        assert not report.failures
        canon = await read_canon(program, main)
        assert "Ann is in Mill." in canon
        with pytest.raises(InputError, match="is in canon here"):
            await program.services.branches.merge(here, there)


async def test_merge_leaves_what_cannot_be_true_here_as_a_conflict(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/npc Tom: the keeper", "/npc Ann: the miller", "/commit")
        other = await branch(program, main, "/branch No bridge")
        await play(program, other, "/fact Tom enemy_of Ann", "/commit")
        await play(program, main, "/fact Tom ally_of Ann", "/commit")
        here, there = [(await program.services.play.scene(i)).universe.id for i in (main, other)]
        (staged_id,) = (await program.services.branches.merge(here, there)).proposal_ids
        rows = (await program.services.gate.gate(None, here)).proposals
        (row,) = (row for row in rows if row.proposal.id == staged_id)
        assert row.conflicts
        await program.services.gate.commit_universe(here)
        assert "Tom is an enemy of Ann." not in await read_canon(program, main)


async def test_edit_of_an_older_turn_keeps_what_followed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "> The door opens.", "I enter.", "> It is dark.")
        reply = await program.services.play.submit(main, "/edit 2 The door is barred.")
        assert reply.lines == (
            "Turn 2 in other words; the turns after it stand. /undo brings the old words back.",
        )
        assert await read_words(program, main) == [
            "I go on.",
            "The door is barred.",
            "I enter.",
            "It is dark.",
        ]
        assert [row.is_reworded for row in await program.services.play.transcript(main, 0, 4)] == [
            False,
            True,
            False,
            False,
        ]
        await play(program, main, "/undo")
        assert await read_words(program, main) == ["I go on.", "The door opens.", "I enter.", "It is dark."]
        reply = await program.services.play.submit(main, "/edit 1 I turn back.")
        assert reply.prompt_text == "I turn back."
        await play(program, main, reply.prompt_text)
        assert await read_words(program, main) == ["I turn back."]
        await play(program, main, "/undo", "/undo")
        assert len(await read_words(program, main)) == 4


async def test_edit_of_a_turn_that_canon_rests_on_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "> The door opens.", "/place Cellar", "/commit", "I enter.")
        await play(program, main, "> Wenna Pike died.", "/accept all", "/commit")
        words = await read_words(program, main)
        reply = await program.services.play.submit(main, "/edit 1 The door is open.")
        assert await read_words(program, main) == ["The door is open.", *words[1:]]
        assert any("stays true" in line for line in reply.lines)
        reply = await program.services.play.submit(main, "/edit 2 I go in.")
        if reply.confirm_line:
            await play(program, main, reply.confirm_line)
        assert await read_words(program, main) == ["The door is open."]
        with pytest.raises(InputError, match="There is no turn"):
            await program.services.play.submit(main, "/edit 9 It rains.")


async def test_edit_refuses_a_roll(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "/check might vs 2")
        with pytest.raises(InputError, match="What was rolled stays as it fell"):
            await program.services.play.submit(main, "/edit 1 A success.")


async def test_edit_of_an_ended_scene_makes_a_branch(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        second = await play(
            program, main, "I go on.", "> The door opens.", "/end Mara left", "/commit", "I run."
        )
        turns = await program.services.play.transcript(main, 0, 10)
        story_id = await program.services.branches.edit_turn(turns[1].turn.id, "It is barred.", "Barred")
        barred = await program.services.stories.resume(story_id)
        assert await read_words(program, barred) == ["I go on.", "It is barred."]
        story_id = await program.services.branches.edit_turn(turns[0].turn.id, "I wait.", "Waiting")
        waiting = await program.services.stories.resume(story_id)
        assert await read_words(program, waiting) == ["I wait."]
        assert await read_words(program, second) == ["I run."]


async def test_branch_keeps_undecided_proposals_on_both_lines(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/fact event: The bell rang")
        reply = await program.services.play.submit(main, "/branch No bridge")
        assert reply.lines[-1] == "1 proposal is undecided on both lines."
        assert reply.subject
        other = await program.services.stories.resume(reply.subject)
        await play(program, other, "/commit")
        assert "The bell rang." in await read_canon(program, other)
        assert "The bell rang." not in await read_canon(program, main)
        await play(program, main, "/commit")
        assert "The bell rang." in await read_canon(program, main)


async def test_branch_keeps_its_name_and_can_be_given_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.")
        other = await branch(program, main, "/branch No bridge")
        here, there = [(await program.services.play.scene(i)).universe.id for i in (main, other)]
        await program.services.branches.rename_branch(there, "The long way")
        renamed = (await program.services.play.scene(other)).universe
        assert renamed.name == "Test · The long way"
        assert renamed.branch is not None
        assert renamed.branch.name == "The long way"
        with pytest.raises(InputError, match="The main line has no name of its own"):
            await program.services.branches.rename_branch(here, "Main")


async def test_branch_from_before_a_commit_was_undone_has_it_in_canon_and_decided(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        main = await begin(program)
        await play(program, main, "I go on.", "/fact event: The bell rang", "/commit", "I wait.", "I leave.")
        await play(program, main, "/undo", "/undo", "/undo yes", "I stay.", "I sit down.")
        assert "The bell rang." not in await read_canon(program, main)
        kept_fact, kept_row = await _read_bell(program, main)
        assert (kept_fact, kept_row) == (False, ProposalStatus.PENDING)
        made = await program.services.branches.make_branch(
            main, (await program.services.play.transcript(main, 0, 10))[-1].turn.id, "Now"
        )
        other = await program.services.stories.resume(made.copy.story_id)
        assert await _read_bell(program, other) == (False, ProposalStatus.PENDING)
        await play(program, other, "/commit")
        assert await _read_bell(program, other) == (True, ProposalStatus.ACCEPTED)
        await play(program, main, "/commit", "I go.")
        early = await branch(program, main, "/branch 2 Then")
        fact_is_there, status = await _read_bell(program, early)
        assert (fact_is_there, status) == (False, ProposalStatus.PENDING)
        first = await branch(program, main, "/branch 1 At first")
        assert await _read_bell(program, first) == (True, ProposalStatus.ACCEPTED)


async def _read_bell(program: Program, scene_id: Id) -> tuple[bool, ProposalStatus]:
    """Return whether canon has the bell, and how far its proposal is."""
    (row,) = [r for r in (await program.services.gate.gate(scene_id)).proposals if "bell" in r.title]
    return "The bell rang." in await read_canon(program, scene_id), row.status
