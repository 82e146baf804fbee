"""What is typed and not sent is kept: through leaving the scene, closing MONITOR, and a kill."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from screens.play.prompt_draft import PromptDraft
from stores.draft_file import Draft, DraftFile
from stores.errors import StoreError
from stores.story_file import MAX_STORIES
from tests.screens.screen_driver import ROOMY, ScreenDriver, real_services, started_app
from tests.widgets.stage import Stage
from widgets.prompt import PlayPrompt

DRAFT = "I lift the lantern, and before the light\nreaches the water"


def prompt(ui: ScreenDriver) -> PlayPrompt:
    return ui.app.screen.query_one(PlayPrompt)


async def until_saved(ui: ScreenDriver, home: Path, text: str) -> None:
    """Wait until the draft stands on the disk, as a killed program would leave it."""
    async with asyncio.timeout(60):
        while text not in json.loads((home / "drafts.json").read_text(encoding="utf-8")).values():
            await ui.pilot.pause(0.01)


@pytest.mark.slow
async def test_draft_is_back_after_leaving_the_scene(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("I look round.")
        prompt(ui).text = DRAFT
        await ui.press("escape")
        assert ui.shows("What you typed and did not send is kept.")
        await ui.press("enter")
        assert ui.screen == "MenuScreen"
        await ui.press("enter")
        assert prompt(ui).text == DRAFT


@pytest.mark.slow
async def test_draft_is_back_after_closing_the_program(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("half a sent", enter=False)
        await ui.press("ctrl+q")
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        assert prompt(ui).text == "half a sent"
        await ui.type("ence")
        assert prompt(ui).text == ""
        assert ui.shows("you  half a sentence")


@pytest.mark.slow
async def test_draft_of_a_refused_line_is_still_replaced_by_typing_after_leaving(tmp_path: Path) -> None:
    refused = "/say Marta: hello"
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type(refused)
        assert ui.shows("Typing replaces it")
        for keys in (("f3", "escape"), ("f8", "escape"), ("escape", "enter", "enter")):
            await ui.press(*keys)
            assert prompt(ui).text == refused
            assert ui.shows("Typing replaces it")
        await ui.press("escape", "enter", "enter")
        await ui.type("/end Sela came back", enter=False)
        assert prompt(ui).text == "/end Sela came back"
        await ui.press("up")
        assert prompt(ui).text == refused


@pytest.mark.slow
async def test_draft_stands_on_the_disk_while_the_line_is_typed(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        (tmp_path / "drafts.json").write_text("{}", encoding="utf-8")
        prompt(ui).text = DRAFT
        await until_saved(ui, tmp_path, DRAFT)


@pytest.mark.slow
async def test_draft_is_gone_once_the_line_is_sent(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("I go out.", enter=False)
        await ui.press("escape", "enter", "enter")
        await ui.press("enter")
        assert ui.shows("you  I go out.")
        await ui.press("escape", "enter", "enter")
        assert prompt(ui).text == ""


async def test_draft_file_keeps_the_latest_and_reads_a_damaged_file_as_none(tmp_path: Path) -> None:
    drafts = DraftFile(tmp_path / "drafts.json")
    for number in range(MAX_STORIES + 1):
        await drafts.save(f"story {number}", Draft(f"words {number}"))
    assert await drafts.read("story 0") == Draft()
    assert await drafts.read("story 1") == Draft("words 1")
    await drafts.save("story 1", Draft())
    assert await drafts.read("story 1") == Draft()
    (tmp_path / "drafts.json").write_text("{", encoding="utf-8")
    assert await drafts.read("story 2") == Draft()
    await drafts.save("story 2", Draft("again", is_selected=True))
    assert await drafts.read("story 2") == Draft("again", is_selected=True)


async def test_draft_that_cannot_be_kept_is_told_in_words(tmp_path: Path) -> None:
    drafts = DraftFile(tmp_path / "gone" / "drafts.json")
    with pytest.raises(StoreError, match=r"What you are typing could not be kept.*Send it, or copy it"):
        await drafts.save("story", Draft("words"))


@pytest.mark.parametrize(("keys", "typed"), [(("g", "o"), "go"), (("ctrl+u",), "")])
async def test_draft_does_not_slide_under_what_is_typed_before_it_is_read(
    tmp_path: Path, keys: tuple[str, ...], typed: str
) -> None:
    """Whoever types at once, or clears the line, has their own words alone; Up brings the draft back."""
    drafts, story_id = DraftFile(tmp_path / "drafts.json"), "story"
    await drafts.save(story_id, Draft("half a line"))
    field = PlayPrompt(commands=(), names=())
    async with Stage(field).run_test() as pilot:
        field.focus_input()
        await pilot.press(*keys)
        draft = PromptDraft(drafts, field)
        await draft.restore(story_id)
        assert (field.text, draft.is_kept_for_later) == (typed, True)
        await pilot.press("up")
        assert field.text == "half a line"
        await pilot.press("down")
        assert field.text == typed


async def test_words_typed_before_no_draft_was_found_stay(tmp_path: Path) -> None:
    field = PlayPrompt(commands=(), names=())
    async with Stage(field).run_test() as pilot:
        field.focus_input()
        await pilot.press("g", "o")
        draft = PromptDraft(DraftFile(tmp_path / "drafts.json"), field)
        await draft.restore("story")
        assert (field.text, draft.is_kept_for_later) == ("go", False)


async def test_draft_stands_in_a_prompt_that_nobody_touched(tmp_path: Path) -> None:
    drafts = DraftFile(tmp_path / "drafts.json")
    await drafts.save("story", Draft("half a line"))
    field = PlayPrompt(commands=(), names=())
    async with Stage(field).run_test() as pilot:
        draft = PromptDraft(drafts, field)
        await draft.restore("story")
        field.focus_input()
        await pilot.press("!")
        assert (field.text, draft.is_kept_for_later) == ("half a line!", False)
