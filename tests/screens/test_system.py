"""System by keyboard: what is shown of stores and background, and what was given up tried again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.events import BackgroundProgressed
from agents.jobs.job_status import BackgroundView
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, JobState, derive_job_id
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk

SCENE = "scene-1"


def given_up(error: str = "OSError: the [bold]disk[/] is gone\x1b[31m") -> Job:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Job(
        id=derive_job_id(JobKind.INDEX, SCENE),
        kind=JobKind.INDEX,
        subject_id=SCENE,
        universe_id="u",
        state=JobState.POISONED,
        attempts=5,
        error=error,
        due=now,
        updated_at=now,
    )


@pytest.fixture
def twin() -> TwinDesk:
    twin = TwinDesk()
    twin.background.view = BackgroundView(
        items_left=1_240,
        current_work="indexing",
        rows=(
            ("words", "up to date"),
            ("meaning", "1,240 to do"),
            ("embedding model", "all-MiniLM-L6-v2-int8"),
        ),
        poisoned=(given_up(),),
        names={SCENE: "scene 1 “The ford”"},
    )
    return twin


@pytest.fixture(params=[NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)], ids=["80x24", "120x40"])
async def table(twin: TwinDesk, request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    async with seated(twin_desk(twin), request.param) as table:
        await table.press("7")
        yield table


async def test_shows_how_all_stands(table: Table, twin: TwinDesk) -> None:
    assert table.screen == "SystemScreen"
    assert table.shows("indexing 1,240", "Stores", "✓", "Behind play", "meaning 1,240 to do")
    assert table.shows(
        "Given up", "Words of scene 1 “The ford”", "tried 5 times: OSError: the [bold]disk[/] is gone"
    )
    assert ("enter", ("system",)) in [(name, tuple(map(str, args))) for name, args in twin.calls]
    await table.press("escape")
    assert table.screen == "MenuScreen"


async def test_what_was_given_up_is_tried_again(table: Table, twin: TwinDesk) -> None:
    assert table.shows("▸")
    await table.press("r")
    assert twin.background.retried == [given_up().id]
    twin.background.view = replace(twin.background.view, items_left=0, current_work="", poisoned=())
    twin.events.publish(BackgroundProgressed(0))
    await table.settle()
    assert not table.shows("Given up")
    assert not table.shows("indexing")


async def test_a_refusal_is_told_beside(table: Table, twin: TwinDesk) -> None:
    async def refuses(job_id: Id) -> None:
        raise InputError("That job waits for nobody any more.", kept="Nothing was changed.")

    twin.background.retry = refuses  # type: ignore[method-assign]
    await table.press("r")
    assert table.shows("That job waits for nobody any more.", "Nothing was changed.")
    await table.press("escape")
    assert table.screen == "SystemScreen"


async def test_the_backlog_stands_in_the_scenes_header_while_there_is_one(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter")
        assert table.shows("indexing 1,240")
        before = table.text
        twin.events.publish(BackgroundProgressed(0))
        await table.settle()
        assert "indexing" not in table.text
        twin.events.publish(BackgroundProgressed(1_240, "indexing"))
        await table.settle()
        assert table.text == before


async def test_on_the_real_desk_nothing_is_amiss(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await table.press("7")
        assert table.shows("words up to date", "embedding model asleep")
        await table.press("b")
        assert table.screen == "BillScreen"
        await table.press("escape", "escape")
        assert table.screen == "MenuScreen"
