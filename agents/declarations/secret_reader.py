"""Reads a secret as it is typed: who may know it, a colon, what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.declarations.reader import FindEntity
from agents.prose.hero_name import HERO_PRONOUNS
from agents.sanitize import clean
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity

EVERYBODY: Final = frozenset({"all", "everybody", "everyone"})
"""Typed in place of names: it is no secret any more."""
GM_ALONE: Final = frozenset({"nobody", "none", "no one", "gm", "the gm", "gm alone", "the gm alone"})

_SEPARATOR: Final = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_FULL_NAME: Final = re.compile(r"[^\W\d_a-z][\w'’-]*(?:\s+[^\W\d_a-z][\w'’-]*)+")
"""Two words or more with capitals: somebody's name, and no beginning of a sentence."""
USAGE: Final = (
    "As in: /secret Vess, Dob: The seal is forged. Or, for the GM alone: /secret The seal is forged."
)


@dataclass(frozen=True, slots=True)
class TypedKnowers:
    """Who may know a secret, as typed; `is_revealed`: everybody may."""

    known_to: tuple[Id, ...] = ()
    is_revealed: bool = False
    only_named: Entity | None = None
    """The one who may know it, if there is one, and typed by name: not as `me`."""


async def read_secret(argument: str, find: FindEntity, hero: Entity | None) -> tuple[TypedKnowers, str]:
    """Return who may know a typed secret, and its words. Raises InputError.

    What stands before a colon is names only if the first is somebody's or a full name: `promise: ...` begins a
    sentence.
    """
    names_text, colon, words = argument.partition(":")
    first_name = _split_names(names_text)[:1] if colon else ()
    if first_name and (
        first_name[0].casefold() in EVERYBODY | GM_ALONE | HERO_PRONOUNS
        or await _find_actor(first_name[0], find)
    ):
        return await read_knowers(names_text, find, hero), words.strip()
    if first_name and _FULL_NAME.fullmatch(first_name[0]):
        raise _nobody_called(first_name[0])
    return TypedKnowers(), argument.strip()


async def read_knowers(names_text: str, find: FindEntity, hero: Entity | None) -> TypedKnowers:
    """Return who may know a secret: `Vess, Dob`, `all`, or nobody beside the GM. Raises InputError."""
    names = _split_names(names_text)
    if len(names) == 1 and names[0].casefold() in EVERYBODY:
        return TypedKnowers(is_revealed=True)
    if not names or (len(names) == 1 and names[0].casefold() in GM_ALONE):
        return TypedKnowers()
    known_to, named = list[Id](), list[Entity]()
    for name in names:
        is_hero = name.casefold() in HERO_PRONOUNS
        person = hero if is_hero else await _find_actor(name, find)
        if person is None:
            raise _nobody_called(name)
        known_to.append(person.id)
        named += [] if is_hero else [person]
    only_named = named[0] if len(named) == len(names) == 1 else None
    return TypedKnowers(tuple(dict.fromkeys(known_to)), only_named=only_named)


def _nobody_called(name: str) -> InputError:
    return InputError(
        f"Nobody is called {name[:60]!r}.",
        kept="Nothing was proposed and your words are still there.",
        todo="Name those who are known, with commas; all, or nobody.",
    )


async def _find_actor(name: str, find: FindEntity) -> Entity | None:
    entity = await find(name)
    return entity if entity is not None and entity.kind in ACTORS else None


def _split_names(text: str) -> list[str]:
    return [name for part in _SEPARATOR.split(text) if (name := " ".join(clean(part).split()))]
