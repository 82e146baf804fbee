"""Says whether two propositions speak of one time, so that one can exclude the other."""

from __future__ import annotations

from typing import Final

from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition

_SPANS: Final = frozenset(
    {"since", "years", "year", "months", "month", "weeks", "days", "decades", "centuries"}
)

_MENDING: Final = frozenset({"rebuild", "repair", "restore", "mend", "refloat"})


def is_same_time(denied: Proposition, affirmed: Proposition) -> bool:
    """Say whether what is denied and what is affirmed are said of one time."""
    is_always = ClauseTime.ALWAYS in (denied.time, affirmed.time)
    if denied.when != affirmed.when and not _is_covered_time(denied, affirmed, is_always=is_always):
        return False
    if denied.is_change:
        return affirmed.time is ClauseTime.NOW and not affirmed.is_change
    if is_always:
        return True
    is_lasting = denied.is_lasting and (
        denied.is_denial or denied.is_event or denied.time is not ClauseTime.PAST
    )
    if is_lasting and (affirmed.is_event or affirmed.time is denied.time):
        return True
    is_trait_broken = denied.is_habit and denied.is_event and not denied.is_denial and not affirmed.is_denial
    if is_trait_broken and affirmed.time is ClauseTime.NOW and not affirmed.is_event:
        return True  # who keeps his promises broke none
    if not denied.is_denial and not affirmed.is_denial and _is_lexical_pair_in_one_time(denied, affirmed):
        return True
    if affirmed.is_denial and affirmed.is_ability and denied.is_event:
        return True  # who cannot die has died
    if denied.time is ClauseTime.NOW:
        return affirmed.time is ClauseTime.NOW or (denied.is_ability and affirmed.is_event)
    return denied.is_perfect or affirmed.time is ClauseTime.PAST


def is_told_change(earlier: Proposition, later: Proposition) -> bool:
    """Say whether the later one tells what happened to it: the chest was locked, and is opened."""
    if ClauseTime.ALWAYS in (earlier.time, later.time) or earlier.is_habit:
        return False
    if later.is_change and not earlier.is_change:
        return True
    is_mended = (
        earlier.concept in ("usable", "whole") and later.is_affirmed and not later.terms.isdisjoint(_MENDING)
    )
    if is_mended and earlier.is_event and later.is_event:
        return True
    is_state = not earlier.is_event and earlier.time is ClauseTime.NOW and not earlier.is_ability
    return is_state and later.is_event and not later.is_denial and not later.when


def _is_covered_time(denied: Proposition, affirmed: Proposition, *, is_always: bool) -> bool:
    """Say whether a denial of one time holds for another: `not in nine years` for last month."""
    is_lexical = not denied.is_denial and not affirmed.is_denial
    for deed, state in ((denied, affirmed), (affirmed, denied)):
        if (
            is_lexical
            and deed.is_event
            and deed.time is ClauseTime.PAST
            and state.is_still
            and not state.when
        ):
            return True
        is_end = (
            is_lexical
            and deed is denied
            and denied.is_final
            and denied.is_event
            and denied.time is ClauseTime.PAST
        )
        if is_end and affirmed.time is ClauseTime.NOW and not affirmed.when:
            return True
    if is_lexical and not is_always:
        return denied.is_habit
    if denied.when:
        is_window = denied.is_perfect and not _SPANS.isdisjoint(denied.when.split())
        is_recent = affirmed.when.startswith(("last", "this", "yesterday")) or affirmed.time is ClauseTime.NOW
        return is_window and is_recent
    if is_always:
        return True
    # What was so at a time that is named is no rival of what is so in general, but of what never was.
    return (affirmed.time is ClauseTime.PAST and denied.time is ClauseTime.PAST) or (
        denied.is_ability and affirmed.is_event
    )


def _is_lexical_pair_in_one_time(denied: Proposition, affirmed: Proposition) -> bool:
    """Say whether two contrary words are said of one time: what happened and what is still so are."""
    if ClauseTime.NOW in (denied.time, affirmed.time) and (denied.is_perfect or affirmed.is_perfect):
        return True
    for deed, state in ((denied, affirmed), (affirmed, denied)):
        if deed.time is ClauseTime.PAST and deed.is_event and state.is_still:
            return True
    is_end = denied.is_final and denied.time is ClauseTime.PAST and denied.is_event
    return is_end and (affirmed.time is ClauseTime.NOW or bool(affirmed.words & denied.words))
