"""Reads when something happened that happens once: before or after what, on which day, how long ago."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import PERSON_NOUNS
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, read_number
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import ARTICLES
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

DATE: Final = "date "
"""What the values begin with of which the words leave several open."""
EVENT_PLACE: Final = "event place"
"""The value of where something happened; its word is the place."""
_HAPPENING: Final = frozenset({"happen", "occur", "take", "be", "begin", "end"})
_UNIQUE_EVENTS: Final = frozenset(
    ["murder", "siege", "war", "battle", "fire", "flood", "plague", "revolution", "coronation", "massacre", "robbery",
     "heist", "explosion", "crash", "accident", "disappearance", "assassination", "execution", "uprising", "rebellion",
     "mutiny", "shipwreck", "earthquake", "invasion", "killing", "kidnapping", "burglary", "raid", "wedding", "trial",
     "funeral", "treaty", "outbreak", "attack", "famine", "shooting", "theft", "eclipse", "landing"]
)  # fmt: skip
"""Nouns for what, with `the`, happened once."""
_ONCE: Final = frozenset(
    ["arrive", "leave", "die", "disappear", "vanish", "flee", "depart", "marry", "begin", "start", "end", "happen",
     "occur", "burn", "collapse", "bear", "build", "found", "murder", "kill", "sink", "crash", "retire", "resign",
     "graduate", "divorce", "bury", "close"]
)  # fmt: skip
"""Verbs of what happens to one and the same once."""
_PHASES: Final = {
    "begin": "begin", "start": "begin", "end": "end", "finish": "end", "happen": "at", "occur": "at", "be": "at",
    "take place": "at", "break out": "begin",
}  # fmt: skip
_BUILDING_VERBS: Final = {
    "build": "build",
    "construct": "build",
    "erect": "build",
    "found": "found",
    "establish": "found",
}
_MONTHS: Final = {
    "january": {1}, "february": {2}, "march": {3}, "april": {4}, "may": {5}, "june": {6}, "july": {7}, "august": {8},
    "september": {9}, "october": {10}, "november": {11}, "december": {12}, "spring": {3, 4, 5}, "springtime": {3, 4, 5},
    "summer": {6, 7, 8}, "midsummer": {6, 7}, "autumn": {9, 10, 11}, "winter": {12, 1, 2}, "midwinter": {12, 1, 2},
    "christmas": {12}, "harvest": {8, 9, 10},
}  # fmt: skip
_SNOW: Final = {10, 11, 12, 1, 2, 3}
_PARTS_OF_DAY: Final = {
    "dawn": range(4, 9), "daybreak": range(4, 9), "sunrise": range(4, 9), "morning": range(4, 12),
    "noon": range(11, 14), "midday": range(11, 14), "daylight": range(5, 21), "afternoon": range(12, 18),
    "dusk": range(17, 22), "sunset": range(17, 22), "nightfall": range(17, 23), "evening": range(17, 24),
    "midnight": range(23, 26),
}  # fmt: skip
_UNITS_IN_YEARS: Final = {"year": 1.0, "decade": 10.0, "century": 100.0, "month": 1 / 12, "week": 1 / 52}
_SHARE: Final = 0.25
"""By which part two spans of years may differ and be the same."""


def read_events(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield when what the clause tells of happened, if that happens once."""
    if base.is_ability or base.general or base.part or base.is_perfect:
        return
    if base.time is ClauseTime.PAST:
        yield from _orders(clause, base)
        yield from _dates(clause, base)
        yield from _years_since(clause, base)
        yield from _places(clause, base)
    elif base.time is ClauseTime.NOW and clause.verb == "be":
        yield from _ages(clause, base)


# --- before and after ------------------------------------------------------------------------------------


