"""The conflict screen by keyboard: both statements, every ruling, what each would do, and the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.conflict_views import RulingRequest, RulingView
from screens.gate.conflict_screen import ConflictScreen
from stores.errors import InputError, StoreFull
from stores.records.canon import Standing
from stores.records.workflow import RulingKind
from tests.screens.faults import fail_once, record_calls
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import start_sample_story

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
    services, close = await real_services(home, 4)()
    await start_sample_story(services, *LINES)
    await services.stories.suspend()
    await close()


@pytest.fixture
def home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_story_in_conflict)


@pytest.fixture
async def ui(home: Path) -> AsyncIterator[ScreenDriver]:
    """The conflict screen, come to from the gate's first row, on a small terminal."""
    async with started_app(real_services(home, 8), NARROW) as ui:
        await ui.press("enter", "f3", "C")
        assert ui.screen == "ConflictScreen"
        yield ui


async def read_rulings(ui: ScreenDriver) -> list[RulingView]:
    (universe,) = await ui.services.stories.universes()
    return list(await ui.services.conflicts.list_rulings(universe.id))


async def canon_statements(ui: ScreenDriver) -> set[str]:
    """Return what canon says now."""
    (universe,) = await ui.services.stories.universes()
    canon = await ui.services.world.provenance.read_canon_at(universe.id)
    return {view.fact.statement for view in canon.facts}


async def test_conflict_screen_shows_both_statements_with_their_evidence(ui: ScreenDriver) -> None:
    assert ui.shows(f"Canon says “{ALLIES}”", "(the two exclude each other)")
    assert ui.shows("the new one", "Wenna Pike and Ivo Tarrant are", "Proposed, from Day 4, 18:04,")
    assert ui.shows("the old one", "In canon, from Day 3, 18:0", "by you, 2026-01-0")
    assert ui.shows("“Wenna Pike enemy_of Ivo Tarrant”")


async def test_conflict_screen_says_in_sentences_what_becomes_of_both(ui: ScreenDriver) -> None:
    """What a choice makes of the new and of the old statement is said before it is taken; none is taken by itself."""
    await ui.press("enter")
    assert await read_rulings(ui) == []
    assert ui.shows("Nothing is chosen. 1 to 6 or ↓ chooses; Esc leaves it undecided.")
    assert not ui.shows("New: it becomes canon")
    await ui.press("1")
    assert ui.shows(
        "New: it becomes canon, true from Day 4, 18:04.", "Old: it stays in canon, true until Day 4, 18:04."
    )
    for key, sentences in {
        "2": ("New: it becomes canon.", "Old: it leaves canon: it was never true."),
        "3": ("New: it is rejected.", "Old: it stays in canon as it is."),
    }.items():
        await ui.press(key)
        assert ui.shows(*sentences)
    await ui.press("4")
    assert ui.shows("Enter shows 6 ways; nothing is written before you choose one.")
    await ui.press("enter", "5")
    assert ui.shows("5 The old one is a lie; the new one is true.")
    assert ui.shows("New: it becomes canon, as true.", "Old: it stays in canon only as a lie.")


async def test_number_previews_a_ruling_and_enter_makes_it(ui: ScreenDriver) -> None:
    await ui.press("3")
    shown = ui.text
    assert not ui.shows("New: it becomes canon")
    assert await read_rulings(ui) == []
    await ui.press("9")
    assert ui.text == shown, "there is no such row"
    await ui.press("enter")
    (ruling,) = await read_rulings(ui)
    assert (ruling.new_title, ruling.old_title, ruling.ruling) == (ENEMIES, ALLIES, RulingKind.OLD)
    assert ui.shows("Resolved. You will not be asked")
    await ui.press("enter")
    assert ui.screen == "GateScreen"
    assert not ui.shows("in conflict")
    assert not ui.shows("C Resolve"), "the row is settled"
    assert ALLIES in await canon_statements(ui)


async def test_arrows_choose_a_ruling_as_numbers_do(ui: ScreenDriver) -> None:
    await ui.press("down", "j", "j", "up", "enter")
    (ruling,) = await read_rulings(ui)
    assert ruling.ruling is RulingKind.NEW
    statements = await canon_statements(ui)
    assert ENEMIES in statements
    assert ALLIES not in statements


