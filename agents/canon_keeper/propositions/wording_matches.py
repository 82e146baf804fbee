"""Matches the words of a wording with those of a clause: in order, with a few others between. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from agents.canon_keeper.propositions.aspects import NEGATING
from agents.canon_keeper.propositions.clause_words import NEGATIONS
from agents.canon_keeper.propositions.concepts import base_forms
from agents.canon_keeper.sentences.tokens import Token

WordForms = frozenset[str]
"""A word of a clause with the base forms that it may have; none for a name."""

_MAX_GAP: Final = 2
_BARRIER: Final[WordForms] = frozenset({"'s"})
"""What stands before it is whose the next is: who combs her daughter's hair may have none."""


def forms_of(token: Token) -> WordForms:
    if token.word == "'s":
        return _BARRIER
    return frozenset() if token.entity else base_forms(token.word) | {token.word}


def without_negations(forms: Iterable[WordForms]) -> list[WordForms]:
    return [f for f in forms if not f & NEGATIONS]


def match_words(words: Sequence[str], forms: Sequence[WordForms], index: int) -> WordForms | None:
    """Return the words of the clause that are those of a wording, from a position on; None if it has others."""
    if not words:
        return frozenset()
    if index >= len(forms) or words[0] not in forms[index]:
        return None
    position, matched = index + 1, forms[index]
    for word in words[1:]:
        for at in range(position, min(len(forms), position + _MAX_GAP + 1)):
            if word in forms[at]:
                break
            if forms[at] is _BARRIER:
                return None
        else:
            return None
        matched |= forms[at]
        position = at + 1
    return matched


def match_verb(
    words: Sequence[str], forms: Sequence[WordForms], helpers: set[str], *, is_denied: bool
) -> WordForms | None:
    """Return the words behind the verb that are those of a wording; None if it has others, or does not deny it."""
    remaining = list(words)
    while remaining and remaining[0] in NEGATING:
        if not is_denied or (remaining[0] == "never" and not helpers & {"never", "not"}):
            return None
        remaining.pop(0)
    tail = remaining[1:]
    if not tail:
        return frozenset(remaining)
    for index in range(min(len(forms), _MAX_GAP + 1)):
        if _BARRIER in forms[:index]:
            return None
        if (matched := match_words(tail, forms, index)) is not None:
            return matched
    return None
