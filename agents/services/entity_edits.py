"""How an entity is to be, as typed, read into the changes that make it so. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.canon_keeper.predicates import value_in_words
from agents.proposals.statements import MAX_NAME_LENGTH, require_statement_length
from agents.resolver.effects import MAX_NUMBER
from agents.sanitize import clean
from agents.services.manual_edits import STAGED_NOT, Act
from agents.views.world_views import EntityEdit
from stores.errors import InputError
from stores.records.canon import StateChange, StateOp, UpdateEntity
from stores.records.world import Entity, Number

MOST = 20
"""Aliases, numbers or tags of one entity that are typed at once."""


def renamed(entity: Entity, edit: EntityEdit) -> Iterator[Act]:
    """Yield the change of names and description, if there is one. Raises InputError."""
    name, aliases = name_from(edit.name), names_from(edit.aliases)
    description = require_statement_length(clean(edit.description))
    change = UpdateEntity(
        entity_id=entity.id,
        name=name if name != entity.name else None,
        aliases=aliases if aliases != entity.aliases else None,
        description=description if description != entity.description else None,
    )
    told = {"called": change.name, "also": change.aliases, "described as": change.description}
    words = [f"{what} {_told(value)}" for what, value in told.items() if value is not None]
    if words:
        yield Act(change, f"{entity.name}: {'; '.join(words)}")


def _told(value: str | tuple[str, ...]) -> str:
    return (value if isinstance(value, str) else ", ".join(value)) or "nothing"


def sheet(entity: Entity, edit: EntityEdit) -> Iterator[Act]:
    """Yield the changes of numbers and tags; a number that is left out is not among them."""
    for key, number in numbers_of(edit.numbers, entity.numbers).items():
        if entity.numbers.get(key) != number:
            change = StateChange(entity_id=entity.id, key=key, op=StateOp.SET, value=number)
            yield Act(change, f"{entity.name}'s {key} is {value_in_words(number)}.")
    tags = names_from(edit.tags)
    known = {tag.casefold() for tag in entity.tags}
    wanted = {tag.casefold() for tag in tags}
    for tag in (t for t in tags if t.casefold() not in known):
        yield _tagged(entity, tag, StateOp.TAG)
    for tag in (t for t in entity.tags if t.casefold() not in wanted):
        yield _tagged(entity, tag, StateOp.UNTAG)


def _tagged(entity: Entity, tag: str, op: StateOp) -> Act:
    words = "is" if op is StateOp.TAG else "is no longer"
    change = StateChange(entity_id=entity.id, key=tag, op=op)
    return Act(change, f"{entity.name} {words} {tag}.")


def name_from(text: str) -> str:
    """Return a clean name on one line. Raises InputError if it is missing or too long."""
    name = " ".join(clean(text).split())
    if not name:
        raise InputError("It needs a name.", kept=STAGED_NOT)
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(
            f"That name is {len(name)} characters long; {MAX_NAME_LENGTH} is the most.",
            kept=STAGED_NOT,
            todo="Put the rest into the description.",
        )
    return name


def names_from(texts: Iterable[str]) -> tuple[str, ...]:
    """Return clean names, each once. Raises InputError for one too long, or too many."""
    names = tuple(dict.fromkeys(name_from(text) for text in texts if text.strip()))
    if len(names) > MOST:
        raise InputError(f"Those are {len(names)}; {MOST} at once are the most.", kept=STAGED_NOT)
    return names


def numbers_of(numbers: Iterable[tuple[str, Number]], known: Iterable[str] = ()) -> dict[str, Number]:
    """Return numbers by key, in the spelling of those `known`. Raises InputError for one too large."""
    spelling = {key.casefold(): key for key in known}
    typed = {name_from(key).casefold(): value for key, value in numbers}
    found = {spelling.get(key, key): value for key, value in typed.items()}
    if too_large := [key for key, value in found.items() if abs(value) > MAX_NUMBER]:
        raise InputError(
            f"{too_large[0]} is more than a sheet can hold.",
            kept=STAGED_NOT,
            todo=f"The largest is {MAX_NUMBER:,}.",
        )
    if len(found) > MOST:
        raise InputError(f"Those are {len(found)} numbers; {MOST} at once are the most.", kept=STAGED_NOT)
    return found
