"""The play screen while a model narrates, by keyboard: streamed words, stop, retake, go on, cost, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import TextArea

from agents.events import StepStateChanged, TextDiscarded, TextStreamed
from agents.llm.errors import INPUT_KEPT, ModelRefused
from agents.llm.scripted_model import ScriptedReply
from stores.records.ids import Id
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import NOTHING
from tests.screens.faults import hold, record_calls
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import SILENCE, ScriptedLlm, priced, start_sample_story, write_settings
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

DOOR = "The hinges give with a shriek that the whole coast must have heard."


async def build_two_narrated_exchanges(home: Path) -> None:
    """Build a library in which the model narrated two exchanges of the sample story, for $0.04."""
    write_settings(home)
    model = ScriptedLlm({Persona.NARRATOR: priced(DOOR, 19_500), Persona.ARCHIVIST: priced(NOTHING, 500)})
    services, close = await real_services(home, 5, model=model)()
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
async def ui(home: Path, model: ScriptedLlm) -> AsyncIterator[ScreenDriver]:
    """A scene that is being played with a model, on a small terminal."""
    async with started_app(real_services(home, 8, model=model), NARROW) as ui:
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        yield ui


def narrate(model: ScriptedLlm, *pieces: str, hold_after: int) -> asyncio.Semaphore:
    """Have the Narrator stream these pieces, and wait after some of them; releasing lets one more through."""
    gate = asyncio.Semaphore(hold_after)
    model.script[Persona.NARRATOR] = ScriptedReply(pieces, gate=gate)
    return gate


async def let_go(ui: ScreenDriver, gate: asyncio.Semaphore) -> None:
    """Let all that the model has yet to say come."""
    for _ in range(50):
        gate.release()
    await ui.settle()


async def send(ui: ScreenDriver, line: str) -> None:
    """Send a line, and do not wait until it is narrated."""
    await ui.type(line, enter=False)
    await ui.pilot.press("enter")


def prompt(ui: ScreenDriver) -> PlayPrompt:
    return ui.app.screen.query_one(PlayPrompt)


async def story_scene(ui: ScreenDriver) -> tuple[Id, Id]:
    """Return the story and its scene."""
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    return card.story.id, card.scene.id


async def turn_texts(ui: ScreenDriver) -> list[str]:
    """Return the words of the scene's turns, in order."""
    _, scene_id = await story_scene(ui)
    return [view.turn.text for view in await ui.services.play.transcript(scene_id, 0, 100)]


def last_request(model: ScriptedLlm) -> str:
    """Return everything that the Narrator was last asked."""
    return "\n".join(message.text for message in model.asked(Persona.NARRATOR)[-1].messages)


# --- words as they come -----------------------------------------------------------------------------


@pytest.mark.slow
async def test_narration_streams_into_the_transcript_and_typing_goes_on(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    gate = narrate(model, "The tide ", "turns", ", and the bell with it.", hold_after=2)
    await send(ui, "I wait.")
    await ui.until("gm The tide turns", "context ✓ steward ✓ narrator …", "esc Stop")
    await ui.pilot.press(*"next")
    assert prompt(ui).text == "next"
    await let_go(ui, gate)
    assert ui.text.count("The tide turns, and the bell with it.") == 1
    assert not ui.app.screen.query_one(Transcript).is_narrating
    assert not ui.shows("narrator")
    assert not ui.shows("esc Stop")
    assert prompt(ui).text == "next"
    assert (await turn_texts(ui))[-2:] == ["I wait.", "The tide turns, and the bell with it."]


@pytest.mark.slow
async def test_discarded_words_leave_the_transcript(ui: ScreenDriver, model: ScriptedLlm) -> None:
    gate = narrate(model, "Nothing ", "stirs.", hold_after=0)
    await send(ui, "I listen.")
    await ui.until("narrator …")
    _, scene_id = await story_scene(ui)
    ui.services.events.publish(TextStreamed(scene_id, "t", "The dead man laughs."))
    await ui.until("The dead man laughs.")
    ui.services.events.publish(TextDiscarded(scene_id, "t"))
    gate.release()
    await ui.until("gm Nothing")
    assert not ui.shows("The dead man laughs.")
    await let_go(ui, gate)
    assert ui.shows("Nothing stirs.")
    assert not ui.shows("The dead man laughs.")


@pytest.mark.slow
async def test_streamed_escapes_and_markup_are_only_words(ui: ScreenDriver, model: ScriptedLlm) -> None:
    pieces = ("[bold]A\x1b", "[31m door\x1b]0;", "pwnd\x07", "[/bold] [link='x']opens[/]", " wide.")
    gate = narrate(model, *pieces, hold_after=4)
    await send(ui, "I push.")
    await ui.until("[bold]A door[/bold] [link='x']opens[/]")
    assert "pwnd" not in ui.text
    assert "\x1b" not in ui.text
    await let_go(ui, gate)
    assert "pwnd" not in ui.text
    assert "\x1b" not in ui.text


@pytest.mark.slow
async def test_lines_typed_during_narration_are_played_in_order(ui: ScreenDriver, model: ScriptedLlm) -> None:
    gate = narrate(model, "So", " it is.", hold_after=1)
    await send(ui, "one")
    await ui.until("gm So")
    for line in ("two", "three"):
        await ui.pilot.press(*line, "enter")
    assert len(model.asked(Persona.NARRATOR)) == 1
    await let_go(ui, gate)
    played = [text for text in await turn_texts(ui) if text in ("one", "two", "three")]
    assert played == ["one", "two", "three"]
    assert len(model.asked(Persona.NARRATOR)) == 3


@pytest.mark.slow
async def test_streamed_words_of_another_scene_are_not_shown(ui: ScreenDriver) -> None:
    ui.services.events.publish(TextStreamed("elsewhere", "t", "Far from here."))
    ui.services.events.publish(StepStateChanged("elsewhere", "b", "narrate", "running"))
    await ui.settle()
    assert not ui.shows("Far from here.")
    assert not ui.shows("narrator")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["", "f5"])
