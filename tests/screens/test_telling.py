"""The play screen while a model tells, by keyboard: words as they come, stop, retake, go on, cost, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from agents.events import LlmCallRecorded, StepStateChanged, TextDiscarded, TextStreamed
from agents.llm.errors import INPUT_KEPT, BudgetExhausted, ModelUnreachable
from agents.views.play_views import Reply
from tests.screens.table import NARROW, ROOMY, Table, seated, twin_desk
from tests.screens.twin import TwinDesk
from tests.screens.twin_model import HOLD
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript


@pytest.fixture
async def twin() -> TwinDesk:
    twin = TwinDesk()
    await twin.model.choose_model(model="openai/gpt-4o-mini")
    return twin


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """A scene that is being played with a model, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        yield table
        twin.model.go.set()
        await table.settle()


async def send(table: Table, line: str) -> None:
    """Send a line and go on while the model narrates."""
    await table.type(line, enter=False)
    await table.pilot.press("enter")


async def until(table: Table, *words: str) -> None:
    """Wait until these words stand on the screen."""
    async with asyncio.timeout(10):
        while not table.shows(*words):
            await table.pilot.pause(0.01)


def prompt(table: Table) -> PlayPrompt:
    return table.app.screen.query_one(PlayPrompt)


def scene_id(twin: TwinDesk) -> str:
    return next(iter(twin.lines))


# --- words as they come -----------------------------------------------------------------------------


async def test_words_stand_in_the_transcript_as_they_come_and_typing_goes_on(
    table: Table, twin: TwinDesk
) -> None:
    twin.model.script = ("The tide ", "turns", HOLD, ", and the bell with it.")
    await send(table, "I wait.")
    await until(table, "gm The tide turns", "context ✓ resolver ✓ narrator …", "esc Stop")
    await table.pilot.press(*"next")
    assert prompt(table).text == "next"
    twin.model.go.set()
    await table.settle()
    assert table.text.count("The tide turns, and the bell with it.") == 1
    assert not table.app.screen.query_one(Transcript).is_narrating
    assert not table.shows("narrator")
    assert not table.shows("esc Stop")
    assert prompt(table).text == "next"


async def test_a_character_speaks_by_name(table: Table, twin: TwinDesk) -> None:
    twin.model.speaker, twin.model.script = "Father Ode", ("“Go ", "home.”", HOLD)
    await send(table, "I ask him.")
    await until(table, "Father Ode", "“Go home.”")
    twin.model.go.set()
    await table.settle()
    assert table.text.count("“Go home.”") == 1


async def test_words_that_are_told_otherwise_are_not_told(table: Table, twin: TwinDesk) -> None:
    twin.model.dropped_first, twin.model.script = "The dead man laughs.", ("Nothing ", HOLD, "stirs.")
    await send(table, "I listen.")
    await until(table, "gm Nothing")
    assert not table.shows("The dead man laughs.")
    twin.model.go.set()
    await table.settle()
    assert table.shows("Nothing stirs.")


