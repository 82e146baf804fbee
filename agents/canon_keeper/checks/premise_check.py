"""Finds claims about a past meeting or answer that canon has no record of.

What happens now, and what a source or the GM states, creates the record. What a player says or a model infers
about the past has to be recorded already.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.checks.check_input import CheckInput, FoundConflict
from agents.canon_keeper.fact_readings import SUBJECT, is_in_force
from agents.canon_keeper.proposal_subjects import is_premise
from stores.records.canon import Fact, FactKind
from stores.records.ids import Id

SAME_ANSWER_LIKENESS = 80
"""Likeness of two quoted sentences, in per cent, from which they are taken for the same answer."""

_MET_PREDICATE, _SAID_PREDICATE = "met", "said"


def find_unrecorded_premises(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find meetings and answers that the proposal puts in the past and that canon does not have."""
    fact = check_input.fact
    if not is_premise(check_input.proposal) or check_input.begin_tick is None:
        return
    if fact.kind is FactKind.ENCOUNTER or fact.predicate == _MET_PREDICATE:
        yield from _check_meeting(check_input)
    elif fact.kind is FactKind.ASSERTION or fact.predicate == _SAID_PREDICATE:
        yield from _check_answer(check_input)


def _check_meeting(check_input: CheckInput) -> Iterator[FoundConflict]:
    participant_ids = list(
        dict.fromkeys(i.entity_id for i in check_input.fact.involves if i.role != "location")
    )
    if len(participant_ids) < 2:
        return
    meetings = [
        f
        for f in _recorded_deeds(check_input, participant_ids[0])
        if all(_involves_entity(f, other) for other in participant_ids[1:])
    ]
    if any(_is_same_day(check_input, f) for f in meetings):
        return
    latest_meeting = max(meetings, key=lambda f: f.valid_from or 0, default=None)
    text = f"Canon knows of no such meeting of {' and '.join(map(check_input.entity_name, participant_ids))}."
    if latest_meeting is not None:
        text = f"{text} What it has is “{latest_meeting.statement}”"
    yield FoundConflict("no_such_encounter", text, latest_meeting)


def _check_answer(check_input: CheckInput) -> Iterator[FoundConflict]:
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    speaker = check_input.fact.entity(SUBJECT)
    if speaker is None:
        return
    assertions = [
        f for f in _recorded_deeds(check_input, speaker) if f.entity(SUBJECT) == speaker and _is_assertion(f)
    ]
    likeness_by_fact = {
        f.id: fuzz.token_set_ratio(_normalized_statement(f), _normalized_statement(check_input.fact))
        for f in assertions
    }
    if any(likeness_by_fact[f.id] >= SAME_ANSWER_LIKENESS for f in assertions):
        return
    nearest_assertion = max(assertions, key=lambda f: likeness_by_fact[f.id], default=None)
    text = f"Canon has no such answer of {check_input.entity_name(speaker)}."
    if nearest_assertion is not None:
        text = f"{text} What it has is “{nearest_assertion.statement}”"
    yield FoundConflict("no_such_assertion", text, nearest_assertion)


def _recorded_deeds(check_input: CheckInput, who: Id) -> list[Fact]:
    return [f for f in check_input.draft.deeds_of(who) if f.id != check_input.fact.id and is_in_force(f)]


def _is_same_day(check_input: CheckInput, fact: Fact) -> bool:
    """Say whether the fact is of the day that the claim speaks of, or of no known day."""
    if fact.valid_from is None or check_input.begin_tick is None:
        return True
    return abs(fact.valid_from - check_input.begin_tick) < check_input.draft.canon.ticks_per_day


def _involves_entity(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _is_assertion(fact: Fact) -> bool:
    return fact.kind is FactKind.ASSERTION or fact.predicate == _SAID_PREDICATE


def _normalized_statement(fact: Fact) -> str:
    return fact.statement_key
