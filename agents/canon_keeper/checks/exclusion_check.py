"""Finds second values where one is allowed, values that exclude each other, and changes of final ones."""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.checks.check_input import CheckInput, FoundConflict
from agents.canon_keeper.fact_claims import FactClaim, is_change_over_time
from agents.canon_keeper.fact_readings import LOCATED_IN, fact_key_of, is_true, read_fact, times_overlap
from stores.records.canon import Fact


def find_exclusions(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find what cannot hold at the same time as the claim."""
    claim, draft = check_input.claim, check_input.draft
    if not is_true(claim.fact):
        return
    for other in draft.rival_facts(claim.fact):
        if not is_true(other) or not times_overlap(claim.fact, other) or _is_compatible(claim, other, draft):
            continue
        # A claim that does not say when may well mean the time before.
        certain = claim.fact.valid_from is not None or other.valid_from is None
        rule, why = _exclusion_rule(claim.fact, other, draft)
        text = f"{check_input.attribution(other)} “{other.statement}” {why}"
        answer = f"Another proposal says “{claim.fact.statement}” {why}"
        yield FoundConflict(rule, text, other, certain, answer)


def _is_compatible(claim: FactClaim, other: Fact, draft: CanonDraft) -> bool:
    """Say whether both can be true: a change through time, or a room within a building."""
    if is_change_over_time(claim, other, draft):
        return True
    claim_reading, other_reading = read_fact(claim.fact, draft.catalogue), read_fact(other, draft.catalogue)
    places = claim_reading.object, other_reading.object
    return claim_reading.predicate == other_reading.predicate == LOCATED_IN and draft.is_nested(*places)


def _exclusion_rule(fact: Fact, other: Fact, draft: CanonDraft) -> tuple[str, str]:
    fact_key = fact_key_of(fact, draft.catalogue)
    if fact_key is None or fact_key != fact_key_of(other, draft.catalogue):
        return "exclusive", "Both cannot hold at once."
    if draft.catalogue[other.predicate].is_final(other.value):
        return "irreversible", "Only your word undoes that: accept one, reject the other."
    return "one_value", "Only one of the two can hold at that time."
