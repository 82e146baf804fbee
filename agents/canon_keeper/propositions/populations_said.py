"""Reads how many people live in a place, and how many floors a building has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, quantity_at
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import singular

_INHABITANTS: Final = frozenset(
    ["people", "inhabitant", "soul", "resident", "citizen", "villager", "colonist", "settler", "person", "townspeople",
     "islander"]
)  # fmt: skip
_MEMBERS: Final = frozenset(
    {"members", "men", "fighters", "followers", "soldiers", "warriors", "agents", "swords"}
)
_LIVING: Final = frozenset({"live", "dwell", "reside"})
_FLOORS: Final = frozenset({"floor", "storey", "story", "level", "deck"})
_UNIT: Final = "inhabitant"
_ROUGHLY: Final = 0.34
"""The share by which a population given in a round number may be more or less."""


def read_populations(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield `Four hundred people live in Hollowmere`, `Hollowmere has four hundred inhabitants` and floors."""
    if base.time is not ClauseTime.NOW or base.is_ability or base.is_change or base.when or clause.is_passive:
        return
    subject, rest = list(clause.subject), list(clause.rest)
    words, rest_words = [t.word for t in subject], [t.word for t in rest]
    place: Sequence[Token] = ()
    counted: Sequence[str] = ()
    if clause.verb in _LIVING and rest_words[:1] in (["in"], ["on"], ["at"]) and words[-1:] != ["'s"]:
        counted, place = words, rest[1:]
    elif clause.verb == "have":
        at = rest_words.index("of") + 1 if rest_words[:3] == ["a", "population", "of"] else 0
        counted, place = [*rest_words[at:], *(["people"] if at else [])], subject
    elif clause.verb == "be" and "home" in (*rest_words[:1], *(t.word for t in clause.helpers)):
        counted, place = rest_words[rest_words.index("to") + 1 if "to" in rest_words else 0 :], subject
    elif clause.verb == "be" and "population" in words:
        counted, place = [*rest_words, "people"], [t for t in subject if t.entity]
    elif clause.verb == "count" and words[:1] in (["you"], ["one"]):
        at = next((n for n, w in enumerate(rest_words) if w in PREPOSITIONS), len(rest_words))
        counted, place = rest_words[:at], rest[at + 1 :]
    elif clause.verb in ("be", "rise") and rest_words[-1:] in (["high"], ["tall"]):
        counted, place = rest_words[:-1], subject
    is_band = len(subject) < 3 and bool(subject) and subject[-1].is_person
    if is_band and clause.verb in ("have", "number") and (members := _members(rest_words)):
        quantity = members._replace(unit="member", is_exact=True)
        yield from value_of_thing(base, "number of members", subject, quantity=quantity)
        return
    if counted and place and (found := _counted(counted)):
        noun, quantity = found
        if noun == _UNIT and not all(t.entity or t.word == "the" for t in place):
            return
        for proposition in value_of_thing(base, f"number of {noun}s", _named(place), quantity=quantity):
            yield value_proposition(proposition, proposition.value_of, words=frozenset(), is_event=False)


def _counted(words: Sequence[str]) -> tuple[str, Quantity] | None:
    """Return what is counted and how many of it there are, if the words say nothing else."""
    for index in range(min(len(words), 4)):
        found = quantity_at(words, index)
        if found is None:
            continue
        quantity, end = found
        if len(words) != end + 1:
            return None
        noun = singular(words[end])
        if noun in _FLOORS:
            return "floor", quantity._replace(unit="floor")
        if noun not in _INHABITANTS:
            return None
        least, most = quantity.least * (1 - _ROUGHLY), quantity.most * (1 + _ROUGHLY)
        return _UNIT, quantity._replace(unit=_UNIT, least=least, most=most)
    return None


def _members(words: Sequence[str]) -> Quantity | None:
    """Return how many members the words count, if they say nothing else."""
    for index in range(min(len(words), 3)):
        if found := quantity_at(words, index):
            quantity, end = found
            return quantity if len(words) == end + 1 and words[end] in _MEMBERS else None
    return None


def _named(place: Sequence[Token]) -> list[Token]:
    """Return the name alone, where there is one: of `the town of Hollowmere`."""
    names = [t for t in place if t.entity]
    is_of_name = len(names) == 1 and place[-1] is names[0] and "'s" not in [t.word for t in place]
    return names if is_of_name else list(place)
