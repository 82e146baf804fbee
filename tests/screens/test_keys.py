"""What holds for every screen: named keys, a stated focus, a way out, Tab that comes round."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.screen import ModalScreen, Screen

import screens
from screens.dialogs.checked_text_screen import CheckedTextScreen
from screens.key_bar import Key, layout_keys
from stores.records.workflow import Verdict
from tests.screens.libraries import CopyLibrary
from tests.screens.screen_driver import NARROW, real_services, started_app
from tests.screens.scripted_llm import start_sample_story

pytestmark = pytest.mark.slow

MODULES = [importlib.import_module(m.name) for m in pkgutil.walk_packages(screens.__path__, "screens.")]
CLASSES = [
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__ == module.__name__
]
SHOWN = [
    c for c in CLASSES if issubclass(c, Screen) and c.__dict__.get("CSS_PATH") and c is not CheckedTextScreen
]
"""Without what is shown only by its subclasses."""
BOUND = [c for c in CLASSES if c.__dict__.get("BINDINGS")]


LINES = (
    "> Ivo closes his book on his thumb. Mara sees the second column.",
    "/npc Ivo Tarrent: a clerk",
    "/fact Ivo Tarrant has a second book",
    "/fact The rope was cut",
    "/commit",
    "> The lamp goes out.",
    "/fact Ivo Tarrant is afraid",
)


async def build_busy_world(home: Path) -> None:
    """Play until every list of the screens has something in it."""
    services, close = await real_services(home, 3)()
    await start_sample_story(services, *LINES)
    (universe,) = await services.stories.universes()
    canon = await services.world.provenance.read_canon_at(universe.id, search="rope was cut")
    staged = await services.world.edits.propose_retcon(canon.facts[0].fact.id)
    await services.gate.decide(staged.proposal_ids, Verdict.ACCEPT)
    await services.gate.commit_universe(universe.id)
    await services.jobs.wait_until_idle()
    await services.stories.suspend()
    await close()


@pytest.fixture
def busy_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_busy_world)


def named(cls: type) -> str:
    return cls.__name__


@pytest.mark.parametrize("cls", BOUND, ids=named)
def test_key_has_a_name_and_says_what_it_does(cls: type) -> None:
    for binding in Binding.make_bindings(cls.__dict__["BINDINGS"]):
        assert binding.id, binding
        assert binding.tooltip, binding
        assert binding.description, binding


def test_key_names_are_unique() -> None:
    owners: dict[str, tuple[type, str]] = {}
    for cls in BOUND:
        for binding in Binding.make_bindings(cls.__dict__["BINDINGS"]):
            assert binding.id
            assert owners.setdefault(binding.id, (cls, binding.action)) == (cls, binding.action)


@pytest.mark.parametrize("cls", SHOWN, ids=named)
def test_screen_states_its_focus_and_its_name(cls: type[Screen[object]]) -> None:
    assert cls.__dict__.get("AUTO_FOCUS") is not None
    assert cls.__dict__.get("BINDING_GROUP_TITLE")


@pytest.mark.parametrize("cls", SHOWN, ids=named)
def test_screen_can_be_left(cls: type[Screen[object]]) -> None:
    keys = {b.key for base in cls.__mro__ for b in Binding.make_bindings(base.__dict__.get("BINDINGS", ()))}
    assert "escape" in keys or "q" in keys


@pytest.mark.parametrize(
    ("keys", "screen"),
    [
        ((), "MenuScreen"),
        (("1",), "SetupScreen"),
        (("1", "enter"), "SetupScreen"),
        (("1", "enter", "enter"), "SetupScreen"),
        (("1", "enter", "enter", "enter"), "SetupScreen"),
        (("1", "enter", "enter", "enter", "enter"), "SetupScreen"),
        (("2",), "StoriesScreen"),
        (("3",), "UniverseScreen"),
        (("3", "enter", "enter"), "UniverseScreen"),
        (("3", "e"), "FormDialog"),
        (("3", "n"), "NewCanonDialog"),
        (("3", "R"), "RetconScreen"),
        (("3", "m"), "LookalikesScreen"),
        (("3", "m", "enter"), "MergeScreen"),
        (("3", "enter", "h"), "FactHistoryScreen"),
        (("3", "t"), "MomentScreen"),
        (("3", "T"), "LanesScreen"),
        (("3", "T", "T"), "TimelineScreen"),
        (("3", "v"), "RelationMapScreen"),
        (("3", "v", "v"), "RelationsScreen"),
        (("3", "Z"), "RemovedCanonScreen"),
        (("3", "p"), "CommitmentsScreen"),
        (("4",), "CharactersScreen"),
        (("4", "down", "f2", "enter", "F"), "TextDialog"),
        (("4", "n"), "NewCharacterDialog"),
        (("5",), "SourcesScreen"),
        (("5", "n"), "DocumentScreen"),
        (("6",), "QueryScreen"),
        (("6", "n"), "QueryScreen"),
        (("7",), "SystemScreen"),
        (("enter",), "SceneScreen"),
        (("enter", "f2"), "SceneScreen"),
        (("enter", "f3"), "GateScreen"),
        (("question_mark",), "HelpScreen"),
        (("enter", "ctrl+r"), "TextDialog"),
        (("enter", "shift+tab", "end", "enter"), "TurnTraceDialog"),
        (("enter", "shift+tab", "home", "f6"), "XrayScreen"),
        (("b",), "BillScreen"),
        (("b", "enter"), "LineDialog"),
        (("M",), "LlmSetupScreen"),
        (("M", "enter"), "LineDialog"),
    ],
)
async def test_screen_has_a_focus_and_tab_comes_round(
    busy_home: Path, keys: tuple[str, ...], screen: str
) -> None:
    async with started_app(real_services(busy_home, 8), NARROW) as ui:
        await ui.press(*keys)
        assert ui.screen == screen
        first = ui.app.screen.focused
        assert first is not None
        for _ in range(20):
            await ui.press("tab")
            assert ui.app.screen.focused is not None
            if ui.app.screen.focused is first:
                return
        raise AssertionError("Tab does not come round")


def test_screen_is_modal_if_it_is_a_dialog() -> None:
    dialogs = {
        "ChoiceDialog",
        "LineDialog",
        "ConfirmDialog",
        "TextDialog",
        "ErrorDialog",
        "FormDialog",
        "CommitReportDialog",
        "TurnTraceDialog",
        "FileDialog",
        "IdeasDialog",
        "KeyDialog",
        "DiceTray",
        "JumpScreen",
    }
    assert {c.__name__ for c in SHOWN if issubclass(c, ModalScreen)} == dialogs


def test_key_bar_wraps_to_a_second_line_and_no_further() -> None:
    keys = tuple(Key(f"k{i}", "does a thing", f"k{i}") for i in range(30))
    lines = layout_keys(keys, 60)
    assert len(lines) == 2
    assert all(sum(key.cells + 2 for key in line) - 2 <= 60 for line in lines)
    assert layout_keys(keys[:2], 60) == [list(keys[:2])]


def test_keys_the_way_back_stays_where_not_all_fit() -> None:
    back, more = Key("esc", "Back", "escape"), Key("^p", "more", "ctrl+p")
    keys = (*(Key(letter, f"Do {letter} with it", letter) for letter in "abcdefghij"), back, more)
    lines = layout_keys(keys, 60)
    assert lines[-1][-2:] == [back, more]
    assert all(sum(key.cells + 2 for key in line) - 2 <= 60 for line in lines)
    assert layout_keys((back, *keys[:-2], more), 60)[-1].count(back) == 0
