"""Reads how far one place is from another, and where somebody was born or lies buried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, read_number
from agents.canon_keeper.sentences.word_lists import singular

DISTANCE: Final = "distance of two"
"""The value of how far two places are from each other."""
_BURIAL: Final = "burial"
_UNITS: Final = {
    "hour": ("hours", 1.0), "day": ("hours", 10.0), "week": ("hours", 70.0), "month": ("hours", 300.0),
    "minute": ("hours", 1 / 60), "mile": ("miles", 1.0), "league": ("miles", 3.0), "kilometre": ("miles", 0.6),
    "pace": ("miles", 1 / 2000), "yard": ("miles", 1 / 1760), "metre": ("miles", 1 / 1600),
}  # fmt: skip
"""What each measures, and in how many hours of walking or riding, or miles."""
_JOURNEYS: Final = frozenset(
    ["ride", "walk", "journey", "march", "sail", "travel", "drive", "flight", "voyage", "trek", "hike", "jump",
     "stroll"]
)  # fmt: skip
_SPAN: Final = 3.0
"""How many times longer a way may be on foot than on horseback."""
_NEARLY: Final = 1.5
"""How many times longer a way may be than one given in miles, both being rough."""
_PLACE_NOUNS: Final = {
    "birthplace": "origin", "grave": _BURIAL, "tomb": _BURIAL, "gravestone": _BURIAL, "tombstone": _BURIAL,
    "headstone": _BURIAL, "bones": _BURIAL, "ashes": _BURIAL,
}  # fmt: skip


def read_distances(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield `Hollowmere is two days' ride from Rigg`, `Tam's birthplace is Rigg` and `Tam lies buried in Rigg`."""
    yield from _distances(clause, base)
    yield from _places_named(clause, base)


def _distances(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    subject = [t for t in clause.subject if t.word != "the"]
    if clause.verb not in ("be", "lie", "stand") or base.time is not ClauseTime.NOW or base.is_ability:
        return
    if len(subject) != 1 or not subject[0].entity or words[-2:-1] != ["from"] or not rest[-1].entity:
        return
    number = (1, 1) if words[0] in ("a", "an") else read_number(words, 0)
    if number is None:
        return
    count, end = number
    unit = _UNITS.get(singular(words[end])) if end < len(words) else None
    behind = [w for w in words[end + 1 : -2] if w not in ("'s", "away", "by", "foot", "on", "horse", "ship")]
    if unit is None or not _JOURNEYS.issuperset(behind):
        return
    name, factor = unit
    tolerance = _SPAN if name == "hours" else _NEARLY
    length = count * factor
    yield value_proposition(
        base, DISTANCE, doers=frozenset({subject[0].entity, rest[-1].entity}), others=frozenset(), owners=frozenset(),
        words=frozenset(), thing="", when="", quantity=Quantity(length / tolerance, length * tolerance, name),
    )  # fmt: skip


def _places_named(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    subject, rest = list(clause.subject), [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    is_buried = (clause.verb == "bury" and clause.is_passive) or (
        clause.verb == "lie" and words[:1] == ["buried"]
    )
    if is_buried and len(subject) == 1:
        words, rest = (words[1:], rest[1:]) if words[:1] == ["buried"] else (words, rest)
        who, attribute = subject[0], _BURIAL
    elif clause.verb in ("be", "lie") and len(subject) == 3 and subject[1].word == "'s":
        who, attribute = subject[0], _PLACE_NOUNS.get(subject[2].word, "")
    else:
        return
    if words[:1] in (["in"], ["at"], ["near"], ["outside"]):
        rest = rest[1:]
    if attribute and who.is_person and len(rest) == 1 and rest[0].entity and not rest[0].is_person:
        yield value_proposition(
            base, attribute, doers=frozenset({who.entity}), others=frozenset({rest[0].entity}), owners=frozenset(),
            words=frozenset(), time=ClauseTime.PAST, when="", is_change=False, thing="",
        )  # fmt: skip
