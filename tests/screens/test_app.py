"""The shell: opening, closing, errors, events, and nothing heavy before the first frame."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events

from agents.events import Notice
from agents.services.services import Services
from monitor_tui.app import MonitorApp, ShowMenu
from screens import navigation
from screens.base import ServiceScreen
from screens.dialogs.error_dialog import ErrorDialog
from screens.navigation import ScreenEntry
from screens.routes import ToMenu, Visit
from stores.errors import LibraryInUse, LibraryUnreadable, MonitorError, StoreFull
from tests.screens.faults import fail_once, record_calls
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt

Opened = tuple[Services, Callable[[], Awaitable[None]]]


def test_app_imports_nothing_heavy_before_the_first_frame() -> None:
    heavy = (
        "pydantic",
        "agents",
        "stores.records",
        "stores.open",
        "apsw",
        "numpy",
        "statemachine",
        "widgets.transcript",
        "typer",
        "monitor_tui.cli.app",
    )
    code = (
        "import sys, monitor_tui.cli, monitor_tui.app as a\n"
        "a.MonitorApp(lambda: None).get_default_screen()\n"
        f"print([m for m in sys.modules if m.startswith({heavy!r})])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_menu_is_filled_without_what_play_needs() -> None:
    heavy = (
        "agents.canon_keeper.canon_snapshot",
        "agents.canon_keeper.sentences",
        "agents.events",
        "agents.resolver.dice",
        "apsw.ext",
        "monitor_tui.daily_backup",
        "numpy",
        "pydantic_settings",
        "rapidfuzz",
        "statemachine",
        "yaml",
    )
    code = (
        "import sys, importlib\n"
        "from monitor_tui.program_start import MODULES_OF_MENU\n"
        "for name in MODULES_OF_MENU: importlib.import_module(name)\n"
        f"print([m for m in sys.modules if m.startswith({heavy!r})])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_program_opens_and_shows_every_screen_without_comparing_spellings() -> None:
    """That takes three megabytes, which nothing needs but a misspelt word or a likeness."""
    code = (
        "import sys, monitor_tui.app, monitor_tui.compose_services, screens.navigation\n"
        "screens.navigation.import_screens()\n"
        "print([m for m in sys.modules if m.startswith('rapidfuzz')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


async def test_app_shows_the_menu_while_the_library_opens(played_home: Path) -> None:
    gate = asyncio.Event()

    async def open_late(show_menu: ShowMenu) -> Opened:
        await gate.wait()
        return await real_services(played_home, 8)(show_menu)

    app = MonitorApp(open_late)
    async with app.run_test() as pilot:
        ui = ScreenDriver(app, pilot)
        await pilot.pause()
        assert ui.shows("Opening the library", "Start a story", "Quit")
        await pilot.press("1")
        assert ui.screen == "OpeningScreen"
        gate.set()
        await ui.settle()
        assert ui.screen == "SetupScreen"  # what was asked for meanwhile comes when it can


@asynccontextmanager
async def menu_over_a_late_library(
    home: Path, *, is_filled: bool = False
) -> AsyncIterator[tuple[ScreenDriver, asyncio.Event]]:
    """The menu, and the event that lets the library open; `is_filled`: only the services are not built yet."""
    may_open = asyncio.Event()

    async def open_late(show_menu: ShowMenu) -> Opened:
        if not is_filled:
            await may_open.wait()
        opened = await real_services(home, 8)(show_menu)
        await may_open.wait()
        return opened

    app = MonitorApp(open_late)
    async with app.run_test(size=ROOMY) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.until("storage OK" if is_filled else "Opening the library")
        await pilot.pause()  # the list of modes is laid out again after its words are there
        yield ui, may_open


@pytest.mark.slow
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "opening"])
@pytest.mark.parametrize("has_story", [True, False], ids=["story", "empty"])
async def test_app_enter_on_the_menu_means_the_same_before_the_library_is_open(
    tmp_path: Path, played_home: Path, has_story: bool, is_filled: bool
) -> None:
    home = played_home if has_story else tmp_path
    async with menu_over_a_late_library(home, is_filled=is_filled) as (ui, may_open):
        await ui.pilot.press("enter")
        assert ui.screen == ("OpeningScreen" if is_filled else "MenuScreen")
        may_open.set()
        await ui.settle()
        assert ui.screen == ("SceneScreen" if has_story else "SetupScreen")


KEYS_INTO_THE_SCENE = (
    (("f8",), "QueryScreen"),
    pytest.param(("f3",), "GateScreen", marks=pytest.mark.slow),
    pytest.param(("f5",), "SheetScreen", marks=pytest.mark.slow),
    (("enter", "enter", "f8"), "QueryScreen"),
)
"""Keys that are pressed after Enter on the story, and the screen to which they lead."""


@pytest.mark.slow
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "opening"])
@pytest.mark.parametrize(("keys", "screen"), KEYS_INTO_THE_SCENE)
async def test_app_keys_after_enter_on_the_story_wait_for_a_library_that_opens(
    played_home: Path, keys: tuple[str, ...], screen: str, is_filled: bool
) -> None:
    async with menu_over_a_late_library(played_home, is_filled=is_filled) as (ui, may_open):
        await ui.pilot.press("enter", *keys)
        assert ui.screen == ("OpeningScreen" if is_filled else "MenuScreen")
        may_open.set()
        await ui.settle()
        assert ui.screen == screen


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "screen"), KEYS_INTO_THE_SCENE)
async def test_app_keys_at_once_after_enter_on_the_story_act_in_the_scene(
    played_home: Path, keys: tuple[str, ...], screen: str
) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        for key in ("enter", *keys):
            ui.app.post_message(events.Key(key, None))
        await ui.settle()
        assert ui.screen == screen


MENU_KEYS = {
    "1": "Start a story",
    "2": "Continue a story",
    "3": "Universe",
    "4": "Characters",
    "5": "Documents",
    "6": "Query",
    "7": "System",
    "M": "Model",
    "b": "Bill",
    "question_mark": "Help",
}
"""The keys of the menu, and how the screen begins to which each leads."""


@pytest.mark.parametrize(
    ("key", "title"),
    [
        pytest.param(key, title, marks=() if key == "3" else pytest.mark.slow)
        for key, title in MENU_KEYS.items()
    ],
)
async def test_app_shows_where_a_key_leads_before_the_library_is_open(
    played_home: Path, key: str, title: str
) -> None:
    async with menu_over_a_late_library(played_home, is_filled=True) as (ui, may_open):
        await ui.pilot.press(key)
        assert ui.screen == "OpeningScreen"
        title_row = ui.text.splitlines()[0]
        assert title_row.strip() == title
        may_open.set()
        await ui.settle()
        assert ui.text.splitlines()[0].strip().startswith(title), "its title stays where it was"
        await ui.press("escape")
        assert ui.screen == "MenuScreen"


async def test_app_escape_before_the_library_is_open_leads_back_at_once(played_home: Path) -> None:
    async with menu_over_a_late_library(played_home) as (ui, may_open):
        await ui.pilot.press("4")
        assert ui.screen == "OpeningScreen"
        await ui.pilot.press("escape")
        assert ui.screen == "MenuScreen"
        await ui.pilot.press("3")
        assert ui.screen == "OpeningScreen"
        may_open.set()
        await ui.settle()
        assert ui.screen == "UniverseScreen"


async def test_app_escape_leads_back_while_the_library_is_tried_again(played_home: Path) -> None:
    may_go_on = [asyncio.Event(), asyncio.Event()]

    async def refuse_twice(show_menu: ShowMenu) -> Opened:
        await may_go_on.pop(0).wait()
        raise LibraryInUse("Another MONITOR has this library open.")

    app = MonitorApp(refuse_twice)
    first, second = may_go_on
    async with app.run_test(size=ROOMY) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.until("Opening the library")
        await pilot.press("4")
        first.set()
        await ui.until("Try again")
        await pilot.press("r")
        await pilot.pause()
        assert ui.screen == "OpeningScreen"
        await pilot.press("escape")
        assert ui.screen == "MenuScreen"
        second.set()
        await ui.until("Try again")


@pytest.mark.slow
async def test_app_escape_behind_other_keys_waits_for_the_screen_that_comes(played_home: Path) -> None:
    async with menu_over_a_late_library(played_home, is_filled=True) as (ui, may_open):
        await ui.pilot.press("3", "j", "escape")
        assert ui.screen == "OpeningScreen"
        may_open.set()
        await ui.settle()
        assert ui.screen == "MenuScreen"


async def test_app_loads_the_screen_of_a_key_beside_the_frames(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_load = threading.Event()
    load_class = navigation.screen_class

    def load_late(entry: ScreenEntry) -> type[ServiceScreen[None]]:
        may_load.wait(30)
        return load_class(entry)

    async with started_app(real_services(played_home, 8)) as ui:
        monkeypatch.setattr(navigation, "is_loaded", lambda route: may_load.is_set())
        monkeypatch.setattr(navigation, "screen_class", load_late)
        await ui.pilot.press("3", "slash")
        assert ui.shows("Universe", "Opening …")
        may_load.set()
        await ui.until("Mara Venn")
        await ui.settle()
        assert ui.app.focused is not None
        assert ui.app.focused.id == "search", "the key after it waited for the screen"


@pytest.mark.slow
async def test_app_words_at_once_after_enter_on_the_story_are_typed_in_the_scene(played_home: Path) -> None:
    async with menu_over_a_late_library(played_home) as (ui, may_open):
        await ui.pilot.press("enter", *"qb1")
        may_open.set()
        await ui.settle()
        assert ui.screen == "SceneScreen"
        assert ui.app.screen.query_one(PlayPrompt).text == "qb1"


@pytest.mark.slow
async def test_app_keys_before_enter_on_the_story_are_for_the_menu(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("f8", "enter")
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
@pytest.mark.parametrize("is_filled", [True, False], ids=["filled", "opening"])
async def test_app_keeps_the_row_that_was_chosen_while_the_library_opens(
    played_home: Path, is_filled: bool
) -> None:
    async with menu_over_a_late_library(played_home, is_filled=is_filled) as (ui, may_open):
        await ui.pilot.press(
            "down", "down", *(["down"] if is_filled else [])
        )  # the card of the story is a row
        may_open.set()
        await ui.settle()
        await ui.press("enter")
        assert ui.screen == "UniverseScreen"


async def test_app_fills_the_menu_before_the_services_are_built(played_home: Path) -> None:
    async with menu_over_a_late_library(played_home, is_filled=True) as (ui, may_open):
        assert ui.app._services is None
        early_text = ui.text
        assert ui.shows("The Drowned Bell", "1 universe", "storage OK")
        may_open.set()
        await ui.settle()
        assert ui.app._services is not None
        assert ui.text == early_text, "nothing moves under the finger"


def test_app_menu_is_read_with_a_small_part_of_the_program() -> None:
    code = (
        "import sys, monitor_tui.compose, agents.services.menu\n"
        "print([m for m in sys.modules if m.startswith(('agents.llm', 'agents.importers', 'agents.narrator',"
        " 'agents.personas', 'agents.search', 'agents.indexer', 'agents.jobs', 'monitor_tui.compose_services'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.slow
def test_app_compiles_no_phrase_pattern_for_the_menu() -> None:
    """They are 3 MB and a tenth of a second, which nothing but play needs."""
    code = (
        "import monitor_tui.compose_services, screens.navigation as navigation\n"
        "from agents.prose.phrases import PhrasePattern\n"
        "import gc\n"
        "navigation.import_screens()\n"
        "patterns = [p for p in gc.get_objects() if isinstance(p, PhrasePattern)]\n"
        "print(len(patterns) > 30, [p for p in patterns if 'compiled' in vars(p)])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "True []"


@pytest.mark.slow
def test_app_loads_what_reads_files_with_the_first_import() -> None:
    code = (
        "import sys, monitor_tui.compose_services, screens.navigation as navigation\n"
        "navigation.import_screens()\n"
        "readers = ('log_reading', 'lonelog', 'importer', 'cards.card_importer', 'log_process', 'tag_proposer')\n"
        "print([m for m in readers if f'agents.importers.{m}' in sys.modules],"
        " [m for m in ('json_repair', 'numpy', 'litellm', 'langgraph', 'opentelemetry', 'prometheus_client')"
        " if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] []"


async def test_app_keys_act_before_the_other_screens_are_loaded(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_load = threading.Event()
    monkeypatch.setattr(navigation, "import_screens", lambda: may_load.wait(30))
    app = MonitorApp(real_services(played_home, 8))
    async with app.run_test(size=ROOMY) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.until("The Drowned Bell", "1 universe")
        await pilot.press("3")
        await ui.until("Mara Venn")
        assert ui.screen == "UniverseScreen"
        may_load.set()


@pytest.mark.slow
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
async def test_app_shows_why_a_library_cannot_be_opened(played_home: Path, error: MonitorError) -> None:
    failures = [error]

    async def refuse_once(show_menu: ShowMenu | None = None) -> Opened:
        if failures:
            raise failures.pop()
        return await real_services(played_home, 8)(show_menu)

    async with started_app(refuse_once, (80, 24)) as ui:
        assert ui.screen == "ErrorDialog"
        assert ui.shows(error.what, error.kept, error.todo, "Try again", "Quit")
        assert not ui.shows("⏎ Close")  # nothing to go on to
        await ui.press("escape")
        assert ui.screen == "ErrorDialog"
        await ui.press("r")
        assert ui.screen == "MenuScreen"
        assert ui.shows("The Drowned Bell")


@pytest.mark.slow
async def test_app_key_before_the_library_cannot_be_opened_leads_on_after_another_try(
    played_home: Path,
) -> None:
    may_fail, failures = asyncio.Event(), [LibraryInUse("Another MONITOR has this library open.")]

    async def refuse_once(show_menu: ShowMenu) -> Opened:
        if failures:
            await may_fail.wait()
            raise failures.pop()
        return await real_services(played_home, 8)(show_menu)

    app = MonitorApp(refuse_once)
    async with app.run_test(size=ROOMY) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.until("Opening the library")
        await pilot.press("3")
        assert ui.screen == "OpeningScreen"
        may_fail.set()
        await ui.until("Try again")
        await ui.press("r")
        assert ui.screen == "UniverseScreen"
        await ui.press("escape")
        assert ui.screen == "MenuScreen"
        assert len(app.screen_stack) == 1, "nothing is left under it"


async def test_app_can_be_left_when_the_library_cannot_be_opened() -> None:
    async def refuse(show_menu: ShowMenu | None = None) -> Opened:
        raise LibraryInUse("Another MONITOR has this library open.")

    async with started_app(refuse) as ui:
        await ui.press("q")
        assert ui.app.return_code == 1


async def test_app_shows_no_traceback_for_a_bug(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        fail_once(monkeypatch, ui.services.stories, "stories", ZeroDivisionError("a bug"))
        await ui.press("2")
        assert ui.screen == "ErrorDialog"
        assert ui.shows("MONITOR itself failed", "ZeroDivisionError", "is in the library")
        await ui.press("enter")
        assert ui.screen == "StoriesScreen"


class Library:
    """A library that says whether it was closed."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.closed = 0

    async def open(self, show_menu: ShowMenu | None = None) -> Opened:
        services, close = await real_services(self._home, 8)(show_menu)

        async def count_and_close() -> None:
            self.closed += 1
            await close()

        return services, count_and_close


