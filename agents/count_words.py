"""Counts in words."""

from __future__ import annotations


def count_noun(count: int, noun: str) -> str:
    """Return `1 turn`, `2 turns`, `1,000 memories`."""
    ends_with_ies = noun.endswith("y") and noun[-2] not in "aeiou"
    plural = f"{noun[:-1]}ies" if ends_with_ies else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
