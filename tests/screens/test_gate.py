"""The canon gate by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views import CommitReport
from stores.errors import CanonConflict
from stores.records.ledger import Verdict
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """The gate of a scene that ends, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        assert table.screen == "GateScreen"
        yield table


async def test_conflicts_come_first_with_diff_evidence_and_what_they_meet(table: Table) -> None:
    assert table.shows("2 accept · 1 wait · 1 in conflict")
    assert table.shows("− The bell hangs in the tower", "+ The bell was moved after the storm")
    assert table.shows("“Drag marks run", "Canon says the bell hangs in the tower.")


async def test_grouped_by_subject_by_kind_and_not_at_all(table: Table) -> None:
    assert table.shows("Mara Venn 1")
    await table.press("g")
    assert table.shows("fact 2")
    await table.press("g")
    assert not table.shows("fact 2")


async def test_filter_narrows_and_escape_widens_again(table: Table) -> None:
    await table.press("slash")
    await table.type("afraid", enter=False)
    assert table.shows("Father Ode is afraid")
    assert not table.shows("The bell was moved")
    await table.press("enter", "r", "escape")
    assert table.shows("The bell was moved")
    assert table.screen == "GateScreen"


async def test_decisions_are_kept_and_taken_back(table: Table, twin: TwinDesk) -> None:
    await table.press("d", "up", "u")
    assert [verdict for _, verdict in twin.called("decide")] == [Verdict.DEFER, None]


async def test_several_are_marked_and_decided_at_once(table: Table, twin: TwinDesk) -> None:
    await table.press("space", "space", "r")
    ids, verdict = twin.called("decide")[0]
    assert (len(ids), verdict) == (2, Verdict.REJECT)


async def test_accept_all_but_the_marked_leaves_conflicts_alone(table: Table, twin: TwinDesk) -> None:
    await table.press("down", "space", "A")
    ids, verdict = twin.called("decide")[0]
    by_id = {p.proposal.id: p.title for p in twin._proposals}
    assert verdict is Verdict.ACCEPT
    assert {by_id[i] for i in ids} == {"Mara Venn: hp 10 → 7", "The Flooded Nave"}


async def test_a_commit_asks_only_about_conflicts(table: Table, twin: TwinDesk) -> None:
    await table.press("enter")
    assert table.screen == "ConfirmScreen"
    assert table.shows("1 of these meets a conflict", "The bell was moved")
    await table.press("escape")
    assert not twin.called("commit")
    await table.press("r", "enter")
    assert table.screen == "OutcomeScreen"


async def test_what_is_canon_now_and_on_to_the_next_scene(table: Table, twin: TwinDesk) -> None:
    await table.press("r", "enter")
    assert table.shows("Canon now says", "✓ Mara Venn: hp 10 → 7", "2 accepted")
    await table.press("enter")
    assert table.screen == "SceneScreen"
    assert table.shows("scene 2")
    assert len(table.app.screen_stack) == 2


async def test_what_failed_is_told_and_stays_to_be_decided(table: Table, twin: TwinDesk) -> None:
    async def half(scene_id: str, only: object = None) -> CommitReport:
        return CommitReport(None, (), (), 0, 0, 0, 0, failed=(("The Flooded Nave", "canon has it already"),))

    twin.commit = half  # type: ignore[method-assign]
    await table.press("r", "enter")
    assert table.shows("Some of it could not be written", "canon has it already", "1 failed")
    await table.press("enter")
    assert table.screen == "GateScreen"


async def test_a_commit_that_is_refused_says_why(table: Table, twin: TwinDesk) -> None:
    twin.fail(
        "commit", CanonConflict("Canon says otherwise.", kept="Your decisions are kept.", todo="Look again.")
    )
    await table.press("r", "enter")
    assert table.screen == "GateScreen"
    assert table.shows("Canon says otherwise.", "Your decisions are kept.", "Look again.")
    await table.press("escape")
    assert not table.shows("Canon says otherwise.")
    assert table.screen == "GateScreen"


async def test_escape_goes_back_to_play_with_every_decision(table: Table, twin: TwinDesk) -> None:
    await table.press("a", "escape")
    assert table.screen == "SceneScreen"
    assert twin.called("reopen_scene")
    assert twin.called("decide")


async def test_a_look_at_the_gate_in_play_reopens_nothing(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3", "escape")
        assert table.screen == "SceneScreen"
        assert not twin.called("reopen_scene")
        await table.press("shift+tab", "g", "r", "enter", "enter")
        assert table.screen == "SceneScreen"  # committed in mid-scene: play goes on
        assert twin.called("commit")


async def test_evidence_opens_the_transcript_at_its_turn(table: Table) -> None:
    await table.press("x")
    assert table.screen == "ReadingScreen"
    assert table.shows("turn 2", "The hinges give")
    await table.press("escape")
    assert table.screen == "GateScreen"


async def test_a_hundred_proposals_on_real_stores(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        for i in range(12):
            await table.type(f"/fact The gull number {i} has one red eye")
        await table.type("/end")
        assert table.shows("accept")
        await table.press("r", "A", "enter")
        assert table.screen == "OutcomeScreen"
        assert table.shows("1 rejected")
        await table.press("enter")
        assert table.shows("scene 2")
