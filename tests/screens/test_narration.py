"""The play screen while a model narrates, by keyboard: words as they come, stop, retake, go on, cost, errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import LlmCallRecorded, StepStateChanged, TextDiscarded, TextStreamed
from agents.llm.errors import INPUT_KEPT, ModelUnreachable
from agents.llm.scripted_model import ScriptedReply
from agents.views.play_views import SceneView, TurnView
from stores.records.llm import Persona
from stores.records.play import GM_SPEAKERS
from tests.screens.faults import fail_once, hold, record_calls
from tests.screens.scripted_llm import PROSE, SILENCE, ScriptedLlm, priced
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript


@pytest.fixture
def model() -> ScriptedLlm:
    return ScriptedLlm()


@pytest.fixture
async def table(narrated_home: Path, model: ScriptedLlm) -> AsyncIterator[Table]:
    """A scene that is being played with a model, on a small terminal."""
    async with seated(real_desk(narrated_home, 8, model=model), NARROW) as table:
        await table.press("enter")
        yield table


async def send(table: Table, line: str) -> None:
    """Send a line and go on while the answer comes."""
    await table.type(line, enter=False)
    await table.pilot.press("enter")


def prompt(table: Table) -> PlayPrompt:
    return table.app.screen.query_one(PlayPrompt)


async def read_scene(table: Table) -> SceneView:
    (card,) = await table.services.stories.stories()
    assert card.scene is not None
    return await table.services.play.scene(card.scene.id)


async def read_turns(table: Table) -> list[TurnView]:
    return await table.services.play.transcript((await read_scene(table)).scene.id, 0, 100)


def held(text: str, after: int) -> tuple[ScriptedReply, asyncio.Semaphore]:
    """Return a narration that waits after so many words, and what lets the others come."""
    gate = asyncio.Semaphore(after)
    return priced(text, gate=gate), gate


def let_go(gate: asyncio.Semaphore) -> None:
    for _ in range(200):
        gate.release()


# --- words as they come -----------------------------------------------------------------------------


async def test_narration_is_shown_word_by_word_while_typing_goes_on(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], gate = held("The tide turns and the bell with it.", 3)
    await send(table, "I wait.")
    await table.until("gm The tide turns", "context ✓ steward ✓ narrator …", "esc Stop")
    await table.pilot.press(*"next")
    assert prompt(table).text == "next"
    let_go(gate)
    await table.settle()
    assert table.text.count("The tide turns and the bell with it.") == 1
    assert not table.app.screen.query_one(Transcript).is_narrating
    assert not table.shows("narrator …")
    assert not table.shows("esc Stop")
    assert prompt(table).text == "next"


async def test_narration_of_a_character_is_shown_by_name(table: Table) -> None:
    scene_id = (await read_scene(table)).scene.id
    for piece in ("“Go ", "home.”"):
        table.services.events.publish(TextStreamed(scene_id, "t", piece, "Ivo Tarrant"))
    await table.settle()
    assert table.text.count("“Go home.”") == 1
    assert table.shows("Ivo Tarrant", "“Go home.”")


async def test_narration_that_is_discarded_makes_way_for_the_next(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], gate = held("Nothing stirs.", 1)
    scene_id = (await read_scene(table)).scene.id
    table.services.events.publish(TextStreamed(scene_id, "t", "The dead man laughs."))
    await table.settle()
    assert table.shows("The dead man laughs.")
    table.services.events.publish(TextDiscarded(scene_id, "t"))
    await send(table, "I listen.")
    await table.until("gm Nothing")
    assert not table.shows("The dead man laughs.")
    let_go(gate)
    await table.settle()
    assert table.shows("Nothing stirs.")


async def test_narration_markup_and_escapes_are_only_words(table: Table, model: ScriptedLlm) -> None:
    words = ("[bold]A\x1b", "[31m door\x1b]0;", "pwnd\x07", "[/bold] [link='x']opens[/]")
    gate = asyncio.Semaphore(len(words))
    model.script[Persona.NARRATOR] = ScriptedReply((*words, " wide."), gate=gate)
    await send(table, "I push.")
    await table.until("[bold]A door[/bold] [link='x']opens[/]")
    assert "pwnd" not in table.text
    assert "\x1b" not in table.text
    let_go(gate)
    await table.settle()


async def test_narration_plays_lines_typed_meanwhile_in_order(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], gate = held("So it is.", 1)
    await send(table, "one")
    await table.until("gm So")
    for line in ("two", "three"):
        await table.pilot.press(*line, "enter")
    typed = [row.turn.text for row in await read_turns(table) if row.turn.speaker not in GM_SPEAKERS]
    assert typed[-1] == "one"
    model.script[Persona.NARRATOR] = priced("So.")
    let_go(gate)
    await table.settle()
    typed = [row.turn.text for row in await read_turns(table) if row.turn.speaker not in GM_SPEAKERS]
    assert typed[-3:] == ["one", "two", "three"]


async def test_narration_of_another_scene_is_not_shown(table: Table) -> None:
    table.services.events.publish(TextStreamed("elsewhere", "t", "Far from here."))
    table.services.events.publish(StepStateChanged("elsewhere", "b", "narrate", "running"))
    await table.settle()
    assert not table.shows("Far from here.")
    assert not table.shows("narrator")


@pytest.mark.parametrize("key", ["", "f5"])
async def test_narration_reads_nothing_again_for_each_word(
    table: Table, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    await table.press(*filter(None, [key]))
    scene_id = (await read_scene(table)).scene.id
    play, llm = table.services.play, table.services.llm
    reads = [
        record_calls(monkeypatch, service, method)
        for service, method in (
            (play, "scene"),
            (play, "transcript"),
            (play, "sheet"),
            (llm, "read_story_cost"),
            (table.services.gate, "gate"),
        )
    ]
    for _ in range(20):
        table.services.events.publish(TextStreamed(scene_id, "t", "more "))
        table.services.events.publish(StepStateChanged(scene_id, "b", "narrate", "running"))
    await table.settle()
    assert [len(calls) for calls in reads] == [0] * 5


async def test_narration_step_that_failed_is_named_in_words(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], gate = held("So it is.", 1)
    scene_id = (await read_scene(table)).scene.id
    await send(table, "I wait.")
    await table.until("gm So")
    run_id = "b"
    table.services.events.publish(StepStateChanged(scene_id, run_id, "critique", "failed"))
    table.services.events.publish(StepStateChanged(scene_id, run_id, "extract", "running", "second try"))
    await table.until("critic ✗ failed", "archivist … second try")
    let_go(gate)
    await table.settle()


# --- stopping ---------------------------------------------------------------------------------------


async def test_escape_stops_the_narration_and_keeps_what_came(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], _ = held("The tide turns and never ends.", 3)
    await send(table, "I wait.")
    await table.until("The tide turns")
    await table.press("escape")
    assert table.screen == "SceneScreen"
    assert (await read_turns(table))[-1].turn.text.strip() == "The tide turns"
    assert table.shows("The tide turns", "you stopped it")
    assert not table.shows("never ends")
    await table.press("escape")
    assert not table.shows("you stopped it")
    await table.press("escape")
    assert table.screen == "ConfirmDialog"


async def test_escape_before_the_model_is_asked_is_no_trap(
    table: Table, model: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = asyncio.Event()
    hold(monkeypatch, table.services.play, "submit", go)
    await send(table, "I wait.")
    await table.pilot.pause()
    await table.pilot.press("escape")
    await table.pilot.pause()
    assert table.screen == "ConfirmDialog"
    await table.pilot.press("escape")
    go.set()
    await table.settle()
    assert table.shows(PROSE)


# --- again, otherwise, on ---------------------------------------------------------------------------


async def test_retake_asks_for_a_note(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("The hinges whisper.")
    await table.press("ctrl+r")
    assert table.screen == "TextDialog"
    assert table.shows("less gore")
    await table.type("quieter")
    assert "quieter" in " ".join(message.text for message in model.asked(Persona.NARRATOR)[-1].messages)
    assert table.shows("The hinges whisper.", "take 2/2")
    assert not table.shows("Nobody answers.")


async def test_retake_needs_no_note_and_can_be_left(table: Table, model: ScriptedLlm) -> None:
    await table.press("ctrl+r", "escape")
    assert not model.asked(Persona.NARRATOR)
    await table.press("ctrl+r", "enter")
    assert len(model.asked(Persona.NARRATOR)) == 1
    assert table.shows("take 2/2")


async def test_retake_shows_the_old_take_while_the_new_one_comes(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR], gate = held("The hinges whisper.", 2)
    await table.press("ctrl+r")
    await table.pilot.press("enter")
    await table.until("Nobody answers.", "gm The hinges")
    let_go(gate)
    await table.settle()
    assert table.text.count("The hinges whisper.") == 1


async def test_retake_that_fails_keeps_the_note(
    table: Table, model: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ModelUnreachable("Nobody answers there.", kept="The take you have stands.")
    fail_once(monkeypatch, table.services.play, "narrate_again", error)
    await table.press("ctrl+r")
    await table.type("quieter")
    assert table.shows("Nobody answers there.", "The take you have stands.", "Nobody answers. Far below")
    await table.press("ctrl+r")
    assert table.shows("quieter")


async def test_retake_in_ones_own_words_is_still_another_take(table: Table) -> None:
    await table.press("shift+tab", "e")
    assert table.shows("Nobody answers. Far below")
    await table.type(" Then it laughs.")
    assert (await read_turns(table))[-1].turn.text == f"{SILENCE} Then it laughs."


async def test_model_narrates_on_by_a_key(table: Table, model: ScriptedLlm) -> None:
    model.script[Persona.NARRATOR] = priced("And then the lamp goes out.")
    await table.press("f7")
    assert table.shows("And then the lamp goes out.")
    assert (await read_turns(table))[-1].turn.text == "And then the lamp goes out."


async def test_scene_without_a_model_does_not_mention_one(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), ROOMY) as table:
        await table.press("enter")
        before = await read_turns(table)
        assert not table.shows("f7")
        assert not table.shows("X-ray")
        assert "$" not in table.text
        await table.press("f7")
        assert await read_turns(table) == before
        await table.press("ctrl+r")
        assert table.shows("The wood is slick with weed.")  # the words themselves are edited


# --- what it costs, and what goes wrong -------------------------------------------------------------


async def test_status_bar_shows_the_cost_of_the_story(table: Table) -> None:
    assert table.text.splitlines()[0].endswith("$0.04+?")
    before = (await read_turns(table))[-1].turn
    await table.type("I wait.")
    assert (await read_turns(table))[-1].turn != before
    (card,) = await table.services.stories.stories()
    assert (await table.services.llm.read_story_cost(card.story.id))[0] > 42_000
    table.services.events.publish(LlmCallRecorded("call", card.story.id))
    await table.settle()
    assert table.text.splitlines()[0].endswith("$0.04+?")


async def test_budget_used_up_says_what_was_kept_and_what_to_do(table: Table) -> None:
    await table.type("/budget story 0.03")
    await table.type("I wait.")
    assert table.shows("this story's budget of $0.03 is used up.", INPUT_KEPT, "Raise it: /budget story 5")
    assert prompt(table).text == ""  # it is in the story already
    assert (await read_turns(table))[-1].turn.text == "I wait."


async def test_command_that_the_model_could_not_do_comes_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch, table.services.play, "submit", ModelUnreachable("Nobody answers there."))
    await table.type("/gm what does Ivo want?")
    assert prompt(table).text == "/gm what does Ivo want?"


async def test_narration_that_breaks_off_is_reported_beside_the_story(
    table: Table, model: ScriptedLlm
) -> None:
    model.script[Persona.NARRATOR] = ScriptedReply(
        ("The ", "ti", "de."), error=ModelUnreachable("The connection broke."), cut_after=2
    )
    await table.type("I wait.")
    assert table.shows("The connection broke")
    assert not table.app.screen.query_one(Transcript).is_narrating
    assert (await read_turns(table))[-1].turn.text.strip() == "The ti"


# --- where it leads ---------------------------------------------------------------------------------


async def test_f6_leads_to_the_xray_of_the_last_narration_and_back(table: Table) -> None:
    await table.press("f6")
    assert table.screen == "XrayScreen"
    assert table.shows("turn 10", "Nobody answers")
    await table.press("escape")
    assert table.screen == "SceneScreen"


async def test_xray_in_the_transcript_is_of_the_turn_under_the_cursor(table: Table) -> None:
    await table.press("shift+tab", "home", "X")
    assert table.shows("X-ray", "turn 1 ")


async def test_commands_lead_to_xray_and_bill(table: Table) -> None:
    await table.type("/xray")
    assert table.screen == "XrayScreen"
    await table.press("escape")
    await table.type("/bill")
    assert table.screen == "BillScreen"
    assert table.shows("in The Drowned Bell")
