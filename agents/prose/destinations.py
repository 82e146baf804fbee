"""Reads from what the hero does in marked prose (`agents/prose/mentions.py`) to which known place they go.

Only going that arrives counts: `go to`, `run back to`, `climb down into`, `enter`; not `towards`, and not its door.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from agents.prose.cast_words import GO
from agents.prose.phrases import compile_phrases

_DIRECTION: Final = (
    r"(?:back|down|up|over|across|out|on|off|away|along|straight|right|home|again|together|alone|first|around|"
    r"[a-z]+ly|(?:down|up|along|across|through|over|by|past|out\s+of)\s+(?:the|a|my|our)\s+(?:\w+\s+)??\w+|"
    r"(?:together\s+)?with\s+@[^@]+@(?:(?:\s*,\s*|\s+and\s+)@[^@]+@)*)"
)
_GOES_THERE: Final = compile_phrases(
    r"""
    VERB(?: DIRECTION){0,3} (to|into|inside|for)
    [follow accompany take lead bring guide drag carry escort] @[^@]+@(?: DIRECTION){0,3} (to|into|inside)
    [arrive](?: back)? (at|in)
    [enter reach visit]
    """,
    {
        "VERB": rf"(?:(?:am|is|are)\s+(?:going|walking|riding|heading|running|returning)|{GO}|"
        + compile_phrases(
            "[travel journey hike trek venture descend ascend return come get set leave depart make retreat flee "
            "withdraw escape continue proceed]"
        ).pattern
        + ")",
        "DIRECTION": _DIRECTION,
    },
)
_AFTER_NAME: Final = (
    r"(?=\s*(?:$|[.,;:!?…—–¶])|\s+(?:with|and|to|in|at|by|alone|again|on|before|after|where|for|as|while|then|without|via|"
    r"through|now|together|first|once|instead|too|but|because|so|when|until|from|over|across|along|past|under|quickly|"
    r"quietly|slowly|this|that\s+(?:evening|night|morning|afternoon)|myself|herself|himself|ourselves)\b|\s+@)"
)


class DestinationReader:
    """Reads which of some places a predicate of the hero's leads to."""

    def __init__(self, places: Sequence[Sequence[str]]) -> None:
        """`places` are the names of each place; of several of one name none is meant.

        A single word is a name only as it is written.
        """
        spellings = [
            (spelling, number)
            for number, names in enumerate(places)
            for spelling in dict.fromkeys(s for name in names for s in _list_spellings(name))
        ]
        counts = Counter(spelling.casefold() for spelling, _ in spellings)
        self._numbers = {s.casefold(): n for s, n in spellings if counts[s.casefold()] == 1}
        alternatives = [
            rf"(?i:{re.escape(s)})" if " " in s else re.escape(s)  # `the yard` may be any yard
            for s in sorted({s for s, _ in spellings if s.casefold() in self._numbers}, key=len, reverse=True)
        ]
        self._place = re.compile(
            r"\s+(?:(?:[Tt]he|an?|my|our|this|that)\s+)?"
            rf"(?P<place>{'|'.join(alternatives) or '(?!)'}){_AFTER_NAME}"
        )

    def find_destination(self, predicate: str) -> int | None:
        """Return the number of the place that somebody goes to, by what stands behind them; None if to none."""
        going = _GOES_THERE.match(predicate)
        if going is None:
            return None
        place = self._place.match(predicate, going.end())
        return None if place is None else self._numbers[place["place"].casefold()]


def _list_spellings(name: str) -> tuple[str, ...]:
    """Return what prose calls a place: its name, and the last word of one that has several."""
    words = re.sub(r"^the\s+", "", name.strip(), flags=re.IGNORECASE).split()
    return tuple(dict.fromkeys((" ".join(words), words[-1]))) if words else ()
