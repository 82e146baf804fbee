"""Finds the names in a text by which more than one of those who are known may be meant. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.declarations.departures import find_called
from agents.prose.names import find_names
from stores.records.world import ACTORS, Entity, fold_name


class SharedName(NamedTuple):
    """A name, and who may be meant by it."""

    name: str
    bearers: tuple[Entity, ...]


def find_shared_names(text: str, known: Sequence[Entity]) -> list[SharedName]:
    """Return the names in a text that two or more people have, or are called by for short.

    Somebody's whole name means them, though others bear a part of it.
    """
    people = [entity for entity in known if entity.kind in ACTORS]
    shared_names = []
    for name in find_names(text):
        bearers = find_called(name, people)
        whole_bearers = [e for e in bearers if fold_name(name) == fold_name(e.name)]
        if len(bearers) > 1 and len(whole_bearers) != 1:
            shared_names.append(SharedName(name, tuple(bearers)))
    return shared_names


def describe_shared_name(shared_name: SharedName) -> str:
    """Return who may be meant, and how to say who is."""
    name, bearers = shared_name
    are_alike = len({fold_name(e.name) for e in bearers}) < len(bearers)
    described = [f"{e.name} ({e.description})" if are_alike and e.description else e.name for e in bearers]
    todo = "Give one of them another name first" if are_alike else "Write the whole name"
    return (
        f"“{name}” may be {', '.join(described[:-1])} or {described[-1]}: nothing is noted of them. {todo}."
    )
