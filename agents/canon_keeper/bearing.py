"""What an entity bears of the states that hold of it: numbers and tags.

`Mara's hp is 7.` is a fact, and `hp: 7` stands on her sheet because of it. Pure.
Source: design/ontology.md, "Working state": "Committing folds them in".
"""

from __future__ import annotations

from typing import TypeGuard

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import IS, IS_NOT, Slot
from stores.records.canon import Fact, Literalish
from stores.records.world import Entity, Number


def bear(entity: Entity, slot: Slot, held: Fact | None, catalogue: Catalogue) -> Entity:
    """Return the entity with what the slot's present fact says of it; with none, it bears nothing of it."""
    tags = [tag for tag in entity.tags if not _same(tag, _possible_tags(slot, catalogue))]
    if given := _tag_of(held, catalogue):
        tags.append(given)
    # What stays keeps its place: a sheet is read by position.
    ordered = [t for t in entity.tags if t in tags] + [t for t in tags if t not in entity.tags]
    numbers = dict(entity.numbers)
    if held is not None and is_number(held.value):
        numbers[slot.predicate] = held.value
    else:
        numbers.pop(slot.predicate, None)
    return entity.model_copy(update={"tags": tuple(ordered), "numbers": numbers})


def borne(entity: Entity, slot: Slot, catalogue: Catalogue) -> Literalish | None:
    """Return the value that the entity bears in a slot with no fact that says so, as when it was created."""
    if slot.tag:
        return next((tag for tag in entity.tags if _same(tag, [slot.tag])), None)
    if slot.predicate in entity.numbers:
        return entity.numbers[slot.predicate]
    values = catalogue[slot.predicate].tags.items()
    return next((_value(v) for v, tag in values if _same(tag, entity.tags)), None)


def is_number(value: Literalish | None) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _possible_tags(slot: Slot, catalogue: Catalogue) -> list[str]:
    return [slot.tag] if slot.tag else list(catalogue[slot.predicate].tags.values())


def _tag_of(held: Fact | None, catalogue: Catalogue) -> str | None:
    if held is None or held.predicate == IS_NOT:
        return None
    return str(held.value) if held.predicate == IS else catalogue[held.predicate].tag(held.value)


def _same(tag: str, others: list[str] | tuple[str, ...]) -> bool:
    return tag.casefold() in (other.casefold() for other in others)


def _value(words: str) -> Literalish:
    return {"true": True, "false": False}.get(words, words)
