"""Manual edits from one end to the other: staged on one screen, accepted at the gate, seen on the card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.archive import import_campaign
from tests.screens.screen_driver import ROOMY, Table, real_desk, seated
from tests.program import opened
from widgets.entity_card import EntityCardView

pytestmark = pytest.mark.slow


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    """The sample world, its first scene left behind, on the card of Wenna Pike."""
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/check 2d6+9 vs 2; success: Wenna.hp -2")
        await table.type("> Wenna Pike takes the blow.")
        await table.type("/npc Wenna Pyke: a girl at the inn")
        await table.type("/commit")
        await to_wenna(table)
        yield table


async def to_wenna(table: Table) -> None:
    await table.press("escape")
    if table.screen == "SceneScreen":
        await table.press("escape")
    await table.press("enter", "3", "slash")
    await table.type("wenna pike")
    assert table.shows("Keeper of the Slack Tide.")


async def commit(table: Table) -> None:
    """Accept all that waits at the universe's gate, and come back."""
    await table.press("g")
    assert table.screen == "GateScreen"
    await table.press("A", "enter")
    assert table.screen == "CommitReportDialog"
    await table.press("enter")
    assert table.screen != "GateScreen"


async def test_manual_edit_passes_the_gate_and_shows_on_the_card(table: Table) -> None:
    await table.press("L")
    assert table.shows("Proposed: Protect Wenna Pike from changes", "1 waits at the gate: g")
    await commit(table)
    assert table.shows("character · protected", "Wenna Pike ⊘")
    assert not table.shows("waits at the gate")


async def test_retcon_passes_the_gate_and_is_restored(table: Table) -> None:
    await table.press("tab", "R")
    assert table.shows("Never true:", "What changes 1")
    await table.press("enter")
    assert table.shows("Proposed, not in canon yet 1")
    await commit(table)
    assert table.shows("retconned")
    await table.press("b")
    assert table.shows("Removed", "Facts 1")
    await table.press("R")
    assert table.shows("True again:", "never true → true")
    await table.press("enter")
    await commit(table)
    assert table.shows("Nothing was removed.")


async def test_evidence_leads_from_a_roll_to_its_fact_and_back(table: Table) -> None:
    await table.press("tab", "home")
    card = table.app.screen.query_one(EntityCardView)
    while card.current is None or card.current.fact.fact.predicate != "hp":
        await table.press("down")
    await table.press("x")
    assert table.shows("⚄ roll", "2d6+9", "for “", "❝ quote", "turn")
    await table.press("x")
    assert table.screen == "ReadingScreen"
    await table.press("x")
    assert table.screen == "TurnTraceDialog"
    assert table.shows("What it made true", "★ Wenna Pike's HP is 7.")
    await table.press("enter")
    assert table.screen == "UniverseScreen"
    card = table.app.screen.query_one(EntityCardView)
    assert card.has_focus
    assert card.current is not None
    assert card.current.fact.fact.statement == "Wenna Pike's HP is 7."


async def test_merge_passes_the_gate_and_is_split(table: Table) -> None:
    await table.press("m")
    assert table.shows("Wenna Pyke", "% similar")
    await table.press("enter")
    assert table.shows("Wenna Pyke is Wenna Pike", "would also be called")
    await table.press("enter")
    await commit(table)
    assert table.shows("Merged into Wenna Pike before 1", "Wenna Pyke")
    await table.press("enter", "enter")
    assert table.shows("True again: Wenna Pyke (character)")
    await commit(table)
    assert table.shows("Wenna Pyke", "% similar")
    assert not table.shows("Merged into")


async def test_universe_export_can_be_imported_elsewhere(table: Table, tmp_path: Path) -> None:
    await table.press("X")
    assert table.shows("Exported to")
    (archive,) = (tmp_path / "exports").iterdir()
    assert archive.name == "2026-01-01-salt-coast.monitor.zip"
    async with opened(tmp_path / "elsewhere") as other:
        assert (await import_campaign(other.stores, archive)).name == "Salt Coast"
        (universe,) = await other.services.stories.universes()
        assert [e.name for e in await other.services.world.list_entities(universe.id, "pyke")] == [
            "Wenna Pyke"
        ]
