"""Reads where a thing is kept: at the bottom of water, on somebody, or in a room of which a house has one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import singular

KEPT_IN: Final = "kept in"
"""The value of where a thing is kept; its word is the room, or what is neither here nor in a room."""
_WATERS: Final = frozenset(
    ["sea", "lake", "river", "mere", "ocean", "harbour", "harbor", "swamp", "bog", "moat", "seabed", "loch", "marsh"]
)  # fmt: skip
_ON_SOMEBODY: Final = frozenset(
    {"neck", "finger", "belt", "pocket", "wrist", "hip", "sleeve", "boot", "throat"}
)
_ROOMS: Final = frozenset(
    [
        "attic",
        "cellar",
        "kitchen",
        "library",
        "stable",
        "barn",
        "crypt",
        "bedroom",
        "study",
        "workshop",
        "pantry",
    ]
)
_INDOORS: Final = frozenset({"hearth", "mantelpiece", "mantel", "fireplace", "wall", "shelf", "ceiling"})
"""What is in a room, but says not in which."""
_RESTING: Final = frozenset({"be", "lie", "hang", "rest", "sit"})
_PUTTING: Final = frozenset({"hide", "keep", "store", "stash", "conceal", "lock", "stow"})
"""Verbs of what is done to a thing that is there since."""
_WEARING: Final = frozenset({"wear", "carry", "keep"})
_PLACING: Final = frozenset(
    {"in", "at", "under", "on", "beneath", "above", "over", "inside", "around", "round", "from"}
)


def read_things_kept(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield `is hidden in the attic`, `lies at the bottom of the mere`, `wears the key around his neck`."""
    if base.time is not ClauseTime.NOW or base.is_ability or base.is_change or base.general or base.part:
        return
    is_put = clause.verb in _PUTTING and clause.is_passive
    if is_put or (clause.verb in _RESTING and not clause.is_passive):
        thing, places = list(clause.subject), list(clause.rest)
    elif (
        clause.verb in _WEARING
        and not clause.is_passive
        and clause.subject[-1:]
        and clause.subject[-1].is_person
    ):
        end = next((n for n, t in enumerate(clause.rest) if t.word in PREPOSITIONS), len(clause.rest))
        thing, places = list(clause.rest[:end]), list(clause.rest[end:])
    else:
        return
    if thing and not thing[-1].is_person and (place := _place_named(places)):
        yield from value_of_thing(base, KEPT_IN, thing, place)


def are_other_keepings(one: Proposition, other: Proposition) -> bool:
    """Say whether a thing cannot be in both; what is above the hearth may be in any room."""
    if one.thing != other.thing or one.words == other.words:
        return False
    both = one.words | other.words
    return "#indoors" not in both or bool(both & {"#water", "#somebody"})


def _place_named(tokens: Sequence[Token]) -> str:
    """Return where words say that something is; empty if they say so of no place that is known."""
    if not tokens or tokens[0].word not in _PLACING:
        return ""
    words = [singular((t.text if t.entity else t.word).casefold()) for t in tokens]
    kinds = {
        kind
        for kind, nouns in (("#water", _WATERS), ("#somebody", _ON_SOMEBODY), ("#indoors", _INDOORS))
        if not nouns.isdisjoint(words)
    }
    rooms = _ROOMS.intersection(words)
    if rooms:
        return next(iter(rooms)) if len(rooms) == 1 and not kinds - {"#indoors"} else ""
    if kinds == {"#water"} and not {"bottom", "bed"} & set(words) and "seabed" not in words:
        return ""  # `on the river`
    return next(iter(kinds)) if len(kinds) == 1 else ""
