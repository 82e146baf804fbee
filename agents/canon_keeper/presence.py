"""The absent do not act, and nobody is in two places.

A place within the other is no other place; what is done from afar (a letter) needs nobody to be there;
and whoever moved in between was there. Source: design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from agents.canon_keeper.readings import LOCATED_IN, read, stands
from agents.canon_keeper.sight import LOCATION, Found, Sight, covers, present
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id

_ELSEWHERE = "Nobody is in two places."


def the_absent(sight: Sight) -> Iterator[Found]:
    """Find who would act in one place while canon has them in another."""
    fact, when = sight.fact, sight.when
    if when is None or not stands(fact):
        return
    there = present(fact, sight.world.catalogue)
    place = fact.entity(LOCATION)
    if place is not None:
        for who in there:
            for stay, where in _stays(sight, who, when):
                if not sight.world.nested(where, place):
                    yield _absent(sight, who, stay)
    elif fact.kind is FactKind.ENCOUNTER:
        for one, other in combinations(there, 2):
            yield from _apart(sight, one, other, when)


def two_places(sight: Sight) -> Iterator[Found]:
    """Find deeds that are done in two places at one tick, and stays that a deed elsewhere falls into.

    Within one scene the order of its turns tells what came first: there they are innocent.
    """
    fact, world = sight.fact, sight.world
    if not stands(fact):
        return
    said, place = read(fact, world.catalogue), fact.entity(LOCATION)
    if said.predicate == LOCATED_IN and said.subject is not None and said.object is not None:
        if fact.valid_from is not None:
            for deed in _deeds_elsewhere(sight, said.subject, said.object, lambda tick: covers(fact, tick)):
                yield _two(sight, deed, certain=fact.valid_to is not None)
    elif place is not None and sight.when is not None:
        for who in present(fact, world.catalogue):
            for deed in _deeds_elsewhere(sight, who, place, lambda tick: tick == sight.when):
                if not sight.same_scene(deed):
                    yield _two(sight, deed)


def _stays(sight: Sight, who: Id, when: int) -> Iterator[tuple[Fact, Id]]:
    for stay in sight.world.said(LOCATED_IN, who):
        said = read(stay, sight.world.catalogue)
        if said.subject == who and said.object is not None and stands(stay) and covers(stay, when):
            yield stay, said.object


def _apart(sight: Sight, one: Id, other: Id, when: int) -> Iterator[Found]:
    """Find two who would meet while they are in different places."""
    for _, here in _stays(sight, one, when):
        for stay, there in _stays(sight, other, when):
            if not sight.world.nested(here, there):
                yield _absent(sight, other, stay)


def _deeds_elsewhere(sight: Sight, who: Id, place: Id, then: Callable[[int], bool]) -> Iterator[Fact]:
    """Yield what somebody did in another place, at a tick that is meant."""
    world = sight.world
    for deed in world.deeds(who):
        if deed.valid_from is None or not then(deed.valid_from):
            continue
        where = deed.entity(LOCATION)
        if deed.id == sight.fact.id or where is None or not stands(deed):
            continue
        if who in present(deed, world.catalogue) and not world.nested(where, place):
            yield deed


def _absent(sight: Sight, who: Id, stay: Fact) -> Found:
    text = f"{sight.who_says(stay)} “{stay.statement}” {sight.name(who)} was not there to do it."
    # Somebody whose stay has no end may have left, and nobody wrote it down.
    return Found("absent_do_not_act", text, stay, certain=stay.valid_to is not None)


def _two(sight: Sight, deed: Fact, *, certain: bool = True) -> Found:
    text = f"{sight.who_says(deed)} “{deed.statement}” {_ELSEWHERE}"
    answer = f"Another proposal says “{sight.fact.statement}” {_ELSEWHERE}"
    return Found("two_places", text, deed, certain, answer)
