"""Keeps the numbers and tags on an entity's sheet in step with the facts about its state.

`Mara's hp is 7.` is a fact, and `hp: 7` stands on her sheet because of it. Pure.
"""

from __future__ import annotations

from typing import TypeGuard

from agents.canon_keeper.fact_readings import IS, IS_NOT, FactKey
from agents.canon_keeper.predicates import Catalogue
from stores.records.canon import Fact, FactValue
from stores.records.world import Entity, Number


def update_sheet_value(
    entity: Entity, fact_key: FactKey, current_fact: Fact | None, catalogue: Catalogue
) -> Entity:
    """Return the entity with what the present fact of the key says of it; without a fact, it has no such value."""
    replaced_tags = {tag.casefold() for tag in _possible_tags(fact_key, catalogue)}
    new_tag = _tag_of(current_fact, catalogue)
    # What stays keeps its place: a sheet is read by position.
    ordered_tags = [tag for tag in entity.tags if tag == new_tag or tag.casefold() not in replaced_tags]
    if new_tag and new_tag not in entity.tags:
        ordered_tags.append(new_tag)
    numbers = dict(entity.numbers)
    if current_fact is not None and is_number(current_fact.value):
        numbers[fact_key.predicate] = current_fact.value
    else:
        numbers.pop(fact_key.predicate, None)
    return entity.model_copy(update={"tags": tuple(ordered_tags), "numbers": numbers})


def sheet_value_of(entity: Entity, fact_key: FactKey, catalogue: Catalogue) -> FactValue | None:
    """Return the value that the entity has without a fact that says so, as when it was created."""
    if fact_key.tag:
        folded_tag = fact_key.tag.casefold()
        return next((tag for tag in entity.tags if tag.casefold() == folded_tag), None)
    if fact_key.predicate in entity.numbers:
        return entity.numbers[fact_key.predicate]
    values = catalogue[fact_key.predicate].tags.items()
    return next((_literal_value(v) for v, tag in values if _is_same_tag(tag, entity.tags)), None)


def is_number(value: FactValue | None) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _possible_tags(fact_key: FactKey, catalogue: Catalogue) -> list[str]:
    return [fact_key.tag] if fact_key.tag else list(catalogue[fact_key.predicate].tags.values())


def _tag_of(fact: Fact | None, catalogue: Catalogue) -> str | None:
    if fact is None or fact.predicate == IS_NOT:
        return None
    return str(fact.value) if fact.predicate == IS else catalogue[fact.predicate].tag(fact.value)


def _is_same_tag(tag: str, other_tags: list[str] | tuple[str, ...]) -> bool:
    return tag.casefold() in (other.casefold() for other in other_tags)


def _literal_value(words: str) -> FactValue:
    return {"true": True, "false": False}.get(words, words)
