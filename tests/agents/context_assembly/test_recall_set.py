"""Finding again, on the measuring set: how the ways of looking stand to each other (docs/benchmarks.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.recall import CAMPAIGN, CANON, GRAPH, SETS, WORDS, measured, table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


async def test_the_graph_leads_and_current_values_stand_above_old_ones(tmp_path: Path) -> None:
    results = await measured(tmp_path / "home", kept=tmp_path / "vectors.npz")
    told = table(results)
    assert results.of(GRAPH).recall[1] >= results.of(WORDS).recall[1] + 0.10, told
    assert results.of(GRAPH, half="held out").recall[1] >= results.of(WORDS, half="held out").recall[1], told
    assert results.of(CANON).recall[1] >= results.of(GRAPH).recall[1], told
    assert results.current_first(CANON) >= 0.90, told
    assert sum(len(a.question.turns) > 0 for a in results.asked if a.way == WORDS) >= 150


@pytest.mark.parametrize("name", [name for name in SETS if name != CAMPAIGN])
async def test_it_leads_on_logs_that_were_written_blind(name: str, tmp_path: Path) -> None:
    results = await measured(tmp_path / "home", name, tmp_path / "vectors.npz")
    assert results.of(GRAPH).recall[1] >= results.of(WORDS).recall[1] + 0.10, table(results)
    assert results.of(GRAPH).mrr >= results.of(WORDS).mrr + 0.05, table(results)
