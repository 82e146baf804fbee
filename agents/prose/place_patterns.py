"""Compiles the patterns that find in prose the place of a scene and the other places of its world."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.prose.destinations import DestinationReader, short_names
from agents.prose.words import drop_title_stops

MAX_KEPT_WORLDS: Final = 8
"""Sets of names whose patterns are kept: a line is read several times with the same places, and two hundred names
take milliseconds to compile."""


@dataclass(frozen=True, slots=True)
class PlacePatterns:
    """What finds the places of a world in prose, from where a scene is."""

    here: re.Pattern[str]
    """A name of the scene's place, or what it is called for short; nothing if it is in none."""
    has_place: bool
    """Whether the scene is in a place that has a name."""
    is_here: re.Pattern[str]
    """A predicate that has somebody in the scene's place: `sits in the mill`."""
    elsewhere: re.Pattern[str]
    """A name of any other place."""
    happens_elsewhere: re.Pattern[str]
    """The same, but not where somebody comes from: `comes back from Sallow` happens here."""
    leaves_here: re.Pattern[str]
    """A predicate that leaves the scene's place by its name; any place, if the scene is in none."""
    destinations: DestinationReader


@lru_cache(maxsize=MAX_KEPT_WORLDS)
def compile_place_patterns(
    here_names: frozenset[str], other_names: frozenset[str], places: tuple[tuple[str, ...], ...]
) -> PlacePatterns:
    """Compile the patterns for the names of the scene's place, those of other places, and the names of each place."""
    here_names, other_names = (frozenset(map(drop_title_stops, names)) for names in (here_names, other_names))
    here = _compile_here(here_names)
    longest_first = sorted(filter(str.strip, other_names), key=lambda name: (-len(name), name))
    elsewhere = re.compile("|".join(rf"\b{re.escape(n)}\b" for n in longest_first) or r"(?!)", re.IGNORECASE)
    return PlacePatterns(
        here=here,
        has_place=bool(here_names),
        is_here=re.compile(
            rf"(?:is|are|waits?|sits?|stands?|drinks?|works?)\s+(?:\w+ing\s+)?(?:in|at|inside)\s+(?:the\s+)?{here.pattern}"
            r"(?=\s*(?:$|[.,;!]|and\b|with\b))"
        ),
        elsewhere=elsewhere,
        happens_elsewhere=re.compile(rf"(?<!\bfrom )(?<!\bfrom the )(?:{elsewhere.pattern})", re.IGNORECASE),
        leaves_here=_compile_leaving(here_names or other_names),
        destinations=DestinationReader(places, here_names),
    )


def _compile_here(here_names: Collection[str]) -> re.Pattern[str]:
    names = {word for name in here_names if name.split() for word in (name.strip(), *short_names(name))}
    return re.compile(rf"\b(?:{_any_of(names)})\b", re.IGNORECASE)


def _compile_leaving(place_names: Collection[str]) -> re.Pattern[str]:
    """Return a pattern of leaving a place by its name: `leaves the Heron Inn`, not `leaves the Heron Inn unlocked`."""
    names = {
        re.sub(r"^the\s+", "", name.strip(), flags=re.IGNORECASE) for name in place_names if name.strip()
    }
    return re.compile(
        rf"\s*(?:leaves?|left|has\s+left|is\s+leaving|quits)\s+(?:the\s+)?(?:{_any_of(names)})"
        r"(?=\s*(?:$|[.,;!]|(?:and|with|without|again|together|alone|by|for|in\s+silence|at\s+(?:once|last))\b))",
        re.IGNORECASE,
    )


def _any_of(names: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name)))) or "(?!)"
