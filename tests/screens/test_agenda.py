"""Threads, clocks and the tension by keyboard: beside the story, in the header, at the gate, on the menu."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import StoreFull
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk
from widgets.agenda_box import agenda_lines
from widgets.prompt import PlayPrompt


@pytest.mark.parametrize("size", [NARROW, pytest.param(ROOMY, marks=pytest.mark.slow)])
async def test_what_is_open_stands_beside_the_story_or_over_it(size: tuple[int, int]) -> None:
    async with seated(twin_desk(TwinDesk()), size) as table:
        await table.press("enter")
        assert table.shows("⏱ 2/6"), "the header has the most urgent clock at any width"
        await table.press("f2")
        assert table.shows("threads 2", "Spring tide ●●○○○○ 2/6", "Find the bell ██░······· 2/10")
        assert table.shows("1 ••• Who moved the bell?", "2 • debt: Mara owes the well a coin")
        await table.press("f2")
        assert table.app.screen.query_one(PlayPrompt).input_has_focus


async def test_an_empty_box_says_what_to_do() -> None:
    twin = TwinDesk()
    for name in ("threads", "clocks", "tracks"):
        setattr(twin, name, ())
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter")
        assert table.shows("Nothing is open: /thread or /clock.")
        assert not table.shows("⏱")


async def test_what_does_not_fit_is_counted_and_markup_is_only_words() -> None:
    twin = TwinDesk()
    view = twin.threads[0]
    names = ["[bold red]x[/]", *(f"Matter {n}" for n in range(20))]
    threads = [type(view)(f"id {n}", n + 1, name) for n, name in enumerate(names)]
    drawn = agenda_lines(threads, twin.clocks, twin.tracks, 6).plain.split("\n")
    assert len(drawn) == 6
    assert drawn[2] == "1 • [bold red]x[/]"
    assert drawn[-1] == "… and 18 more: /thread, /clock, /track"


async def test_a_new_scene_offers_how_it_may_begin_once_and_quietly() -> None:
    twin = TwinDesk(turns=0)
    twin.opening = "/start rolls how it begins"
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        assert table.shows("what do you do?", "/start rolls how it begins")
        assert table.app.screen.query_one(PlayPrompt).input_has_focus
        twin.opening = ""
        await table.type("I look around.")
        assert not table.shows("/start rolls")


async def test_the_gate_tells_what_the_end_brought_and_moves_the_tension_by_one_key() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        assert table.screen == "GateScreen"
        assert table.shows("The scene ends. Spring tide 2 → 3 of 6.", "t Tension")
        await table.press("t")
        assert twin.called("set_tension")[0][1:] == (6,)
        assert table.shows("Tension went 5 → 6 in this scene.")
        assert not table.shows("t Tension")
        await table.press("t")
        assert len(twin.called("set_tension")) == 1, "what was decided is not offered again"
        await table.press("escape")
        assert table.screen == "SceneScreen", "what is told takes no step back of its own"


async def test_a_gate_in_mid_scene_offers_no_tension() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter", "f3")
        assert table.screen == "GateScreen"
        await table.press("t")
        assert not twin.called("set_tension")
        assert not table.shows("The scene ends.")


async def test_a_tension_that_could_not_be_set_is_told_and_offered_still() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter")
        await table.type("/end")
        twin.fail("set_tension", StoreFull("The disk is full.", kept="Nothing was changed."))
        await table.press("t")
        assert table.shows("The disk is full.", "Nothing was changed.")
        await table.press("t")
        assert table.shows("Tension went 5 → 6")


@pytest.mark.slow
async def test_threads_and_clocks_from_the_prompt_to_the_next_scene(tmp_path: Path) -> None:
    """On the real desk: typed, shown at once, acting at the end, there in the next scene and on the menu."""
    async with seated(real_desk(tmp_path), ROOMY) as table:
        await _begin(table)
        await table.type("/thread Who cut the rope?")
        assert table.shows("is open: Who cut the rope?")
        await table.type("/clock High water 4 per scene 1")
        assert table.shows("High water ○○○○ 0/4", "⏱ 0/4")
        await table.type("I look for tar on the rope.")
        await table.type("/clock High water = 3")
        await table.type("/thread 99 close")
        assert table.shows("There is no thread 99.", "Nothing was changed.")
        assert table.app.screen.query_one(PlayPrompt).text == "/thread 99 close"
        table.app.screen.query_one(PlayPrompt).text = ""
        await table.type("/end Mara knows how the rope was cut")
        assert table.shows("The scene ends. High water 3 → 4 of 4 · it strikes.", "Tension stays at 5")
        await table.press("A", "enter")
        assert table.screen == "CommitReportDialog"
        assert table.shows("The clock “High water” struck at 4 of 4.", "The clock “High water” strikes.")
        await table.press("enter")
        assert table.shows("/start rolls", "Who cut the rope?")
        assert not table.shows("High water"), "what has struck is over"
        await table.press("escape", "enter")
        assert table.screen == "MenuScreen"
        assert table.shows("Scene 1", "Mara knows how the rope", "4 open: The Tollers owe")


@pytest.mark.slow
async def test_session_zero_leads_through_the_prompt(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), NARROW) as table:
        await _begin(table)
        prompt = table.app.screen.query_one(PlayPrompt)
        await table.type("/zero")
        first = prompt.text
        assert first.startswith("/zero ")
        await table.type("Someone rings the bell at ebb")
        assert prompt.text.startswith("/zero ")
        assert prompt.text != first, "an answer leads to the next question"
        await table.press("enter")
        assert prompt.text.startswith("/zero "), "no answer skips to the next"


async def _begin(table: Table) -> None:
    """Through the set-up, to the sample's first scene."""
    await table.press("1")
    for _ in range(8):
        if table.screen == "SceneScreen":
            return
        await table.press("enter")
    raise AssertionError(table.text)
