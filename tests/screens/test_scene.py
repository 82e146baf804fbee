"""The play screen by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.play_views import Reply
from screens.play.scene_screen import SceneScreen
from stores.errors import StoreFull
from stores.records.workflow import Verdict
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def table(twin: TwinDesk) -> AsyncIterator[Table]:
    """A scene that is being played, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter")
        assert table.screen == "SceneScreen"
        yield table


def prompt(table: Table) -> PlayPrompt:
    return table.app.screen.query_one(PlayPrompt)


# --- typing -----------------------------------------------------------------------------------------


async def test_what_is_typed_goes_to_the_desk_and_shows_up(table: Table, twin: TwinDesk) -> None:
    await table.type("I wait for the tide.")
    assert twin.called("submit")[-1][1] == "I wait for the tide."
    assert table.shows("I wait for the tide.", "The tide answers")
    assert prompt(table).text == ""


async def test_nothing_is_sent_when_nothing_is_typed(table: Table, twin: TwinDesk) -> None:
    await table.press("enter")
    await table.type("   ")
    assert not twin.called("submit")


async def test_markup_and_escapes_are_only_words(table: Table) -> None:
    await table.type("[bold red]I say[/] [link='x']no[/link]")
    assert table.shows("[bold red]I say[/] [link='x']no[/link]")


async def test_an_error_keeps_the_words_and_says_what_to_do(table: Table, twin: TwinDesk) -> None:
    twin.fail(
        "submit",
        StoreFull("The disk is full.", kept="Your words are in the prompt.", todo="Free some space."),
    )
    await table.type("I cross the sand.")
    assert table.shows("The disk is full.", "Your words are in the prompt.", "Free some space.")
    assert prompt(table).text == "I cross the sand."
    await table.press("enter")
    assert table.shows("you I cross the sand.")
    assert not table.shows("The disk is full.")


async def test_a_fault_of_the_program_keeps_the_words_too(table: Table, twin: TwinDesk) -> None:
    twin.fail("submit", KeyError("bug"))
    await table.type("I cross the sand.")
    assert table.screen == "ErrorDialog"
    await table.press("enter")
    assert prompt(table).text == "I cross the sand."


async def test_an_unknown_command_is_told(table: Table) -> None:
    await table.type("/frobnicate all")
    assert table.shows("There is no command /frobnicate.", "Nothing was sent.")
    assert prompt(table).text == "/frobnicate all"


async def test_lines_typed_in_a_burst_are_played_in_order(table: Table, twin: TwinDesk) -> None:
    for line in ("one", "two", "three"):
        prompt(table).post_message(PlayPrompt.LineSubmitted(line))
    await table.settle()
    assert [line for _, line in twin.called("submit")] == ["one", "two", "three"]


async def test_notes_stand_apart_and_go_with_escape(table: Table) -> None:
    await table.type("/undo")
    assert table.shows("One exchange was taken back.")
    await table.press("escape")
    assert table.screen == "SceneScreen"
    assert not table.shows("One exchange was taken back.")


async def test_the_palette_has_the_keys_and_the_commands(table: Table, twin: TwinDesk) -> None:
    await table.press("ctrl+p")
    await table.type("/end")
    assert table.screen == "GateScreen"
    await table.press("escape", "ctrl+p")
    await table.type("/roll")
    assert prompt(table).text == "/roll "  # it wants words: begun, not sent
    prompt(table).text = ""
    await table.press("ctrl+p")
    await table.type("undo")
    assert twin.called("undo")


# --- the line ---------------------------------------------------------------------------------------


async def test_undo_and_redo(table: Table, twin: TwinDesk) -> None:
    assert not table.shows("Redo")
    await table.press("ctrl+z")
    assert not table.shows("Nobody answers")
    await table.press("ctrl+y")
    assert table.shows("Nobody answers")


async def test_undo_is_the_prompts_own_while_words_are_typed(table: Table, twin: TwinDesk) -> None:
    await table.type("half a sent", enter=False)
    await table.press("ctrl+z")
    assert not twin.called("undo")


async def test_a_retake_begins_with_the_last_words(table: Table, twin: TwinDesk) -> None:
    await table.press("ctrl+r")
    assert table.screen == "TextDialog"
    assert table.shows("Nobody answers. Far below")
    await table.type(" Then it laughs.")
    (_, words) = twin.called("retake")[0]
    assert words.startswith("Nobody answers.")
    assert words.endswith("Then it laughs.")
    assert table.shows("Then it laughs.", "take 2/2")


async def test_a_retake_can_be_left(table: Table, twin: TwinDesk) -> None:
    await table.press("ctrl+r", "escape")
    await table.press("ctrl+r", "enter")  # the same words are no other take
    assert not twin.called("retake")
    assert table.screen == "SceneScreen"


async def test_takes_are_walked_with_left_and_right(table: Table, twin: TwinDesk) -> None:
    await table.press("left")
    await table.press("shift+tab", "right")
    assert [step for _, step in twin.called("walk_takes")] == [-1, 1]
    await table.press("tab")
    await table.type("I go", enter=False)
    await table.press("left")
    assert len(twin.called("walk_takes")) == 2  # with words, Left moves in them


