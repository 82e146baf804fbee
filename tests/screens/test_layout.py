"""Where things stand on the screens: what gives way, what follows, and what never moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import OptionList

from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar


def prompt_line(ui: ScreenDriver) -> int:
    return ui.app.screen.query_one(PlayPrompt).region.y


async def propose(ui: ScreenDriver, count: int) -> None:
    for number in range(count):
        await ui.type(f"/fact The bell was heard {number} times")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "columns"), [((100, 30), 60), ((120, 40), 72), ((160, 45), 95)])
async def test_story_has_most_of_the_columns(size: tuple[int, int], columns: int, played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), size) as ui:
        await ui.press("enter")
        assert ui.shows("proposals")
        assert ui.app.screen.query_one(Transcript).scrollable_content_region.width >= columns


@pytest.mark.slow
async def test_proposals_follow_the_newest_row_while_the_player_types(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (100, 30)) as ui:
        await ui.press("1", *["enter"] * 5)
        await propose(ui, 14)
        proposal_list = ui.app.screen.query_one(ProposalList)
        assert proposal_list.current is not None
        assert "13 times" in proposal_list.current.title
        assert proposal_list.cursor == len(proposal_list.rows) - 1
        assert proposal_list.scroll_offset.y > 0
        assert ui.shows("The bell was heard 13")


@pytest.mark.slow
async def test_proposals_leave_the_cursor_alone_while_the_player_is_among_them(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (100, 30)) as ui:
        await ui.press("1", *["enter"] * 5)
        await propose(ui, 2)
        await ui.press("f2", "home")
        proposal_list = ui.app.screen.query_one(ProposalList)
        before = proposal_list.current
        assert before is not None
        first_turn = ui.app.screen.query_one(Transcript).view_at(0)
        assert first_turn is not None
        await ui.services.play.submit(first_turn.turn.scene_id, "/fact The tide turned")
        await ui.settle()
        assert ui.shows("The tide turned")
        assert proposal_list.current is not None
        assert proposal_list.current.proposal.id == before.proposal.id


@pytest.mark.slow
async def test_line_is_seen_that_is_sent_after_a_look_at_evidence(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (110, 34)) as ui:
        await ui.press("1", *["enter"] * 5)
        for line in ("/fact The mill is old", *(f"> The wheel turns {turn} times." for turn in range(20))):
            await ui.type(line)
        await ui.type("I promise Wenna a coin.")
        for turn in range(20):
            await ui.type(f"> The sluice opens {turn} times.")
        await ui.press("f2", "home", "end", "x", "f2")
        assert ui.shows("I promise Wenna a coin.")
        assert not ui.shows("The sluice opens 19 times.")
        await ui.type("> The miller shuts the sluice.")
        assert ui.shows("The miller shuts the sluice.")


@pytest.mark.slow
async def test_command_that_tells_nothing_leaves_the_story_where_it_is_read(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (110, 34)) as ui:
        await ui.press("1", *["enter"] * 5)
        for turn in range(40):
            await ui.type(f"> The wheel turns {turn} times.")
        transcript = ui.app.screen.query_one(Transcript)
        transcript.focus()
        await ui.press("home", "escape")
        assert ui.shows("The wheel turns 0 times.")
        await ui.type("/fact The mill is old")
        assert ui.shows("The wheel turns 0 times.")


@pytest.mark.parametrize("size", [(80, 24), (110, 34), ROOMY])
@pytest.mark.slow
async def test_prompt_stays_on_its_line_whatever_keys_work(size: tuple[int, int], played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), size) as ui:
        await ui.press("enter")
        line = prompt_line(ui)
        for key in ("f2", "j", "f2", "shift+tab", "escape"):
            await ui.press(key)
            assert prompt_line(ui) == line, key
        await ui.type("/state Mara.alive = false")
        assert ui.shows("Enter commits now") or ui.shows("canon now")
        assert prompt_line(ui) == line
        assert ui.shows("^p more")


@pytest.mark.slow
async def test_key_bar_always_shows_where_the_other_keys_are(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), (60, 24)) as ui:
        await ui.press("enter")
        await ui.type("/fact The tide turned")
        await ui.press("f2")
        assert "more" in str(ui.app.screen.query_one(KeyBar).render())


@pytest.mark.parametrize("size", [(110, 34), (120, 40)])
async def test_menu_with_a_story_to_go_on_with_fits(size: tuple[int, int], played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), size) as ui:
        assert ui.shows("Continue", "everything is saved", "storage OK")
        assert ui.app.screen.query_one(OptionList).max_scroll_y == 0


async def test_menu_on_a_small_terminal_scrolls_and_shows_its_state(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), (80, 24)) as ui:
        assert ui.shows("M O N I T O R", "storage OK", "q Quit")


# --- the cursor in the story ------------------------------------------------------------------------


def story_lines(ui: ScreenDriver) -> list[str]:
    """The lines of the story as they stand, with the cursor's bar read as the blank it covers."""
    region = ui.app.screen.query_one(Transcript).scrollable_content_region
    top = ui.app.screen.query_one(Transcript).region.y
    lines = ui.text.splitlines()[top : top + region.height]
    return [line[: region.width].replace("▌", " ").rstrip() for line in lines]


