"""The names of all keys, by which `[keymap]` in settings.toml gives them others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode

_OWN_PACKAGES = ("monitor_tui.", "screens.", "widgets.")


def read_bindings(app_class: type[App[None]]) -> Iterator[list[Binding]]:
    """Yield the bindings of the app, and of every screen and widget that is imported, with what each inherits."""
    for node_class in _list_classes(app_class):
        yield [binding for base in node_class.__mro__ for binding in _own_bindings(base)]


def read_own_bindings(app_class: type[App[None]]) -> Iterator[tuple[str, list[Binding]]]:
    """Yield the bindings that each class has of itself, under the title of its help, by title."""
    classes = [c for c in _list_classes(app_class) if "BINDINGS" in c.__dict__]
    for node_class in sorted(classes, key=lambda c: (c is not app_class, _title(c), c.__name__)):
        yield _title(node_class), list(_own_bindings(node_class))


def _title(node_class: type[DOMNode]) -> str:
    return (
        node_class.__dict__.get("BINDING_GROUP_TITLE")
        or node_class.__dict__.get("HELP_TITLE")
        or _spaced(node_class.__name__)
    )


def _spaced(class_name: str) -> str:
    """Return `Row list` for `RowList`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", class_name).capitalize()


def _list_classes(app_class: type[App[None]]) -> Iterator[type[DOMNode]]:
    """Yield the classes of the program that are imported."""
    classes: list[type[DOMNode]] = [app_class]
    listed_classes = set(classes)
    classes += DOMNode.__subclasses__()
    while classes:
        node_class = classes.pop()
        new_classes = [c for c in node_class.__subclasses__() if c not in listed_classes]
        listed_classes.update(new_classes)
        classes += new_classes
        if node_class.__module__.startswith(_OWN_PACKAGES):
            yield node_class


def _own_bindings(node_class: type) -> Iterator[Binding]:
    if node_class.__module__.startswith(_OWN_PACKAGES):
        yield from Binding.make_bindings(node_class.__dict__.get("BINDINGS", ()))


def complete_keymap(keymap: Mapping[str, str], bindings_by_class: list[list[Binding]]) -> dict[str, str]:
    """Return the key map with the present keys of what shares a key with something in it.

    Textual takes away all that is on a key when one thing on it gets another.
    """
    complete = dict(keymap)
    for bindings in bindings_by_class:
        freed_keys = {b.key for b in bindings if b.id in keymap}
        sharing_ids = {b.id for b in bindings if b.id and b.id not in keymap and b.key in freed_keys}
        for binding_id in sharing_ids:
            complete[binding_id] = ",".join(dict.fromkeys(b.key for b in bindings if b.id == binding_id))
    return complete
