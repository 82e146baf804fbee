"""Finds effects that precede their causes."""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.checks.check_input import CheckInput, FoundConflict
from agents.canon_keeper.fact_readings import is_in_force, starts_later

RULE = "effect_before_cause"


def find_causality_conflicts(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find causes that come after the claim, and ends that come before their beginning."""
    fact, draft = check_input.fact, check_input.draft
    for cause in (draft.facts[i] for i in fact.because if i in draft.facts):
        if not is_in_force(cause):
            yield FoundConflict(
                "no_such_cause", f"“{cause.statement}” was retconned, so it caused nothing.", cause
            )
        elif (
            check_input.begin_tick is not None and starts_later(cause, fact) and cause.valid_from is not None
        ):
            yield FoundConflict(
                RULE, f"{check_input.attribution(cause)} “{cause.statement}” That is later.", cause
            )
    for ended_fact in (draft.facts[i] for i in sorted(check_input.claim.ended_ids) if i in draft.facts):
        if (
            check_input.begin_tick is not None
            and ended_fact.valid_from is not None
            and check_input.begin_tick < ended_fact.valid_from
        ):
            yield FoundConflict(
                RULE, f"“{ended_fact.statement}” began later: it cannot have ended then.", ended_fact
            )
    if fact.valid_from is not None and fact.valid_to is not None and fact.valid_to < fact.valid_from:
        yield FoundConflict(RULE, "It would end before it begins.")