async def test_ruling_asks_for_a_time_and_previews_it_as_it_is_typed(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = record_calls(monkeypatch, ui.services.conflicts, "make_ruling")
    await ui.press("1", "enter")
    assert ui.shows("From when?", "Day 4, 18:04")
    await ui.type("day 4 10:00", enter=False)
    assert ui.shows("New: it becomes canon, true from Day 4, 10:00.", "⏎ Resolve")
    await ui.press("enter")
    assert [request.when for (request,), _ in made] == ["day 4 10:00"]
    assert ui.shows("Resolved")


async def test_ruling_refuses_what_is_no_time_and_keeps_it_typed(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ui.press("1", "enter", "ctrl+u")
    await ui.type("never", enter=False)
    assert ui.shows("'never'", "Try day 3")
    await ui.press("enter")
    assert ui.shows("'never'")
    assert ui.screen == "ConflictScreen"
    assert await read_rulings(ui) == []
    await ui.press("escape", "ctrl+u")
    await ui.type("day 4")
    assert len(await read_rulings(ui)) == 1
    assert ui.shows("Resolved")


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("4", "enter", "5", "enter"), {"option": "both", "yielding": "old", "standing": Standing.LIE}),
        (("4", "enter", "1", "enter"), {"option": "both", "yielding": "new", "standing": Standing.RUMOUR}),
        (
            ("5", "enter", "1", "enter", "enter"),
            {"option": "until", "yielding": "old", "when": "Day 4, 18:04"},
        ),
        (("6", "enter", "1", "enter", "enter"), {"option": "split", "name": "another Wenna Pike"}),
    ],
)
async def test_forms_of_a_ruling_are_chosen_on_the_same_screen(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...], wanted: dict[str, object]
) -> None:
    made = record_calls(monkeypatch, ui.services.conflicts, "make_ruling")
    await ui.press(*keys)
    (((request,), _),) = made
    assert isinstance(request, RulingRequest)
    assert {name: getattr(request, name) for name in wanted} == wanted
    if wanted["option"] == "split":
        assert request.entity_id is not None
    assert len(await read_rulings(ui)) == 1


async def test_escape_on_the_conflict_screen_goes_back_step_by_step(ui: ScreenDriver) -> None:
    await ui.press("6", "enter", "1", "enter")
    assert ui.shows("What is the other one called?")
    await ui.press("escape")
    assert ui.shows("1 The new one is about another Wenna Pike, whom you name.")
    await ui.press("escape")
    assert ui.shows("1 The new one is true from a time you give")
    await ui.press("escape")
    assert ui.screen == "GateScreen"
    assert await read_rulings(ui) == []


async def test_evidence_of_a_statement_opens_where_it_was_played(ui: ScreenDriver) -> None:
    await ui.press("x")
    assert ui.screen == "ReadingScreen"
    await ui.press("escape")
    assert ui.screen == "ConflictScreen"
    assert ui.shows("“Wenna Pike enemy_of Ivo Tarrant”")
    await ui.press("h")
    assert ui.screen == "ReadingScreen"


async def test_ruling_chosen_stays_when_the_conflict_is_read_again(ui: ScreenDriver) -> None:
    """A screen reads again when it is come back to; a slow read ends after the first key there."""
    await ui.press("2")
    chosen = ui.text
    screen = ui.app.screen
    assert isinstance(screen, ConflictScreen)
    screen.reload()
    await ui.settle()
    assert ui.text == chosen
    await ui.press("enter")
    assert ui.shows("Resolved.")
    assert len(await read_rulings(ui)) == 1