async def test_branch_from_an_older_turn(table: Table, twin: TwinDesk) -> None:
    await table.press("shift+tab", "home", "B")
    (_, turn_id) = twin.called("branch")[0]
    assert turn_id == TwinDesk().lines[twin._last_scene(twin._stories[0].id).id][0].turn.id
    assert prompt(table).text == "I force the iron door."
    assert table.shows("Play goes on from here.")
    assert not table.shows("The hinges give")


async def test_a_turn_tells_what_it_made_true(table: Table, twin: TwinDesk) -> None:
    await table.press("shift+tab", "home", "down", "enter")
    assert table.screen == "TurnTraceDialog"
    assert table.shows("Turn 2 of scene 1", "The iron door stands open", "Mara Venn")
    await table.press("down", "enter")
    assert table.screen == "UniverseScreen"
    assert twin.called("card")[-1] == (twin.folk[0].id,)
    await table.press("escape")
    assert table.screen == "SceneScreen"


async def test_mechanics_can_be_hidden(table: Table) -> None:
    assert table.shows("2d6+1")
    await table.press("f4")
    assert not table.shows("2d6+1")
    assert table.shows("The hinges give")
    await table.press("f4")
    assert table.shows("2d6+1")


# --- proposals and what is critical -----------------------------------------------------------------


async def test_proposals_lie_over_the_story_where_there_is_no_room(table: Table) -> None:
    assert table.shows("F2 4 proposed")
    assert not table.shows("The Flooded Nave")
    await table.press("f2")
    assert table.shows("The Flooded Nave", "a Accept")
    await table.press("f2")
    assert not table.shows("The Flooded Nave")
    await table.press("f2", "escape")
    assert not table.shows("The Flooded Nave")
    assert prompt(table).input_has_focus


async def test_one_key_decides(table: Table, twin: TwinDesk) -> None:
    await table.press("f2", "a", "r", "c", "d")
    decided = [(ids[0], verdict) for ids, verdict in twin.called("decide")]
    ids = [p.proposal.id for p in twin._proposals]
    assert decided == list(
        zip(ids, (Verdict.ACCEPT, Verdict.REJECT, Verdict.FLAVOUR, Verdict.DEFER), strict=True)
    )
    await table.press("u")
    assert twin.called("decide")[-1][1] is None


async def test_a_proposal_is_edited_in_words(table: Table, twin: TwinDesk) -> None:
    await table.press("f2", "down", "down", "e")
    assert table.shows("Edit and accept", "The bell was moved after the storm")
    await table.type(" broke")
    assert twin.called("edit_text")[0][1] == "The bell was moved after the storm broke"


async def test_evidence_is_shown_and_jumped_to(table: Table) -> None:
    await table.press("f2", "x")
    assert table.shows("The door takes skin with it")
    assert table.app.screen.query_one(Transcript).cursor == 1


async def test_what_is_critical_asks_once(table: Table, twin: TwinDesk) -> None:
    await table.type("/die")
    assert table.shows("Mara Venn may die here", "Enter: make it canon now", "Commit now")
    await table.press("enter")
    assert twin.called("commit_trigger")
    assert table.shows("Canon: Mara Venn: hp 10 → 7")
    assert not table.shows("may die here")


async def test_what_is_critical_can_wait(table: Table, twin: TwinDesk) -> None:
    await table.type("/die")
    await table.press("escape")
    assert twin.called("dismiss_trigger")
    assert not table.shows("may die here")
    assert table.screen == "SceneScreen"


async def test_words_come_before_what_is_critical(table: Table, twin: TwinDesk) -> None:
    await table.type("/die")
    await table.type("I run.")
    assert not twin.called("commit_trigger")
    assert table.shows("you I run.")


# --- leaving ----------------------------------------------------------------------------------------


async def test_leaving_asks_and_says_what_becomes_of_typed_words(table: Table, twin: TwinDesk) -> None:
    await table.press("escape")
    assert table.shows("Leave for the menu?", "Resume it under Continue")
    await table.press("escape")
    await table.type("half a", enter=False)
    await table.press("escape")
    assert table.shows("was not sent")
    await table.press("enter")
    assert table.screen == "MenuScreen"
    assert twin.called("suspend")


async def test_a_scene_left_at_the_gate_opens_there(twin: TwinDesk) -> None:
    twin.states = dict.fromkeys(twin.states, "finalizing")
    async with seated(twin_desk(twin), NARROW) as table:
        assert table.shows("at the canon gate")
        await table.press("enter")
        assert table.screen == "GateScreen"


@pytest.mark.parametrize(
    ("goto", "screen"),
    [("gate", "GateScreen"), ("help", "HelpScreen"), ("menu", "MenuScreen"), ("universe", "UniverseScreen")],
)
async def test_a_reply_may_ask_for_another_screen(table: Table, goto: str, screen: str) -> None:
    assert isinstance(table.app.screen, SceneScreen)
    reply = Reply("operation", goto=goto)  # type: ignore[arg-type]
    table.app.screen.post_message(SceneScreen.ReplyReceived(reply))
    await table.settle()
    assert table.screen == screen


async def test_tab_comes_round(table: Table) -> None:
    seen = []
    for _ in range(6):
        await table.press("tab")
        seen.append(table.app.screen.focused)
    assert None not in seen
    assert seen[0] in seen[1:]


# --- on real stores ---------------------------------------------------------------------------------


async def test_bad_input_on_real_stores(tmp_path: Path) -> None:
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


async def test_takes_and_branches_on_real_stores(tmp_path: Path) -> None:
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
