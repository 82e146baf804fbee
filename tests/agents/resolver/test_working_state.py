"""Folding staged changes into canonical state."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.working_state import (
    WorkingState,
    apply_state_change,
    fold_changes,
)
from stores.records.canon import FactValue, StateChange, StateOp
from stores.records.ids import derive_id
from stores.records.world import Entity
from tests.examples import examples

MakeEntity = Callable[..., Entity]
MARA = derive_id("entity", "Mara")


def change(key: str, op: str, value: FactValue | None = None, of: str = MARA) -> StateChange:
    return StateChange(entity_id=of, key=key, op=StateOp(op), value=value)


@pytest.fixture
def mara(make_entity: MakeEntity) -> Entity:
    return make_entity("Mara", numbers={"hp": 10}, tags=("tired",))


def test_working_state_without_changes_is_canon(mara: Entity) -> None:
    assert fold_changes(mara, []) == WorkingState({"hp": 10}, ("tired",), {})


def test_working_state_applies_changes_in_order(mara: Entity) -> None:
    state = fold_changes(
        mara,
        [
            change("hp", "add", -3),
            change("hp", "set", 5),
            change("hp", "add", 1),
            change("luck", "add", 2),
            change("wounded", "tag"),
            change("wounded", "tag"),
            change("tired", "untag"),
            change("nothing", "untag"),
            change("alive", "set", False),
        ],
    )
    assert state == WorkingState({"hp": 6, "luck": 2}, ("wounded",), {"alive": False})


def test_working_state_ignores_changes_of_others(mara: Entity) -> None:
    assert fold_changes(mara, [change("hp", "add", -3, of=derive_id("entity", "Orc"))]).numbers == {"hp": 10}


def test_working_state_key_is_number_or_value(mara: Entity) -> None:
    state = fold_changes(mara, [change("hp", "set", "unknown")])
    assert (state.numbers, state.values) == ({}, {"hp": "unknown"})
    state = apply_state_change(state, change("hp", "add", 4))
    assert (state.numbers, state.values) == ({"hp": 4}, {})
    state = apply_state_change(state, change("hp", "set", True))
    assert (state.numbers, state.values) == ({}, {"hp": True})
    assert apply_state_change(state, change("hp", "set", None)) == WorkingState({}, ("tired",), {})


@pytest.mark.parametrize("value", [None, "three", True])
def test_working_state_adds_only_numbers(mara: Entity, value: FactValue | None) -> None:
    assert fold_changes(mara, [change("hp", "add", value)]).numbers == {"hp": 10}


changes = st.lists(
    st.one_of(
        st.builds(
            change,
            st.sampled_from(["hp", "luck"]),
            st.sampled_from(["add", "set"]),
            st.one_of(st.integers(-99, 99), st.booleans(), st.text(max_size=3), st.none()),
        ),
        st.builds(change, st.sampled_from(["tired", "wet", "lost"]), st.sampled_from(["tag", "untag"])),
    ),
    max_size=12,
)


@given(first=changes, then=changes)
@settings(max_examples=examples(200), deadline=None)
def test_working_state_folding_in_steps_equals_folding_at_once(
    first: list[StateChange], then: list[StateChange]
) -> None:
    mara = Entity.model_validate(
        {
            "id": MARA,
            "universe_id": "u",
            "kind": "character",
            "name": "Mara",
            "numbers": {"hp": 10},
            "tags": ["tired"],
            "recorded_at": "2026-01-01T00:00:00Z",
        }
    )
    before = mara.model_copy(deep=True)
    state = fold_changes(mara, first)
    state_copy = WorkingState(dict(state.numbers), state.tags, dict(state.values))
    for staged in then:
        state = apply_state_change(state, staged)
    assert state == fold_changes(mara, first + then)
    assert fold_changes(mara, first) == state_copy
    assert mara == before
    assert not set(state.numbers) & set(state.values)
    assert len(set(state.tags)) == len(state.tags)


@given(st.lists(st.integers(-99, 99), max_size=10))
@settings(deadline=None)
def test_working_state_additions_sum_up(amounts: list[int]) -> None:
    state = WorkingState()
    for amount in amounts:
        state = apply_state_change(state, change("hp", "add", amount))
    assert state.numbers.get("hp", 0) == sum(amounts)
