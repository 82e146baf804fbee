"""Reads where somebody was in their life, where never, and whether they were ever away from one place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.word_lists import load_word_lists

PLACE_OF_LIFE: Final = "place of life"
"""The value of where somebody has been; its word is one of the three below, and the place is among the others."""
_NEVER: Final = "never"
_ONCE: Final = "once"
_ALWAYS: Final = "always"
_CAME: Final = "came"
_AWAY: Final = "away"
_NEVER_BEFORE: Final = "never before"
_EARLY: Final = "early"
"""The word besides `once` of where somebody was as a child."""
_FIRST_TIMES: Final = frozenset({"time", "visit", "trip", "stay", "journey"})
_VISITING: Final = frozenset(
    {"come", "visit", "arrive", "go", "travel", "reach", "see", "enter", "move", "set"}
)
_CHILDREN: Final = frozenset({"child", "boy", "girl", "baby", "infant", "toddler", "youth", "young"})
_BUILDING: Final = "#building"
_RESTING: Final = frozenset({"be", "lie", "hang", "stand", "turn"})
_SEEING: Final = frozenset({"visit", "see", "enter"})
_IN: Final = frozenset({"in", "at", "on"})
_LIVING: Final = frozenset({"live", "study", "dwell", "reside"})
_COMING: Final = frozenset({"move", "emigrate", "immigrate", "settle", "relocate"})
_KEEPING: Final = frozenset(
    {"keep", "bring", "carry", "take", "find", "hide", "sell", "move", "ship", "lose", "bury", "send"}
)
"""What is done to a thing where it is, or with which it goes elsewhere."""


def read_places_of_life(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield `was born in Hollowmere`, `has never been to Hollowmere` and `has never left Hollowmere`."""
    if base.is_ability or clause.limit:
        return
    yield from _places_of_things(clause, base, is_denied=is_denied)
    yield from _first_visits(clause, base, is_denied=is_denied)
    subject = [t for t in clause.subject if t.word != "the"]
    places = [t.entity for t in clause.rest if t.entity]
    if len(subject) != 1 or not subject[0].is_person or len(places) != 1:
        return
    if any(t.is_person for t in clause.rest) or any(
        t.word in ("'s", "until", "till", "before") for t in clause.rest
    ):
        return
    words = [t.word for t in clause.rest if t.word != "the"]
    said = _said_never(clause, words) if is_denied else _said(clause, base, words)
    is_native = not is_denied and clause.verb == "be" and words[:3] == ["a", "native", "of"]
    is_early = is_native or (said == _ONCE and clause.verb in ("bear", "grow", "raise"))
    said = _ONCE if is_native else said
    if said:
        name = next(t.text for t in clause.rest if t.entity)
        is_building = name.casefold().split()[-1] in load_word_lists().buildings
        yield value_proposition(
            base, PLACE_OF_LIFE, doers=frozenset({subject[0].entity}), others=frozenset(places), owners=frozenset(),
            words=frozenset({said, *({_BUILDING} if is_building else ()), *({_EARLY} if is_early else ())}),
            when="", thing="", time=ClauseTime.ALWAYS, is_event=False, is_change=False, is_affirmed=True,
            is_denial=False,
        )  # fmt: skip


