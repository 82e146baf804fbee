"""The shell: opening, closing, errors, events, and nothing heavy before the first frame."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable

import pytest

from agents.events import Notice
from agents.services.services import Services
from monitor_tui.app import MonitorApp
from screens.dialogs.error_dialog import ErrorDialog
from screens.routes import ToMenu, Visit
from stores.errors import LibraryInUse, LibraryUnreadable, MonitorError, StoreFull
from tests.screens.table import Table, seated, twin_desk
from tests.screens.twin import TwinDesk

Opened = tuple[Services, Callable[[], Awaitable[None]]]


def test_nothing_heavy_before_the_first_frame() -> None:
    heavy = (
        "pydantic",
        "agents",
        "stores.records",
        "stores.open",
        "apsw",
        "numpy",
        "statemachine",
        "widgets.transcript",
    )
    code = (
        "import sys, monitor_tui.app as a\n"
        "a.MonitorApp(lambda: None).get_default_screen()\n"
        f"print([m for m in sys.modules if m.startswith({heavy!r})])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


async def test_the_menu_stands_while_the_library_opens() -> None:
    gate = asyncio.Event()
    twin = TwinDesk()

    async def slow() -> Opened:
        await gate.wait()
        return await twin_desk(twin)()

    app = MonitorApp(slow)
    async with app.run_test() as pilot:
        table = Table(app, pilot)
        await pilot.pause()
        assert table.shows("Opening the library", "Start a story", "Quit")
        await pilot.press("1")
        assert table.screen == "MenuScreen"
        gate.set()
        await table.settle()
        assert table.screen == "SetupScreen"  # what was asked for meanwhile comes when it can


@pytest.mark.parametrize(
    "error",
    [
        LibraryInUse(
            "Another MONITOR has this library open.", kept="Nothing was changed.", todo="Close the other one."
        ),
        LibraryUnreadable(
            "This is no library.", kept="The file was left alone.", todo="Choose another with --home."
        ),
        StoreFull("The disk is full.", kept="All that was acknowledged is kept.", todo="Free some space."),
    ],
)
async def test_a_library_that_cannot_be_opened_is_told_calmly(error: MonitorError) -> None:
    twin, failures = TwinDesk(), [error]

    async def refused_once() -> Opened:
        if failures:
            raise failures.pop()
        return await twin_desk(twin)()

    async with seated(refused_once, (80, 24)) as table:
        assert table.screen == "ErrorDialog"
        assert table.shows(error.what, error.kept, error.todo, "Try again", "Quit")
        assert not table.shows("⏎ Close")  # nothing to go on to
        await table.press("escape")
        assert table.screen == "ErrorDialog"
        await table.press("r")
        assert table.screen == "MenuScreen"
        assert table.shows("The Drowned Bell")


async def test_a_library_that_cannot_be_opened_can_be_left() -> None:
    async def refused() -> Opened:
        raise LibraryInUse("Another MONITOR has this library open.")

    async with seated(refused) as table:
        await table.press("q")
        assert table.app.return_code == 1


async def test_a_fault_of_the_program_is_no_traceback() -> None:
    twin = TwinDesk()
    twin.fail("stories", ZeroDivisionError("a bug"))
    async with seated(twin_desk(twin)) as table:
        await table.press("2")
        assert table.screen == "ErrorDialog"
        assert table.shows("MONITOR itself failed", "ZeroDivisionError", "is in the library")
        await table.press("enter")
        assert table.screen == "StoriesScreen"


async def test_quitting_suspends_the_story_and_closes_the_library() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("enter")
        assert table.screen == "SceneScreen"
        await table.press("ctrl+q")
        assert table.app.return_code == 0
    names = [name for name, _ in twin.calls]
    assert names[-2:] == ["suspend", "close"]


async def test_what_cannot_be_suspended_is_said_on_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("enter")
        twin.fail("suspend", StoreFull("The disk is full.", kept="Your turns are kept."))
        await table.press("ctrl+q")
        assert table.app.return_code == 1
    assert ("close", ()) in twin.calls


async def test_events_may_come_from_any_thread() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("enter")
        thread = threading.Thread(target=twin.events.publish, args=(Notice("The index is being rebuilt."),))
        thread.start()
        thread.join()
        await table.settle()
        assert table.shows("The index is being rebuilt.")


async def test_going_home_from_anywhere_leaves_only_the_menu() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin)) as table:
        await table.press("enter", "f3", "question_mark")
        assert table.screen == "HelpScreen"
        table.app.post_message(Visit(ToMenu()))
        await table.settle()
        assert [type(s).__name__ for s in table.app.screen_stack] == ["MenuScreen"]
        assert twin.called("suspend")


async def test_demo_opens_the_sample_at_once() -> None:
    twin = TwinDesk(sample=False, story=False)
    async with seated(twin_desk(twin), first="demo") as table:
        assert table.screen == "SceneScreen"
        assert twin.called("add_sample")
    again = TwinDesk()
    async with seated(twin_desk(again), first="demo") as table:
        assert table.screen == "SceneScreen"
        assert again.called("resume")
        assert not again.called("start_story")


async def test_errors_can_be_retried_or_closed_but_not_both() -> None:
    assert not ErrorDialog("t", ValueError(), is_fatal=True).check_action("answer", ("close",))
    assert ErrorDialog("t", ValueError(), is_fatal=True).check_action("answer", ("quit",))
    assert ErrorDialog("t", ValueError()).check_action("answer", ("close",))
