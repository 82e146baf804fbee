"""Undo and redo in a player's own words: the last thing done first, and nothing of canon without asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
from tests.program import begin, opened

FACT = "The chapel door is red."


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    """Play the lines, and return what the last one replied."""
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


async def read_titles(program: Program, scene_id: Id) -> list[str]:
    return [row.title for row in (await program.services.play.scene(scene_id)).proposals]


async def read_words(program: Program, scene_id: Id) -> list[str]:
    rows = await program.services.play.transcript(scene_id, 0, 50)
    return [row.turn.text for row in rows]


async def test_undo_takes_the_typo_in_a_fact_and_leaves_the_story(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I walk to the chapel alone.", "> The door is open.")
        lines = await say(program, scene_id, "/fact The chapel door is rde", "/undo")
        assert lines == ("Undone: The chapel door is rde.",)
        assert await read_words(program, scene_id) == ["I walk to the chapel alone.", "The door is open."]
        assert await read_titles(program, scene_id) == []
        await say(program, scene_id, "/fact The chapel door is red")
        assert await read_titles(program, scene_id) == [FACT]


async def test_undo_goes_back_step_by_step_and_redo_forward_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "I look round.",
            "/npc Tam: keeper of the bell",
            "/fact Tam owns a red coat",
            "> The bell is silent.",
            "/fact The chapel door is red",
        )
        states = [(await read_words(program, scene_id), await read_titles(program, scene_id))]
        while (await program.services.play.scene(scene_id)).can_undo:
            await say(program, scene_id, "/undo")
            states.append((await read_words(program, scene_id), await read_titles(program, scene_id)))
        assert [(len(words), len(titles)) for words, titles in states] == [
            (2, 3),
            (2, 2),
            (1, 2),
            (1, 1),
            (1, 0),
            (0, 0),
        ]
        for state in reversed(states[:-1]):
            assert (await program.services.play.scene(scene_id)).can_redo
            await say(program, scene_id, "/redo")
            assert (await read_words(program, scene_id), await read_titles(program, scene_id)) == state
        with pytest.raises(InputError, match="Nothing to redo"):
            await say(program, scene_id, "/redo")


async def test_undo_takes_all_that_one_command_proposed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/place here > Loft", "/state Mara.hp -3, Mara +tired")
        assert len(await read_titles(program, scene_id)) == 4
        await say(program, scene_id, "/undo")
        assert len(await read_titles(program, scene_id)) == 2
        await say(program, scene_id, "/undo")
        assert await read_titles(program, scene_id) == []


async def test_redo_keeps_what_was_decided_before_the_undo(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The chapel door is red", "/reject 1", "/undo")
        await say(program, scene_id, "/undo")
        assert await read_titles(program, scene_id) == []
        await say(program, scene_id, "/redo", "/redo")
        (row,) = (await program.services.play.scene(scene_id)).proposals
        assert row.verdict is Verdict.REJECT


async def test_redo_brings_nothing_back_over_a_newer_command(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The chapel door is rde", "/undo")
        await say(program, scene_id, "/fact The chapel door is red")
        assert not (await program.services.play.scene(scene_id)).can_redo


async def test_undone_proposals_are_not_committed_at_the_end_of_the_scene(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The chapel door is rde", "/undo")
        await say(program, scene_id, "/end I saw the door")
        report = await program.services.gate.commit(scene_id)
        assert "The chapel door is rde." not in {fact.statement for fact in report.facts}


@pytest.mark.parametrize(
    ("command", "listing", "shown"),
    [
        ("/thread Who rang the bell", "/thread", "Who rang the bell"),
        ("/clock Tide 6", "/clock", "Tide"),
    ],
)
async def test_undo_takes_a_thread_and_a_clock_too(
    tmp_path: Path, command: str, listing: str, shown: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", command)
        assert shown in " ".join(await say(program, scene_id, listing))
        await say(program, scene_id, "/undo")
        assert shown not in " ".join(await say(program, scene_id, listing))
        assert await read_words(program, scene_id) == ["I look round."]
        await say(program, scene_id, "/redo")
        assert shown in " ".join(await say(program, scene_id, listing))


async def test_undo_brings_back_the_tension_and_who_was_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/npc here Tam: keeper of the bell")
        before = (await program.services.play.scene(scene_id)).story.tension
        await say(program, scene_id, "/tension 8", "/cast - Tam")

        async def read_cast() -> set[str]:
            return {member.name for member in (await program.services.play.scene(scene_id)).cast}

        assert "Tam" not in await read_cast()
        await say(program, scene_id, "/undo")
        assert "Tam" in await read_cast()
        await say(program, scene_id, "/undo")
        assert (await program.services.play.scene(scene_id)).story.tension == before
        await say(program, scene_id, "/redo")
        assert (await program.services.play.scene(scene_id)).story.tension == 8
        await say(program, scene_id, "/undo")
        charts = await program.services.world.charts.read_charts()
        assert charts
        assert charts.tabs[0].charts[0].summary == f"Now {before} of 9; the highest was {before}."
        assert "Tension stays at 5" in " ".join(await say(program, scene_id, "/end"))


async def test_undo_says_what_of_canon_it_would_take_before_it_takes_anything(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        before = await read_canon(program, scene_id)
        await say(
            program,
            scene_id,
            "I climb. /check might vs 3; success: Mara +suspicious",
            "/fact The rope is cut",
        )
        await program.services.gate.commit(scene_id)
        after = await read_canon(program, scene_id)
        assert sum(row.made_count for row in await program.services.play.transcript(scene_id, 0, 9)) == 2
        reply = await program.services.play.submit(scene_id, "/undo")
        asked = reply.lines.index(
            "Undo takes these 2 from canon, to wait at the gate again; what was typed stays, and redo brings them "
            "back."
        )
        assert reply.lines[0] == "Last, this became canon:"
        assert "  The rope is cut." in reply.lines[1:asked]
        assert await read_canon(program, scene_id) == after
        assert reply.confirm_line == "/undo yes"
        assert "Not canon any more: The rope is cut." in await say(program, scene_id, reply.confirm_line)
        assert await read_canon(program, scene_id) == before
        rows = await program.services.play.transcript(scene_id, 0, 9)
        assert not any(row.made_count for row in rows), "no ★ stays on a line of which nothing is canon"
        assert (await read_words(program, scene_id))[0] == "I climb."


async def test_undo_of_a_line_leaves_nothing_in_canon_that_came_of_it_and_was_kept(tmp_path: Path) -> None:
    """A commit of the line before, which the line goes past, is asked about when it is that line's turn."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I knock.", "> The hatch bangs.", "/state Mara +dead")
        await program.services.gate.commit_trigger(scene_id)
        await say(program, scene_id, "> Rain falls.")
        assert await say(program, scene_id, "/undo") == ("Undone: Rain falls.",)
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.lines == (
            "Last, this became canon:",
            "  Mara died",
            "Undo takes it from canon, to wait at the gate again; what was typed stays, and redo brings it back.",
        )
        assert await read_words(program, scene_id) == ["I knock.", "The hatch bangs."]


