"""The words of the screens: no raw names of predicates or kinds, no in-house words."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import monitor_tui.app
import screens
import widgets
from agents.canon_keeper.predicates import load_catalogue
from agents.orchestrator.commands.all_commands import COMMANDS
from agents.proposals.kinds import CHANGE_KINDS, describe_kind
from agents.services.ruling_options import CHECK_DESCRIPTIONS
from screens.system.help_screen import TOUR
from tests.screens.screen_driver import real_services, started_app

IN_HOUSE_WORDS = re.compile(
    r"\b(court|docket|bench|ruling|rulings|house|houses|hand|behind play|given up|give up|gave up|told|tells?|telling|"
    r"shelf|desk|sight|colour|warmth|happenings?|never so|no longer so|so again|taken back|take back|book|books)\b",
    re.IGNORECASE,
)
CATALOGUE = load_catalogue()
PACKAGES = ("agents", "monitor_tui", "screens", "stores", "widgets")
CLASS_NAME = re.compile(r"^class (\w+)", re.MULTILINE)


def bound_classes() -> Iterator[type[DOMNode]]:
    """Yield the screens and widgets, and the application."""
    yield monitor_tui.app.MonitorApp
    for package in (screens, widgets):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, DOMNode) and value.__module__ == found.name:
                    yield value


def player_texts() -> Iterator[tuple[str, str]]:
    """Yield (where, text) for key labels, tooltips, screen titles, help texts, the tour and commands."""
    for cls in bound_classes():
        if "BINDING_GROUP_TITLE" in cls.__dict__ and cls.BINDING_GROUP_TITLE:
            yield cls.__name__, cls.BINDING_GROUP_TITLE
        if "HELP_TEXT" in cls.__dict__:
            yield cls.__name__, cls.__dict__["HELP_TITLE"]
            yield cls.__name__, cls.__dict__["HELP_TEXT"]
        for binding in cls.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield cls.__name__, binding.description
                yield cls.__name__, binding.tooltip
    for title, text in TOUR:
        yield "tour", f"{title}: {text}"
    for command in COMMANDS.list_help():
        yield f"/{command.name}", command.summary


def test_key_labels_titles_and_help_have_no_in_house_words() -> None:
    texts = list(player_texts())
    assert len(texts) > 300
    found = [(where, text) for where, text in texts if IN_HOUSE_WORDS.search(text)]
    assert found == []


def class_names() -> set[str]:
    """Return the names of the tree's classes that are several words in one: `PlayPrompt`."""
    root = Path(monitor_tui.app.__file__).parents[1]
    sources = (path for package in PACKAGES for path in (root / package).rglob("*.py"))
    names = (name for path in sources for name in CLASS_NAME.findall(path.read_text(encoding="utf-8")))
    return {name for name in names if re.match(r"[A-Z][a-z]+[A-Z]", name)}


def test_key_labels_titles_and_help_name_no_class() -> None:
    names = class_names()
    assert len(names) > 1_000
    found = [
        (where, text) for where, text in player_texts() if not names.isdisjoint(re.findall(r"\w+", text))
    ]
    assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["", "1", "2", "3", "4", "5", "6", "m"])
async def test_key_help_of_a_screen_names_no_class(tmp_path: Path, keys: str) -> None:
    async with started_app(real_services(tmp_path), (120, 400)) as ui:
        await ui.press(*keys, "f1")
        assert ui.screen == "HelpScreen"
        assert class_names().isdisjoint(re.findall(r"\w+", ui.text))


@pytest.mark.slow
async def test_key_help_in_play_has_words_for_the_prompt_and_for_who_is_here(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), (120, 400)) as ui:
        await ui.press("1", *["enter"] * 5)
        assert ui.screen == "SceneScreen"
        await ui.press("f1")
        assert ui.shows("The prompt", "Who is here")
        assert class_names().isdisjoint(re.findall(r"\w+", ui.text))


@pytest.mark.parametrize("name", sorted(CATALOGUE.names()))
def test_screen_words_every_predicate_has_a_label_in_words(name: str) -> None:
    assert CATALOGUE.predicates[name].label
    for is_reversed in (False, True):
        assert "_" not in CATALOGUE.label(name, is_reversed=is_reversed)


def test_labels_of_unknown_predicates_kinds_and_checks_are_words() -> None:
    labels = [
        CATALOGUE.label("sworn_to"),
        CATALOGUE.label("sworn_to", is_reversed=True),
        *(kind.plural for kind in CHANGE_KINDS.values()),
        *(describe_kind(f"{kind}:max_hp") for kind in CHANGE_KINDS),
        *CHECK_DESCRIPTIONS.values(),
    ]
    assert [label for label in labels if "_" in label] == []


def test_screen_words_relation_reads_from_either_end() -> None:
    assert CATALOGUE.label("located_in") == CATALOGUE.label("contains", is_reversed=True) == "is in"
    assert CATALOGUE.label("located_in", is_reversed=True) == CATALOGUE.label("contains") == "contains"
    assert CATALOGUE.label("connected_to", is_reversed=True) == "leads to"