def _orders(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `Anne disappeared a week after the fire`, `The flood came before the plague`."""
    rest = list(clause.rest)
    at = next((n for n, t in enumerate(rest) if t.word in ("before", "after")), None)
    if at is None or clause.limit:
        return
    noun = _event_noun(rest[at + 1 :])
    order = rest[at].word
    if not noun:
        return
    front = [t.word for t in rest[:at]]
    subject = _event_noun(clause.subject)
    if (
        subject
        and subject != noun
        and clause.verb in ("come", "happen", "be", "occur", "begin", "start", "take")
    ):
        first = subject if order == "before" else noun
        yield value_proposition(
            base, f"order {' '.join(sorted((subject, noun)))}", doers=frozenset(), others=frozenset(),
            owners=frozenset(), words=frozenset({first}), when="", thing="", is_change=False,
        )  # fmt: skip
        return
    if clause.verb not in _ONCE or not base.is_event:
        return
    what = _what_else(front)
    for proposition in value_of_thing(base, f"order {clause.verb} {what} {noun}", clause.subject):
        yield value_proposition(
            proposition,
            proposition.value_of,
            words=frozenset({order}),
            when="",
            is_change=False,
            is_event=True,
        )


def _what_else(words: Sequence[str]) -> str:
    """Return what else is said before the time: what was left, and where; without how long before or after."""
    kept = [
        w for w in words
        if singular(w) not in (*_UNITS_IN_YEARS, "day", "hour", "minute", "moment") and number_of(w) is None
        and w not in ARTICLES | {"just", "shortly", "long", "soon", "right", "few", "some", "several"}
    ]  # fmt: skip
    return " ".join(kept)


def _event_noun(phrase: Sequence[Token]) -> str:
    """Return the noun of `the fire`; nothing where it is more than a noun."""
    words = [t.word for t in phrase]
    is_plain = len(words) == 2 and words[0] == "the" and not phrase[1].entity and words[1].isalpha()
    return words[1] if is_plain and singular(words[1]) == words[1] else ""


# --- on which day, in which season ------------------------------------------------------------------------


def _dates(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `The murder happened on a Tuesday`, `The siege began in midsummer`."""
    words = [t.word for t in clause.rest]
    verb = f"{clause.verb} {words[0]}" if words and f"{clause.verb} {words[0]}" in _PHASES else clause.verb
    phase = _PHASES.get(verb, "")
    subject = [t.word for t in clause.subject]
    if (
        not phase
        or clause.is_passive
        or subject[:1] != ["the"]
        or singular(subject[-1]) not in _UNIQUE_EVENTS
    ):
        return
    if {"every", "or", "next", "last", "before", "after", "until", "till"} & set(words):
        return
    for kind, values in (("weekday", _weekdays(words)), ("month", _months(words)), ("hour", _hours(words))):
        if values:
            for proposition in value_of_thing(base, f"{DATE}{kind} {phase}", clause.subject):
                yield value_proposition(
                    proposition, proposition.value_of, words=values, when="", is_change=False
                )


def _weekdays(words: Sequence[str]) -> frozenset[str]:
    days = load_word_lists().exclusive_groups["weekday"]
    return frozenset(d for d in days if d in words)


def _months(words: Sequence[str]) -> frozenset[str]:
    months = {month for w in words for month in _MONTHS.get(w, ())}
    if "may" in words and "in" not in words:
        return frozenset()
    if not months and {"snow", "snows", "frost", "frosts"} & set(words) and "in" in words:
        months = _SNOW
    return frozenset(map(str, months))


def _hours(words: Sequence[str]) -> frozenset[str]:
    hours = {hour % 24 for w in words for hour in _PARTS_OF_DAY.get(w, ())}
    if not hours and "night" in words and {"at", "in", "by"} & set(words):
        hours = {*range(19, 24), *range(6)}
    return frozenset(map(str, hours))


def _places(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read where what happened once was: `The wedding was held in Hollowmere`."""
    subject = [t.word for t in clause.subject]
    is_held = (
        clause.verb in ("hold", "fight", "sign", "celebrate")
        if clause.is_passive
        else clause.verb in _HAPPENING
    )
    if not is_held or subject[:1] != ["the"] or singular(subject[-1]) not in _UNIQUE_EVENTS:
        return
    rest = [t for t in clause.rest if t.word not in ("place", "the")]
    if len(rest) == 2 and rest[0].word in ("in", "at", "on") and rest[1].entity and not rest[1].is_person:
        for proposition in value_of_thing(base, EVENT_PLACE, clause.subject):
            yield value_proposition(
                proposition,
                EVENT_PLACE,
                words=frozenset({rest[1].entity}),
                when="",
                is_change=False,
            )


# --- how long ago -----------------------------------------------------------------------------------------


def _years_since(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `The tower was built two hundred years ago`, `The war ended last year`."""
    kind = _BUILDING_VERBS.get(clause.verb, "") if clause.is_passive else ""
    noun = singular(clause.subject[-1].word) if clause.subject else ""
    if noun in _UNIQUE_EVENTS and _PHASES.get(clause.verb) in ("begin", "end"):
        kind = _PHASES[clause.verb]
    if kind and (span := _span_ago([t.word for t in (*clause.rest, *clause.front)])):
        yield from _since(clause, base, kind, span)


def _ages(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `The tower is over two hundred years old`; nobody is built or founded, so that it is said of things."""
    words = [t.word for t in clause.rest]
    if words[-1:] == ["old"] and clause.subject and singular(clause.subject[-1].word) in PERSON_NOUNS:
        return
    is_unnumbered = len(words) == 2 and words[1] == "old" and words[0] in ("centuries", "decades")
    years = _UNITS_IN_YEARS[singular(words[0])] if is_unnumbered else 0
    if span := Quantity(years, float("inf"), "year") if years else _span(words, words[-1:]):
        for kind in ("build", "found"):
            yield from _since(clause, base, kind, span)


def _since(clause: ClauseWords, base: Proposition, kind: str, span: Quantity) -> Iterator[Proposition]:
    for proposition in value_of_thing(base, f"years since {kind}", clause.subject, quantity=span):
        yield value_proposition(
            proposition,
            proposition.value_of,
            words=frozenset(),
            when="",
            is_change=False,
            time=ClauseTime.NOW,
        )


def _span_ago(words: Sequence[str]) -> Quantity | None:
    text = f" {' '.join(words)} "
    if " last year " in text:
        return Quantity(0, 2, "year")
    if {"yesterday", "recently"} & set(words) or " last week " in text or " last month " in text:
        return Quantity(0, 1, "year")
    return _span(words, ["ago"])


def _span(words: Sequence[str], end_words: Sequence[str]) -> Quantity | None:
    """Return the years of `a hundred years ago`, `over two centuries old`."""
    for index in range(len(words)):
        found = read_number(words, index)
        if found is None and words[index] in ("a", "an"):
            found = 1, index + 1
        if found is None:
            continue
        number, end = found
        unit = _UNITS_IN_YEARS.get(singular(words[end]) if end < len(words) else "")
        if unit is None or words[end + 1 : end + 2] != list(end_words):
            continue
        years, before = number * unit, words[index - 1] if index else ""
        if before in ("over", "than", "least", "nearly", "almost"):
            is_less = before in ("nearly", "almost")
            return Quantity(years * (1 - _SHARE), years if is_less else float("inf"), "year")
        return Quantity(years * (1 - _SHARE) - 1, years * (1 + _SHARE) + 1, "year")
    return None
