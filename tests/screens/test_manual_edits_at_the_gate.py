"""Manual edits from one end to the other: staged on one screen, accepted at the gate, seen on the card."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.archive import import_campaign
from tests.outside_client import chatting
from tests.program import opened
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.entity_card import EntityCardView

pytestmark = pytest.mark.slow


@pytest.fixture
async def ui(tmp_path: Path) -> AsyncIterator[ScreenDriver]:
    """The sample world, its first scene left behind, on the card of Wenna Pike."""
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("I throw the knife at Wenna.")
        await ui.type("/check 2d6+9 vs 2; success: Wenna.hp -2")
        await ui.type("> Wenna Pike takes the blow.")
        await ui.type("/npc Wenna Pyke: a girl at the inn")
        await ui.type("/commit")
        await to_wenna(ui)
        yield ui


async def to_wenna(ui: ScreenDriver) -> None:
    await ui.press("escape")
    if ui.screen == "SceneScreen":
        await ui.press("escape")
    await ui.press("enter", "3", "slash")
    await ui.type("wenna pike")
    assert ui.shows("Keeper of the Slack Tide.")


async def commit(ui: ScreenDriver) -> None:
    """Accept all that waits at the universe's gate, and come back."""
    await ui.press("g")
    assert ui.screen == "GateScreen"
    await ui.press("A", "enter")
    assert ui.screen == "CommitReportDialog"
    await ui.press("enter")
    assert ui.screen != "GateScreen"


async def test_manual_edit_passes_the_gate_and_shows_on_the_card(ui: ScreenDriver) -> None:
    await ui.press("L")
    assert ui.shows("Proposed: Protect Wenna Pike from changes", "1 waits at the gate: g")
    await commit(ui)
    assert ui.shows("character · protected", "Wenna Pike ⊘")
    assert not ui.shows("waits at the gate")


async def test_merge_is_reported_as_a_change_that_takes_nothing(ui: ScreenDriver) -> None:
    await ui.press("m", "enter", "enter", "escape", "g", "A", "enter")
    assert ui.screen == "CommitReportDialog"
    assert ui.shows("~ Wenna Pyke is Wenna Pike")


async def test_dead_are_marked_in_the_list_of_the_universe(ui: ScreenDriver) -> None:
    await ui.press("escape", "slash")
    await ui.type("tam marrow")
    assert ui.shows("Tam Marrow †")
    await ui.press("slash")
    await ui.type("wenna pike")
    assert not ui.shows("Wenna Pike †")


async def test_protecting_a_fact_says_that_it_protects_whom_it_is_about(ui: ScreenDriver) -> None:
    await ui.press("tab", "L")
    assert ui.shows("A fact alone cannot be protected.", "L in the list of names protects Wenna Pike")
    assert not ui.shows("waits at the gate")


async def test_rename_taken_back_at_the_gate_leaves_canon_as_it_was(ui: ScreenDriver) -> None:
    await ui.press("e")
    await ui.type(" of Harl")
    await commit(ui)
    assert ui.shows("Wenna Pike is called Wenna Pike of Harl.")
    await ui.press("g", "u", "enter")
    assert ui.shows("Taken back: Wenna Pike is called Wenna Pike of Harl. The next commit writes it.")
    await ui.press("enter", "enter")
    assert ui.screen == "UniverseScreen"
    assert ui.shows("Facts 3", "× Wenna Pike is called Wenna Pike of Harl. retconned")
    assert ui.text.count("is called") == 1
    await ui.press("g")
    assert ui.shows("Wenna Pike is called Wenna Pike of Harl", "Taken back: Wenna Pike is called")


async def test_retcon_passes_the_gate_and_is_restored(ui: ScreenDriver) -> None:
    await ui.press("tab", "R")
    assert ui.shows("Never true:", "What changes 1")
    await ui.press("enter")
    assert ui.shows("Proposed, not in canon yet 1")
    await commit(ui)
    assert ui.shows("retconned")
    await ui.press("Z")
    assert ui.shows("Removed", "Facts 1")
    await ui.press("R")
    assert ui.shows("True again:", "never true → true")
    await ui.press("enter")
    await commit(ui)
    assert ui.shows("Nothing was removed.")


async def test_evidence_leads_from_a_roll_to_its_fact_and_back(ui: ScreenDriver) -> None:
    await ui.press("tab", "home")
    card = ui.app.screen.query_one(EntityCardView)
    while card.current is None or card.current.fact.fact.predicate != "hp":
        await ui.press("down")
    await ui.press("x")
    assert ui.shows("⚄ roll", "2d6+9", "for “", "❝ quote", "turn")
    await ui.press("x")
    assert ui.screen == "ReadingScreen"
    await ui.press("x")
    assert ui.screen == "TurnTraceDialog"
    assert ui.shows("What came of it", "★ Wenna Pike's HP is 7.")
    await ui.press("enter")
    assert ui.screen == "UniverseScreen"
    card = ui.app.screen.query_one(EntityCardView)
    assert card.has_focus
    assert card.current is not None
    assert card.current.fact.fact.statement == "Wenna Pike's HP is 7."


async def test_merge_passes_the_gate_and_is_split(ui: ScreenDriver) -> None:
    await ui.press("m")
    assert ui.shows("Wenna Pyke", "% similar")
    await ui.press("enter")
    assert ui.shows("Wenna Pyke is Wenna Pike", "would also be called")
    await ui.press("enter")
    await commit(ui)
    assert ui.shows("Merged into Wenna Pike before 1", "Wenna Pyke")
    await ui.press("enter", "enter")
    assert ui.shows("True again: Wenna Pyke (character)")
    await commit(ui)
    assert ui.shows("Wenna Pyke", "% similar")
    assert not ui.shows("Merged into")


async def test_universe_export_can_be_imported_elsewhere(ui: ScreenDriver, tmp_path: Path) -> None:
    await ui.press("X", "enter")
    assert ui.shows("Exported to")
    (archive,) = (tmp_path / "exports").iterdir()
    assert archive.name == "2026-01-01-salt-coast.monitor.zip"
    async with opened(tmp_path / "elsewhere") as other:
        assert (await import_campaign(other.stores, archive)).name == "Salt Coast"
        (universe,) = await other.services.stories.universes()
        assert [e.name for e in await other.services.world.list_entities(universe.id, "pyke")] == [
            "Wenna Pyke"
        ]


async def test_what_a_chat_client_proposes_is_true_once_the_player_accepts_it(
    ui: ScreenDriver, tmp_path: Path
) -> None:
    """In a player's words: it says who wants it, and Enter alone does not make it so."""
    async with chatting(tmp_path, universe="Salt Coast") as chat:
        await chat.call("propose_fact", statement="Wenna Pike has a wooden leg", reason="It creaks.")
    await ui.services.outside.take_in()
    await ui.settle()
    assert "A chat client proposes a change in Salt Coast." in list(ui.app._notifications)[-1].message
    assert ui.shows("1 waits at the gate")
    await ui.press("g")
    assert ui.shows("The chat client “mcp”", "It creaks", "From a chat client"), ui.text
    await ui.press("enter")
    assert ui.shows("1 left open: 1 not decided"), ui.text
    await ui.press("enter")
    if ui.screen != "GateScreen":
        await ui.press("g")
    assert not ui.shows("in canon"), ui
    await ui.press("a", "enter")
    assert ui.screen == "CommitReportDialog"
    await ui.press("enter")
    assert ui.shows("Wenna Pike has a wooden leg.")
    assert not ui.shows("waits at the gate")
