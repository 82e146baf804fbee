"""The court by keyboard: both sides, every way to rule, what each would do, and the walk back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.views.conflict_views import RulingRequest
from agents.views.play_views import ConflictView
from stores.errors import InputError, StoreFull
from stores.records.canon import Standing
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk

pytestmark = pytest.mark.slow


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def court(twin: TwinDesk) -> AsyncIterator[Table]:
    """The court, come to from the gate's first row, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3", "h")
        assert table.screen == "ConflictScreen"
        yield table


def ruled(twin: TwinDesk) -> RulingRequest:
    ((words,),) = twin.called("rule")
    assert isinstance(words, RulingRequest)
    return words


async def test_both_sides_stand_there_with_what_they_rest_on(court: Table) -> None:
    assert court.shows("Canon says the bell hangs in the tower.", "only one of the two can hold at a time")
    assert court.shows("new", "The bell was moved after the storm", "proposed · from Day 3, 18:05")
    assert court.shows("conflicts with", "The bell hangs in the tower", "in canon · always")
    assert court.shows("“Drag marks run from the foot of", "Declared by the GM")
    assert court.shows("+ what new would do Day 3, 18:05")


async def test_a_number_shows_what_a_ruling_would_do_and_enter_makes_it(court: Table, twin: TwinDesk) -> None:
    await court.press("3")
    assert court.shows("+ what old would do")
    assert not twin.called("rule")
    await court.press("9")
    assert court.shows("+ what old would do"), "there is no such row"
    await court.press("enter")
    assert (ruled(twin).option, ruled(twin).against) == ("old", "tower")
    assert court.shows("Resolved. You will not be asked", "+ The bell was moved after the storm")
    await court.press("enter")
    assert court.screen == "GateScreen"
    assert not court.shows("in conflict")
    assert not court.shows("h Resolve"), "the row is settled"


async def test_arrows_do_what_numbers_do(court: Table, twin: TwinDesk) -> None:
    await court.press("down", "j", "up", "enter")
    assert ruled(twin).option == "never"


async def test_a_time_is_asked_for_and_foreseen_as_it_is_typed(court: Table, twin: TwinDesk) -> None:
    await court.press("1", "enter")
    assert court.shows("From when?", "Day 3, 18:05")
    await court.type("day 2 dusk", enter=False)
    assert court.shows("+ what new would do day 2 dusk", "⏎ Resolve")
    await court.press("enter")
    assert ruled(twin).when == "day 2 dusk"


async def test_a_time_that_is_none_is_told_and_can_be_mended(court: Table, twin: TwinDesk) -> None:
    await court.press("1", "enter", "ctrl+u")
    await court.type("never", enter=False)
    assert court.shows("'never' names no day.", "Try day 3")
    await court.press("enter")
    assert court.shows("'never' names no day.")
    assert court.screen == "ConflictScreen"
    await court.press("escape", "ctrl+u")
    await court.type("day 2")
    assert [words.when for (words,) in twin.called("rule")] == ["never", "day 2"]
    assert court.shows("Resolved")


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("4", "enter", "2", "enter"), {"option": "both", "yielding": "old", "standing": Standing.LIE}),
        (("4", "enter", "enter"), {"option": "both", "yielding": "new", "standing": Standing.RUMOUR}),
        (
            ("5", "enter", "2", "enter", "enter"),
            {"option": "until", "yielding": "new", "when": "Day 2, 08:00"},
        ),
        (("6", "enter", "enter", "enter"), {"option": "split", "entity_id": "bell", "name": "another bell"}),
    ],
)
async def test_forms_of_a_ruling_are_chosen_on_the_same_screen(
    court: Table, twin: TwinDesk, keys: tuple[str, ...], wanted: dict[str, object]
) -> None:
    await court.press(*keys)
    words = ruled(twin)
    assert {name: getattr(words, name) for name in wanted} == wanted


async def test_escape_goes_back_step_by_step_and_nothing_is_ruled(court: Table, twin: TwinDesk) -> None:
    await court.press("6", "enter", "enter")
    assert court.shows("What is the other one called?")
    await court.press("escape")
    assert court.shows("1 The new one is about another bell")
    await court.press("escape")
    assert court.shows("1 The new one is true from some time on")
    await court.press("escape")
    assert court.screen == "GateScreen"
    assert not twin.called("rule")


async def test_several_conflicts_are_walked(twin: TwinDesk) -> None:
    twin.bench.court.conflicts = 2
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3", "h")
        assert table.shows("conflict 1 of 2")
        await table.press("n")
        assert table.shows("conflict 2 of 2", "bottom of the sea")
        await table.press("p", "p", "n", "2", "enter")
        assert table.shows("1 more to resolve.", "the bell hangs in the tower")
        assert not table.shows("conflict 1 of")
        await table.press("escape", "3", "enter")
        assert table.shows("Resolved")
        assert [w.against for (w,) in twin.called("rule")] == ["tower", "tower"]