async def test_escapes_and_markup_in_what_comes_are_only_words(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("[bold]A\x1b", "[31m door\x1b]0;", "pwnd\x07", "[/bold] [link='x']opens[/]", HOLD)
    await send(table, "I push.")
    await until(table, "[bold]A door[/bold] [link='x']opens[/]")
    assert "pwnd" not in table.text
    assert "\x1b" not in table.text


async def test_lines_typed_meanwhile_are_played_in_order(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("So.", HOLD)
    await send(table, "one")
    await until(table, "gm So.")
    for line in ("two", "three"):
        await table.pilot.press(*line, "enter")
    assert [line for _, line in twin.called("submit")] == ["one"]
    twin.model.script = ("So.",)
    twin.model.go.set()
    await table.settle()
    assert [line for _, line in twin.called("submit")] == ["one", "two", "three"]


async def test_words_of_another_scene_are_not_shown(table: Table, twin: TwinDesk) -> None:
    twin.events.publish(TextStreamed("elsewhere", "t", "Far from here."))
    twin.events.publish(StepStateChanged("elsewhere", "b", "narrate", "running"))
    await table.settle()
    assert not table.shows("Far from here.")
    assert not table.shows("narrator")


@pytest.mark.parametrize("key", ["", "f5"])
async def test_words_that_come_read_nothing_again(table: Table, twin: TwinDesk, key: str) -> None:
    await table.press(*filter(None, [key]))
    twin.calls.clear()
    for _ in range(20):
        twin.events.publish(TextStreamed(scene_id(twin), "t", "more "))
        twin.events.publish(StepStateChanged(scene_id(twin), "b", "narrate", "running"))
    await table.settle()
    assert twin.calls == []


async def test_a_failed_step_says_so_in_words(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("So.", HOLD)
    await send(table, "I wait.")
    await until(table, "gm So.")
    twin.events.publish(StepStateChanged(scene_id(twin), "b", "critique", "failed"))
    twin.events.publish(StepStateChanged(scene_id(twin), "b", "extract", "running", "second try"))
    await until(table, "critic ✗ failed archivist … second try")


# --- stopping ---------------------------------------------------------------------------------------


async def test_escape_stops_the_words_and_keeps_what_came(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("The tide ", "turns", HOLD, ", and never ends.")
    await send(table, "I wait.")
    await until(table, "The tide turns")
    await table.press("escape")
    assert twin.called("stop")
    assert table.screen == "SceneScreen"
    assert table.shows("The tide turns", "You stopped it; what had come is kept.")
    assert not table.shows("never ends")
    await table.press("escape")
    assert not table.shows("You stopped it")
    await table.press("escape")
    assert table.screen == "ConfirmDialog"


async def test_escape_before_the_first_word_is_no_trap(table: Table, twin: TwinDesk) -> None:
    twin.model.script = (HOLD, "Late.")
    await send(table, "I wait.")
    await until(table, "narrator …")
    await table.pilot.press("escape")
    await table.pilot.pause()
    assert table.screen == "ConfirmDialog"
    await table.pilot.press("escape")
    twin.model.go.set()
    await table.settle()
    assert table.shows("Late.")


# --- again, otherwise, on ---------------------------------------------------------------------------


async def test_a_retake_asks_for_a_note(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("The hinges whisper.",)
    await table.press("ctrl+r")
    assert table.shows("Narrate again", "less gore")
    await table.type("quieter")
    assert twin.called("narrate_again")[-1][1] == "quieter"
    assert table.shows("The hinges whisper.", "take 2/2")
    assert not table.shows("Nobody answers.")


async def test_a_retake_needs_no_note_and_can_be_left(table: Table, twin: TwinDesk) -> None:
    await table.press("ctrl+r", "escape")
    assert not twin.called("narrate_again")
    await table.press("ctrl+r", "enter")
    assert twin.called("narrate_again")[-1][1] == ""


async def test_while_a_retake_streams_the_take_that_stands_is_still_there(
    table: Table, twin: TwinDesk
) -> None:
    twin.model.script = ("The hinges ", HOLD, "whisper.")
    await table.press("ctrl+r")
    await table.pilot.press("enter")
    await until(table, "Nobody answers.", "gm The hinges")
    twin.model.go.set()
    await table.settle()
    assert table.text.count("The hinges whisper.") == 1


async def test_a_retake_that_fails_keeps_the_note(table: Table, twin: TwinDesk) -> None:
    twin.fail("narrate_again", ModelUnreachable("Nobody answers there.", kept="The take you have stands."))
    await table.press("ctrl+r")
    await table.type("quieter")
    assert table.shows("Nobody answers there.", "The take you have stands.", "Nobody answers. Far below")
    await table.press("ctrl+r")
    assert table.shows("quieter")


async def test_ones_own_words_are_still_another_take(table: Table, twin: TwinDesk) -> None:
    await table.press("shift+tab", "e")
    assert table.shows("Nobody answers. Far below")
    await table.type(" Then it laughs.")
    assert twin.called("retake")[-1][1].endswith("Then it laughs.")


async def test_the_model_goes_on_by_a_key(table: Table, twin: TwinDesk) -> None:
    twin.model.script = ("And then the lamp goes out.",)
    await table.press("f7")
    assert twin.called("continue_narration")
    assert table.shows("And then the lamp goes out.")


async def test_without_a_model_nothing_speaks_of_one() -> None:
    twin = TwinDesk()
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter")
        assert not table.shows("Go on")
        assert not table.shows("X-ray")
        assert "$" not in table.text
        await table.press("f7")
        assert not twin.called("continue_narration")
        await table.press("ctrl+r")
        assert table.shows("Nobody answers. Far below")  # the words themselves are edited


# --- what it costs, and what goes wrong -------------------------------------------------------------


async def test_the_cost_of_the_story_is_in_the_status_bar(table: Table, twin: TwinDesk) -> None:
    assert table.text.splitlines()[0].endswith("$0.04")
    twin.model.spent, twin.model.priced = 1_250_000, False
    twin.events.publish(LlmCallRecorded("call", twin.story_id))
    await table.settle()
    assert table.text.splitlines()[0].endswith("$1.25+?")


async def test_over_budget_says_what_happened_what_was_kept_and_what_to_do(
    table: Table, twin: TwinDesk
) -> None:
    todo = "Raise the budget with /budget, or narrate yourself with >."
    twin.fail("submit", BudgetExhausted("The budget of the story is spent.", todo=todo))
    await table.type("I wait.")
    assert table.shows("The budget of the story is spent.", INPUT_KEPT, todo)
    assert prompt(table).text == ""  # it is in the story already


async def test_a_command_that_the_model_could_not_do_comes_back(table: Table, twin: TwinDesk) -> None:
    twin.fail("submit", ModelUnreachable("Nobody answers there."))
    await table.type("/gm what does Ode want?")
    assert prompt(table).text == "/gm what does Ode want?"


async def test_a_telling_that_was_cut_off_is_told_beside_the_story(
    table: Table, twin: TwinDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("The connection broke; what had come is kept.", "Ctrl+R tells it again, > narrates without one.")

    async def cut(scene_id: str, line: str) -> Reply:
        twin.events.publish(TextStreamed(scene_id, "t", "The ti"))
        twin.events.publish(TextDiscarded(scene_id, "t"))
        return Reply("exchange", words, severity="warning")

    monkeypatch.setattr(twin, "submit", cut)
    await table.type("I wait.")
    assert table.shows(*words)
    assert not table.shows("gm The ti")


# --- where it leads ---------------------------------------------------------------------------------


async def test_f6_leads_to_the_xray_of_the_last_telling_and_back(table: Table, twin: TwinDesk) -> None:
    await table.press("f6")
    assert table.screen == "XrayScreen"
    assert twin.called("xray")[-1][0] == twin.lines[scene_id(twin)][-1].turn.id
    await table.press("escape")
    assert table.screen == "SceneScreen"


async def test_in_the_transcript_the_xray_is_of_the_turn_under_the_cursor(
    table: Table, twin: TwinDesk
) -> None:
    await table.press("shift+tab", "home", "X")
    assert twin.called("xray")[-1][0] == twin.lines[scene_id(twin)][0].turn.id


async def test_commands_lead_there_too(table: Table, twin: TwinDesk) -> None:
    await table.type("/xray")
    assert table.screen == "XrayScreen"
    await table.press("escape")
    await table.type("/bill")
    assert table.screen == "BillScreen"
    assert twin.called("bill")[-1][0] == twin.story_id
