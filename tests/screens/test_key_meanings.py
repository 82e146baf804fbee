"""One meaning for each key over all screens, as docs/keys.md lists them."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import ModalScreen

import screens
import widgets
from monitor_tui.app import MonitorApp

KEYS_PAGE = Path(__file__).parents[2] / "docs" / "keys.md"


def read_labels_by_key() -> dict[str, set[str]]:
    """Return the labels of every key outside dialogs, as the classes of the program bind them."""
    modules = [
        importlib.import_module(module.name)
        for package in (screens, widgets)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    classes: list[type[DOMNode]] = [MonitorApp]
    classes += [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, DOMNode)
        and not issubclass(value, ModalScreen)
        and value.__module__ == module.__name__
    ]
    labels_by_key: defaultdict[str, set[str]] = defaultdict(set)
    for owner in classes:
        for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
            labels_by_key[binding.key].add(binding.description)
    return dict(labels_by_key)


def read_table() -> list[tuple[str, str, set[str]]]:
    """Return key, meaning and labels of every row of the page."""
    lines = [line for line in KEYS_PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [(row[1].strip("`"), row[2], set(row[3].rstrip(" |").split(", "))) for row in cells]


def test_key_table_has_one_row_and_one_meaning_for_each_key() -> None:
    keys = [key for key, _, _ in read_table()]
    assert len(keys) == len(set(keys))
    assert all(meaning for _, meaning, _ in read_table())


def test_key_table_lists_every_key_with_what_is_shown_for_it() -> None:
    assert {key: labels for key, _, labels in read_table()} == read_labels_by_key()


@pytest.mark.parametrize(
    "label", ["Gate", "Undo", "Retcon", "Bill", "Model", "Rules", "Evidence", "Export", "World"]
)
def test_key_of_a_common_word_is_the_same_everywhere(label: str) -> None:
    keys = {key for key, labels in read_labels_by_key().items() if label in labels}
    letters = {key for key in keys if len(key) == 1}
    assert len(letters) == 1