@pytest.mark.slow
async def test_app_suspends_the_story_and_closes_the_library_on_quit(played_home: Path) -> None:
    library = Library(played_home)
    async with started_app(library.open) as ui:
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        await ui.press("ctrl+q")
        assert ui.app.return_code == 0
    assert library.closed == 1
    services, close = await real_services(played_home, 9)()
    (card,) = await services.stories.stories()
    assert card.is_suspended
    await close()


@pytest.mark.slow
async def test_app_says_on_the_way_out_what_cannot_be_suspended(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(played_home)
    async with started_app(library.open) as ui:
        await ui.press("enter")
        full = StoreFull("The disk is full.", kept="Your turns are kept.")
        fail_once(monkeypatch, ui.services.stories, "suspend", full)
        await ui.press("ctrl+q")
        assert ui.app.return_code == 1
    assert library.closed == 1


@pytest.mark.slow
async def test_app_shows_events_of_any_thread(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("enter")
        notice = Notice("The index is being rebuilt.")
        thread = threading.Thread(target=ui.services.events.publish, args=(notice,))
        thread.start()
        thread.join()
        await ui.settle()
        assert ui.shows("The index is being rebuilt.")


@pytest.mark.slow
async def test_app_going_home_leaves_only_the_menu(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8)) as ui:
        await ui.press("enter", "f3", "question_mark")
        assert ui.screen == "HelpScreen"
        ui.app.post_message(Visit(ToMenu()))
        await ui.settle()
        assert [type(s).__name__ for s in ui.app.screen_stack] == ["MenuScreen"]
        (card,) = await ui.services.stories.stories()
        assert card.is_suspended


@pytest.mark.slow
async def test_app_demo_opens_the_sample_at_once(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), first="demo") as ui:
        assert ui.screen == "SceneScreen"
        (universe,) = await ui.services.stories.universes()
        assert universe.name == "Salt Coast"


