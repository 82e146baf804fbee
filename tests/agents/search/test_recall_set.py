"""Tests on the recall set that each way of searching improves the ranking (docs/benchmarks.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.recall import CANON, GRAPH, WORDS, format_table, measure

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


async def test_recall_set_graph_improves_ranking_and_current_values_lead(tmp_path: Path) -> None:
    results = await measure(tmp_path / "home", vectors_file=tmp_path / "embeddings.npz")
    table = format_table(results)
    assert results.figures_of(GRAPH).recall[1] >= results.figures_of(WORDS).recall[1] + 0.10, table
    assert (
        results.figures_of(GRAPH, half="held out").recall[1]
        >= results.figures_of(WORDS, half="held out").recall[1]
    ), table
    assert results.figures_of(CANON).recall[1] >= results.figures_of(GRAPH).recall[1], table
    assert results.current_first_share(CANON) >= 0.90, table
    assert sum(len(a.question.turns) > 0 for a in results.answered_questions if a.way == WORDS) >= 150


async def test_recall_set_newest_value_leads_where_a_question_asks_for_now(tmp_path: Path) -> None:
    results = await measure(tmp_path / "home", "saltmarket", tmp_path / "embeddings.npz")
    assert results.current_first_share(GRAPH) >= 0.90, format_table(results)


@pytest.mark.parametrize("name", ["friends", "tavern", "winter"])
async def test_recall_set_quality_holds_on_blind_logs(name: str, tmp_path: Path) -> None:
    results = await measure(tmp_path / "home", name, tmp_path / "embeddings.npz")
    assert results.figures_of(GRAPH).recall[1] >= results.figures_of(WORDS).recall[1] + 0.10, format_table(
        results
    )
    assert results.figures_of(GRAPH).mrr >= results.figures_of(WORDS).mrr + 0.05, format_table(results)
