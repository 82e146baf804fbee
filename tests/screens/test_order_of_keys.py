"""Keys that are sent without a pause act in their order: a verdict is stored before what the next key does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual import events

from stores.errors import InputError
from stores.records.workflow import Verdict
from tests.screens.faults import fail_once, hold, record_calls
from tests.screens.gate_story import RAIN, build_gate_story
from tests.screens.ingest_library import reading
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.test_gate import ENEMIES, canon_names, gate_rows, verdicts
from tests.screens.test_ingest import read_rulebook
from widgets.proposal_list import ProposalList

pytestmark = pytest.mark.slow


@pytest.fixture
def gate_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_gate_story)


@pytest.fixture
async def ui(gate_home: Path) -> AsyncIterator[ScreenDriver]:
    """The gate of a scene that ends; the first row contradicts canon."""
    async with started_app(real_services(gate_home, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        assert ui.screen == "GateScreen"
        yield ui


def send(ui: ScreenDriver, *keys: str) -> None:
    """Send keys without a pause, as an automaton does."""
    for key in keys:
        character = {"enter": "\r"}.get(key, key if len(key) == 1 else None)
        ui.app.post_message(events.Key(key, character))


async def canon_statements(ui: ScreenDriver) -> set[str]:
    (universe,) = await ui.services.stories.universes()
    facts = (await ui.services.world.provenance.read_canon_at(universe.id, "now")).facts
    return {view.fact.statement for view in facts}


@pytest.mark.parametrize(("key", "is_canon"), [("a", True), ("r", False), ("d", False)])
async def test_gate_verdict_counts_in_the_commit_of_the_next_key(
    ui: ScreenDriver, key: str, is_canon: bool
) -> None:
    await ui.press("r", "slash")
    await ui.type("rain")
    send(ui, key, "enter")
    await ui.settle()
    assert ui.shows("The filter hides")
    await ui.press("enter")
    assert ui.screen == "CommitReportDialog"
    assert (RAIN in await canon_statements(ui)) is is_canon


async def test_gate_asks_of_no_conflict_that_the_key_before_decided(ui: ScreenDriver) -> None:
    send(ui, "r", "enter")
    await ui.settle()
    assert ui.screen == "CommitReportDialog"
    assert ui.shows("1 rejected")


async def test_gate_asks_of_a_conflict_that_no_key_decided(ui: ScreenDriver) -> None:
    await ui.press("down")
    send(ui, "a", "enter")
    await ui.settle()
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("1 of these is in conflict. Commit the rest?")
    titles = [v.title for v in ui.app.screen_stack[-2].query_one(ProposalList).views if v.mark == "hold"]
    assert titles, "the row is still on the screen below"
    assert ui.shows(f"In conflict: {titles[0].rstrip('.')}"[:40])
    assert await verdicts(ui) == {"Flooded Nave": Verdict.ACCEPT}


async def test_gate_commits_only_when_a_slow_store_has_the_verdict(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, ui.services.gate, "decide", go)
    commits = record_calls(monkeypatch, ui.services.gate, "commit")
    send(ui, "r", "enter")
    for _ in range(5):
        await ui.pilot.pause(0.02)
    assert ui.shows("✗ 2 relation"), "the verdict is shown all the same"
    assert not commits
    go.set()
    await ui.settle()
    assert len(commits) == 1
    assert ui.screen == "CommitReportDialog"


async def test_gate_commits_nothing_behind_a_verdict_that_is_refused(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ui.press("r", "up")
    fail_once(
        monkeypatch, ui.services.gate, "decide", InputError("It is closed.", kept="Nothing was decided.")
    )
    commits = record_calls(monkeypatch, ui.services.gate, "commit")
    send(ui, "a", "enter")
    await ui.settle()
    assert not commits
    assert ui.screen == "GateScreen"
    assert ui.shows("It is closed.", "Nothing was decided.")
    assert await verdicts(ui) == {ENEMIES: Verdict.REJECT}


async def test_gate_verdict_is_stored_though_the_next_key_leaves(ui: ScreenDriver) -> None:
    send(ui, "r", "escape")
    await ui.settle()
    assert ui.screen == "SceneScreen"
    assert await verdicts(ui) == {ENEMIES: Verdict.REJECT}


async def test_gate_undo_takes_back_the_verdict_of_the_key_before(ui: ScreenDriver) -> None:
    await ui.press("r")
    send(ui, "a", "ctrl+z")
    await ui.settle()
    assert await verdicts(ui) == {ENEMIES: Verdict.REJECT}
    assert ui.shows("Undone: Accepted: Flooded Nave")


async def test_play_undo_takes_back_the_verdict_of_the_key_before_and_no_line(gate_home: Path) -> None:
    async with started_app(real_services(gate_home, 8), ROOMY) as ui:
        await ui.press("enter", "f2", "home", "down")
        rows = await gate_rows(ui)
        send(ui, "r", "ctrl+z")
        await ui.settle()
        assert await verdicts(ui) == {}
        assert ui.shows("Undone: Rejected")
        assert (await gate_rows(ui)).keys() == rows.keys()


async def test_review_verdict_on_a_group_counts_in_the_commit_of_the_next_key(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "a")
        names = await canon_names(ui)
        waiting = await reader.program.services.ingest.read_review(await reader.source_id())
        send(ui, "a", "enter")
        await ui.settle()
        review = await reader.program.services.ingest.read_review(await reader.source_id())
        assert review.open_count == review.undecided_count < waiting.undecided_count
        assert await canon_names(ui) > names


@pytest.mark.parametrize("key", ["a", "r", "c"])
async def test_review_commits_the_first_verdict_of_all_with_the_next_key(tmp_path: Path, key: str) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter")
        waiting = await reader.program.services.ingest.read_review(await reader.source_id())
        assert waiting.undecided_count == waiting.open_count
        send(ui, key, "enter")
        await ui.settle()
        review = await reader.program.services.ingest.read_review(await reader.source_id())
        assert review.open_count == review.undecided_count < waiting.undecided_count


async def test_review_commits_the_first_verdict_on_a_row_with_the_next_key(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "right")
        waiting = await reader.program.services.ingest.read_review(await reader.source_id())
        send(ui, "r", "enter")
        await ui.settle()
        review = await reader.program.services.ingest.read_review(await reader.source_id())
        assert review.open_count == review.undecided_count == waiting.undecided_count - 1


@pytest.mark.parametrize("key", ["d", "space", "down"])
async def test_review_commits_nothing_behind_a_key_that_decides_nothing(tmp_path: Path, key: str) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter")
        waiting = await reader.program.services.ingest.read_review(await reader.source_id())
        send(ui, key, "enter")
        await ui.settle()
        review = await reader.program.services.ingest.read_review(await reader.source_id())
        assert review.open_count == waiting.open_count
        assert ui.screen == "ReviewScreen"
        assert not ui.shows("Writing what is accepted")


async def test_review_opens_the_page_of_a_row_with_nothing_decided(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter", "right", "enter")
        assert ui.screen == "PageScreen"


async def test_review_verdict_on_a_group_is_stored_though_the_next_key_leaves(tmp_path: Path) -> None:
    async with reading(tmp_path / "home") as reader:
        ui = reader.ui
        await read_rulebook(reader, tmp_path)
        await ui.press("enter")
        send(ui, "a", "escape")
        await ui.settle()
        assert ui.screen == "SourcesScreen"
        review = await reader.program.services.ingest.read_review(await reader.source_id())
        assert review.undecided_count < review.open_count
