"""Pairs of plain sentences of campaigns: of those that nobody looked at, and of those that were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.agents.canon_keeper.test_sentence_contradictions import Figures, SentencePair, is_held

DATA = Path(__file__).parent / "data"
CAMPAIGN_TABLE = "campaign_pairs.yaml"
STRANGER_TABLE = "stranger_pairs.yaml"
JOURNAL_TABLE = "journal_pairs.yaml"


def _read_table(file_name: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load((DATA / file_name).read_text(encoding="utf-8"))
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "half", "count", "least_precision", "least_recall"),
    [
        pytest.param(CAMPAIGN_TABLE, "looked", 60, 1.0, 0.67, id="looked_at"),
        pytest.param(CAMPAIGN_TABLE, "unseen", 60, 0.97, 0.58, id="unseen"),
        pytest.param(STRANGER_TABLE, "unseen", 100, 0.95, 0.41, id="of_a_stranger"),
        pytest.param(JOURNAL_TABLE, "looked", 65, 1.0, 0.69, id="of_journals_looked_at"),
        pytest.param(JOURNAL_TABLE, "unseen", 65, 1.0, 0.29, id="of_journals_unseen"),
    ],
)
async def test_contradictions_of_campaigns_reach_the_published_figures(
    table: str, half: str, count: int, least_precision: float, least_recall: float
) -> None:
    figures = Figures()
    for campaign in _read_table(table).values():
        for kind in ("contradictions", "look-alikes"):
            contradicts = kind == "contradictions"
            for before, after in campaign[f"{half} {kind}"]:
                pair = SentencePair("campaign", campaign["names"], before, after, contradicts)
                figures.add(contradicts=contradicts, is_held=await is_held(pair))
    print(f"\n{table} {half}  {figures}")
    assert figures.caught + figures.missed == count
    assert figures.precision >= least_precision - 0.005
    assert figures.recall >= least_recall - 0.005
