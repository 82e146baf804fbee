"""Says whether two claims are of one time: of now, of a named moment, or of all time until now."""

from __future__ import annotations

from typing import Final

from agents.canon_keeper.sentences.claims import AFTER_THAT, Claim, ClaimTime

_BLOOD: Final = frozenset({"kin:mother", "kin:father"})


def shares_time(one: Claim, other: Claim) -> bool:
    if ClaimTime.ALWAYS in (one.time, other.time):
        return True
    return one.time is other.time


def same_moment(one: Claim, other: Claim) -> bool:
    """Say whether both are said of one moment: of now, or of the same named time."""
    if one.when != other.when:
        return False
    if one.relation in _BLOOD and ClaimTime.ALWAYS not in (one.time, other.time):
        return True  # whose mother somebody was, she still is
    if one.time is other.time is ClaimTime.NOW:
        return True
    if one.time is other.time:
        return (bool(one.when) and not one.when.startswith("*")) or (
            one.relation
            in (
                "born",
                "verb:kill",
                "verb:die",
                "kin:mother",
                "kin:father",
                "sibling_of",
                "parent_of",
                "group:colour",
                "measure",
            )
            and not one.when
        )
    return False


def covers_when(denied: Claim, affirmed: Claim) -> bool:
    if denied.when == affirmed.when or not denied.when:
        is_other_moment = denied.time is ClaimTime.NOW and bool(affirmed.when) and not denied.is_ability
        return denied.when == affirmed.when or not is_other_moment
    if denied.when == AFTER_THAT:
        return affirmed.is_lasting
    return False


def is_other_time(one: str, other: str) -> bool:
    """Say whether one is during what the other is before or after: `during the war`, `five years after the war`."""
    for inside, outside in ((one, other), (other, one)):
        named = {word for word in inside.split() if word.startswith("@")} & set(outside.split())
        if inside.startswith("during") and named and {"after", "before"} & set(outside.split()):
            return True
    return False


def is_change(earlier: Claim, later: Claim) -> bool:
    """Say whether the later claim tells that what the earlier one says has changed."""
    return later.is_change and (earlier.time is ClaimTime.NOW or not (later.is_lasting or earlier.is_lasting))