async def test_streamed_words_read_nothing_again(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    await ui.press(*filter(None, [key]))
    _, scene_id = await story_scene(ui)
    services = ui.services
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
    await ui.settle()
    assert not any(reads)


@pytest.mark.slow
async def test_failed_step_of_narration_says_so_in_words(ui: ScreenDriver, model: ScriptedLlm) -> None:
    gate = narrate(model, "So", " it is.", hold_after=1)
    await send(ui, "I wait.")
    await ui.until("gm So")
    _, scene_id = await story_scene(ui)
    ui.services.events.publish(StepStateChanged(scene_id, "b", "critique", "failed"))
    ui.services.events.publish(StepStateChanged(scene_id, "b", "extract", "running", "second try"))
    await ui.until("critic ✗ failed archivist … second try")
    await let_go(ui, gate)


# --- stopping ---------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_escape_stops_narration_and_keeps_what_came(ui: ScreenDriver, model: ScriptedLlm) -> None:
    narrate(model, "The tide ", "turns", ", and never ends.", hold_after=2)
    await send(ui, "I wait.")
    await ui.until("The tide turns")
    await ui.press("escape")
    assert ui.screen == "SceneScreen"
    assert ui.shows("The tide turns", "you stopped it. What came is kept")
    assert not ui.shows("never ends")
    assert (await turn_texts(ui))[-1] == "The tide turns"
    assert len(model.stopped_requests) == 1
    await ui.press("escape")
    assert not ui.shows("you stopped it")
    await ui.press("escape")
    assert ui.shows("Esc ends here, at the prompt.")
    await ui.press("home", "escape", "escape")
    assert ui.screen == "ConfirmDialog"


@pytest.mark.slow
async def test_escape_before_the_first_word_stops_the_call_and_keeps_the_line(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    narrate(model, "Late.", hold_after=0)
    await send(ui, "I wait.")
    await ui.until("narrator …")
    await ui.press("escape")
    assert ui.screen == "SceneScreen"
    assert len(model.stopped_requests) == 1
    assert (await turn_texts(ui))[-1] == "I wait."
    assert ui.shows("The narration was stopped before its first word.", "/continue narrates it")
    await ui.press("escape")
    assert not ui.shows("before its first word")
    await ui.press("escape")
    assert ui.shows("Esc ends here, at the prompt.")
    await ui.press("home", "escape", "escape")
    assert ui.screen == "ConfirmDialog"


@pytest.mark.slow
async def test_escape_before_the_first_word_of_a_retake_keeps_the_take(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    narrate(model, "Late.", hold_after=0)
    await ui.press("ctrl+r")
    await ui.pilot.press("enter")
    await ui.until("narrator …")
    await ui.press("escape")
    assert ui.shows("The narration was stopped before its first word.", "The take that there was is")
    assert (await turn_texts(ui))[-1] == SILENCE


@pytest.mark.slow
async def test_escape_while_no_call_is_under_way_offers_to_leave(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, ui.services.play, "submit", go)
    await send(ui, "I wait.")
    await ui.until("esc Stop")
    await ui.pilot.press("escape")
    await ui.pilot.pause()
    assert ui.screen == "ConfirmDialog"
    await ui.pilot.press("escape")
    go.set()
    await ui.settle()
    assert ui.shows("gm The tide answers before anyone else does.")


# --- retakes and going on ---------------------------------------------------------------------------


@pytest.mark.slow
async def test_retake_asks_for_a_note(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("The hinges whisper.")
    await ui.press("ctrl+r")
    assert ui.shows("Narrate again", "less gore")
    await ui.type("quieter")
    assert "quieter" in last_request(model)
    assert ui.shows("The hinges whisper.", "take 2/2")
    assert not ui.shows("Nobody answers.")


@pytest.mark.slow
async def test_retake_needs_no_note_and_can_be_left(ui: ScreenDriver, model: ScriptedLlm) -> None:
    await ui.press("ctrl+r", "escape")
    assert not model.asked(Persona.NARRATOR)
    await ui.press("ctrl+r", "enter")
    assert len(model.asked(Persona.NARRATOR)) == 1
    assert ui.shows("take 2/2")


@pytest.mark.slow
async def test_retake_that_streams_leaves_the_earlier_take_on_screen(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    gate = narrate(model, "The hinges ", "whisper.", hold_after=1)
    await ui.press("ctrl+r")
    await ui.pilot.press("enter")
    await ui.until("Nobody answers.", "gm The hinges")
    await let_go(ui, gate)
    assert ui.text.count("The hinges whisper.") == 1


@pytest.mark.slow
async def test_retake_that_fails_keeps_the_note(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = ModelRefused("The model declined.", kept="The take you have stands.")
    await ui.press("ctrl+r")
    await ui.type("quieter")
    assert ui.shows("The model declined.", "Nobody answers. Far below")
    assert (await turn_texts(ui))[-1] == SILENCE
    await ui.press("ctrl+r")
    assert ui.shows("quieter")


@pytest.mark.slow
async def test_own_words_can_be_another_take_of_narration(ui: ScreenDriver, model: ScriptedLlm) -> None:
    await ui.press("shift+tab", "e")
    assert ui.shows("Nobody answers. Far below")
    await ui.type(" Then it laughs.")
    assert (await turn_texts(ui))[-1] == f"{SILENCE} Then it laughs."
    assert not model.asked(Persona.NARRATOR)


@pytest.mark.slow
async def test_f7_narrates_on(ui: ScreenDriver, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("And then the lamp goes out.")
    await ui.press("f7")
    assert ui.shows("And then the lamp goes out.")
    assert (await turn_texts(ui))[-1] == "And then the lamp goes out."


@pytest.mark.slow
async def test_play_screen_without_a_model_speaks_of_none(played_home: Path) -> None:
    model = ScriptedLlm()
    async with started_app(real_services(played_home, 8, model=model), ROOMY) as ui:
        await ui.press("enter")
        assert not ui.shows("Go on")
        assert not ui.shows("X-ray")
        assert "$" not in ui.text
        before = await turn_texts(ui)
        await ui.press("f7")
        assert await turn_texts(ui) == before
        await ui.press("ctrl+r")
        assert ui.screen == "TextDialog"
        assert ui.text.count("The wood is slick with weed.") == 1, "the words themselves are edited"
    assert model.requests == []


# --- what it costs, and what goes wrong -------------------------------------------------------------


@pytest.mark.slow
async def test_status_bar_has_the_cost_of_the_story(ui: ScreenDriver, model: ScriptedLlm) -> None:
    assert ui.text.splitlines()[0].endswith("$0.04")
    model.script |= {Persona.NARRATOR: priced("On.", 1_210_000), Persona.ARCHIVIST: NOTHING}
    await ui.press("f7")
    assert ui.text.splitlines()[0].endswith("$1.25+?")


@pytest.mark.slow
async def test_spent_budget_says_what_happened_what_was_kept_and_what_to_do(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    await ui.type("/budget story 0.01")
    await ui.type("I wait.")
    assert ui.shows("budget", "is spent", INPUT_KEPT, "/budget")
    assert prompt(ui).text == "", "it is in the story already"
    assert (await turn_texts(ui))[-1] == "I wait."
    assert not model.asked(Persona.NARRATOR)


async def test_command_that_the_model_refuses_comes_back_to_the_prompt(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    model.script[Persona.NARRATOR] = ModelRefused("The model declined.")
    await ui.type("/gm what does Ode want?")
    assert ui.shows("The model declined.")
    assert prompt(ui).text == "/gm what does Ode want?"


@pytest.mark.slow
async def test_narration_that_is_cut_off_keeps_what_came_and_says_so(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    model.script[Persona.NARRATOR] = ScriptedReply(("The ti", "de"), cut_after=1)
    await ui.type("I wait.")
    assert ui.shows("gm The ti", "The connection broke", "What came is kept; F7 goes on")
    assert (await turn_texts(ui))[-1] == "The ti"


@pytest.mark.slow
async def test_narration_that_is_refused_shows_none_of_it(ui: ScreenDriver, model: ScriptedLlm) -> None:
    gate = asyncio.Semaphore(0)
    model.script[Persona.NARRATOR] = ScriptedReply(error=ModelRefused("The model declined."), gate=gate)
    await send(ui, "I wait.")
    await ui.until("narrator …")
    await let_go(ui, gate)
    assert ui.shows("The model declined.")
    assert not ui.app.screen.query_one(Transcript).is_narrating
    assert (await turn_texts(ui))[-1] == "I wait."


# --- where it leads ---------------------------------------------------------------------------------


@pytest.mark.slow
async def test_f6_opens_the_xray_of_the_last_narration(ui: ScreenDriver) -> None:
    await ui.press("f6")
    assert ui.screen == "XrayScreen"
    assert ui.shows("Nobody answers")
    await ui.press("escape")
    assert ui.screen == "SceneScreen"


async def test_xray_key_in_the_transcript_opens_the_selected_turn(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = record_calls(monkeypatch, ui.services.llm, "read_xray")
    await ui.press("shift+tab", "home", "f6")
    assert ui.screen == "XrayScreen"
    _, scene_id = await story_scene(ui)
    (first,) = await ui.services.play.transcript(scene_id, 0, 1)
    assert [arguments for arguments, _ in reads] == [(first.turn.id,)]


@pytest.mark.slow
async def test_commands_open_the_xray_and_the_bill(ui: ScreenDriver) -> None:
    await ui.type("/xray")
    assert ui.screen == "XrayScreen"
    await ui.press("escape")
    await ui.type("/bill")
    assert ui.screen == "BillScreen"
    assert ui.shows("The Drowned Bell")


@pytest.mark.slow
async def test_ideas_put_an_action_into_the_prompt_and_play_nothing(
    ui: ScreenDriver, model: ScriptedLlm
) -> None:
    """I am stuck, press Ctrl+N and take the second idea: it stands in my prompt, and nothing is played."""
    model.script[Persona.DIRECTOR] = '{"actions": ["I bar the door.", "I ask [b]Wenna[/b].", "I hum."]}'
    turns = ui.app.screen.query_one(Transcript).total
    await ui.press("ctrl+n")
    assert ui.shows("What could you do next?", "I bar the door.", "I ask [b]Wenna[/b].")
    await ui.press("down", "enter")
    assert ui.app.screen.query_one(PlayPrompt).text == "I ask [b]Wenna[/b]."
    assert ui.app.screen.query_one(Transcript).total == turns


@pytest.mark.slow
async def test_prompt_is_changed_on_screen_and_refused_at_its_field(home: Path, model: ScriptedLlm) -> None:
    """I open the prompts from the model's screen, break one, read what it needs at the text, and mend it."""
    async with started_app(real_services(home, 8, model=model), ROOMY) as ui:
        await ui.press("M", "e")
        assert ui.screen == "PromptsScreen"
        assert ui.shows("narrator", "temperature 0.8, 700 tokens", "archivist", "director actions")
        await ui.press(*["down"] * 3, "enter")
        assert ui.screen == "PromptEditScreen"
        area = ui.app.screen.query_one(TextArea)
        whole = area.text
        assert ui.shows("The text has to send:")
        area.text = "persona: nobody"
        await ui.press("ctrl+s")
        assert ui.shows("cannot be used", "It has to send:")
        area.text = whole.replace("instructions: |\n", "instructions: |\n  [b]Rhyme.[/b]\n", 1)
        await ui.press("ctrl+s")
        assert ui.shows("Saved. It holds from the next call on")
        await ui.press("escape")
        assert ui.shows("your own: prompts/")
        await ui.press("delete", "enter")
        assert ui.shows("all bundled")
