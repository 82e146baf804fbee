"""The tour of README.md, in its own words, by keyboard, on the bundled world: every step does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TOUR, MORE = (
    README.partition("## Ten minutes with it")[2]
    .partition("![The canon gate:")[0]
    .split("When you want more:")
)
CONCEPTS = ("turns", "rolls", "proposals", "evidence", "gate", "canon")


def typed_lines(step: str) -> list[str]:
    """Return the lines that a step of the tour has the reader type."""
    text = TOUR.partition(f"**{step}.**")[2].partition("\n1. **")[0]
    text = re.split(r"\n\d\. \*\*", text)[0]
    return re.findall(r"^ {7}(\S.*)$", text, re.MULTILINE)


async def begin_tour(ui: ScreenDriver) -> None:
    await ui.press("1", "enter", "enter", "enter", "enter", "enter")
    assert ui.screen == "SceneScreen"


@pytest.mark.slow
@pytest.mark.parametrize("size", [ROOMY, pytest.param(NARROW, marks=pytest.mark.slow)])
async def test_readme_tour_does_what_it_says(tmp_path: Path, size: tuple[int, int]) -> None:
    async with started_app(real_services(tmp_path), size) as ui:
        await begin_tour(ui)
        assert ui.shows("The Drowned Bell")

        deed, narration = typed_lines("Play")
        for line in (deed, narration):
            await ui.type(line)
        assert ui.shows(f"you  {deed}", f"gm   {narration.removeprefix('> ')}")

        question, check = typed_lines("Roll")
        await ui.type(question)
        assert ui.shows("Is the door locked?", "likely · tension")
        await ui.type(check)
        assert ui.shows("you  I pull at the rope.", "vs 8")

        fact, person = typed_lines("Declare")
        for line in (fact, person):
            await ui.type(line)
        # Beside the story, or behind F2 on a small terminal, as the tour says.
        assert "on the right" not in TOUR
        is_small = size == NARROW
        assert ui.shows("proposals ") is not is_small
        if is_small:
            await ui.press("f2")
            assert ui.shows("proposals ")
        assert ui.shows("The rope was cut with a", "Old Tam")
        if is_small:
            await ui.press("f2")
            assert not ui.shows("proposals ")
        await ui.press("ctrl+z")
        assert ui.shows("Undone: Old Tam")
        await ui.press("ctrl+y")
        assert ui.shows("Back: Old Tam")

        (ending,) = typed_lines("Decide")
        await ui.type(ending)
        assert ui.screen == "GateScreen"
        assert ui.shows(
            "Mara learnt from Old Tam whose knife it was.",
            "Old Tam",
            "✓",
            "a Accept",
            "r Reject",
            "x Evidence",
        )
        await ui.press("enter")
        assert ui.shows("Canon now says", "Old Tam", "The rope was cut with a company knife.")
        await ui.press("enter")
        assert ui.shows("scene 2")

        assert "`/`, *Old Tam* and Enter find him. Tab and Enter" in " ".join(TOUR.split()), (
            "each key is named"
        )
        await ui.press("escape", "enter", "3", "slash")
        await ui.type("Old Tam")
        assert ui.shows("keeper of the salt bell")
        await ui.press("tab", "enter")
        assert ui.shows("Evidence for:", "“Mara learnt from Old Tam whose knife it")
        await ui.press("enter")
        assert ui.screen == "ReadingScreen"
        await ui.press("x")
        assert ui.shows("Declared after it", "Mara learnt from Old Tam whose knife it was.")


@pytest.mark.slow
async def test_readme_tour_offers_a_discovery_at_once(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await begin_tour(ui)
        place = "/place here > Boat Shed: tarred boards, a new padlock"
        assert place in MORE
        await ui.type("I go out.")
        await ui.type("/fact The rope was cut with a company knife")
        await ui.type(place)
        assert ui.shows("Boat Shed is a discovery (with what this needs: ")
        await ui.press("enter")
        assert ui.shows("Canon: Boat Shed (place)")
        assert not ui.shows("Canon: The rope was cut")


@pytest.mark.slow
async def test_readme_tour_shows_both_sides_of_a_conflict(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await begin_tour(ui)
        for line in ("/npc gil oakum: a stranger", "/resolve gil"):
            assert line in MORE
            await ui.type(line)
        assert ui.screen == "ConflictScreen"
        assert ui.shows("gil oakum", "Gil Oakum")


async def highlight_story(ui: ScreenDriver) -> None:
    for _ in range(5):
        await ui.press("tab")
        if ui.app.focused is not None and type(ui.app.focused).__name__ == "TurnScroll":
            return


@pytest.mark.slow
async def test_readme_tour_goes_on_from_an_older_turn(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await begin_tour(ui)
        for line in ("I go out.", "> The tide is out.", "I turn back."):
            await ui.type(line)
        await highlight_story(ui)
        await ui.press("up", "B")
        assert ui.shows("Going on from: The tide is out.")


@pytest.mark.slow
async def test_readme_tour_offers_no_branch_where_nothing_was_played(tmp_path: Path) -> None:
    """After the tour the footer of the empty scene 2 offered “B Branch here”, and nothing could be branched."""
    async with started_app(real_services(tmp_path), ROOMY) as ui:
        await begin_tour(ui)
        for line in ("I go out.", "/end"):
            await ui.type(line)
        await ui.press("enter", "enter")
        assert ui.shows("scene 2")
        await highlight_story(ui)
        assert not ui.shows("B Branch here")
        assert "`l` opens the map" in MORE
        await ui.press("l")
        assert ui.screen == "BranchMapScreen"
        await ui.press("up")
        assert ui.shows("B Branch here")


def test_readme_tour_hands_out_six_concepts() -> None:
    assert re.findall(r"\*\*([a-z]+)\*\*", TOUR) == list(CONCEPTS)
    for later_concept in (
        "retcon",
        "branch",
        "take ",
        "conflict",
        "critical",
        "flavour",
        "defer",
        "colour",
        "tension",
    ):
        assert later_concept not in TOUR, f"{later_concept} is not needed in the first ten minutes"


@pytest.mark.parametrize("step", ["Play", "Roll", "Declare", "Decide"])
def test_readme_tour_step_has_lines_to_type(step: str) -> None:
    assert typed_lines(step)
