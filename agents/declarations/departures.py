"""Reads who leaves a place in plain narration: `Vess leaves the Undercroft.` That ends a stay. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from agents.declarations.said_in_passing import Statement
from agents.prose.called_names import find_called
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.world import ACTORS, Entity, EntityKind

_DEPARTURE: Final = re.compile(
    r"(?P<who>[^\W\d_a-z][\w'’ -]{0,60}?) (?:has |have |had )?"
    r"(?:leaves?|left|departs? from|departed from"
    r"|(?:walk|storm|stride|march|run|hurry|slip|sneak|ride|climb|step|creep|rush|stroll)(?:s|ed)? out of"
    r"|(?:goes|went|gone|strode|ran|rode|crept|hurries|hurried|slipped|stepped|rushes) out of) "
    r"(?P<place>[\w'’ -]{2,60}?)(?: again| once more| at last| for good)?[.!]"
)


class Departure(NamedTuple):
    """Who leaves which place, and the words that say so."""

    who: Entity
    place: Entity
    quote: str


def find_departure_sentences(text: str) -> list[Statement]:
    """Return the sentences of a text that may say that somebody leaves a place."""
    if SINGLE_QUOTED.search(text):
        return []
    sentences = split_sentences(strip_speech(text))
    return [
        Statement(sentence.strip(" .!"), sentence.strip(" .!"))
        for sentence in sentences
        if _DEPARTURE.fullmatch(sentence.strip().rstrip(".!") + ".")
    ]


def read_departures(sentences: Sequence[Statement], entities: Sequence[Entity]) -> list[Departure]:
    """Return who leaves which place, where both are named as one of the entities and no other is."""
    departures = []
    for sentence, quote in sentences:
        match = _DEPARTURE.fullmatch(f"{sentence}.")
        people = find_called(match["who"], [e for e in entities if e.kind in ACTORS]) if match else []
        places = (
            find_called(match["place"], [e for e in entities if e.kind is EntityKind.PLACE]) if match else []
        )
        if len(people) == 1 and len(places) == 1:
            departures.append(Departure(people[0], places[0], quote))
    return departures
