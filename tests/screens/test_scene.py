"""The play screen by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual import events

from agents.views.proposal_views import ProposalView
from agents.views.replies import Reply
from agents.views.scene_views import SceneView
from agents.views.turn_views import TurnView
from screens.play.scene_messages import ReplyReceived
from screens.play.scene_screen import SceneScreen
from stores.errors import StoreFull
from stores.records.workflow import ProposalStatus, Verdict
from tests.program import begin, opened
from tests.screens.faults import fail_once, hold
from tests.screens.screen_driver import NARROW, NIGHT, ROOMY, ScreenDriver, real_services, started_app
from widgets.entity_card import EntityCardView
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar

LAST = "The wood is slick with weed."
CRITICAL = "/state Mara.alive = false"
TO_PENDING = ("down", "down")
"""Past the two proposals that are in canon already."""


@pytest.fixture
async def ui(played_home: Path) -> AsyncIterator[ScreenDriver]:
    """A scene that is being played, on a small terminal."""
    async with started_app(real_services(played_home, 8, start=NIGHT), NARROW) as ui:
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        yield ui


def prompt(ui: ScreenDriver) -> PlayPrompt:
    return ui.app.screen.query_one(PlayPrompt)


async def read_scene(ui: ScreenDriver) -> SceneView:
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    return await ui.services.play.scene(card.scene.id)


async def read_turns(ui: ScreenDriver) -> list[TurnView]:
    return await ui.services.play.transcript((await read_scene(ui)).scene.id, 0, 100)


async def read_texts(ui: ScreenDriver) -> list[str]:
    return [row.turn.text for row in await read_turns(ui)]


async def read_pending(ui: ScreenDriver) -> list[ProposalView]:
    return [p for p in (await read_scene(ui)).proposals if p.status is ProposalStatus.PENDING]


# --- typing -----------------------------------------------------------------------------------------


async def test_scene_plays_what_is_typed_and_shows_it(ui: ScreenDriver) -> None:
    await ui.type("I wait for the tide.")
    assert (await read_texts(ui))[-1] == "I wait for the tide."
    assert ui.shows("you I wait for the tide.")
    assert prompt(ui).text == ""


async def test_model_keys_say_without_a_model_that_there_is_none(ui: ScreenDriver) -> None:
    """F1 lists F7 and F6: they answer as Ctrl+R does, and the footer, where room is short, has neither."""
    turns = await read_texts(ui)
    assert not ui.shows("f7 Narrate")
    await ui.press("f7")
    assert ui.shows("No model is set up to narrate.", "Model on the menu sets one up")
    assert await read_texts(ui) == turns
    await ui.press("f6")
    assert ui.screen == "XrayScreen"


async def test_scene_sends_nothing_when_nothing_is_typed(ui: ScreenDriver) -> None:
    before = await read_texts(ui)
    await ui.press("enter")
    await ui.type("   ")
    assert await read_texts(ui) == before


async def test_scene_shows_markup_as_words(ui: ScreenDriver) -> None:
    await ui.type("[bold red]I say[/] [link='x']no[/link]")
    assert ui.shows("[bold red]I say[/] [link='x']no[/link]")


@pytest.mark.slow
async def test_scene_error_keeps_the_words_and_says_what_to_do(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = StoreFull("The disk is full.", kept="Your words are in the prompt.", todo="Free some space.")
    fail_once(monkeypatch, ui.services.play, "submit", full)
    await ui.type("I cross the sand.")
    assert ui.shows("The disk is full.", "Your words are in the prompt.", "Free some space.")
    assert prompt(ui).text == "I cross the sand."
    await ui.press("enter")
    assert ui.shows("you I cross the sand.")
    assert not ui.shows("The disk is full.")


async def test_scene_keeps_the_words_after_a_bug(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_once(monkeypatch, ui.services.play, "submit", KeyError("bug"))
    await ui.type("I cross the sand.")
    assert ui.screen == "ErrorDialog"
    await ui.press("enter")
    assert prompt(ui).text == "I cross the sand."


async def test_scene_refuses_an_unknown_command(ui: ScreenDriver) -> None:
    await ui.type("/frobnicate all")
    assert ui.shows("There is no command /frobnicate.", "Nothing was played.")
    assert prompt(ui).text == "/frobnicate all"


@pytest.mark.slow
async def test_scene_plays_lines_typed_in_a_burst_in_order(ui: ScreenDriver) -> None:
    for line in ("one", "two", "three"):
        prompt(ui).post_message(PlayPrompt.LineSubmitted(line))
    await ui.settle()
    assert (await read_texts(ui))[-3:] == ["one", "two", "three"]


async def test_scene_notes_are_shown_apart_and_cleared_by_escape(ui: ScreenDriver) -> None:
    await ui.type("/thread Who cut the rope?")
    assert ui.shows("is open: Who cut the rope?")
    await ui.press("escape")
    assert ui.screen == "SceneScreen"
    assert not ui.shows("is open: Who cut the rope?")


@pytest.mark.slow
async def test_scene_palette_has_keys_and_commands(ui: ScreenDriver) -> None:
    await ui.press("ctrl+p")
    await ui.type("/roll")
    assert prompt(ui).text == "/roll "  # it wants words: begun, not sent
    prompt(ui).text = ""
    await ui.type("I wait.")
    before = await read_texts(ui)
    await ui.press("ctrl+p")
    await ui.type("undo")
    assert await read_texts(ui) == before[:-1]
    await ui.press("ctrl+p")
    await ui.type("/end")
    assert ui.screen == "GateScreen"


@pytest.mark.slow
async def test_scene_palette_leads_to_screens_and_names(ui: ScreenDriver) -> None:
    for words, screen in (
        ("univ", "UniverseScreen"),
        ("charac", "CharactersScreen"),
        ("gil oak", "UniverseScreen"),
    ):
        await ui.press("ctrl+p")
        await ui.type(words)
        assert ui.screen == screen
        await ui.press("escape")
        assert ui.screen == "SceneScreen"


# --- the line ---------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_scene_undo_and_redo(ui: ScreenDriver) -> None:
    assert not ui.shows("Redo")
    await ui.type("I wait.")
    before = await read_texts(ui)
    await ui.press("ctrl+z")
    assert await read_texts(ui) == before[:-1]
    await ui.press("ctrl+y")
    assert await read_texts(ui) == before


async def test_scene_undo_drops_what_the_line_suggested(ui: ScreenDriver) -> None:
    await ui.type("> Nolla Brint laughs.")
    assert ui.shows("/npc here Nolla Brint", "Tab takes it")
    await ui.press("ctrl+z")
    assert not ui.shows("Tab takes it")
    await ui.press("tab")
    assert prompt(ui).text == ""


@pytest.mark.slow
async def test_scene_undo_works_whatever_stands_in_the_prompt(ui: ScreenDriver) -> None:
    await ui.type("I wait.")
    before = await read_texts(ui)
    await ui.type("half a sent", enter=False)
    await ui.press("ctrl+z")
    assert await read_texts(ui) == before[:-1]
    assert prompt(ui).text == "half a sent"
    await ui.press("ctrl+y", "ctrl+u")
    await ui.type("/cour 1")  # refused, and put back
    assert prompt(ui).text == "/cour 1"
    await ui.press("ctrl+z")
    assert await read_texts(ui) == before[:-1]


@pytest.mark.slow
async def test_scene_undo_asks_before_it_takes_canon(ui: ScreenDriver) -> None:
    await ui.type("I look at the rope.")
    await ui.type("/fact The rope was cut with a company knife")
    await ui.type("/commit")
    before = await read_texts(ui)
    await ui.press("ctrl+z")
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("Last, this became canon:", "The rope was cut with a company knife.")
    assert ui.shows("Undo takes these 4 from canon, to wait at the gate")
    assert not ui.shows("rests on it")
    await ui.press("escape")
    assert await read_texts(ui) == before
    await ui.press("ctrl+z", "enter")
    assert await read_texts(ui) == before
    assert ui.shows("Not canon any more: The rope was cut with a company knife.")
    await ui.press("ctrl+y")
    assert ui.shows("Redo makes this canon again:", "The rope was cut with a company knife.")
    await ui.press("enter")
    assert ui.shows("Canon again: The rope was cut with a company knife.")
    await ui.press("ctrl+z", "enter", "ctrl+z")
    assert ui.shows("Undone: The rope was cut with a company knife.")
    await ui.press("ctrl+z")
    assert await read_texts(ui) == before[:-1]


@pytest.mark.slow
async def test_scene_words_typed_over_a_question_of_a_panel_begin_a_line(ui: ScreenDriver) -> None:
    await ui.type("/place here > Cellar: dry, with a second door")
    await ui.press("enter")
    assert ui.shows("Cellar")
    await ui.press("f2", "u")
    assert ui.shows("Propose to retract it?")
    await ui.press("I", "space", "o", "p", "e", "n")
    assert ui.screen == "SceneScreen"
    assert prompt(ui).text == "I open"
    assert not ui.shows("Never true")


@pytest.mark.slow
async def test_scene_retake_begins_with_the_last_words(ui: ScreenDriver) -> None:
    await ui.press("ctrl+r")
    assert ui.screen == "TextDialog"
    assert ui.shows(LAST)
    await ui.type(" Then it laughs.")
    words = (await read_texts(ui))[-1]
    assert words.startswith(LAST)
    assert words.endswith("Then it laughs.")
    assert ui.shows("Then it laughs.", "take 2/2")


@pytest.mark.slow
async def test_scene_retake_can_be_left(ui: ScreenDriver) -> None:
    await ui.press("ctrl+r", "escape")
    await ui.press("ctrl+r", "enter")  # the same words are no other take
    assert [row.take_count for row in await read_turns(ui)][-1] == 1
    assert ui.screen == "SceneScreen"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["B", "!", "e"])
async def test_scene_keys_of_a_turn_say_that_there_is_none(tmp_path: Path, key: str) -> None:
    async with opened(tmp_path) as program:
        await begin(program)
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("enter", "shift+tab")
        assert ui.app.focused is ui.app.screen.query_one(Transcript)
        await ui.press("up", key)
        assert ui.shows("yet")


@pytest.mark.slow
async def test_scene_takes_are_walked_with_left_and_right(ui: ScreenDriver) -> None:
    await ui.press("ctrl+r")
    await ui.type(" Then it laughs.")
    await ui.press("left")
    assert ui.shows("take 1/2")
    await ui.press("shift+tab", "right")
    assert ui.shows("take 2/2")
    await ui.press("tab")
    await ui.type("I go", enter=False)
    await ui.press("left")
    assert ui.shows("take 2/2")  # with words, Left moves in them


@pytest.mark.slow
async def test_scene_undo_takes_another_take_back_before_the_turn(ui: ScreenDriver) -> None:
    before = await read_texts(ui)
    await ui.press("ctrl+r")
    await ui.type(" Then it laughs.")
    retaken = await read_texts(ui)
    await ui.press("left")
    await ui.press("ctrl+z")
    assert await read_texts(ui) == retaken
    assert ui.shows("Undone: Take 1:")
    await ui.press("ctrl+z")
    assert await read_texts(ui) == before
    await ui.press("ctrl+y")
    assert await read_texts(ui) == retaken


@pytest.mark.slow
async def test_scene_branches_from_an_older_turn(ui: ScreenDriver) -> None:
    before = await read_texts(ui)
    await ui.press("shift+tab", "home", "down", "down", "down", "B")
    assert ui.screen == "ConfirmDialog"
    assert ui.shows("Wenna Pike has a filleting knife.", "Go there")
    assert await read_texts(ui) == before
    await ui.press("enter")
    assert await read_texts(ui) == before[:4]
    assert prompt(ui).input_has_focus
    assert ui.shows("Going on from: I look at the cut rope.")
    assert not ui.shows("The cut is clean")


@pytest.mark.slow
async def test_scene_decides_from_the_words_of_a_turn(ui: ScreenDriver) -> None:
    await ui.press("shift+tab", "home", "down", "down", "down", "exclamation_mark")
    assert prompt(ui).input_has_focus
    assert prompt(ui).text == "/decide I look at the cut rope. "
    await ui.press("enter")
    assert ui.shows("Decided: Mara Venn looks at the cut rope.")


@pytest.mark.slow
async def test_scene_turn_does_not_claim_what_was_declared_after_it(ui: ScreenDriver) -> None:
    for line in ("2d6+1", "/fact Wenna Pike is the sister of Ivo Tarrant"):
        await ui.type(line)
        await ui.press("enter")
    await ui.press("shift+tab", "end", "enter")
    assert ui.screen == "TurnTraceDialog"
    assert ui.shows("Declared after it", "sister of Ivo Tarrant.")
    assert not ui.shows("Proposed by it")
    await ui.press("escape", "f3", "home")
    proposals = ui.app.screen.query_one(ProposalList)
    while proposals.current is None or "sister" not in proposals.current.title:
        await ui.press("down")
    await ui.press("x")
    assert ui.screen == "ReadingScreen"
    assert ui.shows("Declared after this turn: “Wenna Pike is the sister of Ivo Tarrant”")


@pytest.mark.slow
async def test_scene_turn_claims_what_its_own_words_propose(ui: ScreenDriver) -> None:
    await ui.type("> Wenna Pike is the sister of Ivo Tarrant.")
    await ui.press("enter", "shift+tab", "end", "enter")
    assert ui.shows("Proposed by it", "sister of Ivo Tarrant.")
    assert not ui.shows("declared after it")


@pytest.mark.slow
async def test_scene_turn_shows_what_it_made_true(ui: ScreenDriver) -> None:
    for line in ("> Wenna Pike hides a long knife.", "/fact Wenna Pike hides a knife", "/commit"):
        await ui.type(line)
        await ui.press("enter")
    await ui.press("shift+tab", "end", "enter")
    assert ui.screen == "TurnTraceDialog"
    assert ui.shows("of scene 1", "Wenna Pike hides a knife.")
    assert not ui.shows("Wenna Pike has a filleting knife.")
    await ui.press("enter")
    assert ui.screen == "UniverseScreen"
    card = ui.app.screen.query_one(EntityCardView)
    assert card.current is not None
    assert card.current.fact.fact.statement == "Wenna Pike hides a knife."
    await ui.press("escape", "escape")
    assert ui.screen == "SceneScreen"


async def test_scene_rolls_can_be_hidden(ui: ScreenDriver) -> None:
    assert ui.shows("2d6+2")
    await ui.press("f4")
    assert not ui.shows("2d6+2")
    assert ui.shows(LAST)
    await ui.press("f4")
    assert ui.shows("2d6+2")


# --- proposals and what is critical -----------------------------------------------------------------


@pytest.mark.slow
async def test_scene_proposals_cover_the_story_where_there_is_no_room(ui: ScreenDriver) -> None:
    assert ui.shows("F2 3 proposed")
    assert not ui.shows("lying about")
    await ui.press("f2", *TO_PENDING)
    assert ui.shows("lying about", "a Accept")
    await ui.press("f2")
    assert not ui.shows("lying about")
    await ui.press("f2", "escape")
    assert not ui.shows("lying about")
    assert prompt(ui).input_has_focus


@pytest.mark.slow
async def test_scene_proposals_are_decided_by_one_key(ui: ScreenDriver) -> None:
    await ui.type("/fact The lamp is out")
    ids = [view.proposal.id for view in await read_pending(ui)]
    assert len(ids) == 4
    await ui.press("f2", "home", *TO_PENDING, "a", "r", "c", "d")
    decided = {view.proposal.id: view.verdict for view in (await read_scene(ui)).proposals}
    assert [decided[id] for id in ids] == [
        Verdict.ACCEPT,
        Verdict.REJECT,
        Verdict.FLAVOUR,
        Verdict.DEFER,
    ]
    await ui.press("u")
    decided = {view.proposal.id: view.verdict for view in (await read_scene(ui)).proposals}
    assert decided[ids[-1]] is None


@pytest.mark.slow
async def test_scene_proposal_is_edited_in_words(ui: ScreenDriver) -> None:
    await ui.press("f2", *TO_PENDING, "e")
    assert ui.shows("Edit and accept", "Wenna Pike is lying about last night")
    await ui.press("backspace")
    await ui.type(" and today")
    titles = [view.title for view in (await read_scene(ui)).proposals]
    assert any("Wenna Pike is lying about last night and today" in title for title in titles)


@pytest.mark.slow
async def test_scene_panel_says_why_what_is_in_canon_is_not_edited(ui: ScreenDriver) -> None:
    await ui.type("/accept all")
    await ui.type("/commit")
    await ui.press("f2", "e")
    assert ui.shows("▌ It is in canon, and")
    assert not ui.shows("Narrate again")
    assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_scene_proposal_evidence_is_shown_and_jumped_to(ui: ScreenDriver) -> None:
    await ui.press("f2", *TO_PENDING, "x")
    assert ui.shows("Wenna Pike is lying about")
    assert ui.app.screen.query_one(Transcript).cursor == 9


@pytest.mark.slow
async def test_scene_asks_once_about_what_is_critical(ui: ScreenDriver) -> None:
    await ui.type(CRITICAL)
    assert ui.shows("Mara Venn died", "Enter: make these 2 canon now", "Commit now")
    await ui.press("enter")
    assert ui.shows("Canon: Mara Venn died")
    assert "Mara Venn died" not in [view.title for view in await read_pending(ui)]
    assert not ui.shows("Enter: make these 2 canon now")


@pytest.mark.slow
async def test_scene_offer_lapses_for_enter_when_something_else_was_typed(ui: ScreenDriver) -> None:
    await ui.type(CRITICAL)
    await ui.type("/sheet Mara Venn")
    await ui.press("enter")
    assert "Mara Venn died" in [view.title for view in await read_pending(ui)]
    assert ui.shows("Mara Venn died", "Offered earlier · F3: gate · Esc: later")
    assert ui.app.screen.query_one(TriggerBar).size.height == 1, "once in full is enough"
    assert not ui.shows("Commit now")


@pytest.mark.slow
async def test_scene_sentence_typed_in_the_proposals_is_a_line(ui: ScreenDriver) -> None:
    before = [(view.title, view.verdict) for view in (await read_scene(ui)).proposals]
    await ui.press("f2")
    await ui.type("I wait outside instead, and are you ready?")
    assert (await read_texts(ui))[-1] == "I wait outside instead, and are you ready?"
    assert [(view.title, view.verdict) for view in (await read_scene(ui)).proposals] == before


@pytest.mark.slow
@pytest.mark.parametrize("is_bracketed", [True, False])
async def test_scene_text_pasted_in_the_proposals_goes_to_the_prompt(
    ui: ScreenDriver, is_bracketed: bool
) -> None:
    before = [(view.title, view.verdict) for view in (await read_scene(ui)).proposals]
    await ui.press("f2")
    if is_bracketed:
        ui.app.post_message(events.Paste("are dice red?"))
        await ui.settle()
    else:
        await ui.type("are dice red?", enter=False)
    await ui.pilot.pause(0.05)
    assert prompt(ui).text == "are dice red?"
    assert [(view.title, view.verdict) for view in (await read_scene(ui)).proposals] == before


@pytest.mark.slow
async def test_scene_offer_says_what_enter_does_where_the_focus_is(ui: ScreenDriver) -> None:
    await ui.type(CRITICAL)
    await ui.type("I wait", enter=False)
    assert ui.shows("Enter: send what is typed", "F3: decide at the gate")
    assert not ui.shows("Commit now")
    await ui.press("ctrl+u")
    assert ui.shows("Enter: make these 2 canon now", "Commit now")
    await ui.press("f2")
    assert ui.app.screen.query_one(TriggerBar).keys_elsewhere.startswith("Enter: evidence")
    assert not ui.shows("Commit now")
    await ui.press("escape")
    assert ui.shows("Enter: make these 2 canon now", "Commit now")
    await ui.press("enter")
    assert ui.shows("Canon: Mara Venn died")


@pytest.mark.slow
async def test_scene_offer_that_lapsed_stays_so_after_undo_and_when_the_scene_is_opened_again(
    ui: ScreenDriver,
) -> None:
    await ui.type(CRITICAL)
    await ui.type("I wait.")
    await ui.press("ctrl+z")
    assert ui.shows("Mara Venn died", "Offered earlier · F3: gate · Esc: later")
    assert not ui.shows("last line")  # it is undone
    await ui.press("enter")
    assert "Mara Venn died" in [view.title for view in await read_pending(ui)]
    await ui.press("ctrl+y", "f3", "escape")
    assert ui.screen == "SceneScreen"
    assert not ui.shows("Commit now")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "text"),
    [("I greet him.", "I greet him."), (": a widow", "/npc here Nolla Brint: a widow")],
)
async def test_scene_line_typed_behind_an_offer_that_tab_took_replaces_it(
    ui: ScreenDriver, typed: str, text: str
) -> None:
    prompt(ui).suggest_line("/npc here Nolla Brint")
    await ui.press("tab")
    assert prompt(ui).text == "/npc here Nolla Brint"
    await ui.type(typed, enter=False)
    assert prompt(ui).text == text


@pytest.mark.slow
async def test_scene_letters_behind_an_offer_that_lacks_a_word_go_on_with_it(ui: ScreenDriver) -> None:
    prompt(ui).suggest_line("/cast + ")
    await ui.press("tab")
    await ui.type("Nolla", enter=False)
    assert prompt(ui).text == "/cast + Nolla"


@pytest.mark.slow
async def test_scene_letters_in_a_panel_go_on_with_the_line_that_is_being_written(ui: ScreenDriver) -> None:
    before = [(p.proposal.id, p.verdict) for p in await read_pending(ui)]
    await ui.type("I come bac", enter=False)
    await ui.press("f2")
    assert not prompt(ui).input_has_focus
    await ui.type("k at dawn, x A r", enter=False)
    assert prompt(ui).text == "I come back at dawn, x A r"
    assert prompt(ui).input_has_focus
    assert [(p.proposal.id, p.verdict) for p in await read_pending(ui)] == before


@pytest.mark.slow
@pytest.mark.parametrize("start", ["/", ">", "?"])
async def test_scene_line_begun_in_a_panel_is_written_in_the_prompt(ui: ScreenDriver, start: str) -> None:
    await ui.press("f2")
    await ui.type(f"{start} wait", enter=False)
    assert ui.screen == "SceneScreen"
    assert prompt(ui).text == f"{start} wait"


@pytest.mark.slow
async def test_scene_first_escape_in_a_panel_returns_to_the_prompt(ui: ScreenDriver) -> None:
    await ui.type("/help nothing such")
    await ui.press("ctrl+u", "f2")
    await ui.press("escape")
    assert prompt(ui).input_has_focus
    await ui.type("I wait.")
    assert (await read_texts(ui))[-1] == "I wait."


async def test_scene_keeps_what_is_critical_for_later(ui: ScreenDriver) -> None:
    await ui.type(CRITICAL)
    await ui.press("escape")
    assert not ui.shows("Enter: make these 2 canon now")
    assert (await read_scene(ui)).trigger_reason == ""
    assert "Mara Venn died" in [view.title for view in await read_pending(ui)]
    assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_scene_plays_words_before_what_is_critical(ui: ScreenDriver) -> None:
    await ui.type(CRITICAL)
    await ui.type("I run.")
    assert "Mara Venn died" in [view.title for view in await read_pending(ui)]
    assert ui.shows("you I run.")


# --- leaving ----------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_scene_leaving_asks_and_says_what_becomes_of_typed_words(ui: ScreenDriver) -> None:
    await ui.press("escape")
    assert ui.shows("Leave for the menu?", "Resume it under Continue")
    await ui.press("escape")
    await ui.type("half a", enter=False)
    await ui.press("escape")
    assert ui.shows("did not send is kept")
    await ui.press("enter")
    assert ui.screen == "MenuScreen"
    (card,) = await ui.services.stories.stories()
    assert card.is_suspended


@pytest.mark.slow
async def test_scene_left_at_the_gate_opens_there(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8, start=NIGHT), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/end")
        assert ui.screen == "GateScreen"
        await ui.press("ctrl+q")
    async with started_app(real_services(played_home, 9, start=NIGHT), NARROW) as ui:
        assert ui.shows("at the canon gate")
        await ui.press("enter")
        assert ui.screen == "GateScreen"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("goto", "screen"),
    [("gate", "GateScreen"), ("help", "HelpScreen"), ("menu", "MenuScreen"), ("universe", "UniverseScreen")],
)
async def test_scene_reply_may_ask_for_another_screen(ui: ScreenDriver, goto: str, screen: str) -> None:
    assert isinstance(ui.app.screen, SceneScreen)
    reply = Reply("operation", goto=goto)  # type: ignore[arg-type]
    ui.app.screen.post_message(ReplyReceived(reply))
    await ui.settle()
    assert ui.screen == screen


@pytest.mark.slow
async def test_scene_tab_comes_round(ui: ScreenDriver) -> None:
    seen = []
    for _ in range(6):
        await ui.press("tab")
        seen.append(ui.app.screen.focused)
    assert None not in seen
    assert seen[0] in seen[1:]


# --- from the first scene on --------------------------------------------------------------------------


@pytest.mark.slow
async def test_scene_survives_bad_input(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        for line in ("/roll 9999999d6", "/roll 2d", "/nonsense", "/fact", "/accept 99"):
            await ui.type(line)
            assert prompt(ui).text == line
            await ui.press("escape")
            prompt(ui).text = ""
        await ui.type("I say \x07nothing")
        await ui.settle()
        assert ui.shows("I say nothing")
        prompt(ui).post_message(PlayPrompt.LineSubmitted("x" * 100_000))
        await ui.settle()
        assert ui.screen == "SceneScreen"


@pytest.mark.slow
async def test_scene_takes_undo_and_redo_of_a_story_just_begun(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("I go out.")
        await ui.type("> The tide is out.")
        await ui.press("ctrl+r")
        await ui.type(" The Ribs lie bare.")
        assert ui.shows("The Ribs lie bare.", "take 2/2")
        await ui.press("left")
        assert ui.shows("take 1/2")
        assert not ui.shows("The Ribs lie bare.")
        await ui.press("right")
        assert ui.shows("The Ribs lie bare.")
        await ui.press("ctrl+z")
        assert not ui.shows("take 2/2")
        await ui.press("ctrl+y")
        assert ui.shows("The Ribs lie bare.", "take 2/2")


@pytest.mark.slow
async def test_scene_goes_on_with_what_is_typed_over_the_question_to_leave(ui: ScreenDriver) -> None:
    await ui.press("escape")
    assert ui.shows("Leave for the menu?")
    await ui.type("They stay quiet.", enter=False)
    assert ui.screen == "SceneScreen"
    assert prompt(ui).text == "They stay quiet."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "screen"), [("f8", "QueryScreen"), ("f3", "GateScreen"), ("f5", "SheetScreen")]
)
async def test_scene_key_that_was_pressed_before_the_scene_was_read_acts(
    played_home: Path, monkeypatch: pytest.MonkeyPatch, key: str, screen: str
) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        go = asyncio.Event()
        hold(monkeypatch, ui.services.play, "scene", go)
        await ui.pilot.press("enter")
        await ui.pilot.pause()
        await ui.pilot.press(key)
        assert ui.screen == "SceneScreen"
        go.set()
        await ui.settle()
        assert ui.screen == screen


@pytest.mark.slow
async def test_scene_says_how_a_refused_line_comes_back(ui: ScreenDriver) -> None:
    await ui.type("I pull at the old rope. /check wit")
    assert prompt(ui).text == "I pull at the old rope. /check wit"
    assert ui.shows("Typing replaces it", "Up brings it back")
    await ui.type("s vs 8", enter=False)
    assert prompt(ui).text == "s vs 8"
    await ui.press("ctrl+u", "up", "up")
    assert prompt(ui).text == "I pull at the old rope. /check wit"


@pytest.mark.slow
async def test_scene_names_the_key_of_help_that_is_not_typed(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        assert "? Help" in ui.text
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        assert "? Help" not in ui.text
        assert "f1 Help" in ui.text
        await ui.press("f1")
        assert ui.screen == "HelpScreen"


@pytest.mark.slow
async def test_scene_notice_of_what_is_settled_already_is_gone_after_the_gate(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        await begin(program)
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/promise Mara will come back before winter")
        await ui.type("/paid 1")
        await ui.type("/paid 1")
        assert ui.shows("is proposed already.")
        await ui.press("f3", "enter", "enter")
        assert ui.screen == "SceneScreen"
        assert not ui.shows("is proposed already.")


@pytest.mark.slow
async def test_scene_undo_of_nothing_but_canon_takes_it_and_then_says_that_nothing_is_left(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        await begin(program)
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await ui.press("enter")
        await ui.type("/place Salt Cellar: low and dry")
        await ui.press("f3", "enter")
        await ui.press("enter")
        await ui.type("I go down.")
        await ui.type("> It is dark.")
        await ui.press("ctrl+z", "ctrl+z")
        assert ui.shows("Undone: ")
        await ui.press("ctrl+z")
        assert ui.shows("Last, this became canon:", "Salt Cellar")
        await ui.press("enter")
        assert ui.shows("Not canon any more: Salt Cellar")


@pytest.mark.slow
async def test_scene_undo_where_nothing_was_done_says_why_and_what_to_do(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        await begin(program)
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await ui.press("enter", "ctrl+z")
        assert ui.shows("Nothing to undo in this scene.")
        await ui.press("ctrl+y")
        assert ui.shows("Nothing to redo.", "Ctrl+Y brings back what Ctrl+Z took")
        await ui.type("I find a stair.")
        await ui.press("ctrl+y")
        assert ui.shows("Nothing to redo.")


@pytest.mark.slow
async def test_scene_shows_that_undo_works_beside_the_undo_of_a_row(ui: ScreenDriver) -> None:
    await ui.type("/fact The rope is new")
    await ui.press("f2", "end", "a")
    assert ui.shows("u Undo it", "^z Undo")
    await ui.press("u")
    assert not ui.shows("u Undo it")
    await ui.press("a", "ctrl+z")
    assert not ui.shows("u Undo it")


@pytest.mark.slow
async def test_scene_take_keys_on_an_earlier_turn_say_where_its_takes_are(ui: ScreenDriver) -> None:
    """Right on a highlighted turn that is not the last must not switch another turn unseen."""
    await ui.type("I look up.")
    await ui.type("> The sky is red.")
    await ui.type("I look down.")
    await ui.press("shift+tab", "up", "right")
    assert ui.shows("Left and Right switch takes of the last turn.")


@pytest.mark.slow
async def test_scene_narration_is_edited_in_place_and_later_turns_stand(ui: ScreenDriver) -> None:
    """I press e on an older narration and mend it: it reads so from now on, and I lose nothing that I played since."""
    for line in ("> The bell tolls.", "I wait.", "> It is still."):
        await ui.type(line)
    await ui.press("shift+tab", "up", "up", "e")
    assert ui.shows("the turns after it stand")
    await ui.type(" *Twice.*")
    assert ui.shows("The bell tolls. Twice.", "edited", "I wait.", "It is still.")
    await ui.press("ctrl+z")
    assert ui.shows("The bell tolls.", "I wait.", "It is still.", "Undone: other words")
    assert not ui.shows("edited")
