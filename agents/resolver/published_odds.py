"""The odds in print: the tables of docs/oracle.md, written by the functions that the dice are read with.

A document marks where a table belongs with `<!-- odds: NAME -->` and `<!-- end -->`; `with_tables` fills
in what belongs there, and a test holds the document to it. Source: issue 3 ("Published odds").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from agents.resolver.clocks import FINISH_DEGREES, finish_odds
from agents.resolver.how_much import MAX_LEAN, OUTCOMES, Amount, amount_odds
from agents.resolver.oracle import (
    TENSIONS,
    Grade,
    Likelihood,
    event_chance,
    oracle_odds,
    yes_in_100,
)
from agents.resolver.random_events import SceneStartKind, scene_odds
from agents.resolver.reaction import MAX_MODIFIER, Attitude, reaction_odds
from agents.resolver.reaction import OUTCOMES as REACTION_OUTCOMES
from stores.records.clocks import BOXES_PER_TRACK
from stores.records.play import TensionMode

_MARKED: Final = re.compile(r"(<!-- odds: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(document: str) -> str:
    """Return the document with every marked table as it is now. Raises KeyError for a name that is none."""
    return _MARKED.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n\n{found[3]}", document)


def yes_table() -> str:
    """Return a table of the chance of any yes, and of a random event, by tension."""
    head = ["tension", *Likelihood, "event"]
    rows = ([t, *(yes_in_100(one, t) for one in Likelihood), event_chance(t)] for t in TENSIONS)
    return _table(head, rows)


def grade_table(likelihood: Likelihood) -> str:
    """Return the chance of each grade by tension, in both modes."""
    head = ["tension", *(f"{mode}: {grade}" for mode in TensionMode for grade in Grade)]
    rows = (
        [t, *(n for mode in TensionMode for n in oracle_odds(likelihood, t, mode).values())] for t in TENSIONS
    )
    return _table(head, rows)


def scene_table() -> str:
    """Return the chance of each start of a scene by tension."""
    return _table(["tension", *SceneStartKind], ([t, *scene_odds(t).values()] for t in TENSIONS))


def amount_table() -> str:
    """Return in how many of 216 ways each amount comes, by lean."""
    leans = range(-MAX_LEAN, MAX_LEAN + 1)
    head = [f"lean, of {OUTCOMES}", *Amount]
    return _table(head, ([f"{lean:+d}" if lean else 0, *amount_odds(lean).values()] for lean in leans))


def attitude_table() -> str:
    """Return in how many of 36 ways each attitude comes, by modifier."""
    added = range(-MAX_MODIFIER, MAX_MODIFIER + 1)
    head = [f"modifier, of {REACTION_OUTCOMES}", *Attitude]
    return _table(head, ([f"{n:+d}" if n else 0, *reaction_odds(n).values()] for n in added))


def finish_table() -> str:
    """Return the chances of each end of a track, by the boxes that are full."""
    head = ["boxes full, of 100", *FINISH_DEGREES]
    return _table(head, ([boxes, *finish_odds(boxes).values()] for boxes in range(BOXES_PER_TRACK + 1)))


TABLES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "yes": yes_table,
        **{one.value: partial(grade_table, one) for one in Likelihood},
        "scene": scene_table,
        "how much": amount_table,
        "reaction": attitude_table,
        "finish": finish_table,
    }
)
"""What a document may ask for."""


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table of numbers."""
    lines = [head, ["---:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
