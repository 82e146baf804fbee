"""Chooses the move of a rule pack that a deed calls for: `attack the orc` is `strike`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from agents.resolver.ruleset_schema import Pack, PackMove, spoken_key

_GAP: Final = r"(?:\s+[\w'’-]+){0,6}?\s+"
"""Words that `...` may stand for."""
_NO_OBJECT: Final = r"(?!\s+(?:up|out|off|of|back|a\s+(?:match|light|deal|bargain|pose|glance|look|smile))\b)"
"""After a verb of one word: `strike a match`, `strike up a song` are something else."""


class MoveChoice(NamedTuple):
    """A move, and the words of the deed: its first, and those behind it."""

    move: PackMove
    verb: str
    rest: str


def choose_move(pack: Pack, deed: str) -> MoveChoice | None:
    """Return the move whose verb the deed begins with; of several, the one that names more of its words."""
    first_word, _, rest = deed.partition(" ")
    choices = [
        (len(verb.split()), -order, MoveChoice(move, first_word, rest))
        for order, move in enumerate(pack.moves)
        for verb in verbs_of(move)
        if _verb_pattern(verb).match(deed)
    ]
    return max(choices, key=lambda choice: choice[:2])[2] if choices else None


def verbs_of(move: PackMove) -> tuple[str, ...]:
    """Return what a player's words call a move."""
    return (spoken_key(move.key),) if move.verbs is None else move.verbs


@lru_cache(maxsize=4_096)
def _verb_pattern(verb: str) -> re.Pattern[str]:
    head, *tail = verb.split()
    forms = "|".join(map(re.escape, sorted(set(_forms(head)), key=len, reverse=True)))
    pattern, has_gap = rf"(?:{forms})\b", False
    for word in tail:
        if word == "...":
            has_gap = True
        else:
            pattern += (_GAP if has_gap else r"\s+") + re.escape(word) + r"\b"
            has_gap = False
    return re.compile(pattern if tail else pattern + _NO_OBJECT, re.IGNORECASE)


def _forms(verb: str) -> Iterator[str]:
    """Yield the present forms of a verb: strike, strikes, striking."""
    yield verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        yield f"{verb[:-1]}ies"
    yield f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        yield f"{verb[:-1]}ing"
    yield f"{verb}ing"
    yield f"{verb}{verb[-1]}ing"
