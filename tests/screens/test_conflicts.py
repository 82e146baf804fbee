"""The conflict screen by keyboard: both statements, every ruling, what each would do, and the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.conflict_views import RulingRequest, RulingView
from stores.errors import InputError, StoreFull
from stores.records.canon import Standing
from stores.records.workflow import RulingKind
from tests.screens.faults import fail_once, record_calls
from tests.screens.libraries import CopyLibrary
from tests.screens.scripted_llm import start_sample_story
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated

pytestmark = pytest.mark.slow

ALLIES = "Wenna Pike and Ivo Tarrant are allies."
ENEMIES = "Wenna Pike and Ivo Tarrant are enemies."
LINES = (
    "/fact Wenna Pike ally_of Ivo Tarrant",
    "/place Net Loft: above the inn, full of tarred rope",
    "/commit",
    "I wait.",
    "/time +1d",
    "/state Mara.hp -1",
    "/fact Aldous Stint is afraid of the water",
    "/fact Wenna Pike enemy_of Ivo Tarrant",
)


PREDICATES = "shelters: {}\ntrusts: {}\nhunts: {excludes: [shelters, trusts]}"
TWO_CONFLICTS = (
    "/fact Wenna Pike shelters Ivo Tarrant",
    "/fact Wenna Pike trusts Ivo Tarrant",
    "/commit",
    "I wait.",
    "/fact Wenna Pike hunts Ivo Tarrant",
)


async def build_story_in_conflict(home: Path) -> None:
    """Play a scene that ends in a proposal against canon."""
    services, close = await real_desk(home, 4)()
    await start_sample_story(services, *LINES)
    await services.stories.suspend()
    await close()


@pytest.fixture
def home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_story_in_conflict)


@pytest.fixture
async def table(home: Path) -> AsyncIterator[Table]:
    """The conflict screen, come to from the gate's first row, on a small terminal."""
    async with seated(real_desk(home, 8), NARROW) as table:
        await table.press("enter", "f3", "h")
        assert table.screen == "ConflictScreen"
        yield table


async def read_rulings(table: Table) -> list[RulingView]:
    (universe,) = await table.services.stories.universes()
    return list(await table.services.conflicts.list_rulings(universe.id))


async def canon_statements(table: Table) -> set[str]:
    """Return what canon says now."""
    (universe,) = await table.services.stories.universes()
    canon = await table.services.world.provenance.read_canon_at(universe.id)
    return {view.fact.statement for view in canon.facts}


async def test_conflict_screen_shows_both_statements_with_their_evidence(table: Table) -> None:
    assert table.shows(f"Canon says “{ALLIES}”", "(the two exclude each other)")
    assert table.shows("new", "Wenna Pike and Ivo Tarrant are", "proposed · from Day 4, 18:04")
    assert table.shows("conflicts with", "in canon · from Day 3, 18:0", "your word")
    assert table.shows("“Wenna Pike enemy_of Ivo Tarrant”")
    assert table.shows(f"+ {ENEMIES} from Day 4, 18:04", f"− {ALLIES} until Day 4, 18:04")


async def test_number_previews_a_ruling_and_enter_makes_it(table: Table) -> None:
    await table.press("3")
    shown = table.text
    assert not table.shows(f"+ {ENEMIES}")
    assert await read_rulings(table) == []
    await table.press("9")
    assert table.text == shown, "there is no such row"
    await table.press("enter")
    (ruling,) = await read_rulings(table)
    assert (ruling.new_title, ruling.old_title, ruling.ruling) == (ENEMIES, ALLIES, RulingKind.OLD)
    assert table.shows("Resolved. You will not be asked")
    await table.press("enter")
    assert table.screen == "GateScreen"
    assert not table.shows("in conflict")
    assert not table.shows("h Resolve"), "the row is settled"
    assert ALLIES in await canon_statements(table)


async def test_arrows_choose_a_ruling_as_numbers_do(table: Table) -> None:
    await table.press("down", "j", "up", "enter")
    (ruling,) = await read_rulings(table)
    assert ruling.ruling is RulingKind.NEW
    statements = await canon_statements(table)
    assert ENEMIES in statements
    assert ALLIES not in statements


async def test_ruling_asks_for_a_time_and_previews_it_as_it_is_typed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record_calls(monkeypatch, table.services.conflicts, "make_ruling")
    await table.press("1", "enter")
    assert table.shows("From when?", "Day 4, 18:04")
    await table.type("day 4 10:00", enter=False)
    assert table.shows(f"+ {ENEMIES} from Day 4, 10:00", "⏎ Resolve")
    await table.press("enter")
    assert [request.when for (request,), _ in made] == ["day 4 10:00"]
    assert table.shows("Resolved")


async def test_ruling_refuses_what_is_no_time_and_keeps_it_typed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await table.press("1", "enter", "ctrl+u")
    await table.type("never", enter=False)
    assert table.shows("'never'", "Try day 3")
    await table.press("enter")
    assert table.shows("'never'")
    assert table.screen == "ConflictScreen"
    assert await read_rulings(table) == []
    await table.press("escape", "ctrl+u")
    await table.type("day 4")
    assert len(await read_rulings(table)) == 1
    assert table.shows("Resolved")


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("4", "enter", "5", "enter"), {"option": "both", "yielding": "old", "standing": Standing.LIE}),
        (("4", "enter", "enter"), {"option": "both", "yielding": "new", "standing": Standing.RUMOUR}),
        (
            ("5", "enter", "enter", "enter"),
            {"option": "until", "yielding": "old", "when": "Day 4, 18:04"},
        ),
        (("6", "enter", "enter", "enter"), {"option": "split", "name": "another Wenna Pike"}),
    ],
)
async def test_forms_of_a_ruling_are_chosen_on_the_same_screen(
    table: Table, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], wanted: dict[str, object]
) -> None:
    made = record_calls(monkeypatch, table.services.conflicts, "make_ruling")
    await table.press(*keys)
    (((request,), _),) = made
    assert isinstance(request, RulingRequest)
    assert {name: getattr(request, name) for name in wanted} == wanted
    if wanted["option"] == "split":
        assert request.entity_id is not None
    assert len(await read_rulings(table)) == 1


