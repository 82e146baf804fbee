"""Where a row is decided once its scene is over, and what is said if a scene goes on after its end was begun."""

from __future__ import annotations

from pathlib import Path

from tests.screens.screen_driver import ROOMY, real_services, started_app


async def test_promise_left_open_by_an_earlier_scene_is_committed_from_the_promises(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/npc Osric Vale: a smith")
        await ui.type("> Wenna Pike owes Osric Vale three coins.")
        await ui.type("/end Mara looked round")
        assert ui.screen == "GateScreen"
        await ui.press("enter", "enter")
        assert ui.screen == "SceneScreen"
        await ui.type("/promises")
        await ui.press("end", "enter")
        assert ui.screen == "GateScreen"
        await ui.press("a", "enter")
        assert ui.screen == "CommitReportDialog"
        assert ui.shows("owes Osric Vale three coins.", "1 accepted")
        await ui.press("enter")
        assert ui.screen == "CommitmentsScreen"


async def test_promise_of_the_scene_in_play_is_decided_at_its_own_gate(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/npc Osric Vale: a smith")
        await ui.type("> Wenna Pike owes Osric Vale three coins.")
        await ui.type("/promises")
        await ui.press("end", "enter")
        assert ui.screen == "GateScreen"
        assert ui.shows("owes Osric Vale three coins.")
        await ui.press("escape", "escape")
        assert ui.screen == "SceneScreen"


async def test_receipt_says_that_the_scene_goes_on_after_escape_at_its_end(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/end Mara found the bell")
        assert ui.screen == "GateScreen"
        await ui.press("escape", "f3", "enter")
        assert ui.shows("Mara found the bell.", "The outcome is canon, and the scene goes on: /end ends it.")
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        await ui.type("/end")
        await ui.press("enter")
        assert not ui.shows("the scene goes on")


async def test_receipt_of_a_commit_in_mid_scene_does_not_speak_of_the_end(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/fact The bell is cracked")
        await ui.press("f3", "enter")
        assert ui.screen == "CommitReportDialog"
        assert not ui.shows("the scene goes on")
