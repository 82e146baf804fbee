"""One value at a time; no two that exclude each other; and what is final stays so.

Source: design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.claims import Claim, is_natural
from agents.canon_keeper.readings import LOCATED_IN, overlap, read, slot_of, stands
from agents.canon_keeper.sight import Found, Sight
from agents.canon_keeper.world import World
from stores.records.canon import Fact


def clashes(sight: Sight) -> Iterator[Found]:
    """Find what cannot hold at the same time as the claim."""
    claim, world = sight.claim, sight.world
    if not stands(claim.fact):
        return
    for other in world.rivals(claim.fact):
        if not stands(other) or not overlap(claim.fact, other) or _goes_with(claim, other, world):
            continue
        # A claim that does not say when may well mean the time before.
        certain = claim.fact.valid_from is not None or other.valid_from is None
        rule, why = _rule(claim.fact, other, world)
        text = f"{sight.who_says(other)} “{other.statement}” {why}"
        answer = f"Another proposal says “{claim.fact.statement}” {why}"
        yield Found(rule, text, other, certain, answer)


def _goes_with(claim: Claim, other: Fact, world: World) -> bool:
    """Say whether the two only look like rivals: a change through time, or a room within a house."""
    if is_natural(claim, other, world):
        return True
    here, there = read(claim.fact, world.catalogue), read(other, world.catalogue)
    places = here.object, there.object
    return here.predicate == there.predicate == LOCATED_IN and world.nested(*places)


def _rule(fact: Fact, other: Fact, world: World) -> tuple[str, str]:
    slot = slot_of(fact, world.catalogue)
    if slot is None or slot != slot_of(other, world.catalogue):
        return "exclusive", "Both cannot hold at once."
    if world.catalogue[other.predicate].is_final(other.value):
        return "irreversible", "Only your own word can undo that."
    return "one_value", "Only one of the two can hold at that time."
