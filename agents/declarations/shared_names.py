"""Finds the names in a text by which more than one of those who are known may be meant. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from agents.prose.mentions import read_roles
from agents.prose.names import any_name_pattern, names_of
from stores.records.world import ACTORS, Entity, fold_name


class SharedName(NamedTuple):
    """A name, and who may be meant by it."""

    name: str
    bearers: tuple[Entity, ...]


def find_shared_names(text: str, known: Sequence[Entity]) -> list[SharedName]:
    """Return the names in a text that two or more people have, or are called by: `Greta`, `the miller`.

    Somebody's whole name means them, though others bear a part of it.
    """
    people = [entity for entity in known if entity.kind in ACTORS]
    bearers_by_name: defaultdict[str, list[Entity]] = defaultdict(list)
    for person in people:
        roles = (f"the {role}" for role in read_roles(person.name, person.description))
        for name in dict.fromkeys((person.name, *names_of(person), *roles)):
            bearers_by_name[name].append(person)
    shared_names = {name: bearers for name, bearers in bearers_by_name.items() if len(bearers) > 1}
    if not shared_names:
        return []
    own_names = [person.name for person in people if person.name not in shared_names]
    rest = re.sub(any_name_pattern(own_names), "¶", text) if own_names else text
    return [
        SharedName(name, tuple(sorted(bearers, key=lambda bearer: bearer.name)))
        for name, bearers in shared_names.items()
        if re.search(any_name_pattern([name, name[0].upper() + name[1:]]), rest)
    ]


def describe_shared_name(shared_name: SharedName) -> str:
    """Return who may be meant, and how to say who is."""
    name, bearers = shared_name
    are_alike = len({fold_name(e.name) for e in bearers}) < len(bearers)
    described = [f"{e.name} ({e.description})" if are_alike and e.description else e.name for e in bearers]
    todo = "Give one of them another name first" if are_alike else "Write the whole name"
    return (
        f"“{name}” may be {', '.join(described[:-1])} or {described[-1]}: nothing is noted of them. {todo}."
    )