async def test_enter_pressed_twice_rules_once(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    made = record_calls(monkeypatch, ui.services.conflicts, "make_ruling")
    await ui.press("3")
    await ui.pilot.press("enter", "enter")
    await ui.settle()
    assert len(made) == 1
    assert len(await read_rulings(ui)) == 1


async def test_ruling_that_cannot_be_written_says_so_and_can_be_made_again(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = StoreFull("The disk is full.", kept="Your ruling was not made.", todo="Free some space.")
    fail_once(monkeypatch, ui.services.conflicts, "make_ruling", full)
    await ui.press("2", "enter")
    assert ui.shows("The disk is full.", "Your ruling was not made.", "Free some space.")
    assert await read_rulings(ui) == []
    await ui.press("escape", "enter")
    assert ui.shows("Resolved")
    assert len(await read_rulings(ui)) == 1


async def test_conflict_of_a_closed_proposal_is_reported_calmly(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started_app(real_services(home, 8), NARROW) as ui:
        await ui.press("enter", "f3")
        closed = InputError("It was accepted by a commit, which closed over it.")
        fail_once(monkeypatch, ui.services.conflicts, "read_conflicts", closed)
        await ui.press("C")
        assert ui.shows("It was accepted by a commit")
        await ui.press("escape", "escape")
        assert ui.screen == "GateScreen"


async def test_conflict_screen_opens_from_the_panel_only_where_there_is_a_conflict(home: Path) -> None:
    async with started_app(real_services(home, 8), ROOMY) as ui:
        await ui.press("enter", "f2", "home")
        assert not ui.shows("C Resolve")
        await ui.press("C")
        assert ui.screen == "SceneScreen"
        await ui.press("end")
        assert ui.shows("C Resolve")
        await ui.press("C")
        assert ui.screen == "ConflictScreen"
        assert ui.shows("“Wenna Pike enemy_of Ivo Tarrant”", "“Wenna Pike ally_of Ivo Tarrant”")
        await ui.press("escape")
        assert ui.screen == "SceneScreen"


async def test_similar_names_stand_side_by_side(home: Path) -> None:
    async with started_app(real_services(home, 8), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/place Nett Loft: knee-deep at low water")
        await ui.press("escape", "f3")
        assert ui.shows("≈1")
        await ui.press("slash")
        await ui.type("nett")
        await ui.press("C")
        assert ui.screen == "ConflictScreen"
        assert ui.shows("Nett Loft", "place", "knee-deep at low water", "Net Loft", "above the inn")
        assert ui.shows("It may be harmless.", "They are the same:", "They are different:")
        await ui.press("2", "enter")
        (ruling,) = await read_rulings(ui)
        assert ruling.ruling is RulingKind.SPLIT


async def test_several_conflicts_are_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services, close = await real_services(tmp_path, 4)()
    scene_id = await start_sample_story(services)
    (universe,) = await services.stories.universes()
    await services.policy.set_predicates(universe.id, PREDICATES)
    for line in TWO_CONFLICTS:
        await services.play.submit(scene_id, line)
    await services.stories.suspend()
    await close()
    async with started_app(real_services(tmp_path, 8), NARROW) as ui:
        made = record_calls(monkeypatch, ui.services.conflicts, "make_ruling")
        await ui.press("enter", "f3", "C")
        assert ui.shows("conflict 1 of 2")
        first = ui.text
        await ui.press("right")
        assert ui.shows("conflict 2 of 2")
        assert ui.text != first
        await ui.press("left", "left", "right", "2", "enter")
        assert ui.shows("1 more to resolve.")
        assert not ui.shows("conflict 1 of")
        await ui.press("escape", "3", "enter")
        assert ui.shows("Resolved")
        assert len({request.against for (request,), _ in made}) == 2


# --- from the command line -------------------------------------------------------------------------------


async def test_resolved_conflict_is_on_record_and_never_asked_again(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/fact Wenna Pike ally_of Ivo Tarrant")
        await ui.type("/commit")
        await ui.type("I wait.")
        await ui.type("/fact Wenna Pike enemy_of Ivo Tarrant")
        await ui.type("/resolve 2")
        assert ui.screen == "ConflictScreen"
        assert ui.shows("“Wenna Pike ally_of Ivo Tarrant”", "“Wenna Pike enemy_of Ivo Tarrant”")
        await ui.press("4", "enter", "2")
        assert ui.shows("New: it becomes canon only as a lie.", "Old: it stays in canon, as true.")
        await ui.press("enter")
        assert ui.shows("Resolved", "as a lie")
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        await ui.type("/fact Wenna Pike enemy_of Ivo Tarrant")
        await ui.press("f2", "end")
        assert not ui.shows("⚠1")
        assert not ui.shows("C Resolve")
        await ui.press("f2")
        await ui.type("/rules")
        assert ui.screen == "PolicyScreen"
        assert ui.shows("Resolved conflicts 1", "both are kept, one of them as a lie")


async def test_resolve_command_prints_what_the_conflict_screen_shows(tmp_path: Path) -> None:
    services, close = await real_services(tmp_path)()
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
        assert heard.goto == "conflict"
        assert any("new:" in line for line in heard.lines)
        done = await services.play.submit(scene_id, "/resolve 2 lie")
        assert (done.goto, done.lines) == ("", ("Canon, as a lie: Wenna Pike and Ivo Tarrant are enemies.",))
    finally:
        await close()


async def test_conflict_resolved_in_play_hands_the_next_line_to_the_prompt(home: Path) -> None:
    async with started_app(real_services(home, 5), NARROW) as ui:
        await ui.press("enter")
        await ui.type("/resolve wenna")
        await ui.until("Resolve conflict")
        await ui.press("2", "enter")
        await ui.until("Resolved.")
        await ui.type("I wait here.")
        await ui.until("you I wait here.")
        assert ui.screen == "SceneScreen"


async def test_new_one_is_the_later_line_whichever_row_it_was_opened_from(sample_home: Path) -> None:
    earlier, later = "Gil Oakum and Tam Marrow are allies.", "Gil Oakum and Tam Marrow are enemies."
    async with started_app(real_services(sample_home, 8), ROOMY) as ui:
        await start_sample_story(ui.services)
        await ui.press("2", "enter")
        for line in ("/fact Gil Oakum ally_of Tam Marrow", "I wait.", "/fact Gil Oakum enemy_of Tam Marrow"):
            await ui.type(line)
        for row in ("2", "1"):
            await ui.type(f"/resolve {row}")
            statements_line = next(
                x for x in ui.text.splitlines() if "are allies" in x and "are enemies" in x
            )
            assert statements_line.index("are enemies") < statements_line.index("are allies")
            await ui.press("1")
            assert ui.shows("the new one", "the old one", "New: it becomes canon, true from Day 3, 18:04.")
            await ui.press("escape")
        await ui.type("/resolve 1")
        await ui.press("2", "enter")  # the new one is true; the old one never was
        assert ui.shows("Resolved.", f"✗ {earlier} is rejected")
        statements = await canon_statements(ui)
        assert later in statements
        assert earlier not in statements
