"""What a command proposes against canon or an open row is said where narration says it, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.screen_driver import ROOMY, real_services, started_app
from tests.screens.scripted_llm import start_sample_story

CONFLICT = "⚠ Canon says “Wenna Pike and Ivo Tarrant are allies.”"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("> Wenna Pike is an enemy of Ivo Tarrant.", CONFLICT),
        ("/fact Wenna Pike enemy_of Ivo Tarrant", CONFLICT),
        ("/secret Wenna Pike: Wenna Pike enemy_of Ivo Tarrant", CONFLICT),
        ("/npc Gil Oakum: a man of that name", "⚠ There is a character called Gil Oakum already."),
        ("/state Gil.alive = true", "⚠ Canon says “Gil Oakum died.”"),
    ],
)
async def test_command_says_what_it_conflicts_with(sample_home: Path, line: str, words: str) -> None:
    async with started_app(real_services(sample_home, 8), ROOMY) as ui:
        await start_sample_story(
            ui.services,
            "/fact Wenna Pike ally_of Ivo Tarrant",
            "/fact Gil Oakum is dead",
            "/commit",
            "I wait.",
        )
        await ui.press("2", "enter")
        await ui.type(line)
        assert ui.shows(words)
