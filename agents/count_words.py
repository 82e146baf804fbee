"""Counts in words."""

from __future__ import annotations


def count_noun(count: int, noun: str) -> str:
    """Return `1 turn`, `2 turns`, `1,000 turns`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
