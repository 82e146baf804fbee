"""The play screen while a model narrates, by keyboard: streamed words, stop, retake, go on, cost, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import StepStateChanged, TextDiscarded, TextStreamed
from agents.llm.errors import INPUT_KEPT, ModelRefused
from agents.llm.scripted_model import ScriptedReply
from stores.records.ids import Id
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import NOTHING
from tests.screens.faults import hold, record_calls
from tests.screens.libraries import CopyLibrary
from tests.screens.scripted_llm import SILENCE, ScriptedLlm, priced, start_sample_story, write_settings
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

DOOR = "The hinges give with a shriek that the whole coast must have heard."


async def build_two_narrated_exchanges(home: Path) -> None:
    """Build a library in which the model narrated two exchanges of the sample story, for $0.04."""
    write_settings(home)
    model = ScriptedLlm({Persona.NARRATOR: priced(DOOR, 19_500), Persona.ARCHIVIST: priced(NOTHING, 500)})
    services, close = await real_desk(home, 5, model=model)()
    scene_id = await start_sample_story(services, "I force the iron door.")
    model.script[Persona.NARRATOR] = priced(SILENCE, 19_500)
    await services.play.submit(scene_id, "“Who rang the bell?” I ask the dark.")
    await services.stories.suspend()
    await close()


@pytest.fixture
def home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_two_narrated_exchanges)


@pytest.fixture
def model() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture
async def table(home: Path, model: ScriptedLlm) -> AsyncIterator[Table]:
    """A scene that is being played with a model, on a small terminal."""
    async with seated(real_desk(home, 8, model=model), NARROW) as table:
        await table.press("enter")
        assert table.screen == "SceneScreen"
        yield table


def narrate(model: ScriptedLlm, *pieces: str, hold_after: int) -> asyncio.Semaphore:
    """Have the Narrator stream these pieces, and wait after some of them; releasing lets one more through."""
    gate = asyncio.Semaphore(hold_after)
    model.script[Persona.NARRATOR] = ScriptedReply(pieces, gate=gate)
    return gate


async def let_go(table: Table, gate: asyncio.Semaphore) -> None:
    """Let all that the model has yet to say come."""
    for _ in range(50):
        gate.release()
    await table.settle()


async def send(table: Table, line: str) -> None:
    """Send a line, and do not wait until it is narrated."""
    await table.type(line, enter=False)
    await table.pilot.press("enter")


def prompt(table: Table) -> PlayPrompt:
    return table.app.screen.query_one(PlayPrompt)


async def story_scene(table: Table) -> tuple[Id, Id]:
    """Return the story and its scene."""
    (card,) = await table.services.stories.stories()
    assert card.scene is not None
    return card.story.id, card.scene.id


async def turn_texts(table: Table) -> list[str]:
    """Return the words of the scene's turns, in order."""
    _, scene_id = await story_scene(table)
    return [view.turn.text for view in await table.services.play.transcript(scene_id, 0, 100)]


def last_request(model: ScriptedLlm) -> str:
    """Return everything that the Narrator was last asked."""
    return "\n".join(message.text for message in model.asked(Persona.NARRATOR)[-1].messages)


# --- words as they come -----------------------------------------------------------------------------


async def test_narration_streams_into_the_transcript_and_typing_goes_on(
    table: Table, model: ScriptedLlm
) -> None:
    gate = narrate(model, "The tide ", "turns", ", and the bell with it.", hold_after=2)
    await send(table, "I wait.")
    await table.until("gm The tide turns", "context ✓ steward ✓ narrator …", "esc Stop")
    await table.pilot.press(*"next")
    assert prompt(table).text == "next"
    await let_go(table, gate)
    assert table.text.count("The tide turns, and the bell with it.") == 1
    assert not table.app.screen.query_one(Transcript).is_narrating
    assert not table.shows("narrator")
    assert not table.shows("esc Stop")
    assert prompt(table).text == "next"
    assert (await turn_texts(table))[-2:] == ["I wait.", "The tide turns, and the bell with it."]


