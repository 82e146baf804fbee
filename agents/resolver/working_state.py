"""Folds staged changes into an entity's canonical state, in order.

Nothing is overwritten in place, so an undone exchange takes its changes with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Final, TypeGuard

from agents.typed_numbers import add_above_floor
from stores.records.canon import FactValue, StateChange, StateOp
from stores.records.world import Entity, Number

ABSENT: Final = "—"
"""How a diff shows that something was not there."""


@dataclass(frozen=True, slots=True)
class WorkingState:
    """An entity's numbers, tags in the order they came, and other values."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    values: Mapping[str, FactValue] = field(default_factory=dict)
    """Values that are no numbers (alive: False); a key is never in `numbers` as well."""


def fold_changes(entity: Entity, changes: Iterable[StateChange]) -> WorkingState:
    """Return the entity's canonical state with its own among `changes` applied in order."""
    own_changes = (change for change in changes if change.entity_id == entity.id)
    return reduce(apply_state_change, own_changes, WorkingState(dict(entity.numbers), entity.tags))


def find_changed_keys(entity: Entity, changes: Iterable[StateChange]) -> tuple[str, ...]:
    """Return the names of the numbers, values and tags that the changes leave other than the record has them."""
    own_changes = [change for change in changes if change.entity_id == entity.id]
    state = fold_changes(entity, own_changes)
    return tuple(
        key
        for key in dict.fromkeys(change.key for change in own_changes)
        if key in state.values
        or state.numbers.get(key) != entity.numbers.get(key)
        or (key in state.tags) is not (key in entity.tags)
    )


def is_recorded_dead(entity: Entity) -> bool:
    """Return whether somebody is dead by their own record, without what is staged."""
    return "dead" in {tag.casefold() for tag in entity.tags}


def apply_state_change(state: WorkingState, change: StateChange) -> WorkingState:
    """Return `state` after one change.

    Adding to what is missing or no number starts at 0; adding what is no number (the GM may have
    edited it so) adds nothing, for a sheet must show whatever was staged.
    """
    match change.op:
        case StateOp.ADD:
            before = state.numbers.get(change.key, 0)
            amount = change.value if _is_number(change.value) else 0
            return _with_value(state, change.key, add_above_floor(before, amount, change.floor))
        case StateOp.SET:
            return _with_value(state, change.key, change.value)
        case StateOp.TAG:
            return WorkingState(state.numbers, tuple(dict.fromkeys((*state.tags, change.key))), state.values)
        case StateOp.UNTAG:
            other_tags = tuple(tag for tag in state.tags if tag != change.key)
            return WorkingState(state.numbers, other_tags, state.values)


def _with_value(state: WorkingState, key: str, value: FactValue | None) -> WorkingState:
    """Set `key`, among the numbers or among the values; None clears it."""
    numbers = {k: v for k, v in state.numbers.items() if k != key or _is_number(value)}
    values = {k: v for k, v in state.values.items() if k != key}
    if _is_number(value):
        numbers[key] = value
    elif value is not None:
        values[key] = value
    return WorkingState(numbers, state.tags, values)


def _is_number(value: FactValue | None) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)
