"""The load of the scheduler in small: nothing is lost or doubled, nobody is starved, a cap holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import run_load
from benchmarks.load_agents import make_agents
from benchmarks.load_result import MIN_FAIRNESS, LoadShape, format_result, jains_index


@pytest.mark.parametrize(
    ("amounts", "index"), [([5, 5, 5, 5], 1.0), ([20, 0, 0, 0], 0.25), ([4, 2], 0.9), ([0, 0], 1.0)]
)
def test_jains_index(amounts: list[float], index: float) -> None:
    assert jains_index(amounts) == pytest.approx(index)


def test_load_asks_five_times_as_much_for_the_greedy_universe() -> None:
    shape = LoadShape()
    assert sum(agent.loops for agent in make_agents(shape).values()) == shape.pieces == 4_500


@pytest.mark.slow
async def test_load_with_a_greedy_universe_is_fair_and_whole_though_it_is_killed(tmp_path: Path) -> None:
    result = await run_load(tmp_path, LoadShape(universes=4, agents=5, loops=4, kills=2))
    assert len(result.answers) == result.shape.pieces == 160
    assert (result.lost, result.doubled) == (0, 0)
    assert result.fairness >= MIN_FAIRNESS
    assert "NOT MET" not in "\n".join(format_result("small", result))


@pytest.mark.slow
async def test_load_with_a_cap_holds_back_one_universe_alone(tmp_path: Path) -> None:
    shape = LoadShape(universes=3, agents=5, loops=6, greed=1, weekly_cap=4_000)
    result = await run_load(tmp_path, shape)
    assert result.capped_tokens <= 4_000
    pieces = [result.served.count(universe_id) for universe_id in result.universe_ids]
    assert pieces[:2] == [30, 30]
    assert 0 < pieces[2] < 30
    assert (result.lost, result.doubled) == (0, 0)