async def test_undo_takes_a_commit_before_the_command_that_waited_through_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The chapel door is red", "/state Mara +dead")
        await program.services.gate.commit_trigger(scene_id)
        assert (await say(program, scene_id, "/undo"))[1] == "  Mara died"
        assert FACT in await read_titles(program, scene_id)
        assert await say(program, scene_id, "/undo yes") == ("Not canon any more: Mara died",)
        assert await say(program, scene_id, "/undo") == ("Undone: Mara +dead",)
        assert await say(program, scene_id, "/undo") == (f"Undone: {FACT}",)
        assert FACT not in await read_titles(program, scene_id)


@pytest.mark.parametrize(
    "roll", ["/howmuch", "/react Mara", "/roll 2d6", "/check might 5", "/spark", "/event"]
)
async def test_undo_takes_a_roll_without_words_alone(tmp_path: Path, roll: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I kneel.", "/fact The floor is wet", "/fact The rope is new")
        await say(program, scene_id, roll)
        words_after_roll = await read_words(program, scene_id)
        lines = await say(program, scene_id, "/undo")
        assert lines[0].startswith("Undone: ")
        assert "with it" not in lines[0]
        assert await read_words(program, scene_id) == ["I kneel."]
        assert await read_titles(program, scene_id) == ["The floor is wet.", "The rope is new."]
        await say(program, scene_id, "/redo")
        assert await read_words(program, scene_id) == words_after_roll


async def test_undo_takes_a_roll_without_words_after_a_gm_line_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I row.", "> The water stops moving.", "/track Cross the bay dangerous")
        await say(program, scene_id, "/fact The bay is deep", "/howmuch", "/undo")
        assert await read_words(program, scene_id) == ["I row.", "The water stops moving."]
        assert len(await read_titles(program, scene_id)) == 2
        assert await say(program, scene_id, "/undo") == ("Undone: The bay is deep.",)


async def read_verdicts(program: Program, scene_id: Id) -> list[Verdict | None]:
    return [row.verdict for row in (await program.services.play.scene(scene_id)).proposals]


async def test_undo_takes_back_the_decision_before_the_story(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "/fact One is one", "/fact Two is two")
        await say(program, scene_id, "/accept 1", "/reject 2", "/reject 1")
        lines = await say(program, scene_id, "/undo")
        assert lines == ("Undone: Rejected: One is one.",)
        assert await read_verdicts(program, scene_id) == [Verdict.ACCEPT, Verdict.REJECT]
        assert await say(program, scene_id, "/undo") == ("Undone: Rejected: Two is two.",)
        assert await say(program, scene_id, "/redo") == ("Back: Rejected: Two is two.",)
        assert await read_verdicts(program, scene_id) == [Verdict.ACCEPT, Verdict.REJECT]
        await say(program, scene_id, "/redo")
        assert await read_verdicts(program, scene_id) == [Verdict.REJECT, Verdict.REJECT]
        assert not (await program.services.play.scene(scene_id)).can_redo
        await say(program, scene_id, "/undo", "/undo", "/undo")
        assert await read_verdicts(program, scene_id) == [None, None]
        assert await say(program, scene_id, "/undo") == ("Undone: Two is two.",)
        assert await read_words(program, scene_id) == ["I go on."]


async def test_undo_takes_back_a_decision_that_was_made_before_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I go on.", "/fact One is one", "/fact Two is two", "/reject all")
    async with opened(tmp_path, seed=2) as program:
        assert await say(program, scene_id, "/undo") == ("Undone: Rejected: One is one. and 1 more",)
        assert await read_verdicts(program, scene_id) == [None, None]
        assert await read_words(program, scene_id) == ["I go on."]


async def test_undo_takes_a_line_before_a_decision_that_is_older(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact One is one", "/reject 1", "I go on.")
        assert await say(program, scene_id, "/undo") == ("Undone: I go on.",)
        assert await say(program, scene_id, "/undo") == ("Undone: Rejected: One is one.",)
        await say(program, scene_id, "/redo", "/redo")
        assert await read_words(program, scene_id) == ["I look.", "I go on."]
        assert await read_verdicts(program, scene_id) == [Verdict.REJECT]


async def test_redo_of_a_decision_ends_where_another_is_made(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact One is one", "/reject 1", "/undo", "/accept 1")
        assert not (await program.services.play.scene(scene_id)).can_redo
        assert await read_verdicts(program, scene_id) == [Verdict.ACCEPT]


async def test_redone_outcome_takes_the_place_of_the_one_proposed_meanwhile(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "I go on.", "/end We got away", "/reopen", "/undo", "/undo")
        await say(program, scene_id, "/end We got away", "/reopen", "/undo", "/redo", "/redo", "/redo")
        assert await read_titles(program, scene_id) == ["We got away."]
        assert len(await read_words(program, scene_id)) == 2
        await say(program, scene_id, "/end")
        report = await program.services.gate.commit(scene_id)
        assert [fact.statement for fact in report.facts].count("We got away.") == 1


async def test_undo_takes_what_was_just_proposed_at_the_gate_to_take_back_canon(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I walk to the chapel alone.", f"/fact {FACT.removesuffix('.')}")
        (row,) = (await program.services.play.scene(scene_id)).proposals
        await program.services.gate.decide([row.proposal.id], Verdict.ACCEPT)
        await program.services.gate.commit(scene_id)
        await program.services.policy.propose_undo(row.proposal.id)
        proposed = await read_titles(program, scene_id)
        assert proposed == [FACT, f"Never true: {FACT}"]
        assert await say(program, scene_id, "/undo") == (f"Undone: Never true: {FACT}",)
        assert await read_words(program, scene_id) == ["I walk to the chapel alone."]
        assert await read_titles(program, scene_id) == [FACT]
        assert await say(program, scene_id, "/redo") == (f"Back: Never true: {FACT}",)
        assert await read_titles(program, scene_id) == proposed


async def test_undo_takes_a_rejected_row_that_was_proposed_again_and_not_its_command(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I walk to the chapel alone.", "/npc Tam: keeper of the bell")
        (row,) = (await program.services.play.scene(scene_id)).proposals
        await program.services.gate.decide([row.proposal.id], Verdict.REJECT)
        await program.services.gate.commit(scene_id)
        await say(program, scene_id, "I ring the bell.")
        await program.services.policy.propose_undo(row.proposal.id)
        assert await read_titles(program, scene_id) == ["Tam", "Tam"]
        assert await say(program, scene_id, "/undo") == ("Undone: Tam",)
        assert await read_titles(program, scene_id) == ["Tam"]
        assert await say(program, scene_id, "/redo") == ("Back: Tam",)


async def test_undo_takes_an_edit_of_the_world_before_the_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        edits = program.services.world.edits
        universe_id = (await program.services.play.scene(scene_id)).universe.id

        async def waiting_titles() -> list[str]:
            view = await program.services.gate.gate(None, universe_id)
            return [row.title for row in view.proposals if row.status in OPEN_STATUSES]

        await edits.propose_fact(universe_id, "The mill burned down")
        await say(program, scene_id, "I look round.", "/fact The chapel door is red")
        await edits.propose_fact(universe_id, "The bell is cracked")
        undone = "The bell is cracked. (proposed in the universe)"
        assert await say(program, scene_id, "/undo") == (f"Undone: {undone}",)
        assert await waiting_titles() == ["The mill burned down."]
        assert await say(program, scene_id, "/redo") == (f"Back: {undone}",)
        assert await waiting_titles() == ["The mill burned down.", "The bell is cracked."]
        assert await say(program, scene_id, "/undo", "/undo") == (f"Undone: {FACT}",)
        assert await say(program, scene_id, "/undo") == ("Undone: I look round.",)
        assert await waiting_titles() == ["The mill burned down."]


async def read_canon(program: Program, scene_id: Id) -> set[str]:
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    facts = (await program.services.world.provenance.read_canon_at(universe_id, "now")).facts
    names = await program.services.world.list_entity_names(universe_id)
    return {*(row.fact.statement for row in facts), *names}


async def test_undo_takes_the_discovery_that_just_became_canon_and_not_the_line_before(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I search the chapel.", "> A stair leads down.", "/place Hidden Stair")
        before = await read_canon(program, scene_id)
        await program.services.gate.commit_trigger(scene_id)
        after = await read_canon(program, scene_id)
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.lines[:2] == ("Last, this became canon:", "  Hidden Stair")
        assert "rests on" not in " ".join(reply.lines)
        assert await read_canon(program, scene_id) == after
        assert await say(program, scene_id, reply.confirm_line) == ("Not canon any more: Hidden Stair",)
        assert await read_canon(program, scene_id) == before
        assert await read_words(program, scene_id) == ["I search the chapel.", "A stair leads down."]
        assert (await program.services.play.scene(scene_id)).can_redo
        again = await program.services.play.submit(scene_id, "/redo")
        assert again.lines == ("Redo makes this canon again:", "  Hidden Stair")
        assert await read_canon(program, scene_id) == before
        assert await say(program, scene_id, again.confirm_line) == ("Canon again: Hidden Stair",)
        assert await read_canon(program, scene_id) == after
        assert not (await program.services.play.scene(scene_id)).can_redo


async def test_undo_takes_commits_and_lines_in_their_order_and_redo_brings_each_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)

        async def read_state() -> tuple[set[str], list[str]]:
            return await read_canon(program, scene_id), await read_words(program, scene_id)

        states = [await read_state()]
        for lines in (
            ("I search.",),
            ("/place Hidden Stair",),
            ("/commit",),
            ("> Rain falls.",),
            ("/state Mara +dead",),
            ("/commit",),
            ("/fact The bell is cracked",),
            ("/commit",),
        ):
            await say(program, scene_id, *lines)
            states.append(await read_state())
        for state in reversed(states[:-1]):
            reply = await program.services.play.submit(scene_id, "/undo")
            if reply.confirm_line:
                await say(program, scene_id, reply.confirm_line)
            assert await read_state() == state
        for state in states[1:]:
            reply = await program.services.play.submit(scene_id, "/redo")
            if reply.confirm_line:
                await say(program, scene_id, reply.confirm_line)
            assert await read_state() == state


async def test_undo_takes_the_take_before_the_turn_and_redo_brings_each_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        play = program.services.play
        await say(program, scene_id, "I knock.", "> The door opens.")
        await say(program, scene_id, "/retake The door creaks.", "/retake The door stays shut.")
        await play.walk_takes(scene_id, -1)
        states = [
            ["I knock.", "The door creaks."],
            ["I knock.", "The door stays shut."],
            ["I knock.", "The door creaks."],
            ["I knock.", "The door opens."],
            ["I knock."],
            [],
        ]
        assert await read_words(program, scene_id) == states[0]
        assert await say(program, scene_id, "/undo") == ("Undone: Take 2: The door creaks.",)
        for state in states[1:-1]:
            assert await read_words(program, scene_id) == state
            await say(program, scene_id, "/undo")
        assert await read_words(program, scene_id) == states[-1]
        for state in reversed(states[:-1]):
            assert (await play.scene(scene_id)).can_redo
            await say(program, scene_id, "/redo")
            assert await read_words(program, scene_id) == state
        assert not (await play.scene(scene_id)).can_redo


async def test_undo_takes_an_edit_of_a_turn_before_the_turn(tmp_path: Path) -> None:
    """I mend an old narration in place: what came after stands, Ctrl+Z brings the old words back, Ctrl+Y mine."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I knock.", "> The door opens.", "I go in.", "> It is dark.")
        before = await read_words(program, scene_id)
        await say(program, scene_id, "/edit 2 The door creaks.")
        edited = await read_words(program, scene_id)
        assert edited == ["I knock.", "The door creaks.", "I go in.", "It is dark."]
        assert (await say(program, scene_id, "/undo"))[0] == "Undone: other words: The door creaks."
        assert await read_words(program, scene_id) == before
        await say(program, scene_id, "/redo")
        assert await read_words(program, scene_id) == edited
        await say(program, scene_id, "/undo", "/undo")
        assert await read_words(program, scene_id) == before[:-1]
        await say(program, scene_id, "/edit 2 The door sighs.", "I look about.", "/undo", "/undo", "/redo")
        assert await read_words(program, scene_id) == ["I knock.", "The door sighs.", "I go in."]


async def test_undo_of_a_take_withdraws_what_the_take_proposed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I knock.", "> The door opens.", "/retake The door creaks.")
        await say(program, scene_id, "/fact The door is old")
        assert await say(program, scene_id, "/undo") == ("Undone: The door is old.",)
        await say(program, scene_id, "/undo")
        assert await read_words(program, scene_id) == ["I knock.", "The door opens."]
        await say(program, scene_id, "/redo", "/redo")
        assert await read_titles(program, scene_id) == ["The door is old."]


@pytest.mark.parametrize("command", ["/thread the bell", "/fact The rope was cut", "/clock Tide 4"])
async def test_undo_after_redo_takes_the_line_and_then_what_was_typed_while_it_was_undone(
    tmp_path: Path, command: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in ("I act.", "/undo", command, "/redo"):
            await play.submit(scene_id, line)
        assert (await play.submit(scene_id, "/undo")).lines[0].startswith("Undone: I act.")
        assert not (await play.submit(scene_id, "/undo")).lines[0].startswith("Undone: I act.")
        await play.submit(scene_id, "/redo")
        assert (await play.submit(scene_id, "/redo")).lines == ("Back: I act.",)


async def test_undo_after_redo_takes_the_line_before_what_was_committed_while_it_was_undone(
    tmp_path: Path,
) -> None:
    """I take a line back, make a place canon and somebody known, and bring the line back: it is the last thing done."""
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        lines = (
            "I sit.",
            "/undo",
            "/place Boat Shed: tarred boards",
            "/commit",
            "/npc Gil Oakum: a stranger",
        )
        for line in (*lines, "/redo"):
            await play.submit(scene_id, line)
        assert (await play.submit(scene_id, "/undo")).lines == ("Undone: I sit.",)
        assert (await play.submit(scene_id, "/undo")).lines == ("Undone: Gil Oakum",)
        asked = await play.submit(scene_id, "/undo")
        assert any("Boat Shed" in line for line in asked.lines)
        assert asked.confirm_line


async def test_undo_takes_first_what_was_committed_on_a_line_that_was_brought_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in ("I sit.", "/undo", "/redo", "/place Boat Shed: tarred boards", "/commit"):
            await play.submit(scene_id, line)
        asked = await play.submit(scene_id, "/undo")
        assert any("Boat Shed" in line for line in asked.lines)
        assert asked.confirm_line


async def test_undo_takes_what_was_edited_after_the_end_of_a_scene_that_was_reopened(tmp_path: Path) -> None:
    """The report of the end is the head while the scene is at its gate: an edit made there is on the last turn."""
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in ("I act.", "/clock Tide 4 per scene 1", "/end"):
            await play.submit(scene_id, line)
        universe_id = (await play.scene(scene_id)).universe.id
        await program.services.world.edits.propose_fact(universe_id, "The mill burned down")
        await play.submit(scene_id, "/reopen")
        assert "The mill burned down" in (await play.submit(scene_id, "/undo")).lines[0]