@pytest.mark.slow
async def test_app_demo_offers_nothing_to_choose_before_its_story_is_there(tmp_path: Path) -> None:
    may_open = asyncio.Event()

    async def open_late(show_menu: ShowMenu | None = None) -> Opened:
        opened = await real_services(tmp_path)(show_menu)
        await may_open.wait()
        return opened

    app = MonitorApp(open_late, start_at="demo")
    async with app.run_test(size=ROOMY) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.until("Opening the bundled world")
        assert not ui.shows("New here?")
        await ui.pilot.press("1")
        may_open.set()
        await ui.settle()
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_app_demo_resumes_the_story_that_there_is(
    played_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(played_home)

    async def open_and_record(show_menu: ShowMenu | None = None) -> Opened:
        services, close = await library.open(show_menu)
        resumed.append(record_calls(monkeypatch, services.stories, "resume"))
        return services, close

    resumed: list[list[tuple[tuple[object, ...], dict[str, object]]]] = []
    async with started_app(open_and_record, first="demo") as ui:
        assert ui.screen == "SceneScreen"
        assert len(await ui.services.stories.stories()) == 1
        assert [len(calls) for calls in resumed] == [1]


async def test_error_dialog_can_be_retried_or_closed_but_not_both() -> None:
    assert not ErrorDialog("t", ValueError(), is_fatal=True).check_action("answer", ("close",))
    assert ErrorDialog("t", ValueError(), is_fatal=True).check_action("answer", ("quit",))
    assert ErrorDialog("t", ValueError()).check_action("answer", ("close",))
