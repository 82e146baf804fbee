"""A long story in which a scripted model baits continuity at every other turn: what is fed forward, what is
caught, and that no innocent turn is accused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long_model.baits import BAITS
from tests.long_model.playing import Result, opened

UNCAUGHT = frozenset(bait.name for bait in BAITS if not bait.reason)
"""What only a reader can see: an answer or a claim that is other than the one on record, in words of its own.
The record is in the prompt; the Critic and the Steward, where they are on, and the GM are who is left."""


async def _played(home: Path, turns: int, backend: str) -> Result:
    async with opened(home, backend=backend) as run:
        result = await run.play(turns)
    print("\n" + result.table())
    return result


def _holds(result: Result) -> None:
    assert not result.unfed
    assert not result.alarms
    assert result.innocent
    for bait in BAITS:
        tally = result.baits[bait.name]
        assert tally.times, bait.name
        assert tally.fed == tally.times
        assert tally.missed == (tally.times if bait.name in UNCAUGHT else 0), bait.name
        if bait.records is not None:
            # The same meeting is proposed once a scene, and held at the gate.
            assert tally.at_gate, bait.name


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["langgraph", "inmemory"])
async def test_twenty_eight_turns(tmp_path: Path, backend: str) -> None:
    _holds(await _played(tmp_path, 28, backend))


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_hundred_turns(tmp_path: Path) -> None:
    _holds(await _played(tmp_path, 100, "langgraph"))
