"""The rulings that are open to a conflict, in plain words: what is chosen, what must be typed for it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agents.canon_keeper.conflicts.ruling_service import FactConflict
from agents.services.commit_preview import moment
from agents.views.conflict_views import RulingOption, RulingOptionName, RulingVariant
from stores.records.canon import Standing
from stores.records.workflow import RulingKind
from stores.records.world import Calendar

CHECKS: Final[Mapping[str, str]] = {
    "one_value": "only one of the two can hold at a time",
    "exclusive": "the two exclude each other",
    "irreversible": "what is final stays so",
    "dead_do_not_act": "the dead do not act",
    "absent_do_not_act": "the absent do not act",
    "not_yet_born": "nobody acts before being born",
    "two_places": "nobody is in two places at once",
    "effect_before_cause": "what is caused comes after its cause",
    "no_such_cause": "what never was causes nothing",
    "breaks_axiom": "a rule of this world",
    "no_such_encounter": "no such meeting is on record",
    "no_such_assertion": "no such words are on record",
    "same_name": "one thing under two names?",
    "alike": "one thing under two names?",
    "unwritable": "it cannot be written as it stands",
}
"""The checks, by what they guard."""

RULINGS: Final[Mapping[RulingOptionName, RulingKind]] = {
    "new": RulingKind.FROM_NOW,
    "never": RulingKind.NEW,
    "old": RulingKind.OLD,
    "both": RulingKind.BOTH,
    "until": RulingKind.BOUNDED,
    "split": RulingKind.SPLIT,
}

VERDICTS: Final = (
    RulingOption("accept", "Accept it all the same: the next commit writes it"),
    RulingOption("reject", "Reject it: canon stays as it is"),
)
"""What is left where no ruling could settle it."""

_HEARSAY: Final = (
    (Standing.RUMOUR, "is only a rumour"),
    (Standing.LIE, "is a lie"),
    (Standing.DISPUTED, "is disputed"),
)


def ways_of(hearing: FactConflict, calendar: Calendar, now: int | None) -> tuple[RulingOption, ...]:
    """Return the rulings that can be made of two statements, and plain verdicts if there are none."""
    begins = hearing.claim.valid_from
    since = begins if begins is not None else now
    typed = "" if since is None else moment(calendar, since)
    every = (
        RulingOption(
            "new", "The new one holds from a time on; before that the old one did", (), "time", typed
        ),
        RulingOption("never", "The new one holds; the old one was never so"),
        RulingOption("old", "The old one stands; the new one is turned down"),
        RulingOption("both", "Both stand, but one of them is mere hearsay", tuple(_hearsay())),
        RulingOption(
            "until", "Each had its own time", tuple(_in_turn(hearing, typed, calendar)), "time", typed
        ),
        RulingOption(
            "split", "They are about two different things of one name", tuple(_two(hearing)), "name"
        ),
    )
    return tuple(way for way in every if RULINGS[way.name] in hearing.rulings) or VERDICTS


def ways_for_entity(new: str, known: str) -> tuple[RulingOption, ...]:
    """Return what can be ruled of two that bear like names."""
    other = "by the same name" if new.casefold() == known.casefold() else f"as another name of {known}"
    return (
        RulingOption("same", f"They are one: {new} is known {other}"),
        RulingOption(
            "different", f"They are two: {new} is somebody or something else; this is not asked again"
        ),
        *VERDICTS[1:],
    )


def _hearsay() -> Iterator[RulingVariant]:
    for standing, words in _HEARSAY:
        yield RulingVariant(f"The new one {words}", "new", standing)
    for standing, words in _HEARSAY:
        yield RulingVariant(f"The old one {words}", "old", standing)


def _in_turn(hearing: FactConflict, typed: str, calendar: Calendar) -> Iterator[RulingVariant]:
    yield RulingVariant("First the old one, then the new one", "old", suggested=typed)
    ends = hearing.other.valid_from
    begun = "" if ends is None else moment(calendar, ends)
    yield RulingVariant("First the new one, then the old one", "new", suggested=begun or typed)


def _two(hearing: FactConflict) -> Iterator[RulingVariant]:
    for entity_id, name in hearing.shared.items():
        other = f"another {name}"
        yield RulingVariant(
            f"The new one is about another {name}", "new", entity_id=entity_id, suggested=other
        )
        yield RulingVariant(
            f"The old one is about another {name}", "old", entity_id=entity_id, suggested=other
        )
