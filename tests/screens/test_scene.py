"""The play screen by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.play_views import ProposalView, Reply, SceneView, TurnView
from screens.play.scene_screen import SceneScreen
from stores.errors import StoreFull
from stores.records.workflow import ProposalStatus, Verdict
from tests.screens.faults import fail_once
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated
from widgets.entity_card import EntityCardView
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

LAST = "The wood is slick with weed."
CRITICAL = "/state Mara.alive = false"
TO_PENDING = ("down", "down")
"""Past the two proposals that are in canon already."""


@pytest.fixture
async def table(played_home: Path) -> AsyncIterator[Table]:
    """A scene that is being played, on a small terminal."""
    async with seated(real_desk(played_home, 8), NARROW) as table:
        await table.press("enter")
        assert table.screen == "SceneScreen"
        yield table


def prompt(table: Table) -> PlayPrompt:
    return table.app.screen.query_one(PlayPrompt)


async def read_scene(table: Table) -> SceneView:
    (card,) = await table.services.stories.stories()
    assert card.scene is not None
    return await table.services.play.scene(card.scene.id)


async def read_turns(table: Table) -> list[TurnView]:
    return await table.services.play.transcript((await read_scene(table)).scene.id, 0, 100)


async def read_texts(table: Table) -> list[str]:
    return [row.turn.text for row in await read_turns(table)]


async def read_pending(table: Table) -> list[ProposalView]:
    return [p for p in (await read_scene(table)).proposals if p.status is ProposalStatus.PENDING]


# --- typing -----------------------------------------------------------------------------------------


async def test_scene_plays_what_is_typed_and_shows_it(table: Table) -> None:
    await table.type("I wait for the tide.")
    assert (await read_texts(table))[-1] == "I wait for the tide."
    assert table.shows("you I wait for the tide.")
    assert prompt(table).text == ""


async def test_scene_sends_nothing_when_nothing_is_typed(table: Table) -> None:
    before = await read_texts(table)
    await table.press("enter")
    await table.type("   ")
    assert await read_texts(table) == before


async def test_scene_shows_markup_as_words(table: Table) -> None:
    await table.type("[bold red]I say[/] [link='x']no[/link]")
    assert table.shows("[bold red]I say[/] [link='x']no[/link]")


async def test_scene_error_keeps_the_words_and_says_what_to_do(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = StoreFull("The disk is full.", kept="Your words are in the prompt.", todo="Free some space.")
    fail_once(monkeypatch, table.services.play, "submit", full)
    await table.type("I cross the sand.")
    assert table.shows("The disk is full.", "Your words are in the prompt.", "Free some space.")
    assert prompt(table).text == "I cross the sand."
    await table.press("enter")
    assert table.shows("you I cross the sand.")
    assert not table.shows("The disk is full.")


async def test_scene_keeps_the_words_after_a_bug(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_once(monkeypatch, table.services.play, "submit", KeyError("bug"))
    await table.type("I cross the sand.")
    assert table.screen == "ErrorDialog"
    await table.press("enter")
    assert prompt(table).text == "I cross the sand."


async def test_scene_refuses_an_unknown_command(table: Table) -> None:
    await table.type("/frobnicate all")
    assert table.shows("There is no command /frobnicate.", "Nothing was played.")
    assert prompt(table).text == "/frobnicate all"


async def test_scene_plays_lines_typed_in_a_burst_in_order(table: Table) -> None:
    for line in ("one", "two", "three"):
        prompt(table).post_message(PlayPrompt.LineSubmitted(line))
    await table.settle()
    assert (await read_texts(table))[-3:] == ["one", "two", "three"]


async def test_scene_notes_are_shown_apart_and_cleared_by_escape(table: Table) -> None:
    await table.type("/thread Who cut the rope?")
    assert table.shows("is open: Who cut the rope?")
    await table.press("escape")
    assert table.screen == "SceneScreen"
    assert not table.shows("is open: Who cut the rope?")


async def test_scene_palette_has_keys_and_commands(table: Table) -> None:
    await table.press("ctrl+p")
    await table.type("/roll")
    assert prompt(table).text == "/roll "  # it wants words: begun, not sent
    prompt(table).text = ""
    before = await read_texts(table)
    await table.press("ctrl+p")
    await table.type("undo")
    assert await read_texts(table) == before[:-2]
    await table.press("ctrl+p")
    await table.type("/end")
    assert table.screen == "GateScreen"


# --- the line ---------------------------------------------------------------------------------------


async def test_scene_undo_and_redo(table: Table) -> None:
    assert not table.shows("Redo")
    await table.press("ctrl+z")
    assert not table.shows(LAST)
    await table.press("ctrl+y")
    assert table.shows(LAST)


async def test_scene_undo_is_the_prompts_own_while_words_are_typed(table: Table) -> None:
    before = await read_texts(table)
    await table.type("half a sent", enter=False)
    await table.press("ctrl+z")
    assert await read_texts(table) == before
    assert table.shows(LAST)


async def test_scene_retake_begins_with_the_last_words(table: Table) -> None:
    await table.press("ctrl+r")
    assert table.screen == "TextDialog"
    assert table.shows(LAST)
    await table.type(" Then it laughs.")
    words = (await read_texts(table))[-1]
    assert words.startswith(LAST)
    assert words.endswith("Then it laughs.")
    assert table.shows("Then it laughs.", "take 2/2")


async def test_scene_retake_can_be_left(table: Table) -> None:
    await table.press("ctrl+r", "escape")
    await table.press("ctrl+r", "enter")  # the same words are no other take
    assert [row.take_count for row in await read_turns(table)][-1] == 1
    assert table.screen == "SceneScreen"


async def test_scene_takes_are_walked_with_left_and_right(table: Table) -> None:
    await table.press("ctrl+r")
    await table.type(" Then it laughs.")
    await table.press("left")
    assert table.shows("take 1/2")
    await table.press("shift+tab", "right")
    assert table.shows("take 2/2")
    await table.press("tab")
    await table.type("I go", enter=False)
    await table.press("left")
    assert table.shows("take 2/2")  # with words, Left moves in them


async def test_scene_branches_from_an_older_turn(table: Table) -> None:
    before = await read_texts(table)
    await table.press("shift+tab", "home", "down", "down", "down", "B")
    assert await read_texts(table) == before[:4]
    assert prompt(table).input_has_focus
    assert table.shows("Going on from: I look at the cut rope.")
    assert not table.shows("The cut is clean")


async def test_scene_turn_shows_what_it_made_true(table: Table) -> None:
    await table.press("shift+tab", "home", *["down"] * 7, "enter")
    assert table.screen == "TurnTraceDialog"
    assert table.shows("Turn 8 of scene 1", "Wenna Pike has a filleting knife.", "Net Loft")
    await table.press("enter")
    assert table.screen == "UniverseScreen"
    card = table.app.screen.query_one(EntityCardView)
    assert card.current is not None
    assert card.current.fact.fact.statement == "Wenna Pike has a filleting knife."
    await table.press("escape", "escape")
    assert table.screen == "SceneScreen"


async def test_scene_rolls_can_be_hidden(table: Table) -> None:
    assert table.shows("2d6+2")
    await table.press("f4")
    assert not table.shows("2d6+2")
    assert table.shows(LAST)
    await table.press("f4")
    assert table.shows("2d6+2")


# --- proposals and what is critical -----------------------------------------------------------------


async def test_scene_proposals_cover_the_story_where_there_is_no_room(table: Table) -> None:
    assert table.shows("F2 3 proposed")
    assert not table.shows("lying about")
    await table.press("f2", *TO_PENDING)
    assert table.shows("lying about", "a Accept")
    await table.press("f2")
    assert not table.shows("lying about")
    await table.press("f2", "escape")
    assert not table.shows("lying about")
    assert prompt(table).input_has_focus


async def test_scene_proposals_are_decided_by_one_key(table: Table) -> None:
    await table.type("/fact The lamp is out")
    ids = [view.proposal.id for view in await read_pending(table)]
    assert len(ids) == 4
    await table.press("f2", *TO_PENDING, "a", "r", "c", "d")
    decided = {view.proposal.id: view.verdict for view in (await read_scene(table)).proposals}
    assert [decided[id] for id in ids] == [
        Verdict.ACCEPT,
        Verdict.REJECT,
        Verdict.FLAVOUR,
        Verdict.DEFER,
    ]
    await table.press("u")
    decided = {view.proposal.id: view.verdict for view in (await read_scene(table)).proposals}
    assert decided[ids[-1]] is None


async def test_scene_proposal_is_edited_in_words(table: Table) -> None:
    await table.press("f2", *TO_PENDING, "e")
    assert table.shows("Edit and accept", "Wenna Pike is lying about last night")
    await table.press("backspace")
    await table.type(" and today")
    titles = [view.title for view in (await read_scene(table)).proposals]
    assert any("Wenna Pike is lying about last night and today" in title for title in titles)


async def test_scene_proposal_evidence_is_shown_and_jumped_to(table: Table) -> None:
    await table.press("f2", *TO_PENDING, "x")
    assert table.shows("Wenna Pike is lying about last night")
    assert table.app.screen.query_one(Transcript).cursor == 9


async def test_scene_asks_once_about_what_is_critical(table: Table) -> None:
    await table.type(CRITICAL)
    assert table.shows("Mara Venn died", "Enter: make it canon now", "Commit now")
    await table.press("enter")
    assert table.shows("Canon: Mara Venn died")
    assert "Mara Venn died" not in [view.title for view in await read_pending(table)]
    assert not table.shows("Enter: make it canon now")


async def test_scene_keeps_what_is_critical_for_later(table: Table) -> None:
    await table.type(CRITICAL)
    await table.press("escape")
    assert not table.shows("Enter: make it canon now")
    assert (await read_scene(table)).trigger_reason == ""
    assert "Mara Venn died" in [view.title for view in await read_pending(table)]
    assert table.screen == "SceneScreen"


async def test_scene_plays_words_before_what_is_critical(table: Table) -> None:
    await table.type(CRITICAL)
    await table.type("I run.")
    assert "Mara Venn died" in [view.title for view in await read_pending(table)]
    assert table.shows("you I run.")


# --- leaving ----------------------------------------------------------------------------------------


async def test_scene_leaving_asks_and_says_what_becomes_of_typed_words(table: Table) -> None:
    await table.press("escape")
    assert table.shows("Leave for the menu?", "Resume it under Continue")
    await table.press("escape")
    await table.type("half a", enter=False)
    await table.press("escape")
    assert table.shows("was not sent")
    await table.press("enter")
    assert table.screen == "MenuScreen"
    (card,) = await table.services.stories.stories()
    assert card.is_suspended


async def test_scene_left_at_the_gate_opens_there(played_home: Path) -> None:
    async with seated(real_desk(played_home, 8), NARROW) as table:
        await table.press("enter")
        await table.type("/end")
        assert table.screen == "GateScreen"
        await table.press("ctrl+q")
    async with seated(real_desk(played_home, 9), NARROW) as table:
        assert table.shows("at the canon gate")
        await table.press("enter")
        assert table.screen == "GateScreen"


@pytest.mark.parametrize(
    ("goto", "screen"),
    [("gate", "GateScreen"), ("help", "HelpScreen"), ("menu", "MenuScreen"), ("universe", "UniverseScreen")],
)
async def test_scene_reply_may_ask_for_another_screen(table: Table, goto: str, screen: str) -> None:
    assert isinstance(table.app.screen, SceneScreen)
    reply = Reply("operation", goto=goto)  # type: ignore[arg-type]
    table.app.screen.post_message(SceneScreen.ReplyReceived(reply))
    await table.settle()
    assert table.screen == screen


async def test_scene_tab_comes_round(table: Table) -> None:
    seen = []
    for _ in range(6):
        await table.press("tab")
        seen.append(table.app.screen.focused)
    assert None not in seen
    assert seen[0] in seen[1:]


# --- from the first scene on --------------------------------------------------------------------------


async def test_scene_survives_bad_input(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        for line in ("/roll 9999999d6", "/roll 2d", "/nonsense", "/fact", "/accept 99"):
            await table.type(line)
            assert prompt(table).text == line
            await table.press("escape")
            prompt(table).text = ""
        await table.type("I say \x07nothing")
        await table.settle()
        assert table.shows("I say nothing")
        prompt(table).post_message(PlayPrompt.LineSubmitted("x" * 100_000))
        await table.settle()
        assert table.screen == "SceneScreen"


async def test_scene_takes_undo_and_redo_of_a_story_just_begun(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("I go out.")
        await table.type("> The tide is out.")
        await table.press("ctrl+r")
        await table.type(" The Ribs lie bare.")
        assert table.shows("The Ribs lie bare.", "take 2/2")
        await table.press("left")
        assert table.shows("take 1/2")
        assert not table.shows("The Ribs lie bare.")
        await table.press("right")
        assert table.shows("The Ribs lie bare.")
        await table.press("ctrl+z")
        assert not table.shows("The Ribs lie bare.")
        await table.press("ctrl+y")
        assert table.shows("The Ribs lie bare.", "take 2/2")
