"""Pairs of plain sentences of four campaigns: of those that nobody looked at, and of those that were."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.agents.canon_keeper.test_sentence_contradictions import Figures, SentencePair, is_held

CAMPAIGN_TABLE = Path(__file__).parent / "data" / "campaign_pairs.yaml"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("half", "least_precision", "least_recall"),
    [
        pytest.param("looked", 1.0, 0.63, id="looked_at"),
        pytest.param("unseen", 0.97, 0.53, id="unseen"),
    ],
)
async def test_contradictions_of_campaigns_reach_the_published_figures(
    half: str, least_precision: float, least_recall: float
) -> None:
    figures = Figures()
    for campaign in yaml.safe_load(CAMPAIGN_TABLE.read_text(encoding="utf-8")).values():
        for kind in ("contradictions", "look-alikes"):
            contradicts = kind == "contradictions"
            for before, after in campaign[f"{half} {kind}"]:
                pair = SentencePair("campaign", campaign["names"], before, after, contradicts)
                figures.add(contradicts=contradicts, is_held=await is_held(pair))
    print(f"\ncampaigns {half}  {figures}")
    assert figures.caught + figures.missed == 60
    assert figures.precision >= least_precision - 0.005
    assert figures.recall >= least_recall - 0.005
