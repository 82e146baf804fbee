"""Reads where somebody was in their life, where never, and whether they were ever away from one place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.word_lists import load_word_lists

PLACE_OF_LIFE: Final = "place of life"
"""The value of where somebody or something has been: its word is one of those below, the place is among the others."""
_NEVER: Final = "never"
_ONCE: Final = "once"
_ALWAYS: Final = "always"
_CAME: Final = "came"
"""They moved there, and so were elsewhere before."""
_AWAY: Final = "away"
"""They were elsewhere, far from the place."""
_NEVER_BEFORE: Final = "never before"
"""They were there for the first time, as an adult or lately."""
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
    stay = _read_denied_stay(clause, words) if is_denied else _read_stay(clause, base, words)
    is_native = not is_denied and clause.verb == "be" and words[:3] == ["a", "native", "of"]
    is_early = is_native or (stay == _ONCE and clause.verb in ("bear", "grow", "raise"))
    stay = _ONCE if is_native else stay
    if stay:
        name = next(t.text for t in clause.rest if t.entity)
        is_building = name.casefold().split()[-1] in load_word_lists().buildings
        more = [word for word, holds in ((_BUILDING, is_building), (_EARLY, is_early)) if holds]
        yield _place_of_life(base, subject[0].entity, places[0], stay, *more)


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
        yield _place_of_life(base, who, places[0], _NEVER_BEFORE)


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
    stay, places = "", [t.entity for t in rest if t.entity and not t.is_person]
    end = next((n + 1 for n, t in enumerate(rest) if t.entity in places), len(rest))
    if end < len(rest) and words[end] in ("during", "after", "in", "for", "since", "by", "once"):
        rest, words = rest[:end], words[:end]  # `to Hollowmere during the war`
    if is_denied:
        stay = _read_denied_stay(clause, words)
        stay = stay if stay == _ALWAYS else ""
    elif len(places) == 1 and rest[-1].entity and (is_moved or clause.verb in _RESTING):
        is_away = words[-3:-1] in (["far", "from"], ["away", "from"]) or words[-2:-1] == ["outside"]
        is_there = len(words) == 2 and words[0] in ("in", "at", "to", "into", "from")
        stay = _AWAY if is_away else _ONCE if is_there and (is_moved or base.time is ClauseTime.PAST) else ""
    if stay and len(places) == 1:
        yield _place_of_life(base, thing, places[0], stay)


def _place_of_life(base: Proposition, who: str, place: str, *stays: str) -> Proposition:
    """Return that somebody or something has been in a place, or has not, by the words for how."""
    return value_proposition(
        base, PLACE_OF_LIFE, doers=frozenset({who}), others=frozenset({place}), owners=frozenset(),
        words=frozenset(stays), when="", thing="", time=ClauseTime.ALWAYS, is_event=False, is_change=False,
        is_affirmed=True, is_denial=False,
    )  # fmt: skip


def are_other_places_of_life(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody was where they never were, or elsewhere than where they always were."""
    stays = (one.words | other.words) - {_BUILDING}
    if _NEVER_BEFORE in stays:
        return one.others == other.others and _EARLY in stays
    stays -= {_EARLY}
    if one.others == other.others:
        return (_NEVER in stays and len(stays) == 2) or {_ALWAYS, _AWAY} == stays or {_ALWAYS, _CAME} == stays
    if _AWAY in stays:
        return False
    is_in_other = _BUILDING in one.words | other.words  # an inn may stand in the town
    return _ALWAYS in stays and _NEVER not in stays and not is_in_other


def _read_denied_stay(clause: ClauseWords, words: list[str]) -> str:
    """Return `never` for `has never been to Hollowmere`, and `always` for `has never left it`; nothing otherwise."""
    helpers = {t.word for t in clause.helpers}
    if "never" not in helpers or not {"has", "have"} & helpers:
        return ""
    if clause.verb == "leave" and len(words) == 1:
        return _ALWAYS
    is_there = len(words) == 2 and words[0] in ("to", "in") and clause.verb == "be"
    is_foot = clause.verb == "set" and words[:2] in (["foot", "in"], ["foot", "on"]) and len(words) == 3
    return _NEVER if is_there or is_foot or (clause.verb in _SEEING and len(words) == 1) else ""


def _read_stay(clause: ClauseWords, base: Proposition, words: list[str]) -> str:
    """Return how somebody was in the place that an affirmed clause names; nothing if it does not say."""
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