async def test_words_of_a_side_open_where_they_were_said(court: Table) -> None:
    assert not court.shows("X Old's words")
    await court.press("x")
    assert court.screen == "ReadingScreen"
    await court.press("escape")
    assert court.screen == "ConflictScreen"
    assert court.shows("The bell was moved after the storm")


async def test_a_key_pressed_twice_rules_once(court: Table, twin: TwinDesk) -> None:
    await court.press("3")
    await court.pilot.press("enter", "enter")
    await court.settle()
    assert len(twin.called("rule")) == 1


async def test_a_ruling_that_cannot_be_written_says_so_and_can_be_made_again(
    court: Table, twin: TwinDesk
) -> None:
    twin.fail(
        "rule", StoreFull("The disk is full.", kept="Your ruling was not made.", todo="Free some space.")
    )
    await court.press("2", "enter")
    assert court.shows("The disk is full.", "Your ruling was not made.", "Free some space.")
    await court.press("escape", "enter")
    assert court.shows("Resolved")


async def test_a_proposal_that_is_gone_is_told_calmly(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3")
        twin.fail("docket", InputError("It was accepted by a commit, which closed over it."))
        await table.press("h")
        assert table.shows("It was accepted by a commit")
        await table.press("escape", "escape")
        assert table.screen == "GateScreen"


async def test_the_court_is_open_from_the_panel_and_only_where_there_is_a_conflict(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), ROOMY) as table:
        await table.press("enter", "f2")
        assert not table.shows("h Resolve")
        await table.press("h")
        assert table.screen == "SceneScreen"
        await table.press("down", "down")
        assert table.shows("h Resolve")
        await table.press("h")
        assert table.screen == "ConflictScreen"
        await table.press("escape")
        assert table.screen == "SceneScreen"


async def test_two_of_like_names_stand_side_by_side(twin: TwinDesk) -> None:
    chapel = twin._places[0]
    alike = ConflictView(
        "alike", f"The name is much like {chapel.name}.", is_certain=False, entity_id=chapel.id
    )
    twin._proposals[1] = replace(twin._proposals[1], similar_matches=(alike,))
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3")
        assert table.shows("≈1")
        await table.press("end", "h")
        assert table.shows("The Flooded Nave place", "also The Nave", "Knee-deep at low water.")
        assert table.shows("Saint Orrin's chapel", "It may be harmless.", "They are one:", "They are two:")
        await table.press("2", "enter")
        assert ruled(twin).option == "different"


# --- on real stores ------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_case_on_real_stores_is_settled_and_never_asked_again(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/fact Wenna Pike ally_of Ivo Tarrant")
        await table.type("/commit")
        await table.type("I wait.")
        await table.type("/fact Wenna Pike enemy_of Ivo Tarrant")
        await table.type("/resolve 2")
        assert table.screen == "ConflictScreen"
        assert table.shows("“Wenna Pike ally_of Ivo Tarrant”", "“Wenna Pike enemy_of Ivo Tarrant”")
        await table.press("4", "enter", "2")
        assert table.shows("+ Wenna Pike and Ivo Tarrant are enemies. as a lie")
        await table.press("enter")
        assert table.shows("Resolved", "as a lie")
        await table.press("enter")
        assert table.screen == "SceneScreen"
        await table.type("/fact Wenna Pike enemy_of Ivo Tarrant")
        await table.press("f2", "end")
        assert not table.shows("⚠1")
        assert not table.shows("h Resolve")
        await table.press("f2")
        await table.type("/rules")
        assert table.screen == "PolicyScreen"
        assert table.shows("Resolved conflicts 1", "both are kept, one of them as a lie")


async def test_the_command_line_prints_what_the_screen_shows(tmp_path: Path) -> None:
    services, close = await real_desk(tmp_path)()
    try:
        await services.stories.add_sample()
        scene_id = await services.stories.start_story(await services.stories.sample_outline())
        for line in (
            "/fact Wenna Pike ally_of Ivo Tarrant",
            "/commit",
            "I wait.",
            "/fact Wenna Pike enemy_of Ivo Tarrant",
        ):
            await services.play.submit(scene_id, line)
        heard = await services.play.submit(scene_id, "/resolve 2")
        assert heard.goto == "court"
        assert any("new:" in line for line in heard.lines)
        done = await services.play.submit(scene_id, "/resolve 2 lie")
        assert (done.goto, done.lines) == ("", ("Canon: Wenna Pike and Ivo Tarrant are enemies.",))
    finally:
        await close()
