"""Reads when something is that is at one time: on which day, at which hour, in which season, and how long it lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, read_number
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

_LASTING_VERBS: Final = frozenset({"last", "bind", "take", "run", "hold", "endure"})
_DAYS_OF_UNITS: Final = {
    "hour": 1 / 24,
    "day": 1,
    "night": 1,
    "week": 7,
    "fortnight": 14,
    "month": 30,
    "year": 365,
}
_NEARLY: Final = 0.1
"""By which part two lengths differ that are not said to be two."""
_SCHEDULED: Final = frozenset(
    ["begin", "start", "end", "open", "close", "sail", "depart", "leave", "arrive", "meet", "ring", "finish", "ride",
     "gather", "convene", "assemble"]
)  # fmt: skip
"""Verbs of what happens at an hour that is set."""
_HAPPENING_ONCE: Final = frozenset(
    {"arrive", "dock", "land", "leave", "sail", "die", "depart", "marry", "bear"}
)
_SAME_HAPPENING: Final = {
    "dock": "arrive", "land": "arrive", "depart": "leave", "gather": "meet", "convene": "meet", "assemble": "meet",
    "start": "begin", "finish": "end",
}  # fmt: skip
"""Verbs that say the same of when something is, each with the one that stands for both."""
_DAYTIMES: Final = {
    "dawn": range(5, 8), "daybreak": range(5, 8), "sunrise": range(5, 8), "morning": range(5, 12),
    "noon": range(12, 13), "midday": range(12, 13), "afternoon": range(12, 18), "dusk": range(17, 22),
    "sunset": range(17, 22), "sundown": range(17, 22), "nightfall": range(18, 23), "evening": range(17, 24),
    "midnight": range(24, 25),
}  # fmt: skip
_NIGHT: Final = frozenset({*range(20, 25), *range(5)})
_WEEKDAYS: Final = load_word_lists().exclusive_groups["weekday"]
_SEASONS: Final = frozenset({"spring", "summer", "autumn", "winter"})


def read_times(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield at which one time an affirmed clause says that something is, and for how long."""
    yield from _weekdays(clause, base)
    yield from _durations(clause, base)
    if not base.is_ability:
        yield from _hours(clause, base)


def _weekdays(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read on which day something is: `The meeting is on Friday`. What happened on a day may happen on another."""
    days = [day for t in clause.rest if (day := t.word.removesuffix("s")) in _WEEKDAYS]
    rest = (
        clause.rest[1:]
        if clause.verb == "take" and [t.word for t in clause.rest[:1]] == ["place"]
        else clause.rest
    )
    is_plain = (
        (clause.verb in ("be", "happen") or rest is not clause.rest)
        and base.time is ClauseTime.NOW
        and not clause.front
        and len(rest) <= 2
    )
    if is_plain and len(days) == 1 and [t.word for t in rest[:1]] in (["on"], days) and rest:
        yield from value_of_thing(base, "weekday", clause.subject, days[0])


def _durations(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how long something lasts: `three days` and `a week` differ, `a week` and `seven days` do not."""
    is_past_event = base.time is ClauseTime.PAST and clause.verb == "last" and not base.is_perfect
    if clause.verb not in _LASTING_VERBS or not (base.time is ClauseTime.NOW or is_past_event):
        return
    words = [t.word for t in clause.rest]
    for index in range(len(words)):
        number = (1, index + 1) if words[index] in ("a", "an") else read_number(words, index)
        if number is None:
            continue
        count, end = number
        days = _DAYS_OF_UNITS.get(singular(words[end])) if end < len(words) else None
        is_whole = end + 1 >= len(words) or words[end + 1] in (",", "and")
        before = words[index - 1] if index else ""
        if days is not None and is_whole and before in ("", "for", "us", "only", "exactly"):
            length = count * days
            quantity = Quantity(length * (1 - _NEARLY), length * (1 + _NEARLY), "day", is_exact=True)
            yield from value_of_thing(base, "duration", clause.subject, quantity=quantity)
        return


def _hours(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read at which hour, day or season something happens that happens at one: `The fair begins at noon`."""
    verb = _SAME_HAPPENING.get(clause.verb, clause.verb)
    if clause.verb == "hold" and not clause.is_passive and "meetings" in (t.word for t in clause.rest[:2]):
        verb = "meet"  # `holds its meetings on Mondays`
    is_set = base.time is ClauseTime.NOW and (clause.verb in _SCHEDULED or verb == "meet")
    is_once = base.time is ClauseTime.PAST and clause.verb in _HAPPENING_ONCE and not base.is_perfect
    if not (is_set or is_once) or (is_once and not base.is_event):
        return
    if clause.verb in ("leave", "marry") and clause.rest and clause.rest[0].word not in PREPOSITIONS:
        return
    words = [t.word for t in clause.rest if t.word not in ("the", "early", "late", "middle", "of", "depths")]
    for kind, values in (
        ("hour", _hours_named(words)),
        ("weekday", _WEEKDAYS & {word.removesuffix("s") for word in words}),
        ("season", _SEASONS & set(words)),
    ):
        if values and not {"every", "or", "and", "next", "last"} & set(words):
            for proposition in value_of_thing(base, f"{kind} {verb}", clause.subject):
                yield value_proposition(
                    proposition,
                    f"{kind} {verb}",
                    words=frozenset(values),
                    when="",
                    time=base.time,
                    is_change=False,
                )


def _hours_named(words: Sequence[str]) -> frozenset[str]:
    """Return the hours of the day that words leave open: 5 to 7 for `at dawn`; none if they name no hour."""
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word in _DAYTIMES and before not in ("after", "until", "till", "by", "from"):
            hours = frozenset(_DAYTIMES[word])
            if before == "before":
                hours = frozenset(range(max(0, min(hours) - 5), min(hours))) | (
                    frozenset({24, 23, 22}) if min(hours) < 8 else frozenset()
                )
            return frozenset(map(str, hours))
        if word == "night" and before in ("at", "in", "by"):
            return frozenset(map(str, _NIGHT))
        number = number_of(word)
        if before == "at" and number is not None and 1 <= number <= 12:
            return frozenset({str(number), str(number + 12)})
    return frozenset()
