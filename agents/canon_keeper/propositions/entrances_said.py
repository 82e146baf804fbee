"""Reads how many doors or roads lead to a place: `Only one road leads to Varn`, `can be entered by five doors`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.quantities import Quantity
from agents.canon_keeper.propositions.thing_values import count_of_parts
from agents.canon_keeper.sentences.word_lists import number_of, singular

_ENTRANCES: Final = frozenset(
    ["door", "gate", "entrance", "exit", "road", "path", "track", "trail", "bridge", "stair", "staircase", "ladder",
     "tunnel", "passage", "pass", "route", "ford", "hatch", "doorway", "gateway", "causeway", "street", "way"]
)  # fmt: skip
_LEADING: Final = frozenset({"lead", "go", "run", "open"})
_ENTERING: Final = frozenset({"enter", "reach", "leave", "access"})
_SEVERAL: Final = frozenset({"several", "many", "multiple", "numerous", "various"})
_TO: Final = frozenset({"to", "into", "in", "through", "out"})


def read_entrances(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield how many doors, roads and the like a place that is named has."""
    if base.time is not ClauseTime.NOW or base.is_change or base.when:
        return
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    if clause.verb in _LEADING and not clause.is_passive:
        is_whole = len(rest) == 2 and words[0] in _TO
        counted, place = _counted([t.word for t in clause.subject]), rest[1:] if is_whole else []
    elif clause.verb in _ENTERING:
        by = next((n for n, w in enumerate(words) if w in ("by", "through", "from")), None)
        place = list(clause.subject) if clause.is_passive else rest[:by]
        counted = _counted(words[by + 1 :]) if by is not None else None
    else:
        at = next(
            (n for n, w in enumerate(words) if n and w in _TO and singular(words[n - 1]) in _ENTRANCES), None
        )
        counted = _counted(words[max(0, at - 2) : at]) if at is not None else None
        place = rest[at + 1 :] if at is not None else []
        counted = counted if counted and clause.verb != "have" and not base.is_denial else None
    place = [t for t in place if t.word != "the"]
    if counted is None or len(place) != 1 or not place[0].entity or place[0].is_person:
        return
    quantity, noun = counted
    yield from count_of_parts(replace(base, general="", part=""), noun, place, quantity)


def _counted(words: Sequence[str]) -> tuple[Quantity, str] | None:
    """Return how many of which entrance: of `only one road`, `several roads`, `no door`."""
    plain = [w for w in words if w not in ("of", "the", "different", "between", "other")]
    is_only = plain[:1] == ["only"] or "single" in plain
    plain = [w for w in plain if w not in ("only", "just", "single")]
    noun = singular(plain[-1]) if plain else ""
    if len(plain) != 2 or noun not in _ENTRANCES:
        return None
    number = 1 if plain[0] in ("a", "an") else 0 if plain[0] == "no" else number_of(plain[0])
    if plain[0] in _SEVERAL:
        return Quantity(2, float("inf"), "part"), noun
    if number is None:
        return None
    most = float("inf") if plain[0] in ("a", "an") and not is_only else number
    return Quantity(number, most, "part"), noun