@pytest.mark.slow
async def test_turn_of_several_lines_keeps_its_indent_under_the_cursor(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), (80, 40)) as ui:
        await ui.press("enter")
        await ui.type("/check 2d6+2 vs 8; success: Mara +lucky; fail: Mara.hp -1")
        assert ui.shows("┃ →")
        before = story_lines(ui)
        await ui.press("shift+tab")
        for _ in range(6):  # rolls with an effect, narration of several lines
            assert story_lines(ui) == before
            await ui.press("up")
            assert "▌" in ui.text


@pytest.mark.slow
async def test_turn_keeps_its_indent_where_evidence_marks_it(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), (56, 45)) as ui:
        await ui.press("enter")
        before = story_lines(ui)
        await ui.press("f2", "home", "x", "f2")
        assert story_lines(ui)[:30] == before[:30]


# --- what is where ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (100, 30), ROOMY])
@pytest.mark.slow
async def test_scene_header_says_where_the_scene_takes_place(size: tuple[int, int], tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), size) as ui:
        await ui.press("1", *["enter"] * 5)
        first_line = ui.text.splitlines()[0]
        assert "The Drowned Bell" in first_line
        assert "The Slack Tide" in first_line
        await ui.type("/go Tally Chapel")
        assert "Tally Chapel" in ui.text.splitlines()[0]


@pytest.mark.slow
async def test_proposals_are_plainly_marked_while_they_have_the_keys(played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), ROOMY) as ui:
        await ui.press("enter")
        assert not ui.shows("┏━ proposals")
        await ui.press("f2")
        assert ui.shows("┏━ proposals")  # by its lines, and not by colour alone


@pytest.mark.slow
async def test_menu_numbers_have_no_gaps(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        menu = ui.app.screen.query_one(OptionList)
        signs = [str(option.prompt).split()[0] for option in menu.options]
        numbers = [int(sign) for sign in signs if sign.isdigit()]
        assert numbers == list(range(1, len(numbers) + 1))
        for number in numbers:
            await ui.press(str(number))
            assert ui.screen != "MenuScreen"
            await ui.press("escape")
            assert ui.screen == "MenuScreen"


@pytest.mark.slow
async def test_keys_that_the_menu_names_open_what_they_stand_beside(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        rows = ui.app.screen.query_one(OptionList).options
        for row, key in ((str(option.prompt), str(option.prompt).split()[0]) for option in rows):
            if key == "q":  # ends the program
                continue
            await ui.press({"?": "question_mark"}.get(key, key))
            assert ui.screen != "MenuScreen", f"{key!r} of {row!r} does nothing"
            await ui.press("escape")


@pytest.mark.slow
async def test_new_scene_begins_with_the_last_lines_of_the_one_before(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (100, 30)) as ui:
        await ui.press("1", *["enter"] * 5)
        await ui.type("> Wenna bolts the sea door and says nothing.")
        await ui.type("I count the coins again.")
        await ui.type("/end Mara kept the coins")
        await ui.press("enter", "enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("scene 2", "… Before the Third Stroke")
        assert ui.shows("Wenna bolts the sea door and says nothing.", "you I count the coins again.")
        assert ui.shows("The scene is set.")
        await ui.type("I go out on the Ribs.")
        assert ui.shows("you I count the coins again.", "you I go out on the Ribs.")


def words_in(ui: ScreenDriver, widget: Widget) -> str:
    """Return what stands on the screen where a widget is, in one line."""
    x, y, width, height = widget.region
    lines = (line[x : x + width] for line in ui.text.splitlines()[y : y + height])
    return " ".join(" ".join(lines).replace("▌", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_banner_and_notice_are_readable_whole(tmp_path: Path, size: tuple[int, int]) -> None:
    async with started_app(real_services(tmp_path), size) as ui:
        await ui.press("1", *["enter"] * 5)
        await ui.type(
            "/place here > The Boat Shed of the Drowned Ferrymen under the Third Weir: tarred boards"
        )
        banner = words_in(ui, ui.app.screen.query_one(TriggerBar))
        assert banner.startswith(
            "★ Critical: The Boat Shed of the Drowned Ferrymen under the Third Weir is a discovery "
            "(with what this needs: "
        )
        assert banner.endswith(("Esc: decide at scene end", "Esc: later"))

        await ui.type("/go The Lighthouse Beyond The Farthest Of All The Ribs")
        notice = words_in(ui, ui.app.screen.query_one(NoticePanel))
        assert "There is no 'The Lighthouse Beyond The Farthest Of All The Ribs' in Salt Coast." in notice
        assert notice.endswith("Did you mean The Ribs?")
