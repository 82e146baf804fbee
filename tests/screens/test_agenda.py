"""Threads, clocks and the tension by keyboard: beside the story, in the header, at the gate, on the menu."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.scene_views import ThreadView
from stores.errors import StoreFull
from stores.records.clocks import TRACK_TICKS, Pace, ProgressClock
from tests.screens.faults import fail_once
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import start_sample_story
from widgets.agenda_box import agenda_lines
from widgets.prompt import PlayPrompt

pytestmark = pytest.mark.slow

OPEN_MATTERS = (
    "/clock Spring tide 6 per scene 1",
    "/clock Spring tide = 2",
    "/track Find the bell slow",
    "/track 1 mark 7",
    "/thread Who cut the rope?",
    "/commit",
)


async def build_agenda(home: Path) -> None:
    """Begin the sample story, and open a clock, a track and a thread in it."""
    services, close = await real_services(home)()
    await start_sample_story(services, "I look for tar on the rope.", *OPEN_MATTERS)
    await services.stories.suspend()
    await close()


@pytest.fixture
def agenda_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_agenda)


async def build_bare_story(home: Path) -> None:
    """Begin a story in a world of its own, in which nothing is open."""
    services, close = await real_services(home)()
    await services.stories.recover()
    universe = await services.stories.create_universe(NewUniverse("Ash Reach"))
    outline = StoryOutline(universe.id, "The Glass Well", NewCharacter("Sel"), place="The Well")
    await services.stories.start_story(outline)
    await services.stories.suspend()
    await close()


async def read_tension(ui: ScreenDriver) -> int:
    (card,) = await ui.services.stories.stories()
    return card.story.tension


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_agenda_is_shown_beside_the_story_or_over_it(agenda_home: Path, size: tuple[int, int]) -> None:
    async with started_app(real_services(agenda_home, 8), size) as ui:
        await ui.press("enter")
        assert ui.shows("◷ 2/6"), "the header has the most urgent clock at any width"
        await ui.press("f2")
        assert ui.shows("threads 4", "Spring tide ●●○○○○ 2/6", "Find the bell █", "1 • debt: The Tollers")
        await ui.press("f2")
        assert ui.app.screen.query_one(PlayPrompt).input_has_focus


async def test_agenda_box_that_is_empty_says_what_to_do(tmp_path: Path) -> None:
    await build_bare_story(tmp_path)
    async with started_app(real_services(tmp_path, 8), ROOMY) as ui:
        await ui.press("enter")
        assert ui.shows("Nothing open. Add with /thread or /clock.")
        assert not ui.shows("◷")


def test_agenda_counts_what_does_not_fit_and_shows_markup_as_words() -> None:
    names = ["[bold red]x[/]", *(f"Matter {n}" for n in range(20))]
    threads = [ThreadView(f"id {n}", n + 1, name) for n, name in enumerate(names)]
    clocks = [ProgressClock(name="Spring tide", filled=2, per_scene=1)]
    tracks = [ProgressClock(name="Find the bell", filled=7, size=TRACK_TICKS, pace=Pace.SLOW)]
    drawn = agenda_lines(threads, clocks, tracks, 6).plain.split("\n")
    assert len(drawn) == 6
    assert drawn[2] == "1 • [bold red]x[/]"
    assert drawn[-1] == "… and 18 more: /thread, /clock, /track"


async def test_new_scene_offers_once_how_it_may_begin(tmp_path: Path) -> None:
    await build_bare_story(tmp_path)
    async with started_app(real_services(tmp_path, 8), NARROW) as ui:
        await ui.press("enter")
        assert ui.shows("/zero sets it up · /start rolls how it be")
        assert ui.app.screen.query_one(PlayPrompt).input_has_focus
        await ui.type("I look around.")
        assert not ui.shows("/start rolls")


async def test_gate_tells_what_the_scene_end_brought_and_offers_a_tension(tmp_path: Path) -> None:
    await _build_failed_checks(tmp_path)
    async with started_app(real_services(tmp_path, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        assert ui.screen == "GateScreen"
        assert ui.shows("The scene ends. Spring tide 2 → 3 of 6.", "the tension can go 5 → 6 (Ctrl+T")
        assert await read_tension(ui) == 5
        await ui.press("ctrl+t")
        assert await read_tension(ui) == 6
        assert ui.shows("Tension went 5 → 6 in this scene: more checks failed than succeeded (3 to 0).")
        assert not ui.shows("the tension can go")
        await ui.press("ctrl+t")
        assert await read_tension(ui) == 6, "what was decided is not offered again"
        await ui.press("escape")
        assert ui.screen == "SceneScreen", "what is told takes no step back of its own"


async def test_gate_in_mid_scene_offers_no_tension(agenda_home: Path) -> None:
    async with started_app(real_services(agenda_home, 8), ROOMY) as ui:
        await ui.press("enter", "f3")
        assert ui.screen == "GateScreen"
        await ui.press("ctrl+t")
        assert await read_tension(ui) == 5
        assert not ui.shows("The scene ends.")


async def test_gate_offers_the_tension_again_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _build_failed_checks(tmp_path)
    async with started_app(real_services(tmp_path, 8), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/end")
        full = StoreFull("The disk is full.", kept="Nothing was changed.")
        fail_once(monkeypatch, ui.services.play, "set_tension", full)
        await ui.press("ctrl+t")
        assert ui.shows("The disk is full.", "Nothing was changed.")
        assert await read_tension(ui) == 5
        await ui.press("ctrl+t")
        assert await read_tension(ui) == 6


async def _build_failed_checks(home: Path) -> None:
    """Play a scene with open matters in which every check fails."""
    services, close = await real_services(home)()
    failed = ["I try the lock. /check 2d6 vs 30"] * 3
    await start_sample_story(services, *OPEN_MATTERS, *failed)
    await services.stories.suspend()
    await close()


@pytest.mark.slow
async def test_agenda_lasts_from_the_prompt_to_the_next_scene(tmp_path: Path) -> None:
    """Typed, shown at once, acting at the end, there in the next scene and on the menu."""
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await _begin(ui)
        await ui.type("/thread Who cut the rope?")
        assert ui.shows("is open: Who cut the rope?")
        await ui.type("/clock High water 4 per scene 1")
        assert ui.shows("High water ○○○○ 0/4", "◷ 0/4")
        await ui.type("I look for tar on the rope.")
        await ui.type("/clock High water = 3")
        await ui.type("/thread 99 close")
        assert ui.shows("There is no thread 99.", "Nothing was changed.")
        assert ui.app.screen.query_one(PlayPrompt).text == "/thread 99 close"
        ui.app.screen.query_one(PlayPrompt).text = ""
        await ui.type("/end Mara knows how the rope was cut")
        assert ui.shows("The scene ends. High water 3 → 4 of 4 · it strikes.", "Tension stays at 5")
        await ui.press("A", "enter")
        assert ui.screen == "CommitReportDialog"
        assert ui.shows("The clock “High water” struck at 4 of 4.", "The clock “High water” strikes.")
        await ui.press("enter")
        assert ui.shows("/cast + Ivo Tarrant, Aldous Stint, Wenna Pike if t", "Who cut the rope?")
        assert not ui.shows("High water ●"), "what has struck is over"
        await ui.press("escape", "enter")
        assert ui.screen == "MenuScreen"
        assert ui.shows("Scene 1", "Mara knows how the rope", "4 open: The Tollers owe")


@pytest.mark.slow
async def test_session_zero_leads_through_the_prompt(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await _begin(ui)
        prompt = ui.app.screen.query_one(PlayPrompt)
        await ui.type("/zero")
        assert prompt.text == "", "the question is offered, and fuses with nothing that is typed"
        await ui.press("tab")
        first = prompt.text
        assert first.startswith("/zero ")
        await ui.type("Someone rings the bell at ebb")
        await ui.press("tab")
        assert prompt.text.startswith("/zero ")
        assert prompt.text != first, "an answer leads to the next question"
        await ui.press("enter", "tab")
        assert prompt.text.startswith("/zero "), "no answer skips to the next"


async def _begin(ui: ScreenDriver) -> None:
    """Through the set-up, to the sample's first scene."""
    await ui.press("1")
    for _ in range(8):
        if ui.screen == "SceneScreen":
            return
        await ui.press("enter")
    raise AssertionError(ui.text)
