"""Reads that somebody is no longer what they are by canon or a proposal: `Sten is no longer the captain`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agents.declarations.lasting_facts import split_parts
from agents.declarations.said_in_passing import NAME_RUN, Statement
from agents.prose.called_names import find_called
from stores.records.world import ACTORS, Entity

_ENDED_OFFICE: Final = re.compile(
    rf"(?:(?:But|And|Now|So),? )?(?P<who>{NAME_RUN.pattern}) is no longer (?:the |an? )?(?P<office>[a-z-]+)"
)
_HELD_OFFICE: Final = re.compile(
    rf"(?P<who>{NAME_RUN.pattern}) (?:is|was made|has become|becomes|became) (?:the |an? )?(?P<office>[a-z-]+)"
    r" of (?P<where>[^,;]+?)\.?"
)
_ENDED_TIE: Final = re.compile(
    r"\b(?:(?:is|are) no longer [^\W\d_a-z][^,;]*?['’]s? [a-z ]+"
    r"|no longer (?:serves?|works? for) [^\W\d_a-z][\w'’ -]*)\.?$"
)


class EndedOffice(NamedTuple):
    """An office that somebody has no longer; of what, the words do not say."""

    who: str
    office: str
    quote: str


def find_ended_offices(text: str) -> list[EndedOffice]:
    """Return the offices that a text itself says end: `Sten is no longer the captain`."""
    matches = ((_ENDED_OFFICE.fullmatch(part.sentence), part.quote) for part in split_parts(text))
    return [EndedOffice(match["who"], match["office"], quote) for match, quote in matches if match]


def complete_ended_office(
    ended: EndedOffice, statements: Iterable[str], entities: Sequence[Entity]
) -> Statement | None:
    """Return the end of an office with that of which it is: by the one of the statements that says they have it."""
    people = _find_people(ended.who, entities)
    if len(people) != 1:
        return None
    held = (_HELD_OFFICE.fullmatch(statement) for statement in statements)
    seats = {
        match["where"]
        for match in held
        if match and match["office"] == ended.office and _find_people(match["who"], entities) == people
    }
    if len(seats) != 1:
        return None
    return Statement(f"{ended.who} is no longer the {ended.office} of {seats.pop()}", ended.quote)


def ends_tie(statement: str) -> bool:
    """Say whether a statement says that somebody is no longer what they were of somebody: `no longer Mara's enemy`."""
    return _ENDED_TIE.search(statement) is not None


def _find_people(name: str, entities: Sequence[Entity]) -> list[Entity]:
    return [entity for entity in find_called(name, entities) if entity.kind in ACTORS]
