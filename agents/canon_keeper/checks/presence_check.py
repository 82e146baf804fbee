"""Finds deeds of absent entities, and entities that are in two places at once.

A place nested in the other counts as the same place, a deed from afar (a letter) needs nobody to be there, and
whoever moved there in between was present.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from agents.canon_keeper.checks.check_input import (
    LOCATION_ROLE,
    CheckInput,
    FoundConflict,
    holds_around,
    required_presence,
)
from agents.canon_keeper.fact_readings import LOCATED_IN, is_true, read_fact
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id

_TWO_PLACES_TEXT = "Nobody is in two places."


def find_absent_actors(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find who would act in one place while canon has them in another."""
    fact, when = check_input.fact, check_input.begin_tick
    if when is None or not is_true(fact):
        return
    required_ids = required_presence(fact, check_input.draft.catalogue)
    place = fact.entity(LOCATION_ROLE)
    if place is not None:
        for who in required_ids:
            for stay, where in _stays_at(check_input, who, when):
                if not check_input.draft.is_nested(where, place):
                    yield _absence_conflict(check_input, who, stay)
    elif fact.kind is FactKind.ENCOUNTER:
        for one, other in combinations(required_ids, 2):
            yield from _find_separated(check_input, one, other, when)


def find_double_presence(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find deeds that are done in two places at one tick, and stays that a deed elsewhere falls into.

    Deeds of one scene are exempt: the order of its turns says which came first.
    """
    fact, draft = check_input.fact, check_input.draft
    if not is_true(fact):
        return
    reading, place = read_fact(fact, draft.catalogue), fact.entity(LOCATION_ROLE)
    if reading.predicate == LOCATED_IN and reading.subject is not None and reading.object is not None:
        if fact.valid_from is not None:
            for deed in _deeds_elsewhere(
                check_input, reading.subject, reading.object, lambda tick: holds_around(fact, tick)
            ):
                yield _double_presence_conflict(check_input, deed, certain=fact.valid_to is not None)
    elif place is not None and check_input.begin_tick is not None:
        for who in required_presence(fact, draft.catalogue):
            for deed in _deeds_elsewhere(
                check_input, who, place, lambda tick: tick == check_input.begin_tick
            ):
                if not check_input.is_same_scene(deed):
                    yield _double_presence_conflict(check_input, deed)


def _stays_at(check_input: CheckInput, who: Id, when: int) -> Iterator[tuple[Fact, Id]]:
    for stay in check_input.draft.facts_under(LOCATED_IN, who):
        reading = read_fact(stay, check_input.draft.catalogue)
        if (
            reading.subject == who
            and reading.object is not None
            and is_true(stay)
            and holds_around(stay, when)
        ):
            yield stay, reading.object


def _find_separated(check_input: CheckInput, one: Id, other: Id, when: int) -> Iterator[FoundConflict]:
    """Find two who would meet while they are in different places."""
    for _, first_place in _stays_at(check_input, one, when):
        for stay, second_place in _stays_at(check_input, other, when):
            if not check_input.draft.is_nested(first_place, second_place):
                yield _absence_conflict(check_input, other, stay)


def _deeds_elsewhere(
    check_input: CheckInput, who: Id, place: Id, is_meant_tick: Callable[[int], bool]
) -> Iterator[Fact]:
    """Yield what somebody did in another place, at a tick that `is_meant_tick` accepts."""
    draft = check_input.draft
    for deed in draft.deeds_of(who):
        if deed.valid_from is None or not is_meant_tick(deed.valid_from):
            continue
        deed_place = deed.entity(LOCATION_ROLE)
        if deed.id == check_input.fact.id or deed_place is None or not is_true(deed):
            continue
        if who in required_presence(deed, draft.catalogue) and not draft.is_nested(deed_place, place):
            yield deed


def _absence_conflict(check_input: CheckInput, who: Id, stay: Fact) -> FoundConflict:
    text = f"{check_input.attribution(stay)} “{stay.statement}” {check_input.entity_name(who)} was not there to do it."
    # Somebody whose stay has no end may have left, and nobody wrote it down.
    return FoundConflict("absent_do_not_act", text, stay, is_certain=stay.valid_to is not None)


def _double_presence_conflict(check_input: CheckInput, deed: Fact, *, certain: bool = True) -> FoundConflict:
    text = f"{check_input.attribution(deed)} “{deed.statement}” {_TWO_PLACES_TEXT}"
    answer = f"Another proposal says “{check_input.fact.statement}” {_TWO_PLACES_TEXT}"
    return FoundConflict("two_places", text, deed, certain, answer)
