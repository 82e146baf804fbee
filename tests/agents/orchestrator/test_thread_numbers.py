"""The numbers by which commands name threads: the same for as long as the scene is open."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


async def read_numbers(program: Program, scene_id: Id) -> dict[str, int]:
    """Return the numbers of the open threads, as the play screen shows them, in its order."""
    scene = await program.services.play.scene(scene_id)
    assert [f"{t.number}." for t in scene.threads] == [
        line.split()[0] for line in await say(program, scene_id, "/thread") if "•" in line
    ]
    return {thread.name: thread.number for thread in scene.threads}


OPENED = (
    "I look.",
    "/promise Vess will pay",
    "/thread Who cut the rope",
    "/promise Tom will come",
)
NUMBERS = {"Vess will pay": 1, "Who cut the rope": 2, "Tom will come": 3}


async def test_thread_numbers_stay_through_commits_and_settlements(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED)
        assert await read_numbers(program, scene_id) == NUMBERS
        await say(program, scene_id, "/commit", "I wait.")
        assert await read_numbers(program, scene_id) == NUMBERS
        await say(program, scene_id, "/paid 1", "/commit")
        assert await read_numbers(program, scene_id) == {"Who cut the rope": 2, "Tom will come": 3}
        assert await say(program, scene_id, "/thread What is in the well") == (
            "Thread 4 is open: What is in the well",
        )
        assert (await say(program, scene_id, "/promises"))[0].startswith("3. promise: Tom will come.")
        await say(program, scene_id, "/thread 2 +", "/paid 3", "/commit")
        assert await read_numbers(program, scene_id) == {"Who cut the rope": 2, "What is in the well": 4}


async def test_thread_number_of_what_is_settled_names_nothing_else(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED, "/thread", "/commit", "/paid 1", "/commit")
        with pytest.raises(InputError, match="Kept: Vess will pay"):
            await say(program, scene_id, "/thread 1 close")
        with pytest.raises(InputError, match="Kept: Vess will pay"):
            await say(program, scene_id, "/paid 1")


async def test_thread_number_of_what_is_undone_is_not_given_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED, "/thread Mistake", "/undo")
        assert await say(program, scene_id, "/thread Meant") == ("Thread 5 is open: Meant",)


async def test_thread_numbers_of_the_next_scene_have_no_gap(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED, "/thread", "/commit", "/paid 1", "/end")
        next_scene_id = (await program.services.gate.commit(scene_id)).next_scene_id
        assert next_scene_id is not None
        assert sorted((await read_numbers(program, next_scene_id)).values()) == [1, 2]


async def test_promise_that_is_only_proposed_is_settled_by_its_number_and_written_with_its_end(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED)
        assert await say(program, scene_id, "/promises") == (
            "1. promise: Vess will pay.  (proposed)",
            "3. promise: Tom will come.  (proposed)",
        )
        assert await say(program, scene_id, "/paid 1") == ("Proposed: Kept: Vess will pay.",)
        assert await say(program, scene_id, "/broken 3") == ("Proposed: Not kept: Tom will come.",)
        with pytest.raises(InputError, match="proposed already"):
            await say(program, scene_id, "/paid 3")
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        view = await program.services.world.commitments.read_commitments(universe_id, scene_id)
        assert [view.proposal_numbers[row.proposal.id] for row in view.proposals] == [1, 3]
        lines = await say(program, scene_id, "/commit")
        assert {"Canon: Kept: Vess will pay.", "Canon: Not kept: Tom will come."} <= set(lines)
        assert not [line for line in lines if "not in canon" in line]
        ledger = await program.services.world.commitments.read_commitments(universe_id, scene_id)
        assert ledger.open_commitments == ()
        assert {(c.fact.fact.statement, c.is_paid) for c in ledger.closed_commitments} == {
            ("Vess will pay.", True),
            ("Tom will come.", False),
        }


async def test_end_of_a_promise_that_is_rejected_is_held_at_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/promise Vess will pay", "/paid 1", "/reject 1", "/commit")
        rows = (await program.services.play.scene(scene_id)).proposals
        assert [(row.status.value, bool(row.conflicts)) for row in rows] == [
            ("rejected", False),
            ("pending", True),
        ]


async def test_thread_numbers_are_the_same_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, *OPENED, "/commit", "/paid 1", "/commit", "/thread What is in the well")
        await say(
            program, scene_id, "/thread Mistake", "/undo", "/thread 2 close", "/thread Where is the key"
        )
        numbers = await read_numbers(program, scene_id)
        assert numbers == {"Tom will come": 3, "What is in the well": 4, "Where is the key": 6}
    async with opened(tmp_path, seed=2) as program:
        assert await read_numbers(program, scene_id) == numbers
        assert (await say(program, scene_id, "/broken 3"))[0].startswith("Proposed: Not kept: Tom will come")


async def test_thread_numbers_of_what_earlier_scenes_left_are_the_same_after_a_restart(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        first_scene_id = await begin(program)
        await say(program, first_scene_id, *OPENED, "/promise Dob will sing", "/commit", "/paid 1", "/end")
        scene_id = (await program.services.gate.commit(first_scene_id)).next_scene_id
        assert scene_id is not None
        # No number was read before one is settled, and it has one all the same.
        await say(program, scene_id, "/paid Tom will come", "/commit", "/thread What is in the well")
        numbers = await read_numbers(program, scene_id)
        assert numbers == {"Dob will sing": 2, "Who cut the rope": 3, "What is in the well": 4}
    async with opened(tmp_path, seed=2) as program:
        assert await read_numbers(program, scene_id) == numbers


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
async def test_thread_numbers_never_change_whatever_is_played(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    lines = (
        "/commit",
        "/undo",
        "/undo",
        "/redo",
        "/paid {}",
        "/broken {}",
        "/thread {} close",
        "/thread {} open",
    )
    known_numbers: dict[str, int] = {}
    async with opened(tmp_path, seed) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.")
        for step in range(16):
            opening = chance.choice((f"/promise Tom will bring {step} eels", f"/thread Riddle {step}"))
            with suppress(InputError):
                await say(program, scene_id, chance.choice((opening, *lines)).format(chance.randint(1, 5)))
            numbers = await read_numbers(program, scene_id)
            assert {name: known_numbers.get(name, n) for name, n in numbers.items()} == numbers
            known_numbers |= numbers
            assert len(set(known_numbers.values())) == len(known_numbers)
    async with opened(tmp_path, seed + 10) as program:
        assert await read_numbers(program, scene_id) == numbers
