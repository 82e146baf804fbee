"""Finds the names in a text by which more than one of those who are known may be meant. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from agents.declarations.lasting_facts import guess_entities
from agents.prose.mentions import is_role, may_be_first_name, read_roles
from agents.prose.names import EPITHETS, any_name_pattern, names_of
from stores.records.world import ACTORS, Entity, EntityKind, fold_name


class SharedName(NamedTuple):
    """A name, and who may be meant by it."""

    name: str
    bearers: tuple[Entity, ...]


def find_shared_names(text: str, known: Sequence[Entity]) -> list[SharedName]:
    """Return the names in a text that two or more people have, or are called by: `Greta`, `the miller`.

    Somebody's whole name means them, though others bear a part of it; that of nobody known means somebody new.
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
    own_names += [name for name in _list_new_whole_names(text, known) if name not in shared_names]
    rest = re.sub(any_name_pattern(own_names), "¶", text) if own_names else text
    return [
        SharedName(name, tuple(sorted(bearers, key=lambda bearer: bearer.name)))
        for name, bearers in shared_names.items()
        if re.search(any_name_pattern([name, name[0].upper() + name[1:]]), rest)
    ]


def _list_new_whole_names(text: str, known: Sequence[Entity]) -> list[str]:
    """Return the names of first name and surname in a text that nobody known has: not `Captain Quay`."""
    return [
        guess.name
        for guess in guess_entities(text, known, EntityKind.CHARACTER)
        if len(words := guess.name.split()) > 1
        and all(word[0].isupper() for word in words)
        and not _is_title(words[-2])
    ]


def _is_title(word: str) -> bool:
    return not may_be_first_name(word) or is_role(word.casefold()) or word.casefold() in EPITHETS


def name_bearers(shared_name: SharedName) -> str:
    """Return who may be meant: `“Greta” may be Greta Moll or Greta Vey`."""
    name, bearers = shared_name
    are_alike = _are_alike(shared_name)
    described = [f"{e.name} ({e.description})" if are_alike and e.description else e.name for e in bearers]
    return f"“{name}” may be {', '.join(described[:-1])} or {described[-1]}"


def ask_for_name(shared_name: SharedName) -> str:
    """Return how to say who is meant."""
    return "Give one of them another name first." if _are_alike(shared_name) else "Write the whole name."


def describe_shared_name(shared_name: SharedName) -> str:
    """Return who may be meant, and how to say who is."""
    return f"{name_bearers(shared_name)}: nothing is noted of them. {ask_for_name(shared_name)}"


def _are_alike(shared_name: SharedName) -> bool:
    names = {fold_name(bearer.name) for bearer in shared_name.bearers}
    return len(names) < len(shared_name.bearers)
