"""Says of a fact that its words set it at an earlier time than the one from which canon will have it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.prose.day_mentions import find_earlier_time
from stores.records.canon import AssertFact
from stores.records.workflow import ProposedChange

_HOW_TO_DATE: Final = "Once it is canon, e on it in the world (3) says since when."


def describe_earlier_times(proposals: Iterable[ProposedChange]) -> tuple[str, ...]:
    """Return a line on each earlier time in the words of facts that begin at the time of their line."""
    statements = (
        p.change.statement
        for p in proposals
        if isinstance(p.change, AssertFact) and p.change.valid_from is not None
    )
    words = dict.fromkeys(filter(None, map(find_earlier_time, statements)))
    return tuple(
        f"“{time}” stays in the words: in canon it counts from now on. {_HOW_TO_DATE}" for time in words
    )