async def test_streamed_words_of_a_character_stand_under_their_name(table: Table) -> None:
    _, scene_id = await story_scene(table)
    for piece in ("“Go ", "home.”"):
        table.services.events.publish(TextStreamed(scene_id, "t", piece, "Father Ode"))
    await table.until("Father Ode", "“Go home.”")
    assert table.text.count("“Go home.”") == 1


async def test_discarded_words_leave_the_transcript(table: Table, model: ScriptedLlm) -> None:
    gate = narrate(model, "Nothing ", "stirs.", hold_after=0)
    await send(table, "I listen.")
    await table.until("narrator …")
    _, scene_id = await story_scene(table)
    table.services.events.publish(TextStreamed(scene_id, "t", "The dead man laughs."))
    await table.until("The dead man laughs.")
    table.services.events.publish(TextDiscarded(scene_id, "t"))
    gate.release()
    await table.until("gm Nothing")
    assert not table.shows("The dead man laughs.")
    await let_go(table, gate)
    assert table.shows("Nothing stirs.")
    assert not table.shows("The dead man laughs.")


async def test_streamed_escapes_and_markup_are_only_words(table: Table, model: ScriptedLlm) -> None:
    pieces = ("[bold]A\x1b", "[31m door\x1b]0;", "pwnd\x07", "[/bold] [link='x']opens[/]", " wide.")
    gate = narrate(model, *pieces, hold_after=4)
    await send(table, "I push.")
    await table.until("[bold]A door[/bold] [link='x']opens[/]")
    assert "pwnd" not in table.text
    assert "\x1b" not in table.text
    await let_go(table, gate)
    assert "pwnd" not in table.text
    assert "\x1b" not in table.text


async def test_lines_typed_during_narration_are_played_in_order(table: Table, model: ScriptedLlm) -> None:
    gate = narrate(model, "So", " it is.", hold_after=1)
    await send(table, "one")
    await table.until("gm So")
    for line in ("two", "three"):
        await table.pilot.press(*line, "enter")
    assert len(model.asked(Persona.NARRATOR)) == 1
    await let_go(table, gate)
    played = [text for text in await turn_texts(table) if text in ("one", "two", "three")]
    assert played == ["one", "two", "three"]
    assert len(model.asked(Persona.NARRATOR)) == 3


async def test_streamed_words_of_another_scene_are_not_shown(table: Table) -> None:
    table.services.events.publish(TextStreamed("elsewhere", "t", "Far from here."))
    table.services.events.publish(StepStateChanged("elsewhere", "b", "narrate", "running"))
    await table.settle()
    assert not table.shows("Far from here.")
    assert not table.shows("narrator")


