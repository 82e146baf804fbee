"""A clock that was set back: what was done last is still what undo takes first, and nothing typed is passed over."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from monitor_tui.compose import Program, open_program
from stores.records.ids import ForwardClock, SeededIdGenerator, SteppingClock
from tests.program import begin, copy_empty_library

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_forward_clock_goes_on_at_its_pace_after_the_clock_was_set_back() -> None:
    times = [NOON, NOON + timedelta(hours=1), NOON - timedelta(days=3_000), NOON - timedelta(days=2_999)]
    clock = ForwardClock(iter(times).__next__)
    first, second, third, fourth = (clock() for _ in times)
    assert (first, second) == (times[0], times[1])
    assert timedelta(0) < third - second < timedelta(seconds=1)
    assert fourth - third == timedelta(days=1)


def test_forward_clock_is_the_clock_where_nothing_is_later() -> None:
    clock = ForwardClock(lambda: NOON)
    clock.go_on_from(NOON - timedelta(days=1))
    assert clock() == clock() == NOON
    clock.go_on_from(NOON + timedelta(days=1))
    assert clock() > NOON + timedelta(days=1)


async def opened_in(home: Path, year: int) -> Program:
    clock = SteppingClock(datetime(year, 1, 1, tzinfo=UTC))
    return await open_program(home, clock=clock, ids=SeededIdGenerator(year, clock))


@pytest.mark.slow
async def test_undo_takes_what_was_done_last_although_the_clock_was_set_back(tmp_path: Path) -> None:
    """The battery of my computer is empty, and it says that it is 2015."""
    await asyncio.to_thread(copy_empty_library, tmp_path)
    program = await opened_in(tmp_path, 2026)
    scene_id = await begin(program)
    for line in ("I look round.", "> The bell rings.", "I wait.", "/decide We never kill"):
        await program.services.play.submit(scene_id, line)
    narrated = (await program.services.play.transcript(scene_id, 0, 10))[1].turn
    await program.services.play.edit_turn(scene_id, narrated.id, "The bell is silent.")
    await program.close()

    program = await opened_in(tmp_path, 2015)
    play = program.services.play
    try:
        await play.edit_turn(scene_id, narrated.id, "The bell hums.")
        assert (await play.transcript(scene_id, 0, 10))[1].turn.text == "The bell hums."
        await play.submit(scene_id, "/decide We never lie")
        undone = [(await play.undo(scene_id)).lines[0] for _ in range(4)]
        assert undone == [
            "Undone: Decided: We never lie",
            "Undone: other words: The bell hums.",
            "Undone: other words: The bell is silent.",
            "Undone: Decided: We never kill",
        ]
    finally:
        await program.close()
