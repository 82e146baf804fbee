"""Finds the entity that a typed name means: as names are read in prose and in every command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from agents.prose.called_names import find_called
from agents.typed_text import did_you_mean, fold_name
from stores.errors import InputError
from stores.records.world import Entity


class EntityNameLookup:
    """Looks up entities by name or alias, in any case; names come before aliases."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._by_name: defaultdict[str, dict[str, Entity]] = defaultdict(dict)
        self._by_alias: defaultdict[str, dict[str, Entity]] = defaultdict(dict)
        self._spellings: dict[str, None] = {}
        self._entities = list(entities)
        for entity in self._entities:
            self._spellings.update(dict.fromkeys((entity.name, *entity.aliases)))
            self._by_name[fold_name(entity.name)][entity.id] = entity
            for alias in entity.aliases:
                self._by_alias[fold_name(alias)][entity.id] = entity

    def find_entity(self, name: str) -> Entity:
        """Return the one entity called `name`.

        Raises InputError with near names if there is none, or saying so if there are several.
        """
        key = fold_name(name)
        matches = self._by_name.get(key) or self._by_alias.get(key) or self._find_called(name)
        if len(matches) == 1:
            return next(iter(matches.values()))
        problem = (
            f"{name!r} may be any of {len(matches)}"
            if matches
            else f"There is nobody and nothing called {name!r}"
        )
        todo = "Use another of its names." if matches else did_you_mean(name, self._spellings)
        raise InputError(
            f"{problem} here.",
            kept="Nothing was rolled or changed.",
            todo=todo or "Check the name, or create it first.",
        )

    def _find_called(self, name: str) -> dict[str, Entity]:
        """Return those who are called so for short: `Lady Marr`, `Dob`."""
        return {entity.id: entity for entity in find_called(name, self._entities)}
