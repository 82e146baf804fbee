"""Writes the tables of odds in docs/oracle.md, with the functions that read the dice.

`python -m tools.published_odds` replaces every table between `<!-- odds: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
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

DOCUMENT: Final = Path(__file__).parents[1] / "docs" / "oracle.md"
_MARKED: Final = re.compile(r"(<!-- odds: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(document: str) -> str:
    """Return the document with every marked table renewed. Raises KeyError for an unknown name."""
    return _MARKED.sub(lambda match: f"{match[1]}\n{TABLES[match[2]]()}\n\n{match[3]}", document)


def yes_table() -> str:
    """Return a table of the chance of any yes, and of a random event, by tension."""
    head = ["tension", *Likelihood, "event"]
    rows = (
        [tension, *(yes_in_100(likelihood, tension) for likelihood in Likelihood), event_chance(tension)]
        for tension in TENSIONS
    )
    return _table(head, rows)


def grade_table(likelihood: Likelihood) -> str:
    """Return the chance of each grade by tension, in both modes."""
    head = ["tension", *(f"{mode}: {grade}" for mode in TensionMode for grade in Grade)]
    rows = (
        [tension, *(n for mode in TensionMode for n in oracle_odds(likelihood, tension, mode).values())]
        for tension in TENSIONS
    )
    return _table(head, rows)


def scene_table() -> str:
    """Return the chance of each start of a scene by tension."""
    rows = ([tension, *scene_odds(tension).values()] for tension in TENSIONS)
    return _table(["tension", *SceneStartKind], rows)


def amount_table() -> str:
    """Return in how many of 216 throws each amount comes, by lean."""
    leans = range(-MAX_LEAN, MAX_LEAN + 1)
    head = [f"lean, of {OUTCOMES}", *Amount]
    return _table(head, ([f"{lean:+d}" if lean else 0, *amount_odds(lean).values()] for lean in leans))


def attitude_table() -> str:
    """Return in how many of 36 throws each attitude comes, by modifier."""
    modifiers = range(-MAX_MODIFIER, MAX_MODIFIER + 1)
    head = [f"modifier, of {REACTION_OUTCOMES}", *Attitude]
    return _table(head, ([f"{n:+d}" if n else 0, *reaction_odds(n).values()] for n in modifiers))


def finish_table() -> str:
    """Return the chances of each end of a track, by the boxes that are full."""
    head = ["boxes full, of 100", *FINISH_DEGREES]
    return _table(head, ([boxes, *finish_odds(boxes).values()] for boxes in range(BOXES_PER_TRACK + 1)))


TABLES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {
        "yes": yes_table,
        **{likelihood.value: partial(grade_table, likelihood) for likelihood in Likelihood},
        "scene": scene_table,
        "how much": amount_table,
        "reaction": attitude_table,
        "finish": finish_table,
    }
)
"""The tables that a document may have, by name."""


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table of numbers."""
    lines = [head, ["---:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


if __name__ == "__main__":
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