async def test_escape_on_the_conflict_screen_goes_back_step_by_step(table: Table) -> None:
    await table.press("6", "enter", "enter")
    assert table.shows("What is the other one called?")
    await table.press("escape")
    assert table.shows("1 The new one is about another Wenna Pike")
    await table.press("escape")
    assert table.shows("1 The new one is true from some time on")
    await table.press("escape")
    assert table.screen == "GateScreen"
    assert await read_rulings(table) == []


async def test_evidence_of_a_statement_opens_where_it_was_played(table: Table) -> None:
    await table.press("x")
    assert table.screen == "ReadingScreen"
    await table.press("escape")
    assert table.screen == "ConflictScreen"
    assert table.shows("“Wenna Pike enemy_of Ivo Tarrant”")
    await table.press("X")
    assert table.screen == "ReadingScreen"


async def test_enter_pressed_twice_rules_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    made = record_calls(monkeypatch, table.services.conflicts, "make_ruling")
    await table.press("3")
    await table.pilot.press("enter", "enter")
    await table.settle()
    assert len(made) == 1
    assert len(await read_rulings(table)) == 1


async def test_ruling_that_cannot_be_written_says_so_and_can_be_made_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = StoreFull("The disk is full.", kept="Your ruling was not made.", todo="Free some space.")
    fail_once(monkeypatch, table.services.conflicts, "make_ruling", full)
    await table.press("2", "enter")
    assert table.shows("The disk is full.", "Your ruling was not made.", "Free some space.")
    assert await read_rulings(table) == []
    await table.press("escape", "enter")
    assert table.shows("Resolved")
    assert len(await read_rulings(table)) == 1


async def test_conflict_of_a_closed_proposal_is_reported_calmly(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(real_desk(home, 8), NARROW) as table:
        await table.press("enter", "f3")
        closed = InputError("It was accepted by a commit, which closed over it.")
        fail_once(monkeypatch, table.services.conflicts, "read_conflicts", closed)
        await table.press("h")
        assert table.shows("It was accepted by a commit")
        await table.press("escape", "escape")
        assert table.screen == "GateScreen"


async def test_conflict_screen_opens_from_the_panel_only_where_there_is_a_conflict(home: Path) -> None:
    async with seated(real_desk(home, 8), ROOMY) as table:
        await table.press("enter", "f2", "home")
        assert not table.shows("h Resolve")
        await table.press("h")
        assert table.screen == "SceneScreen"
        await table.press("end")
        assert table.shows("h Resolve")
        await table.press("h")
        assert table.screen == "ConflictScreen"
        assert table.shows("“Wenna Pike enemy_of Ivo Tarrant”", "“Wenna Pike ally_of Ivo Tarrant”")
        await table.press("escape")
        assert table.screen == "SceneScreen"


async def test_similar_names_stand_side_by_side(home: Path) -> None:
    async with seated(real_desk(home, 8), NARROW) as table:
        await table.press("enter")
        await table.type("/place Nett Loft: knee-deep at low water")
        await table.press("escape", "f3")
        assert table.shows("≈1")
        await table.press("slash")
        await table.type("nett")
        await table.press("h")
        assert table.screen == "ConflictScreen"
        assert table.shows("Nett Loft", "place", "knee-deep at low water", "Net Loft", "above the inn")
        assert table.shows("It may be harmless.", "The same:", "Different:")
        await table.press("2", "enter")
        (ruling,) = await read_rulings(table)
        assert ruling.ruling is RulingKind.SPLIT


async def test_several_conflicts_are_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services, close = await real_desk(tmp_path, 4)()
    scene_id = await start_sample_story(services)
    (universe,) = await services.stories.universes()
    await services.policy.set_predicates(universe.id, PREDICATES)
    for line in TWO_CONFLICTS:
        await services.play.submit(scene_id, line)
    await services.stories.suspend()
    await close()
    async with seated(real_desk(tmp_path, 8), NARROW) as table:
        made = record_calls(monkeypatch, table.services.conflicts, "make_ruling")
        await table.press("enter", "f3", "h")
        assert table.shows("conflict 1 of 2")
        first = table.text
        await table.press("n")
        assert table.shows("conflict 2 of 2")
        assert table.text != first
        await table.press("p", "p", "n", "2", "enter")
        assert table.shows("1 more to resolve.")
        assert not table.shows("conflict 1 of")
        await table.press("escape", "3", "enter")
        assert table.shows("Resolved")
        assert len({request.against for (request,), _ in made}) == 2


# --- from the command line -------------------------------------------------------------------------------


async def test_resolved_conflict_is_on_record_and_never_asked_again(tmp_path: Path) -> None:
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


async def test_resolve_command_prints_what_the_conflict_screen_shows(tmp_path: Path) -> None:
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