@pytest.mark.parametrize("key", ["", "f5"])
async def test_streamed_words_read_nothing_again(
    table: Table, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    await table.press(*filter(None, [key]))
    _, scene_id = await story_scene(table)
    services = table.services
    reads = [
        record_calls(monkeypatch, service, method)
        for service, methods in (
            (services.play, ("scene", "transcript", "sheet", "trace")),
            (services.llm, ("read_story_cost", "read_bill", "read_xray")),
            (services.gate, ("gate",)),
            (services.stories, ("stories",)),
        )
        for method in methods
    ]
    for _ in range(20):
        services.events.publish(TextStreamed(scene_id, "t", "more "))
        services.events.publish(StepStateChanged(scene_id, "b", "narrate", "running"))
    await table.settle()
    assert not any(reads)


async def test_failed_step_of_narration_says_so_in_words(table: Table, model: ScriptedLlm) -> None:
    gate = narrate(model, "So", " it is.", hold_after=1)
    await send(table, "I wait.")
    await table.until("gm So")
    _, scene_id = await story_scene(table)
    table.services.events.publish(StepStateChanged(scene_id, "b", "critique", "failed"))
    table.services.events.publish(StepStateChanged(scene_id, "b", "extract", "running", "second try"))
    await table.until("critic ✗ failed archivist … second try")
    await let_go(table, gate)


# --- stopping ---------------------------------------------------------------------------------------


async def test_escape_stops_narration_and_keeps_what_came(table: Table, model: ScriptedLlm) -> None:
    narrate(model, "The tide ", "turns", ", and never ends.", hold_after=2)
    await send(table, "I wait.")
    await table.until("The tide turns")
    await table.press("escape")
    assert table.screen == "SceneScreen"
    assert table.shows("The tide turns", "you stopped it. What came is kept")
    assert not table.shows("never ends")
    assert (await turn_texts(table))[-1] == "The tide turns"
    assert len(model.stopped_requests) == 1
    await table.press("escape")
    assert not table.shows("you stopped it")
    await table.press("escape")
    assert table.screen == "ConfirmDialog"


async def test_escape_before_the_first_word_stops_the_call_and_keeps_the_line(
    table: Table, model: ScriptedLlm
) -> None:
    narrate(model, "Late.", hold_after=0)
    await send(table, "I wait.")
    await table.until("narrator …")
    await table.press("escape")
    assert table.screen == "SceneScreen"
    assert len(model.stopped_requests) == 1
    assert (await turn_texts(table))[-1] == "I wait."
    await table.press("escape")
    assert table.screen == "ConfirmDialog"


async def test_escape_while_no_call_is_under_way_offers_to_leave(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, table.services.play, "submit", go)
    await send(table, "I wait.")
    await table.until("esc Stop")
    await table.pilot.press("escape")
    await table.pilot.pause()
    assert table.screen == "ConfirmDialog"
    await table.pilot.press("escape")
    go.set()
    await table.settle()
    assert table.shows("gm The tide answers before anyone else does.")


# --- retakes and going on ---------------------------------------------------------------------------


async def test_retake_asks_for_a_note(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("The hinges whisper.")
    await table.press("ctrl+r")
    assert table.shows("Narrate again", "less gore")
    await table.type("quieter")
    assert "quieter" in last_request(model)
    assert table.shows("The hinges whisper.", "take 2/2")
    assert not table.shows("Nobody answers.")


async def test_retake_needs_no_note_and_can_be_left(table: Table, model: ScriptedLlm) -> None:
    await table.press("ctrl+r", "escape")
    assert not model.asked(Persona.NARRATOR)
    await table.press("ctrl+r", "enter")
    assert len(model.asked(Persona.NARRATOR)) == 1
    assert table.shows("take 2/2")


async def test_retake_that_streams_leaves_the_earlier_take_on_screen(
    table: Table, model: ScriptedLlm
) -> None:
    gate = narrate(model, "The hinges ", "whisper.", hold_after=1)
    await table.press("ctrl+r")
    await table.pilot.press("enter")
    await table.until("Nobody answers.", "gm The hinges")
    await let_go(table, gate)
    assert table.text.count("The hinges whisper.") == 1


async def test_retake_that_fails_keeps_the_note(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = ModelRefused("The model declined.", kept="The take you have stands.")
    await table.press("ctrl+r")
    await table.type("quieter")
    assert table.shows("The model declined.", "Nobody answers. Far below")
    assert (await turn_texts(table))[-1] == SILENCE
    await table.press("ctrl+r")
    assert table.shows("quieter")


async def test_own_words_can_be_another_take_of_narration(table: Table, model: ScriptedLlm) -> None:
    await table.press("shift+tab", "e")
    assert table.shows("Nobody answers. Far below")
    await table.type(" Then it laughs.")
    assert (await turn_texts(table))[-1] == f"{SILENCE} Then it laughs."
    assert not model.asked(Persona.NARRATOR)


async def test_f7_narrates_on(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("And then the lamp goes out.")
    await table.press("f7")
    assert table.shows("And then the lamp goes out.")
    assert (await turn_texts(table))[-1] == "And then the lamp goes out."


async def test_play_screen_without_a_model_speaks_of_none(played_home: Path) -> None:
    model = ScriptedLlm()
    async with seated(real_desk(played_home, 8, model=model), ROOMY) as table:
        await table.press("enter")
        assert not table.shows("Go on")
        assert not table.shows("X-ray")
        assert "$" not in table.text
        before = await turn_texts(table)
        await table.press("f7")
        assert await turn_texts(table) == before
        await table.press("ctrl+r")
        assert table.screen == "TextDialog"
        assert table.text.count("The wood is slick with weed.") == 1, "the words themselves are edited"
    assert model.requests == []


# --- what it costs, and what goes wrong -------------------------------------------------------------


async def test_status_bar_has_the_cost_of_the_story(table: Table, model: ScriptedLlm) -> None:
    assert table.text.splitlines()[0].endswith("$0.04")
    model.script |= {Persona.NARRATOR: priced("On.", 1_210_000), Persona.ARCHIVIST: NOTHING}
    await table.press("f7")
    assert table.text.splitlines()[0].endswith("$1.25+?")


async def test_spent_budget_says_what_happened_what_was_kept_and_what_to_do(
    table: Table, model: ScriptedLlm
) -> None:
    await table.type("/budget story 0.01")
    await table.type("I wait.")
    assert table.shows("budget", "is spent", INPUT_KEPT, "/budget")
    assert prompt(table).text == "", "it is in the story already"
    assert (await turn_texts(table))[-1] == "I wait."
    assert not model.asked(Persona.NARRATOR)


async def test_command_that_the_model_refuses_comes_back_to_the_prompt(
    table: Table, model: ScriptedLlm
) -> None:
    model.script[Persona.NARRATOR] = ModelRefused("The model declined.")
    await table.type("/gm what does Ode want?")
    assert table.shows("The model declined.")
    assert prompt(table).text == "/gm what does Ode want?"


async def test_narration_that_is_cut_off_keeps_what_came_and_says_so(
    table: Table, model: ScriptedLlm
) -> None:
    model.script[Persona.NARRATOR] = ScriptedReply(("The ti", "de"), cut_after=1)
    await table.type("I wait.")
    assert table.shows("gm The ti", "The connection broke", "What came is kept; Ctrl+R")
    assert (await turn_texts(table))[-1] == "The ti"


async def test_narration_that_is_refused_shows_none_of_it(table: Table, model: ScriptedLlm) -> None:
    gate = asyncio.Semaphore(0)
    model.script[Persona.NARRATOR] = ScriptedReply(error=ModelRefused("The model declined."), gate=gate)
    await send(table, "I wait.")
    await table.until("narrator …")
    await let_go(table, gate)
    assert table.shows("The model declined.")
    assert not table.app.screen.query_one(Transcript).is_narrating
    assert (await turn_texts(table))[-1] == "I wait."


# --- where it leads ---------------------------------------------------------------------------------


async def test_f6_opens_the_xray_of_the_last_narration(table: Table) -> None:
    await table.press("f6")
    assert table.screen == "XrayScreen"
    assert table.shows("Nobody answers")
    await table.press("escape")
    assert table.screen == "SceneScreen"


async def test_xray_key_in_the_transcript_opens_the_selected_turn(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = record_calls(monkeypatch, table.services.llm, "read_xray")
    await table.press("shift+tab", "home", "X")
    assert table.screen == "XrayScreen"
    _, scene_id = await story_scene(table)
    (first,) = await table.services.play.transcript(scene_id, 0, 1)
    assert [arguments for arguments, _ in reads] == [(first.turn.id,)]


async def test_commands_open_the_xray_and_the_bill(table: Table) -> None:
    await table.type("/xray")
    assert table.screen == "XrayScreen"
    await table.press("escape")
    await table.type("/bill")
    assert table.screen == "BillScreen"
    assert table.shows("The Drowned Bell")
