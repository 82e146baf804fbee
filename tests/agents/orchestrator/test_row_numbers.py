"""Commands that take the number of a proposal say of one that cannot be decided what is so, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import InputError
from stores.records.workflow import Verdict
from tests.agents.orchestrator.test_undone_commit import say
from tests.program import begin, opened

PLAYED = (
    "I look round.",
    "/npc here Bram: a ferryman",
    "/fact The roof leaks",
    "/reject 2",
    "/commit",
    "/fact The rope is cut",
    "/fact The door is red",
    "/reject 3",
    "/npc Ulla",
    "/undo",
)
"""1 is in canon, 2 was rejected by a commit, 3 is rejected, 4 undecided, 5 undone; there is no 6."""
NO_SIX = ("There is no proposal '6'.", "Nothing was decided.", "Open: 3, 4; a title does for one too.")
IN_CANON = "u on its row at the gate (F3) proposes to take it from canon."
REDO = "Ctrl+Y brings back what was undone last."


def sentences(error: InputError) -> tuple[str, str, str]:
    return (error.what, error.kept, error.todo)


@pytest.mark.parametrize("command", ["/accept", "/reject", "/flavour", "/defer", "/undecide"])
async def test_number_that_cannot_be_decided_says_what_is_so(tmp_path: Path, command: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        for argument, expected in (
            ("1", ("1 “Bram” is in canon already.", "Nothing was decided.", IN_CANON)),
            ("4 1", ("1 “Bram” is in canon already.", "Nothing was decided.", IN_CANON)),
            (
                "2",
                (
                    "2 “The roof leaks” was rejected by a commit.",
                    "Nothing was decided.",
                    "u on its row at the gate (F3) proposes it again.",
                ),
            ),
            ("5", ("5 “Ulla” is undone.", "Nothing was decided.", REDO)),
            ("6", NO_SIX),
        ):
            with pytest.raises(InputError) as refused:
                await say(program, scene_id, f"{command} {argument}")
            assert sentences(refused.value) == expected
        verdicts = [
            (row.number, row.verdict) for row in (await program.services.gate.gate(scene_id)).proposals
        ]
        assert dict(verdicts)[4] is None, "one number that cannot be decided decides none of them"


async def test_number_of_what_was_taken_from_canon_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/fact The roof leaks", "/commit")
        (row,) = (await program.services.gate.gate(scene_id)).proposals
        await program.services.policy.propose_undo(row.proposal.id)
        await say(program, scene_id, "/commit")
        with pytest.raises(InputError) as refused:
            await say(program, scene_id, "/accept 1")
        assert sentences(refused.value) == (
            "1 “The roof leaks” was taken from canon.",
            "Nothing was decided.",
            "Z in the universe lists it; R there restores it.",
        )


@pytest.mark.parametrize("command", ["/resolve", "/court", "/old", "/new", "/different"])
async def test_number_without_a_conflict_says_what_is_so(tmp_path: Path, command: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        for number, what, todo in (
            (1, "1 “Bram” is in canon already.", IN_CANON),
            (
                3,
                "3 “The rope is cut” is in no conflict, and rejected.",
                "/undecide 3 takes that decision back.",
            ),
            (4, "4 “The door is red” is in no conflict.", "/accept 4 or /reject 4 decides it."),
            (5, "5 “Ulla” is undone.", REDO),
            (6, "There is no proposal '6'.", "No proposal is in conflict."),
        ):
            with pytest.raises(InputError) as refused:
                await say(program, scene_id, f"{command} {number}")
            assert sentences(refused.value) == (what, "Nothing was changed.", todo)


async def test_verdict_once_more_says_that_it_is_so_and_undo_takes_back_what_was_decided(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        assert await say(program, scene_id, "/undecide 4") == ("Not decided yet: The door is red.",)
        assert await say(program, scene_id, "/accept 4") == ("Accepted: The door is red.",)
        assert await say(program, scene_id, "/accept 4") == ("Accepted already: The door is red.",)
        await say(program, scene_id, "/undo")
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert {row.number: row.verdict for row in rows if row.number in (3, 4)} == {
            3: Verdict.REJECT,
            4: None,
        }


async def test_proposals_are_listed_with_what_became_of_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        lines = await say(program, scene_id, "/proposals")
        assert [line.partition("]")[0] for line in lines] == [
            "1. [in canon",
            "2. [rejected",
            "3. [reject",
            "4. [accept",
        ]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("/commit 3", "/commit takes no words: “3” would not be read."),
        ("/undo 3", "/undo takes no words: “3” would not be read."),
        ("/later 3", "/later takes no words: “3” would not be read."),
        ("/retcon 1", "There is no command /retcon."),
    ],
)
async def test_command_that_takes_no_number_does_nothing_with_one(
    tmp_path: Path, line: str, what: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *PLAYED)
        before = (await program.services.gate.gate(scene_id)).proposals
        with pytest.raises(InputError) as refused:
            await say(program, scene_id, line)
        assert refused.value.what == what
        assert refused.value.kept.startswith("Nothing was ")
        assert refused.value.todo
        assert (await program.services.gate.gate(scene_id)).proposals == before


async def test_closed_thread_is_opened_again_by_its_own_number(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look round.", "/thread Find the bell", "/thread 1 close")
        with pytest.raises(InputError) as refused:
            await say(program, scene_id, "/thread 1 close")
        assert refused.value.todo == "/thread 1 open takes it up again."
        with pytest.raises(InputError) as refused:
            await say(program, scene_id, "/thread 1 open", "/thread 1 open")
        assert refused.value.todo == "/thread 1 close closes it."
