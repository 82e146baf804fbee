"""Tests continuity over a long story in which a scripted model errs at every other turn.

Checked are what the prompts contained, what was caught, and that no innocent turn was accused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long_model.baits import BAITS
from tests.long_model.playing import Result, open_run

UNCAUGHT = frozenset(bait.name for bait in BAITS if not bait.reason)
"""Errors that only a reader can see: a claim that differs from the record in other words.

The record is in the prompt; the Critic and the Steward, where they are on, and the GM have to notice them.
"""


async def _play(home: Path, turns: int, backend: str) -> Result:
    async with open_run(home, backend=backend) as run:
        result = await run.play(turns)
    print("\n" + result.table())
    return result


def _check_result(result: Result) -> None:
    assert not result.missing_from_prompt
    assert not result.alarms
    assert result.innocent
    for bait in BAITS:
        tally = result.baits[bait.name]
        assert tally.times, bait.name
        assert tally.in_prompt == tally.times
        assert tally.missed == (tally.times if bait.name in UNCAUGHT else 0), bait.name
        if bait.records is not None:
            # The same meeting is proposed once a scene, and held at the gate.
            assert tally.at_gate, bait.name


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["langgraph", "inmemory"])
async def test_continuity_over_28_turns(tmp_path: Path, backend: str) -> None:
    _check_result(await _play(tmp_path, 28, backend))


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_continuity_over_100_turns(tmp_path: Path) -> None:
    _check_result(await _play(tmp_path, 100, "langgraph"))
