"""What came of a scene, by keyboard: one sentence is one fact, and rests on the lines that say it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app

LINES = (
    "I sit down with Wenna at the fire.",
    "> Gil Oakum lies under the sledge. He is dead.",
    "> Wenna pours two cups.",
    "/state Mara.hp -2",
    "I walk out.",
    "> The rain is cold.",
)
OUTCOME = "Wenna Pike is safe in the Slack Tide, and the debt is paid."


@pytest.fixture
async def ui(played_home: Path) -> AsyncIterator[ScreenDriver]:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/reject all")
        for line in LINES:
            await ui.type(line)
        yield ui


async def commit_and_export(ui: ScreenDriver) -> str:
    """Write the scene at the gate to canon, export the story from the prompt, and return the file's text."""
    await ui.press("A", "enter")
    while ui.screen != "SceneScreen":
        await ui.press("enter")
    await ui.type("/export")
    return read_export()


def read_export() -> str:
    (path,) = Path("home/exports").glob("*.md")
    return path.read_text(encoding="utf-8")


@pytest.mark.slow
async def test_outcome_of_a_death_is_one_fact_and_rests_on_the_line_that_tells_of_it(
    ui: ScreenDriver,
) -> None:
    await ui.type("/end Gil Oakum is dead.")
    assert ui.screen == "GateScreen"
    card = (await ui.services.stories.stories())[0]
    assert card.scene is not None
    rows = (await ui.services.gate.gate(card.scene.id)).proposals
    assert [row.label for row in rows if row.title == "Gil Oakum is dead." and row.status == "pending"] == [
        "state"
    ]
    text = await commit_and_export(ui)
    (footnote,) = (
        line
        for line in text.splitlines()
        if line.startswith("[^") and ("Gil Oakum is dead. *(" in line or "Gil Oakum died. *(" in line)
    )
    assert "Gil Oakum lies under the sledge" in footnote
    assert "two cups" not in footnote
    assert "rain" not in footnote


@pytest.mark.slow
async def test_outcome_carries_no_mark_of_a_number_that_changed_in_the_scene(ui: ScreenDriver) -> None:
    await ui.type(f"/end {OUTCOME}")
    text = await commit_and_export(ui)
    lines = text.splitlines()
    (outcome,) = (line for line in lines if line.startswith("**Outcome:**") and "debt is paid" in line)
    assert outcome.count("[^") == 1
    (footnote,) = (line for line in lines if line.startswith("[^") and "the debt is paid." in line)
    assert footnote.endswith(f"Rests on “{OUTCOME}”, declared after scene 1, turn 15.")
    (hp_footnote,) = (line for line in lines if line.startswith("[^") and "HP is 8" in line)
    assert "“Mara.hp -2”" in hp_footnote
