"""Tests what a model is asked, and what waits at the gates, in a story in which every narration changes something."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long_model.changing_story import MATTERS_OF_GATES, SCENES, TURNS_PER_SCENE, play_changing_story

MIN_REUSABLE_SHARE = 0.7
"""The mean share of a prompt that a provider's prefix cache can reuse; it was 0.3 before the history came first."""


@pytest.mark.slow
async def test_prompts_of_a_changing_story_mostly_begin_as_the_ones_before(tmp_path: Path) -> None:
    story = await play_changing_story(tmp_path)
    assert len(story.narrator_prompts) == SCENES * TURNS_PER_SCENE
    assert story.mean_reusable_share() >= MIN_REUSABLE_SHARE
    breaks = [share for share in story.reusable_shares() if share < 0.5]
    assert len(breaks) <= SCENES, "the history loses its beginning at most once a scene"


@pytest.mark.slow
async def test_gates_of_a_changing_story_ask_for_nothing_that_is_over(tmp_path: Path) -> None:
    """Of who had the seal, where Bastien went and what was promised and kept, the last is asked, once."""
    story = await play_changing_story(tmp_path)
    for titles in story.gate_titles:
        for matter in MATTERS_OF_GATES:
            assert sum(matter in title for title in titles) <= 1, (matter, titles)
    first_gate = story.gate_titles[0]
    assert "Kept: Wenna Pike promised: to open the cellar for Mara at low water." in first_gate
    assert "The stamped sacking" in first_gate