def _first_visits(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield `This is Osric's first time in Hollowmere` and `Osric first came to Hollowmere as a grown man`."""
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    places = [t.entity for t in rest if t.entity and not t.is_person]
    if is_denied or len(places) != 1:
        return
    who = ""
    is_named = len(rest) == 6 and words[1:3] == ["'s", "first"] and words[3] in _FIRST_TIMES
    is_this = [t.word for t in clause.subject] == ["this"] and clause.verb == "be"
    if is_this and is_named and words[4] in ("in", "to", "at"):
        who = rest[0].entity if rest[0].is_person else ""
    elif clause.verb in _VISITING and "first" in {t.word for t in (*clause.helpers, *clause.subject[1:])}:
        who = clause.subject[0].entity if clause.subject[0].is_person else ""
        who = who if _CHILDREN.isdisjoint(words) and base.time is ClauseTime.PAST else ""
    if who:
        yield value_proposition(
            base, PLACE_OF_LIFE, doers=frozenset({who}), others=frozenset(places), owners=frozenset(),
            words=frozenset({_NEVER_BEFORE}), when="", thing="", time=ClauseTime.ALWAYS, is_event=False,
            is_change=False, is_affirmed=True, is_denial=False,
        )  # fmt: skip


def _places_of_things(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield that a thing has never left a place, and that it was elsewhere: `was kept far from Hollowmere`."""
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    names = [t for t in clause.subject if t.entity]
    is_moved = clause.verb in _KEEPING
    thing = names[0].entity if len(names) == 1 and names[0] is clause.subject[-1] else ""
    if is_moved and not clause.is_passive:
        thing, rest, words = base.target, rest[1:], words[1:]
    if not thing or thing in base.people or not rest:
        return
    said, places = "", [t.entity for t in rest if t.entity and not t.is_person]
    end = next((n + 1 for n, t in enumerate(rest) if t.entity in places), len(rest))
    if end < len(rest) and words[end] in ("during", "after", "in", "for", "since", "by", "once"):
        rest, words = rest[:end], words[:end]  # `to Hollowmere during the war`
    if is_denied:
        said = _said_never(clause, words)
        said = said if said == _ALWAYS else ""
    elif len(places) == 1 and rest[-1].entity and (is_moved or clause.verb in _RESTING):
        is_away = words[-3:-1] in (["far", "from"], ["away", "from"]) or words[-2:-1] == ["outside"]
        is_there = len(words) == 2 and words[0] in ("in", "at", "to", "into", "from")
        said = _AWAY if is_away else _ONCE if is_there and (is_moved or base.time is ClauseTime.PAST) else ""
    if said and len(places) == 1:
        yield value_proposition(
            base, PLACE_OF_LIFE, doers=frozenset({thing}), others=frozenset(places), owners=frozenset(),
            words=frozenset({said}), when="", thing="", time=ClauseTime.ALWAYS, is_event=False, is_change=False,
            is_affirmed=True, is_denial=False,
        )  # fmt: skip


def are_other_places_of_life(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody was where they never were, or elsewhere than where they always were."""
    said = (one.words | other.words) - {_BUILDING}
    if _NEVER_BEFORE in said:
        return one.others == other.others and _EARLY in said
    said -= {_EARLY}
    if one.others == other.others:
        return (_NEVER in said and len(said) == 2) or {_ALWAYS, _AWAY} == said or {_ALWAYS, _CAME} == said
    if _AWAY in said:
        return False
    is_in_other = _BUILDING in one.words | other.words  # an inn may stand in the town
    return _ALWAYS in said and _NEVER not in said and not is_in_other


def _said_never(clause: ClauseWords, words: list[str]) -> str:
    helpers = {t.word for t in clause.helpers}
    if "never" not in helpers or not {"has", "have"} & helpers:
        return ""
    if clause.verb == "leave" and len(words) == 1:
        return _ALWAYS
    is_there = len(words) == 2 and words[0] in ("to", "in") and clause.verb == "be"
    is_foot = clause.verb == "set" and words[:2] in (["foot", "in"], ["foot", "on"]) and len(words) == 3
    return _NEVER if is_there or is_foot or (clause.verb in _SEEING and len(words) == 1) else ""


def _said(clause: ClauseWords, base: Proposition, words: list[str]) -> str:
    helpers = {t.word for t in clause.helpers}
    is_born = (
        clause.verb == "bear"
        and clause.is_passive
        and (words[:1] == ["in"] or words[:3] == ["and", "raised", "in"])
    )
    is_raised = (clause.verb == "grow" and words[:2] == ["up", "in"]) or (
        clause.verb == "raise" and clause.is_passive and words[:1] == ["in"]
    )
    if (is_born or clause.verb == "grow") and words[-3:-1] in (
        ["far", "from"],
        ["away", "from"],
        ["miles", "from"],
    ):
        return _AWAY  # `grew up in a village far from Hollowmere`
    is_living = clause.verb in _LIVING and bool(words) and words[0] in _IN
    if clause.verb in _COMING and words[:1] in (["to"], ["in"]) and base.time is ClauseTime.PAST:
        return _CAME
    is_spent = clause.verb == "spend" and len(words) > 2 and words[-2] in _IN and "year" in " ".join(words)
    is_whole_life = clause.verb == "live" and (
        any(life in " ".join(words) for life in ("all his life", "all her life"))
        or "always" in helpers
        or words[-2:] == ["since", "birth"]
    )
    if is_whole_life and base.is_perfect:
        return _ALWAYS
    return _ONCE if is_born or is_raised or is_living or is_spent else ""
