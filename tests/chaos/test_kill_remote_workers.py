"""Workers on other machines are killed 100 times and the broker 10 times: nothing is lost, and nothing done twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.load_distributed import run_distributed_load
from benchmarks.load_result import MIN_FAIRNESS, LoadShape, format_result
from tools.brokers import Redis
from tools.servers.fetch import ServerMissing

KILLS = int(os.environ.get("MONITOR_CHAOS_WORKER_KILLS", "100"))

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1_800)]  # four minutes on two busy cores


async def test_killed_workers_and_a_killed_broker_lose_and_double_nothing(tmp_path: Path) -> None:
    """One universe asks for twice as much as the others, and first: they get as much all the same."""
    shape = LoadShape(
        *(4, 10, 20, 2),
        workers=4,
        kills=KILLS,
        broker_restarts=max(1, KILLS // 10),
        call_seconds=0.02,
    )
    folder = tmp_path / "broker"
    folder.mkdir()
    try:
        broker = Redis(folder, fetch=True)
        broker.start()
    except ServerMissing as error:
        pytest.skip(str(error))
    try:
        result = await run_distributed_load(tmp_path / "home", shape, broker)
    finally:
        broker.kill()
    print("\n".join(format_result("killed", result)))
    assert len(result.answers) == result.shape.pieces == 1_000
    assert result.kill_count == KILLS
    assert (result.lost, result.doubled) == (0, 0)
    assert result.taken_away > KILLS // 4, "the kills hit nothing: the test would show too little"
    assert result.fairness >= MIN_FAIRNESS
